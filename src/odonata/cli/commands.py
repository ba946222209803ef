"""The commands of ``odonata``, each imported when it is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["NAMES", "Commands", "Numeric", "Simulating", "import_numpy"]

NAMES = (
    *("machines", "place", "predict", "fit", "trace", "simulate", "mpirun", "measure", "replay"),
    *("profile", "explain", "compare", "report", "export", "show", "plot", "doctor"),
)
"""Commands, each of them the ``app`` of the module of its name."""

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
"""Variables that tell OpenBLAS how many threads it starts."""


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": _Imported()})

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with a line on optional parts at its end."""
        from odonata.cli.doctor import in_a_line

        self.epilog = in_a_line()
        super().format_help(ctx, formatter)


class Numeric(TyperCommand):
    """A command that computes with NumPy, and multiplies no large matrices."""

    def invoke(self, ctx: Any) -> Any:
        """Import NumPy, then do what the command does."""
        import_numpy()
        return super().invoke(ctx)


class Simulating(TyperCommand):
    """A command that needs NumPy for some outputs alone, and runs no other program."""

    def invoke(self, ctx: Any) -> Any:
        """Do what the command does; NumPy may be imported meanwhile."""
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
