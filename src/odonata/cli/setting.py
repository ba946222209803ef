"""The options that every command that simulates has: machine, placement, engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from odonata.cli.changes import parse_changes
from odonata.cli.options import SAMPLES
from odonata.errors import UserError
from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.simulate import Job, Options, background, parse_background
from odonata.units import parse_bytes

__all__ = ["Setting", "listed_nodes", "packet_bytes_of", "split"]

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class Setting:
    """Machine, placement and engine of a run, as given by options."""

    machine: str
    background: str | None
    allocation: str
    mapping: str
    ranks_per_node: int
    engine: str
    routing: str
    bias: str
    packet_bytes: str | None
    changes: Sequence[str] | None
    seed: int
    samples: int | None
    digest: bool
    kept: bool
    """Whether a file or a figure is made of the run: it then has messages and samples."""

    def load_machine(self) -> Machine:
        """Return the machine with the changes that were asked for."""
        changes = parse_changes(self.changes or ())
        if self.packet_bytes is not None:
            size = parse_bytes(self.packet_bytes, bare=True, what="packet bytes")
            changes["nic.packet_bytes"] = f"{size} B"
        return load(self.machine, changes)

    def options(self) -> Options:
        """Return the options of the engine."""
        usual = SAMPLES if self.kept else 0
        return Options(
            engine=self.engine,
            routing=self.routing,
            seed=self.seed,
            bias_bytes=parse_bytes(self.bias, bare=True, what="bias"),
            samples=usual if self.samples is None else self.samples,
            digest=self.digest,
        )

    def place(self, machine: Machine, ranks: int) -> Placement:
        """Return where so many ranks are."""
        listed = listed_nodes(self.allocation)
        name, _, first = self.allocation.partition(":")
        start = 0
        if first:
            start = _first_node(self.allocation)
        return place(
            machine,
            ranks,
            allocation=name if listed is None else listed,
            mapping=self.mapping,
            ranks_per_node=self.ranks_per_node,
            first=start,
            seed=self.seed,
        )

    def behind(self, machine: Machine, placements: Sequence[Placement]) -> list[Job]:
        """Return the job of the background, beside others; none if there is none."""
        if self.background is None:
            return []
        traffic = parse_background(self.background, bytes=packet_bytes_of(machine))
        return [background(machine, traffic, beside=placements)]


def packet_bytes_of(machine: Machine) -> int:
    """Return the largest payload of a packet of a machine [B]."""
    return int(str(machine.value("nic.packet_bytes")))


def split(what: str, text: str) -> list[str]:
    """Return the different values of a list with commas."""
    parts = [part.strip() for part in text.split(",")]
    if "" in parts or len(set(parts)) < len(parts):
        allowed = "different values with commas between them"
        raise UserError(f"{what}: not a list", value=text, allowed=allowed)
    return parts


def listed_nodes(text: str) -> Sequence[int] | None:
    """Return the nodes of a list such as ``0-15,32``, None if it is the name of a strategy."""
    if not text[:1].isdecimal():
        return None
    return list(_nodes(text))


def _first_node(text: str) -> int:
    match = re.fullmatch(r"contiguous:([0-9]{1,9})", text)
    if match is None:
        allowed = "contiguous:FIRST, as in contiguous:96"
        raise UserError("allocation: not understood", value=text, allowed=allowed)
    return int(match[1])


def _nodes(text: str) -> Iterator[int]:
    for part in split("allocation", text):
        match = _RANGE.fullmatch(part)
        if match is None:
            allowed = "nodes and ranges of nodes, as in 0-15,32"
            raise UserError("allocation: not understood", value=part, allowed=allowed)
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + 10_000_000:
            raise UserError("allocation: not a range", value=part, allowed="FIRST-LAST")
        yield from range(first, last + 1)
