"""Programs to run, and how they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError, near_miss
from odonata.live.abi import Abi, abi_of, detect
from odonata.live.command import Command
from odonata.live.elf import read_dynamic
from odonata.live.launchers import DEFAULT_STYLES, parse_styles
from odonata.live.reordering import parse_mapper
from odonata.placement.order import read_order

__all__ = ["CLOCKS", "COMPUTE", "Launch"]

COMPUTE = ("measured", "calibrated", "none", "recorded:FILE")
"""Sources of compute times."""

CLOCKS = ("simulated", "real")
"""Times that the clocks of the C library may show."""


@dataclass(frozen=True, kw_only=True)
class Launch:
    """Options of a run of programs.

    Parameters
    ----------
    commands
        The programs; together they are MPI_COMM_WORLD.
    abi
        Name of their ABI; None: the ABI that the first of them needs.
    compute
        ``measured``: processor time of each rank between its calls, times the machine's
        ``node.compute_scale``; ``calibrated``: the same, times the share that a rank alone on a
        core takes; ``none``; or ``recorded:FILE``, from a trace.
    clocks
        Time that the C library's clocks show to ranks in MPI: ``simulated`` or ``real``.
    collectives
        Algorithm of each operation that shall not have ``auto``.
    fibers
        Whether ranks are fibers of this process: programs are shared objects then.
    stack
        Stack of a fiber [B], or text such as ``"256 KiB"``.
    shared_globals
        Whether all fibers share the variables of the program.
    reorder
        File that lists which rank becomes 0, 1, ... in topologies that may reorder ranks.
    mapper
        Mapper of topologies that may reorder ranks: an objective, a method, ``OBJECTIVE:METHOD``
        or ``off``. A topology of as many ranks as `reorder` lists takes that order instead.
    env_style
        Launchers whose variables tell processes their ranks: `openmpi`, `mpich` and `slurm` with
        commas between them, or `none`.
    record
        Trace that is written.
    profile
        Folder of the profile that is written.
    output
        Descriptor that standard output goes to.
    tag_output
        Whether each line begins with the rank that wrote it.

    Raises
    ------
    UserError
        Something of it is wrong.
    """

    commands: Sequence[Command]
    abi: str | None = None
    compute: str = "measured"
    clocks: str = "simulated"
    collectives: Mapping[str, str] = field(default_factory=dict)
    fibers: bool = False
    stack: int | str = "256 KiB"
    shared_globals: bool = False
    reorder: Path | None = None
    mapper: str | None = None
    env_style: str = DEFAULT_STYLES
    record: Path | None = None
    profile: Path | None = None
    output: int = 1
    tag_output: bool = False

    def __post_init__(self) -> None:
        how, colon, path = self.compute.partition(":")
        if self.compute not in COMPUTE[:3] and not (how == "recorded" and colon and path):
            allowed = ", ".join(COMPUTE)
            raise UserError("compute: unknown", value=self.compute, allowed=allowed)
        parse_styles(self.env_style)
        if self.clocks not in CLOCKS:
            near = near_miss(self.clocks, CLOCKS)
            raise UserError(
                "clocks: unknown", value=self.clocks, allowed=", ".join(CLOCKS), near=near
            )
        if self.reorder is not None:
            ranks = [command.ranks for command in self.commands]
            read_order(self.reorder, list(dict.fromkeys([sum(ranks), *ranks])))
        parse_mapper(self.mapper)
        if not self.fibers:
            for command in self.commands:
                _check_start(command.path)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return sum(command.ranks for command in self.commands)

    def find_abi(self) -> Abi:
        """Return the ABI of all programs.

        Raises
        ------
        UserError
            Programs have different ABIs, or one needs an MPI without a replacement.
        """
        found = {command.words[0]: detect(command.path) for command in self.commands}
        if self.abi is not None:
            return abi_of(self.abi)
        if len({abi.name for abi in found.values()}) > 1:
            which = ", ".join(f"{name} {abi.title}" for name, abi in found.items())
            raise UserError(f"abi: programs of one run need different ABIs: {which}")
        return next(iter(found.values()))


def _check_start(program: Path) -> None:
    """Refuse a shared object, which would crash if it were started."""
    dynamic = read_dynamic(program)
    if dynamic is not None and dynamic.needed and not dynamic.starts:
        raise UserError(
            f"{program.name}: is a shared object, not a program", allowed="a program, or --fibers"
        )
