"""Calls of real programs as workloads: from a trace, or as the ranks make them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from odonata import _core, trace
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.workload.build import Built, Workload
from odonata.workload.names import (
    check_algorithm,
    check_library,
    point_to_point,
    thresholds,
)

__all__ = [
    "Played",
    "Replay",
    "compute_scale",
    "open_trace",
    "poll_time",
    "wait_time",
    "with_recorded_compute",
]

SCALE = "node.compute_scale"
"""Key of a machine's number: how long its processors compute."""

POLL = "mpi.poll"
"""Key of a machine's number: the time of a test that finds nothing."""

WAIT = "mpi.wait_per_request"
"""Key of a machine's number: the time of a request that a wait looks at."""

DEFAULT_POLL = 100_000
"""Cost of a poll on a machine that gives none [ps]."""

MOST_HELD_BYTES = 2**31
"""Bytes of calls that a trace may have between two ranks' calls that are simulated at once."""

MOST_SCALE = 1e6
"""Largest factor of compute times."""

COMPUTES = ("recorded", "none")
"""Sources of the compute times of a trace that is played."""


def compute_scale(machine: Machine) -> float:
    """Return how many times as long as here processors of a machine compute.

    Parameters
    ----------
    machine
        The machine.
    """
    return float(str(machine.value(SCALE))) if SCALE in machine.numbers else 1.0


def poll_time(machine: Machine) -> int:
    """Return the time of a test or probe that finds nothing [ps].

    Parameters
    ----------
    machine
        The machine.
    """
    return int(str(machine.value(POLL))) if POLL in machine.numbers else DEFAULT_POLL


def wait_time(machine: Machine) -> int:
    """Return the time of a request that a wait or test looks at [ps].

    Parameters
    ----------
    machine
        The machine.
    """
    return int(str(machine.value(WAIT))) if WAIT in machine.numbers else 0


@dataclass(frozen=True, kw_only=True)
class Played(Workload):
    """Calls of a real program, done again on the simulated network.

    Parameters
    ----------
    collectives
        Algorithm of each operation that shall not have ``auto``.
    lookahead
        Whether ranks that ask are told how long nothing can happen to them.
    watcher
        Who is told every call with its times, if anybody.

    Raises
    ------
    UserError
        An operation or an algorithm is unknown.
    """

    collectives: Mapping[str, str] = field(default_factory=dict)
    lookahead: bool = False
    statistics: _core.PlayStatistics = field(default_factory=_core.PlayStatistics, compare=False)
    watcher: _core.CallWatcher | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for operation, algorithm in self.collectives.items():
            if operation == "auto":
                check_library(algorithm)
                continue
            check_algorithm(operation, algorithm)
            if operation in point_to_point():
                raise UserError("collective: not an operation of MPI", value=operation)

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in results."""

    @property
    @abstractmethod
    def ranks(self) -> int:
        """Number of ranks."""

    @abstractmethod
    def open(self) -> _core.TraceSource:
        """Return where its calls come from; may be called once."""

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        if self.ranks != placement.ranks:
            what = f"{self.name}: has another number of ranks than its placement"
            raise UserError(what, value=placement.ranks, allowed=str(self.ranks))
        fields = {"program": self.name, **self.fields}
        return Built(self.bind(placement.machine), self.name, fields, None, 0)

    def bind(self, machine: Machine) -> _core.Program:
        """Return the program as the engines take it.

        Parameters
        ----------
        machine
            Says how compute times are scaled, and which algorithms ``auto`` stands for.
        """
        options = _core.PlayOptions()
        chosen = dict(self.collectives)
        options.selection = thresholds(machine, chosen.pop("auto", None))
        options.collectives = chosen
        options.statistics = self.statistics
        if self.watcher is not None:
            options.watcher = self.watcher
        options.lookahead = self.lookahead
        options.compute_scale = compute_scale(machine) * self.compute_factor
        options.poll = poll_time(machine)
        return _core.play(self.open(), options)

    @property
    def compute_factor(self) -> float:
        """Factor of compute times, beside the machine's."""
        return 1.0

    @property
    def fields(self) -> Mapping[str, int | float | str | bool | None]:
        """Fields that tell it from another way to play the same calls."""
        return {}

    def mpi_calls(self) -> dict[str, int]:
        """Return how often each function was called, once the run is over."""
        names = trace.function_names()
        return {names[at]: count for at, count in enumerate(self.statistics.calls()) if count}

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, kw_only=True)
class Replay(Played):
    """A trace, played.

    Parameters
    ----------
    path
        The trace.
    collectives
        Algorithm of each operation that shall not have ``auto``.
    compute
        Compute times: ``recorded``, or ``none``.
    compute_scale
        Factor of the compute times, beside the machine's; 0 drops them.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, incomplete or damaged; or an option is wrong.
    """

    path: Path
    compute: str = "recorded"
    compute_scale: float = 1.0
    header: trace.Header = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compute not in COMPUTES:
            near, allowed = near_miss(self.compute, COMPUTES), ", ".join(COMPUTES)
            raise UserError("compute: unknown", value=self.compute, allowed=allowed, near=near)
        if not 0 <= self.compute_scale <= MOST_SCALE:
            allowed = f"0 to {MOST_SCALE:g}"
            raise UserError(
                "compute scale: out of range", value=self.compute_scale, allowed=allowed
            )
        if self.compute == "none" and self.compute_scale not in (0, 1):
            what = "compute scale: there are no compute times with --compute none"
            raise UserError(what, value=self.compute_scale, allowed="0 or 1")
        with trace.Reader(self.path) as reader:
            object.__setattr__(self, "header", reader.header)

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.header.ranks

    @property
    def compute_factor(self) -> float:
        """Factor of compute times, beside the machine's; 0: they are dropped."""
        return self.compute_scale if self.compute == "recorded" else 0.0

    @property
    def fields(self) -> Mapping[str, int | float | str | bool | None]:
        """Fields that tell it from another way to play the trace."""
        chosen = " ".join(f"{name}={how}" for name, how in sorted(self.collectives.items()))
        told: dict[str, int | float | str | bool | None] = {"collectives": chosen or None}
        told["compute_scale"] = self.compute_factor
        for name in ("calls_made", "calls_recorded"):  # of the program, in a converted trace
            if name in self.header.options:
                told[name] = self.header.options[name]
        return told

    def open(self) -> _core.TraceSource:
        """Return its calls, checked as they come."""
        return open_trace(self.path, compute=self.compute == "recorded")


def open_trace(path: str | Path, *, compute: bool = True) -> _core.Recorded:
    """Return the calls of a trace, as the player takes them.

    Parameters
    ----------
    path
        The trace; it must be complete.
    compute
        Whether its compute times count.

    Raises
    ------
    UserError
        The trace isn't there, is no trace, incomplete or damaged.
    """
    with trace.Reader(path) as reader:
        matches = reader.matches()
        if reader.totals is None:
            what = f"{reader.name}: its end is missing: a run that did not end cannot be played"
            raise UserError(f"{what}; odonata trace show lists its contents")
        ranks = reader.header.ranks
    blocks = _blocks(path)

    def more() -> tuple[object, ...] | None:
        block = next(blocks, None)
        if block is None:
            return None
        if not compute:
            block.calls["compute"] = 0
        return block.as_bytes()

    return _core.Recorded(ranks, matches.view("u1"), more, MOST_HELD_BYTES)


def with_recorded_compute(
    source: _core.TraceSource, path: str | Path, *, ranks: int
) -> _core.TraceSource:
    """Return the same calls with the compute times that a trace has for them.

    Parameters
    ----------
    source
        Calls of a run.
    path
        The trace of an earlier run of the same program.
    ranks
        Number of ranks of the run.

    Raises
    ------
    UserError
        The trace cannot be played, or has another number of ranks. While it is played: the program
        makes other calls than it made then, tests and probes that don't wait left aside.
    """
    with trace.Reader(path) as reader:
        recorded = reader.header.ranks
    if recorded != ranks:
        what = f"compute times: {path} has another number of ranks"
        raise UserError(what, value=recorded, allowed=str(ranks))
    return _core.RecordedCompute(source, open_trace(path))


def _blocks(path: str | Path) -> Iterator[trace.Block]:
    """Yield the blocks of a trace; the file is open as long as they are asked for."""
    with trace.Reader(path) as reader:
        yield from reader.blocks()
