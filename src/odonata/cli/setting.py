"""The options that every command that simulates has: machine, placement, engine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from odonata import placement, simulate
from odonata.cli.axes import lists_nodes, split, split_changes, split_faults
from odonata.cli.changes import note_routes, parse_changes, parse_faults
from odonata.cli.options import SAMPLES
from odonata.errors import UserError
from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.placement.placing import FORMS
from odonata.simulate import Job, Options
from odonata.units import parse_bytes

__all__ = ["Setting", "listed_nodes", "packet_bytes_of", "place_as_told"]

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class Setting:
    """Machine, placement and engine of a run, as given by options."""

    machine: str
    background: str | None
    busy: str | None
    busy_with: str | None
    allocation: str
    mapping: str
    ranks_per_node: int
    engine: str
    routing: str
    bias: str
    allow_cycles: bool
    packet_bytes: str | None
    changes: Sequence[str] | None
    fail: Sequence[str] | None
    slow: Sequence[str] | None
    seed: int
    samples: int | None
    digest: bool
    explain: bool | Literal["breakdown"]
    kept: bool
    """Whether a file or a figure is made of the run: it then has messages and samples."""
    record_messages: bool = False
    """Whether it has all messages, however many there are."""

    def shared_axes(self) -> dict[str, Sequence[Any]]:
        """Return the values of each option of the setting that lists some, by field."""
        texts = ("mapping", "engine", "routing", "bias", "packet_bytes")
        others = ("background", "busy", "busy_with")
        given = {name: getattr(self, name) for name in (*texts, *others)}
        return {
            "changes": split_changes(self.changes or ()),
            "fail": split_faults("--fail", self.fail or ()),
            "slow": split_faults("--slow", self.slow or ()),
            **{
                name: split(name.replace("_", " "), text)
                for name, text in given.items()
                if text is not None
            },
        }

    @property
    def machine_as_told(self) -> tuple[object, ...]:
        """All that tells its machine from others."""
        told = (tuple(texts or ()) for texts in (self.changes, self.fail, self.slow))
        shares = any("%" in text for text in (*(self.fail or ()), *(self.slow or ())))
        return self.machine, self.packet_bytes, *told, self.seed if shares else None

    def load_machine(self) -> Machine:
        """Return the machine with the changes that were asked for."""
        changes = parse_changes(self.changes or ())
        if self.packet_bytes is not None:
            size = parse_bytes(self.packet_bytes, bare=True, what="packet bytes")
            changes["nic.packet_bytes"] = f"{size} B"
        changes |= parse_faults(self.fail, self.slow, self.seed)
        loaded = load(self.machine, changes)
        note_routes(loaded, self.routing)
        return loaded

    def options(self) -> Options:
        """Return the options of the engine."""
        usual = SAMPLES if self.kept else 0
        return Options(
            engine=self.engine,
            routing=self.routing,
            seed=self.seed,
            bias_bytes=parse_bytes(self.bias, bare=True, what="bias"),
            allow_cycles=self.allow_cycles,
            samples=usual if self.samples is None else self.samples,
            digest=self.digest,
            explain=self.explain,
        )

    def place(self, machine: Machine, ranks: int) -> Placement:
        """Return where so many ranks are."""
        return place_as_told(
            machine,
            ranks,
            allocation=self.allocation,
            mapping=self.mapping,
            ranks_per_node=self.ranks_per_node,
            seed=self.seed,
        )

    def behind(self, machine: Machine, placements: Sequence[Placement]) -> list[Job]:
        """Return the jobs of the background, beside others."""
        background = None if self.background == "none" else self.background
        if background is self.busy is self.busy_with is None:
            return []

        around = simulate.Surroundings(background, self.busy, self.busy_with)
        return around.jobs(machine, placements, seed=self.seed)


def place_as_told(
    machine: Machine, ranks: int, *, allocation: str, mapping: str, ranks_per_node: int, seed: int
) -> Placement:
    """Return where so many ranks are, by the texts of the options."""
    listed = listed_nodes(allocation, machine)
    name, _, first = allocation.partition(":") if listed is None else ("", "", "")
    if allocation.startswith(FORMS):
        name, first = allocation, ""
    return place(
        machine,
        ranks,
        allocation=name if listed is None else listed,
        mapping=mapping,
        ranks_per_node=ranks_per_node,
        first=_first_node(allocation) if first else 0,
        seed=seed,
    )


def packet_bytes_of(machine: Machine) -> int:
    """Return the largest payload of a packet of a machine [B]."""
    return int(str(machine.value("nic.packet_bytes")))


def listed_nodes(text: str, machine: Machine) -> Sequence[int] | None:
    """Return the nodes of a list, None if a text is the name of a strategy.

    Parameters
    ----------
    text
        Numbers such as ``0-15,32``, names such as ``nid[00012-00015]``, or ``@`` and a file of
        either.
    machine
        The machine.
    """
    if text[:1].isdecimal():
        return list(_nodes(text))
    if not text.startswith("@") and not lists_nodes(text):
        return None

    return (
        placement.read_nodes(machine, text[1:])
        if text[0] == "@"
        else placement.nodes_named(machine, [text])
    )


def _first_node(text: str) -> int:
    match = re.fullmatch(r"contiguous:([0-9]{1,9})", text)
    if match is None:
        allowed = "contiguous:FIRST, distance:D, block:SIZES, or a name without a colon"
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
