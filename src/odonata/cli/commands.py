"""The commands of ``odonata``, each imported when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from odonata.errors import UserError
from odonata.quiet import be_quiet

__all__ = [
    "FORM",
    "NAMES",
    "WORDS",
    "WRITTEN",
    "Command",
    "Commands",
    "Numeric",
    "NumericTables",
    "Simulating",
    "Tables",
    "TablesGroup",
    "form_asked",
    "import_numpy",
]

NAMES = (
    *("machines", "place", "predict", "fit", "trace", "simulate", "mpirun", "measure", "replay"),
    *("study", "profile", "explain", "whatif", "compare", "report", "export", "show", "plot"),
    "doctor",
)
"""Commands, each of them the ``app`` of the module of its name."""

WRITTEN = frozenset(
    {"--output", "--result", "--program-output", "--record", "--profile"}
    | {"--plot", "--timeline", "--csv", "target"}
)
"""Options and arguments whose files or folders are written; other paths are read."""

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables that tell OpenBLAS how many threads it starts."""


WORDS = "odonata.words"
"""Key of the words behind the name of a command in its context."""


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Imported()})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with a line on optional parts at its end."""
        from odonata.live.parts import in_a_line  # no other command needs it

        self.epilog = in_a_line()
        super().format_help(ctx, formatter)


class Command(TyperCommand):
    """A command that writes no file twice and none that it reads, and can be quiet."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.params.append(_quiet())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options; refuse two that name the same file."""
        ctx.meta[WORDS] = [*args]
        left = super().parse_args(ctx, args)
        _require_apart(self.params, ctx.params)
        return left


def _quiet() -> TyperOption:
    return TyperOption(
        param_decls=["-q", "--quiet"],
        is_flag=True,
        default=False,
        expose_value=False,
        callback=lambda _context, _option, wanted: be_quiet() if wanted else None,
        help="Print results and errors alone: no notes, warnings or progress.",
    )


FORMS = {
    "wide": "Print all columns of tables, however long the lines are.",
    "csv": "Print tables as CSV; other text goes to standard error.",
}
"""Forms of tables, and their help texts."""

FORM = "odonata.form"
"""Key of the form of tables in the context that the commands of one line share."""


class _PrintsTables:
    """Part of a command that prints tables, and is told in which form."""

    params: list[Any]

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        told = {name for each in self.params for name in each.opts}
        missing = [name for name in FORMS if f"--{name}" not in told]
        self.params += [_form(name, FORMS[name]) for name in missing]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options; refuse two documents on standard output."""
        left: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        if ctx.meta.get(FORM) == "csv" and (ctx.params.get("as_json") or ctx.params.get("json")):
            raise UserError("--csv and --json: two documents on standard output; give one of them")
        return left

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and print its tables in the form that is asked for."""
        with form_asked(ctx):
            return super().invoke(ctx)  # type: ignore[misc]


@contextmanager
def form_asked(context: Any) -> Iterator[None]:
    """Print tables meanwhile in the form that the options of a command ask for.

    Parameters
    ----------
    context
        Typer's context of the command.
    """
    form = context.meta.get(FORM)
    if form is None:
        yield
        return

    from odonata.report.printing import printed  # most commands are asked for no form

    with printed(form):
        yield


def _form(name: str, told: str) -> TyperOption:
    def keep(context: Any, _option: Any, wanted: bool) -> None:
        if wanted and context.meta.get(FORM) != "csv":
            context.meta[FORM] = name

    return TyperOption(
        param_decls=[f"--{name}"],
        is_flag=True,
        default=False,
        expose_value=False,
        callback=keep,
        help=told,
        rich_help_panel="Output",
    )


class Tables(_PrintsTables, Command):
    """A command that prints tables."""


class TablesGroup(_PrintsTables, TyperGroup):
    """A group of commands that prints a table itself."""


class Numeric(Command):
    """A command that computes with NumPy, and multiplies no large matrices."""

    def invoke(self, ctx: Any) -> Any:
        """Import NumPy, then run the command."""
        import_numpy()
        return super().invoke(ctx)


class NumericTables(_PrintsTables, Numeric):
    """A command that computes with NumPy and prints tables."""


class Simulating(Tables):
    """A command that needs NumPy for some outputs alone, and runs no other program."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options, first the form of tables, which commands that print at once read."""
        for name in FORMS:
            if f"--{name}" in args:
                ctx.meta[FORM] = name
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; NumPy may be imported meanwhile."""
        with _one_blas_thread():
            return super().invoke(ctx)


class _Imported(Mapping[str, Any]):
    """Commands by name; looking one up imports it."""

    def __getitem__(self, name: str) -> Any:
        if name not in NAMES:
            raise KeyError(name)
        made = typer.main.get_command(import_module(f"odonata.cli.{name}").app)
        made.name = name
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


def _require_apart(parameters: Iterable[Any], values: Mapping[str, Any]) -> None:
    """Fail if two outputs of a command, or an output and an input, are the same file."""
    written: dict[str, str] = {}
    read: dict[str, str] = {}
    for each in parameters:
        is_output = not WRITTEN.isdisjoint(each.opts)
        for text in _files_in(each, values.get(each.name)):
            file = os.path.realpath(text)
            if is_output and file in written:
                raise _same_file(f"{written[file]} and {_told(each)}", text)
            if not _is_special(file):
                (written if is_output else read)[file] = _told(each)
    for file in sorted(written.keys() & read.keys()):
        raise _same_file(f"{written[file]} and {read[file]}, which is read", file)


def _same_file(names: str, file: str) -> Exception:
    return UserError(f"{names}: the same file; the output needs one of its own", value=file)


def _told(parameter: Any) -> str:
    """Return the name of an option, or of an argument, as the help text has it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper()).removesuffix("...")


def _files_in(parameter: Any, value: Any) -> list[str]:
    """Return the files and folders that a parameter names."""
    texts = value if isinstance(value, (list, tuple)) else [value]
    found = [str(text) for text in texts if text is not None]
    if parameter.type.name in ("path", "file"):
        return found
    return [file for text in found for file in _named_in(text)]


def _named_in(text: str) -> list[str]:
    """Return the file that a word names: mine.toml, @nodes, recorded:run.trace."""
    for prefix in ("recorded:", "@"):
        if text.startswith(prefix):
            return [text.removeprefix(prefix)]
    return [text] if text.endswith(".toml") else []


def _is_special(file: str) -> bool:
    """Return whether a path names a device or a pipe, to which several may write."""
    return os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file))


def import_numpy() -> None:
    """Import NumPy without the threads that its BLAS starts at once, one a core.

    A number of threads in the environment counts. The environment is left as it was, for the
    programs that a command runs.
    """
    with _one_blas_thread():
        import numpy  # noqa: F401


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Let OpenBLAS start one thread if it is loaded meanwhile, unless the user says how many."""
    if any(name in os.environ for name in BLAS_THREADS):
        yield
        return
    os.environ[BLAS_THREADS[0]] = "1"
    try:
        yield
    finally:
        del os.environ[BLAS_THREADS[0]]
