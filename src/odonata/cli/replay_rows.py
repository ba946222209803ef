"""The runs that ``odonata replay`` stands for: a trace on machines, placements and algorithms.

A comma stands between several values of an option, see `odonata.cli.axes`.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from odonata.cli.axes import (
    combinations,
    parse_collectives,
    split,
    split_allocations,
    split_machines,
    whole_number,
)
from odonata.cli.setting import Setting
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement, read_order
from odonata.simulate import Job
from odonata.simulate.replaying import recorded_machine, recorded_placement
from odonata.workload import Replay

__all__ = ["RECORDED", "ReplayRows", "parse_choices"]

RECORDED = "recorded"
"""Allocation on the nodes of the recorded run."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class ReplayRows(Setting):
    """The options of ``odonata replay``, as they were given.

    Each of ``machine, allocation, ranks_per_nodes, collectives, compute_scale, seeds`` and of the
    setting's own may list several values; `rows` makes one of these for each combination.
    """

    trace: Path
    compute: str
    compute_scale: str
    collectives: Sequence[str]
    reorder: Path | None
    placed: bool
    """Whether an option says where ranks are; else they are where they were on the same machine."""
    ranks_per_nodes: str
    seeds: str
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Algorithm of each operation, in one run."""

    def rows(self) -> list[ReplayRows]:
        """Return the runs, each with one value of every option."""
        machine = self.machine or recorded_machine(self._replay().header)
        axes: dict[str, Sequence[Any]] = {
            "machine": split_machines(machine),
            "allocation": split_allocations(self.allocation),
            **self.shared_axes(),
            "ranks_per_nodes": split("ranks per node", self.ranks_per_nodes),
            "compute_scale": split("compute scale", self.compute_scale),
            "seeds": split("seed", self.seeds),
        }
        algorithms = parse_choices(self.collectives)
        axes["chosen"] = [
            dict(zip(algorithms, names, strict=True))
            for names in itertools.product(*algorithms.values())
        ]
        return [self._one(values) for values in combinations(axes)]

    def jobs(self, machine: Machine) -> list[Job]:
        """Return the jobs of one run."""
        workload = self._replay()
        placement = self._place(workload, machine)
        if self.reorder is not None:
            placement = placement.reordered(read_order(self.reorder, [workload.ranks]))
        return [Job(workload, placement), *self.behind(machine, [placement])]

    def _one(self, values: dict[str, Any]) -> ReplayRows:
        seed = whole_number("seed", values["seeds"])
        each = whole_number("ranks per node", values["ranks_per_nodes"])
        placed = self.placed and values["allocation"] != RECORDED
        return replace(self, seed=seed, placed=placed, ranks_per_node=each, **values)

    def _replay(self) -> Replay:
        return Replay(
            path=self.trace,
            collectives=self.chosen,
            compute=self.compute,
            compute_scale=_scale(self.compute_scale.split(",")[0]),
        )

    def _place(self, workload: Replay, machine: Machine) -> Placement:
        if self.placed:
            return self.place(machine, workload.ranks)
        recorded = recorded_placement(machine, workload.header)
        if recorded is not None:
            return recorded
        if self.allocation == RECORDED:
            header = workload.header
            allowed = header.machine if header.nodes and header.machine else "another allocation"
            what = f"allocation: {workload.name} was not recorded on this machine"
            raise UserError(what, value=machine.name, allowed=allowed)
        return self.place(machine, workload.ranks)


def parse_choices(choices: Sequence[str]) -> dict[str, list[str]]:
    """Return the algorithms that ``--collective operation=algorithm,...`` options ask for.

    Parameters
    ----------
    choices
        Each ``operation=algorithm``, or several algorithms with commas between them.

    Raises
    ------
    UserError
        There is no ``=``, or an operation is given twice.

    Examples
    --------
    >>> parse_choices(["allgather=ring,bruck", "bcast=binomial"])
    {'allgather': ['ring', 'bruck'], 'bcast': ['binomial']}
    """
    return {
        operation: split(f"--collective {operation}", names)
        for operation, names in parse_collectives(choices).items()
    }


def _scale(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError("compute scale: not a number", value=text, allowed="0 or more") from None
