"""What ``odonata simulate`` was asked for, and the runs that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from odonata.errors import UserError, near_miss
from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.simulate import Job, Options, background, parse_background
from odonata.units import parse_bytes
from odonata.workload import Collective, Traffic, operations
from odonata.workload.names import check_algorithm

__all__ = ["Request", "Row"]

MOST_ROWS = 1000

BLOCK = "1 KiB"
LOAD = "0.5"
PACKETS_PER_NODE = 50

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


@dataclass(frozen=True)
class Row:
    """One run of a comparison.

    Parameters
    ----------
    algorithm
        As given, possibly ``auto``; empty for traffic.
    ranks
        Number of ranks.
    load
        What traffic offers, in units of the injection link.
    """

    algorithm: str
    ranks: int
    load: float


@dataclass(frozen=True)
class Request:
    """The options of ``odonata simulate``, as they were given."""

    operation: str
    machine: str
    algorithm: str
    ranks: str | None
    size: str | None
    root: int
    repetitions: int
    background: str | None
    pattern: str | None
    load: str | None
    packets_per_node: int | None
    allocation: str
    mapping: str
    ranks_per_node: int
    engine: str
    routing: str
    bias: str
    packet_bytes: str | None
    changes: tuple[str, ...]
    seed: int
    samples: int
    digest: bool
    record_messages: bool

    def load_machine(self) -> Machine:
        """Return the machine with the changes that were asked for."""
        changes: dict[str, object] = {}
        for text in self.changes:
            key, equals, value = text.partition("=")
            if not equals:
                raise UserError("--set: not understood", value=text, allowed="KEY=VALUE")
            changes[key.strip()] = _changed(value.strip())
        if self.packet_bytes is not None:
            size = parse_bytes(self.packet_bytes, bare=True, what="packet bytes")
            changes["nic.packet_bytes"] = f"{size} B"
        return load(self.machine, changes)

    def options(self) -> Options:
        """Return the options of the engine."""
        return Options(
            engine=self.engine,
            routing=self.routing,
            seed=self.seed,
            bias_bytes=parse_bytes(self.bias, bare=True, what="bias"),
            samples=self.samples,
            digest=self.digest,
        )

    def rows(self, machine: Machine) -> list[Row]:
        """Return the runs, algorithm by algorithm; all of them are checked."""
        algorithms, loads = self._algorithms(), self._loads()
        self._check_options()
        ranks = self._ranks(machine)
        rows = [Row(name, count, load) for name in algorithms for count in ranks for load in loads]
        if len(rows) > MOST_ROWS:
            raise UserError("comparison: too long", value=len(rows), allowed=f"{MOST_ROWS} runs")
        for row in rows:
            self.jobs(machine, row)
        return rows

    def jobs(self, machine: Machine, row: Row) -> list[Job]:
        """Return the jobs of a run."""
        placement = self._place(machine, row.ranks)
        jobs = [Job(self._workload(machine, row), placement)]
        if self.background is not None:
            traffic = parse_background(self.background, bytes=_packet_bytes(machine))
            jobs.append(background(machine, traffic, beside=[placement]))
        return jobs

    def _workload(self, machine: Machine, row: Row) -> Collective | Traffic:
        if self.operation == "traffic":
            packets = PACKETS_PER_NODE if self.packets_per_node is None else self.packets_per_node
            if not 1 <= packets <= 10**9:
                allowed = "1 to 1000000000"
                raise UserError("packets per node: out of range", value=packets, allowed=allowed)
            return Traffic(
                self.pattern or "uniform",
                load=row.load,
                bytes=_packet_bytes(machine),
                messages_per_rank=packets,
            )
        return Collective(
            self.operation,
            row.algorithm,
            bytes=BLOCK if self.size is None else self.size,
            root=self.root,
            repetitions=self.repetitions,
        )

    def _algorithms(self) -> list[str]:
        if self.operation == "traffic":
            return [""]
        if self.operation not in operations():
            raise _unknown_operation(self.operation)
        names = _split("algorithm", self.algorithm)
        for name in names:
            check_algorithm(self.operation, name)
        return names

    def _check_options(self) -> None:
        """Refuse what would not count."""
        traffic: dict[str, object] = {
            "--pattern": self.pattern,
            "--load": self.load,
            "--packets-per-node": self.packets_per_node,
        }
        others: dict[str, object] = {
            "--algorithm": None if self.algorithm == "auto" else self.algorithm,
            "--bytes": self.size,
            "--root": self.root or None,
            "--repetitions": None if self.repetitions == 1 else self.repetitions,
        }
        is_traffic = self.operation == "traffic"
        for option, value in (others if is_traffic else traffic).items():
            if value is not None:
                hint = "; its messages are packets, see --packet-bytes" if is_traffic else ""
                what = f"{option}: is not for {self.operation}{hint}"
                raise UserError(what, value=value)

    def _loads(self) -> list[float]:
        loads = []
        for text in _split("load", LOAD if self.load is None else self.load):
            try:
                loads.append(float(text))
            except ValueError:
                raise UserError("load: not a number", value=text, allowed="above 0 to 1") from None
        return loads

    def _ranks(self, machine: Machine) -> list[int]:
        if self.ranks is None:
            nodes = _listed_nodes(self.allocation)
            return [(machine.num_nodes if nodes is None else len(nodes)) * self.ranks_per_node]
        counts = []
        for text in _split("ranks", self.ranks):
            if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
                allowed = "whole numbers, with commas between them"
                raise UserError("ranks: not a number", value=text, allowed=allowed)
            counts.append(int(text))
        return counts

    def _place(self, machine: Machine, ranks: int) -> Placement:
        listed = _listed_nodes(self.allocation)
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


def _unknown_operation(name: str) -> UserError:
    known = (*operations(), "traffic")
    return UserError(
        "operation: unknown", value=name, allowed=", ".join(known), near=near_miss(name, known)
    )


def _packet_bytes(machine: Machine) -> int:
    return int(str(machine.value("nic.packet_bytes")))


def _changed(text: str) -> object:
    """Return a value of ``--set``: counts are numbers, all else is text with a unit."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else text


def _split(what: str, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if "" in parts or len(set(parts)) < len(parts):
        allowed = "different values with commas between them"
        raise UserError(f"{what}: not a list", value=text, allowed=allowed)
    return parts


def _listed_nodes(text: str) -> Sequence[int] | None:
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
    for part in _split("allocation", text):
        match = _RANGE.fullmatch(part)
        if match is None:
            allowed = "nodes and ranges of nodes, as in 0-15,32"
            raise UserError("allocation: not understood", value=part, allowed=allowed)
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + 10_000_000:
            raise UserError("allocation: not a range", value=part, allowed="FIRST-LAST")
        yield from range(first, last + 1)
