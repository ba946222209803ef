"""Files of a fabric for other programs, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.graph_files import dot_lines, graphml_lines
from odonata.machine.fabric.infiniband import (
    IBSIM_SPEEDS,
    Written,
    ibnetdiscover_lines,
    ibsim_lines,
    speeds_of,
)
from odonata.machine.fabric.rates import SPEEDS

__all__ = ["WRITERS", "Writer"]


@dataclass(frozen=True)
class Writer:
    """A format of files.

    Parameters
    ----------
    lines
        Function that yields the lines of a fabric with a title.
    speeds
        Speeds by which rates are written; empty: rates are written as they are.
    """

    lines: Callable[[Fabric, str], Iterator[str]]
    speeds: Sequence[str] = ()

    def speeds_of(self, fabric: Fabric) -> list[Written]:
        """Return how the rates of a fabric's links are written; empty: as they are."""
        return speeds_of(fabric, self.speeds) if self.speeds else []


WRITERS: Mapping[str, Writer] = {
    "ibnetdiscover": Writer(ibnetdiscover_lines, SPEEDS),
    "ibsim": Writer(ibsim_lines, IBSIM_SPEEDS),
    "graphml": Writer(graphml_lines),
    "dot": Writer(dot_lines),
}
"""Formats by name."""
