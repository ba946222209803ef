"""What ``odonata simulate`` was asked for, and the runs that it stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from odonata.cli.setting import Setting, listed_nodes, packet_bytes_of, split
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.simulate import Job
from odonata.workload import Collective, Traffic, operations
from odonata.workload.names import check_algorithm

__all__ = ["Request", "Row"]

MOST_ROWS = 1000

BLOCK = "1 KiB"
LOAD = "0.5"
PACKETS_PER_NODE = 50


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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class Request(Setting):
    """The options of ``odonata simulate``, as they were given."""

    operation: str
    algorithm: str
    ranks: str | None
    size: str | None
    root: int
    repetitions: int
    pattern: str | None
    load: str | None
    packets_per_node: int | None

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
        placement = self.place(machine, row.ranks)
        return [Job(self._workload(machine, row), placement), *self.behind(machine, [placement])]

    def _workload(self, machine: Machine, row: Row) -> Collective | Traffic:
        if self.operation == "traffic":
            packets = PACKETS_PER_NODE if self.packets_per_node is None else self.packets_per_node
            if not 1 <= packets <= 10**9:
                allowed = "1 to 1000000000"
                raise UserError("packets per node: out of range", value=packets, allowed=allowed)
            return Traffic(
                self.pattern or "uniform",
                load=row.load,
                bytes=packet_bytes_of(machine),
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
        names = split("algorithm", self.algorithm)
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
        for text in split("load", LOAD if self.load is None else self.load):
            try:
                loads.append(float(text))
            except ValueError:
                raise UserError("load: not a number", value=text, allowed="above 0 to 1") from None
        return loads

    def _ranks(self, machine: Machine) -> list[int]:
        if self.ranks is None:
            nodes = listed_nodes(self.allocation)
            return [(machine.num_nodes if nodes is None else len(nodes)) * self.ranks_per_node]
        counts = []
        for text in split("ranks", self.ranks):
            if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
                allowed = "whole numbers, with commas between them"
                raise UserError("ranks: not a number", value=text, allowed=allowed)
            counts.append(int(text))
        return counts


def _unknown_operation(name: str) -> UserError:
    known = (*operations(), "traffic")
    return UserError(
        "operation: unknown", value=name, allowed=", ".join(known), near=near_miss(name, known)
    )
