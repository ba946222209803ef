"""DUMPI traces of SST: a binary file for each rank, written by ``libdumpi``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from odonata import _core
from odonata.interchange.dumpi_archive import is_archive, unpacked
from odonata.interchange.dumpi_communicators import (
    Made,
    creating_functions,
    read_creations,
    resolve,
)
from odonata.interchange.dumpi_files import (
    DumpiFile,
    find_files,
    function_name,
    is_dumpi_file,
)
from odonata.interchange.mending import write_mended
from odonata.interchange.report import Conversion, Coverage
from odonata.trace import Header

__all__ = ["DumpiCall", "DumpiTrace", "is_dumpi", "opened", "read_calls", "read_dumpi"]

ASSUMED = 2**40
"""First identity of assumed communicators; all others have smaller ones."""

ODDITIES = {
    "unknown_requests": "requests that are waited for and that no recorded call has opened",
    "unknown_communicators": "calls on communicators whose members are not known",
    "misfits": "ranks, roots or counts that do not fit their communicator",
}


@dataclass(frozen=True)
class DumpiCall:
    """One call of a DUMPI file.

    Parameters
    ----------
    function
        Name: ``MPI_Isend``.
    fields
        Its fields by name: a number, a text, a list of either, or statuses as dictionaries.
    thread
        Number of the thread; None: not recorded.
    wall, cpu
        Times of entering and leaving [ns]; None: not recorded.
    """

    function: str
    fields: dict[str, object]
    thread: int | None
    wall: tuple[int, int] | None
    cpu: tuple[int, int] | None


def is_dumpi(path: Path) -> bool:
    """Whether a path names a DUMPI trace: a file, its description, its folder or archive."""
    if path.is_dir():
        return any(is_dumpi_file(file) for file in path.rglob("*.bin"))
    if path.suffix == ".meta":
        return any(is_dumpi_file(file) for file in path.parent.glob("*.bin"))
    return is_dumpi_file(path) or is_archive(path)


def read_calls(file: DumpiFile) -> Iterator[DumpiCall]:
    """Yield the calls of a file with the names of their fields.

    Raises
    ------
    UserError
        The file is damaged.
    """
    rows = _core.dumpi_functions()
    calls = _core.dumpi_calls(file.content, file.place, [])
    for function, thread, _, wall, cpu, numbers in calls:
        name, layout = rows[function]
        yield DumpiCall(
            function=function_name(name),
            fields=_Fields(file, numbers).read(layout),
            thread=None if thread < 0 else thread,
            wall=wall,
            cpu=cpu,
        )


class _Fields:
    """Takes the numbers of a record by its layout."""

    def __init__(self, file: DumpiFile, numbers: list[int]) -> None:
        self._file, self._rest = file, iter(numbers)

    def read(self, layout: str) -> dict[str, object]:
        fields: dict[str, object] = {}
        rank: object = None
        for part in layout.split():
            name, _, form = part.lstrip("?").partition(":")
            if part[0] == "?" and rank != fields["root"]:
                continue
            fields[name] = self._value(form.partition("@")[0])
            if name.endswith("rank"):
                rank = fields[name]
        return fields

    def _value(self, form: str) -> object:
        if form == "status":
            return [self._status() for _ in range(next(self._rest))]
        if form.endswith("*"):
            return [self._value(form[:-1]) for _ in range(next(self._rest))]
        if form == "text":
            begin, length = next(self._rest), next(self._rest)
            return bytes(self._file.content[begin : begin + length]).decode("utf-8", "replace")
        return next(self._rest)

    def _status(self) -> dict[str, int]:
        names = ("bytes", "source", "cancelled", "error", "tag")
        return {name: next(self._rest) for name in names}


def read_dumpi(path: Path, target: str | Path) -> Conversion:
    """Write a DUMPI trace as a trace of ours.

    Parameters
    ----------
    path
        Its folder, its description (``.meta``), one of its files, or an archive (``.tar.gz``).
    target
        The trace.

    Returns
    -------
    Conversion
        The account: coverage, and omissions.

    Raises
    ------
    UserError
        There is no trace, a rank's file is missing, or one is damaged.
    WriteError
        The trace could not be written.
    """
    with opened(path) as (trace, account):
        write_mended(target, trace.header(account.coverage), trace.source, account)
    return account


@contextmanager
def opened(path: Path) -> Iterator[tuple[DumpiTrace, Conversion]]:
    """Yield a trace and the account of its contents; an archive is unpacked meanwhile.

    Parameters
    ----------
    path
        See `read_dumpi`.

    Raises
    ------
    UserError
        There is no trace, a rank's file is missing, or one is damaged.
    """
    with ExitStack() as stack:
        others: list[str] = []
        if is_archive(path):
            found = stack.enter_context(unpacked(path))
            path, others = found.folder, found.ignored
        names, ignored = find_files(path)
        ignored = [*others, *ignored]
        files = [DumpiFile.open(name) for name in names]
        account = Conversion("dumpi", ranks=len(files))
        if ignored:
            account.notes.append(f"{len(ignored)} other files were ignored: {_some(ignored)}")
        yield DumpiTrace(files, account), account


class DumpiTrace:
    """The files of a trace, with all that must be known before the calls can be read in turn.

    Parameters
    ----------
    files
        The files of the ranks.
    account
        Takes the coverage, omissions and assumptions.
    """

    def __init__(self, files: list[DumpiFile], account: Conversion) -> None:
        self._files, self._account = files, account
        self._program = ""
        made = self._communicators()
        self._trace = self._learn(made)
        if self._assume(made):
            self._trace = self._learn(made)
        self._tell()

    @property
    def source(self) -> Callable[[], _core.TraceSource]:
        """Function that gives the calls from the beginning."""
        return self._trace.source

    def header(self, coverage: Coverage | None) -> Header:
        """Return the description of the trace that is written."""
        options: dict[str, int | float | str | bool | None] = {"format": "dumpi"}
        options["version"] = ".".join(map(str, self._files[0].version))
        if coverage is not None and coverage.share is not None:
            options["calls_made"] = coverage.num_called
            options["calls_recorded"] = coverage.num_recorded
        return Header(
            ranks=len(self._files), program=self.program(), compute="measured", options=options
        )

    def program(self) -> str:
        """Return the command line of the program, where the trace has it."""
        inits = [n for n, (name, _) in enumerate(_core.dumpi_functions()) if name[:4] == "Init"]
        file = self._files[0]
        for function, *_, numbers in _core.dumpi_calls(file.content, file.place, inits):
            layout = _core.dumpi_functions()[function][1]
            words = _Fields(file, numbers).read(layout).get("argv", [])
            return " ".join(map(str, words)) if isinstance(words, list) else ""
        return ""

    def _communicators(self) -> list[Made]:
        size = len(self._files)
        wanted = list(creating_functions())
        creations = []
        for rank, file in enumerate(self._files):
            calls = _core.dumpi_calls(file.content, file.place, wanted)
            creations.append(
                read_creations([(function, numbers) for function, *_, numbers in calls], rank, size)
            )
        return resolve(creations)

    def _learn(self, made: list[Made]) -> _core.DumpiTrace:
        members: dict[tuple[int, ...], _core.DumpiMembers] = {}
        contexts = []
        for rank, (file, own) in enumerate(zip(self._files, made, strict=True)):
            context = _core.DumpiContext()
            context.rank, context.num_ranks = rank, len(self._files)
            context.place = file.place
            context.sizes = list(file.sizes)
            for handle, assumed in own.assumed.items():
                context.assume(handle, _communicator(assumed, rank, members))
            for created in own.created:
                context.create(_communicator(created, rank, members))
            contexts.append(context)
        trace = _core.DumpiTrace([file.content for file in self._files], contexts)
        trace.learn()
        return trace

    def _assume(self, made: list[Made]) -> bool:
        """Take communicators that all ranks use and no rank has made for copies of the world."""
        size = len(self._files)
        unknown = [set(self._trace.unknown_communicators(rank)) for rank in range(size)]
        handles = sorted(set.intersection(*unknown) - {0, 1})
        if any(created is None for own in made for created in own.created):
            return False  # some were made, and their members are not known
        everybody = tuple(range(size))
        for own in made:
            own.created = [one and (one[0] + len(handles), one[1], one[2]) for one in own.created]
            for number, handle in enumerate(handles):
                own.assumed[handle] = (2 + number, ASSUMED + number, everybody)
        if handles:
            self._account.notes.append(
                f"{len(handles)} communicators that all ranks use and that no recorded call makes "
                "were taken for duplicates of MPI_COMM_WORLD"
            )
        return bool(handles)

    def _tell(self) -> None:
        called: Counter[str] = Counter()
        recorded: Counter[str] = Counter()
        names = [name for name, _ in _core.dumpi_functions()]
        types = backward = marks = 0
        for rank, file in enumerate(self._files):
            called.update(file.counts.called)
            counts = self._trace.counts(rank)
            recorded.update({f"MPI_{name}": c for name, c in zip(names, counts, strict=True) if c})
            anomalies = self._trace.anomalies(rank)
            for name, reason in ODDITIES.items():
                self._account.leave_out(reason, getattr(anomalies, name))
            types += anomalies.unknown_datatypes
            backward += anomalies.backward_times
            marks += anomalies.marks
        self._account.coverage = Coverage(dict(called), dict(recorded))
        if types:
            self._account.notes.append(
                f"{types} times the size of a datatype is not known: an element was taken as 1 B"
            )
        if backward:
            self._account.notes.append(
                f"{backward} calls begin before the previous call has ended: no compute time was "
                f"taken"
            )
        if marks:
            self._account.unknown["entries and exits of functions of the program"] = marks


def _communicator(
    created: tuple[int, int, tuple[int, ...]] | None,
    rank: int,
    members: dict[tuple[int, ...], _core.DumpiMembers],
) -> _core.DumpiCommunicator:
    if created is None:
        return _core.DumpiCommunicator(0, 0, 0, members.setdefault((), _core.DumpiMembers([])))
    number, identity, ranks = created
    if ranks not in members:
        members[ranks] = _core.DumpiMembers(list(ranks))
    return _core.DumpiCommunicator(number, identity, ranks.index(rank), members[ranks])


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")
