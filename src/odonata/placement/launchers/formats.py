"""Formats of files for launchers, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from odonata.errors import UserError, near_miss
from odonata.placement.launchers import hosts, ranks
from odonata.placement.launchers.lines import Line
from odonata.placement.launchers.slots import Slots

__all__ = ["FORMATS", "Format", "format_named"]


@dataclass(frozen=True)
class Format:
    """A format of files for launchers.

    Parameters
    ----------
    name
        Name of the format.
    meaning
        Contents of a file, in a sentence without its full stop.
    use
        How the launcher is told of the file.
    write
        Function from the host of each rank, and the slots, to the lines.
    read
        Function from the lines, and the slots, to the host of each rank.
    slots
        Whether its files list ranks, and mean nothing without the slots.
    lost
        Function from the lines to a sentence on losses of reading; None: it keeps all.
    """

    name: str
    meaning: str
    use: str
    write: Callable[[Sequence[str], Slots | None], Iterator[str]]
    read: Callable[[Sequence[Line], Slots | None], list[str]]
    slots: bool = False
    lost: Callable[[Sequence[Line]], str | None] = lambda _: None


def format_named(name: str) -> Format:
    """Return a format.

    Parameters
    ----------
    name
        Name of the format.

    Raises
    ------
    UserError
        It is unknown.
    """
    if name not in FORMATS:
        near = near_miss(name, FORMATS)
        raise UserError("format: unknown", value=name, allowed=", ".join(FORMATS), near=near)
    return FORMATS[name]


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            Format(
                "slurm",
                "Host of each rank, a line a rank",
                "SLURM_HOSTFILE=FILE srun --distribution=arbitrary",
                hosts.write_plain,
                hosts.read_plain,
            ),
            Format(
                "openmpi",
                "Host and core of each rank, a line a rank",
                "mpirun --rankfile FILE; from Open MPI 5 on --map-by rankfile:file=FILE",
                hosts.write_rankfile,
                hosts.read_rankfile,
                lost=hosts.lost_in_rankfile,
            ),
            Format(
                "hydra",
                "Hosts with their number of successive ranks",
                "mpiexec -f FILE of MPICH",
                hosts.write_counted,
                hosts.read_plain,
            ),
            Format(
                "pals",
                "Host of each rank, a line a rank",
                "mpiexec --hostfile FILE --ppn 1 of HPE's PALS",
                hosts.write_plain,
                hosts.read_plain,
            ),
            Format(
                "mpich-order",
                "Ranks in the order of the places that they take, a line a host",
                "MPICH_RANK_ORDER in the working directory, MPICH_RANK_REORDER_METHOD=3",
                ranks.write_mpich_order,
                ranks.read_mpich_order,
                slots=True,
            ),
            Format(
                "order",
                "Place of each rank, a line a rank",
                "odonata mpirun --reorder FILE, odonata replay --reorder FILE",
                ranks.write_order,
                ranks.read_order,
                slots=True,
            ),
            Format(
                "nodes",
                "Number of each rank's node, a line a rank",
                "odonata itself",
                hosts.write_numbers,
                hosts.read_numbers,
            ),
        )
    }
)
"""Formats of files for launchers, by name."""
