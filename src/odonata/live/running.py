"""A program that runs, as a workload: the calls of its ranks are played as they come."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from odonata import _core
from odonata.errors import UserError
from odonata.live.abi import (
    Abi,
    clocks_library,
    library,
    module_libraries,
    names_library,
    needs_modules,
    stand_ins,
)
from odonata.live.command import UNBUFFERED_FORTRAN, Command, environment, with_preloaded
from odonata.live.launchers import VARIABLES, variables
from odonata.live.reordering import TopologyMapper
from odonata.workload.played import Played

__all__ = ["Ranks", "Running"]

LEAST_ARENA = 2**20
CHECKED_BYTES = 2**28
"""Memory of the ranks' messages under valgrind [B], which looks through all of it at the end."""

THREADS = (
    "fibers: the program has started threads: they find the variables of the rank that runs, so "
    "let a rank communicate only while its threads do not use its variables, or run processes"
)
"""Warning after a run of fibers."""


@dataclass(frozen=True, kw_only=True)
class Running(Played):
    """The calls of a program, as its ranks make them.

    Parameters
    ----------
    commands
        The programs.
    source
        Where their calls come from.
    collectives
        Algorithm of each operation that shall not have ``auto``.
    """

    commands: Sequence[Command]
    source: _core.TraceSource = field(compare=False)

    @property
    def name(self) -> str:
        """The names of the programs."""
        return " : ".join(Path(command.words[0]).name for command in self.commands)

    @property
    def ranks(self) -> int:
        """Number of ranks of all programs."""
        return sum(command.ranks for command in self.commands)

    def open(self) -> _core.TraceSource:
        """Return the calls, which come while the program runs."""
        return self.source


@dataclass(frozen=True)
class Ranks:
    """Runs programs; a context manager, after which nothing of them is left.

    Parameters
    ----------
    commands
        The programs.
    abi
        ABI of all programs.
    nodes
        Number in the name of each rank's node.
    measure
        Whether ranks measure their processor time.
    output
        Descriptor that their standard output goes to.
    tag_output
        Whether each line begins with the rank that wrote it.
    fibers
        Whether ranks are fibers of this process.
    stack_bytes
        Stack of a fiber [B].
    shared_globals
        Whether all fibers share the variables of the program.
    reorder
        File that lists which rank becomes 0, 1, ... in topologies that may reorder ranks.
    orders
        Mapper that gives topologies their orders; None: they keep the ranks as they are.
    env_style
        Launchers whose variables tell ranks their numbers.
    lookahead
        Whether ranks answer calls by the lookahead that the simulator gives them.
    recorded
        Whether compute times are of an earlier run, so that ranks do not know them.
    compute_scale
        Factor of processor times.
    poll
        Time of a test or probe that finds nothing [ps].
    wait_per_request
        Time that it takes longer for each request it looks at [ps].
    calibration
        Factor from measured processor times to the times of a rank alone on a core.
    simulated_clocks
        Whether the C library's clocks show simulated time, as MPI_Wtime does.
    host_form
        Beginning of the names of nodes, and digits of the numbers in them at least.
    """

    commands: Sequence[Command]
    abi: Abi
    nodes: Sequence[int]
    measure: bool
    output: int
    tag_output: bool = False
    fibers: bool = False
    stack_bytes: int = 2**18
    reorder: Path | None = None
    orders: TopologyMapper | None = None
    env_style: Sequence[str] = ()
    lookahead: bool = False
    recorded: bool = False
    compute_scale: float = 1.0
    poll: int = 0
    wait_per_request: int = 0
    calibration: float = 1.0
    simulated_clocks: bool = True
    host_form: tuple[str, int] = ("nid", 5)
    shared_globals: bool = False
    core: _core.ProcessRun | _core.FiberRun = field(init=False)
    _kept: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        made = self._as_fibers() if self.fibers else self._as_processes()
        object.__setattr__(self, "core", made)
        if self.orders is not None:
            made.on_order(self.orders)

    @property
    def source(self) -> _core.TraceSource:
        """Source of the calls of all ranks."""
        return self.core.source

    @property
    def found_abi(self) -> str:
        """The name of the ABI of the library that they have found; empty if none has yet."""
        return str(self.core.abi)

    def have_threads(self) -> bool:
        """Whether a process of the ranks, or one that it has started, has several threads."""
        waiting = [] if self.fibers else _children(os.getpid())
        while waiting:
            process = waiting.pop()
            with suppress(OSError):  # the process may end meanwhile
                if len(os.listdir(f"/proc/{process}/task")) > 1:
                    return True
            waiting += _children(process)
        return False

    def start(self) -> None:
        """Let them run.

        Warns
        -----
        RuntimeWarning
            Some fibers have no guard page: the system allows no more.
        """
        self.core.start()
        if isinstance(self.core, _core.FiberRun) and self.core.num_guarded < len(self.nodes):
            warnings.warn(_unguarded(self.core.num_guarded), RuntimeWarning, stacklevel=2)

    def finish(self) -> int:
        """Wait for their end and return their exit code.

        Raises
        ------
        RankError
            One of them ended as it should not.

        Warns
        -----
        RuntimeWarning
            Fibers share the variables of libraries that were opened as they ran, or have threads.
        """
        self.core.finish()
        if isinstance(self.core, _core.FiberRun):
            if late := self.core.late_libraries():
                warnings.warn(_opened(late), RuntimeWarning, stacklevel=2)
            if self.core.had_threads:
                warnings.warn(THREADS, RuntimeWarning, stacklevel=2)
        return int(self.core.exit_code)

    def __enter__(self) -> Ranks:
        sys.stdout.flush()  # what ranks print comes behind our own lines
        if self.fibers and self.output != 1:  # fibers print where this process does
            self._kept.append(os.dup(1))
            os.dup2(self.output, 1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(self.core, _core.ProcessRun):
            self.core.kill()
        else:
            self.core.flush()
        if self._kept:
            with suppress(OSError):
                os.dup2(self._kept[0], 1)
            os.close(self._kept.pop())

    def _wishes(self) -> dict[str, str]:
        """Return the environment of ranks, except variables that name the rank.

        Threads that wait in OpenMP sleep, unless the user says otherwise: a thread that spins uses
        processor time, which counts as computing.
        """
        wishes = {"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "passive")}
        if self.reorder is not None:
            wishes["ODONATA_REORDER"] = str(self.reorder.resolve())
        if not self.fibers:  # at exit valgrind would free memory of the dynamic linker
            kept = os.environ.get("VALGRIND_OPTS", "")
            wishes["VALGRIND_OPTS"] = f"{kept} --run-libc-freeres=no".strip()
        return wishes

    @property
    def _checks_memory(self) -> bool:
        return not self.fibers and any(command.checks_memory for command in self.commands)

    def _variables(self) -> list[list[str]]:
        """Return the variables by which each rank knows its number."""
        return [
            [f"{name}={value}" for name, value in told.items()]
            for told in variables(self.env_style, self.nodes)
        ]

    def _environments(self) -> list[list[str]]:
        """Return the environments of fibers, with the names that are hidden there."""
        # A launcher around this command names its own rank, and not a fiber's.
        outer = {name for names in VARIABLES.values() for name in names} & os.environ.keys()
        return [[*told, *outer] for told in self._variables() or [[] for _ in self.nodes]]

    def _memory(self) -> _core.MemoryOptions:
        memory = _core.MemoryOptions()
        memory.num_ranks = len(self.nodes)
        memory.nodes = list(self.nodes)
        memory.host_prefix, memory.host_digits = self.host_form
        memory.measure = self.measure
        memory.lookahead = self.lookahead
        memory.recorded = self.recorded
        memory.orders = self.orders is not None
        memory.calibration = self.calibration
        memory.compute_scale = self.compute_scale
        memory.poll = self.poll
        memory.wait_per_request = self.wait_per_request
        memory.shared = not self.fibers
        if self._checks_memory:
            memory.arena_bytes = max(CHECKED_BYTES // (len(self.nodes) + 1), LEAST_ARENA)
        return memory

    def _as_processes(self) -> _core.ProcessRun:
        inherited = {**os.environ, **self._wishes()}
        if self.simulated_clocks:
            inherited = with_preloaded(inherited, clocks_library())
        programs = [command.executable for command in self.commands]
        modules = any(needs_modules(program) for program in programs)
        others = list(dict.fromkeys(path for one in programs for path in module_libraries(one)))
        common = environment(self.abi, library(self.abi), inherited, modules, others)
        encoded = [os.fsencode(variable) for variable in common]
        options = _core.ProcessOptions()
        options.commands = [
            _core.Command(
                os.fsencode(command.executable),
                [os.fsencode(word) for word in command.words],
                encoded,
                command.ranks,
            )
            for command in self.commands
        ]
        options.variables = self._variables()
        options.output = self.output
        options.tag_output = self.tag_output
        return _core.ProcessRun(self._memory(), options)

    def _as_fibers(self) -> _core.FiberRun:
        if len(self.commands) != 1:
            raise UserError("fibers: several programs", value=len(self.commands), allowed="one")
        if self.tag_output:
            raise UserError("tag-output: not with fibers")
        # Fibers live in this process, so its environment is their own.
        os.environ.update(self._wishes())
        os.environ.setdefault(UNBUFFERED_FORTRAN, "y")
        command = self.commands[0]
        options = _core.FiberOptions()
        options.program = os.fsencode(command.path.resolve())
        options.libraries = stand_ins(command.path, self.abi)
        options.names_template = str(names_library())
        options.shared_globals = self.shared_globals
        if not self.shared_globals:
            options.environments = self._environments()
        options.clocks = str(clocks_library()) if self.simulated_clocks else ""
        options.arguments = [os.fsencode(word) for word in command.words]
        options.stack_bytes = self.stack_bytes
        return _core.FiberRun(self._memory(), options)


def _unguarded(first: int) -> str:
    return (
        f"fibers: the stacks of ranks {first} and above have no guard page: one that is full "
        "damages another rank (sysctl vm.max_map_count allows more; Linux 6.13 needs none)"
    )


def _opened(libraries: Sequence[str]) -> str:
    return (
        f"fibers: all ranks share the variables of {', '.join(libraries)}, opened as the program "
        "ran (link the program to it)"
    )


def _children(process: int) -> list[int]:
    """Return the processes that a process has started and that have not ended."""
    found: list[int] = []
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, file.read_text().split())
    return found
