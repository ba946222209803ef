"""Measured rows as jobs: which algorithm of ours a row stands for, its block and its nodes."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement, place
from odonata.placement.folded import folded_nodes
from odonata.simulate import Job
from odonata.trust.measured import Measured, read_measured, read_runs
from odonata.workload import Collective
from odonata.workload.build import Built, build
from odonata.workload.names import algorithms

__all__ = ["Case", "Cases", "read_cases"]

WHOLE = ("allreduce", "bcast", "reduce")
"""Operations of which a row's bytes are the vector; of the others they are all blocks together."""


@dataclass(frozen=True)
class Case:
    """A measured row that can be simulated.

    Parameters
    ----------
    measured
        The row.
    workload
        The collective with our algorithm.
    nodes
        Node of each rank.
    """

    measured: Measured
    workload: Collective
    nodes: tuple[int, ...]

    def job(self, machine: Machine) -> Job:
        """Return the job on a machine.

        Parameters
        ----------
        machine
            The machine; the nodes of the cases are numbers of its nodes.
        """
        return Job(self.workload, Placement(machine, self.nodes))

    def messages(self, machine: Machine) -> int:
        """Return how many messages the ranks send.

        Parameters
        ----------
        machine
            The machine.
        """
        return self._built(machine).messages or 0

    def packets(self, machine: Machine) -> int:
        """Return about how many packets the ranks send.

        Parameters
        ----------
        machine
            The machine, whose packets are counted.
        """
        payload = machine.value("nic.packet_bytes")
        assert isinstance(payload, int)
        return self._built(machine).packets(payload)

    def _built(self, machine: Machine) -> Built:
        return build(self.workload, Placement(machine, self.nodes))


@dataclass(frozen=True)
class Cases:
    """Rows of a table: those with a counterpart, and how many have none.

    Parameters
    ----------
    known
        Rows that can be simulated.
    unknown
        Number of rows that cannot be simulated, by ``collective algorithm`` without a counterpart
        or by run without hosts.
    """

    known: tuple[Case, ...]
    unknown: Mapping[str, int]


def read_cases(measured: str | Path, nodes: str | Path, machine: Machine) -> Cases:
    """Read a table of measured collectives and the hosts of its runs.

    Parameters
    ----------
    measured
        See `read_measured`.
    nodes
        See `read_runs`. A run that it does not list and whose ``nodes`` are a shape such as
        ``4x4x4`` has the nodes of the allocation ``torus:4x4x4``, with ranks in order.
    machine
        The machine on which the runs were.

    Raises
    ------
    UserError
        A file is wrong, or the machine has no such torus.
    """
    rows = read_measured(measured)
    runs = {**_shaped_runs(rows, machine), **read_runs(nodes, machine)}
    known, unknown = [], Counter[str]()
    for row in rows:
        if row.run not in runs:
            unknown[f"run {row.run}, whose hosts are not listed"] += 1
            continue
        workload = _workload(row, runs[row.run].ranks)
        if workload is None:
            unknown[f"{row.collective} {row.algorithm}"] += 1
        else:
            known.append(Case(row, workload, tuple(runs[row.run].node_of)))
    return Cases(tuple(known), dict(unknown))


def _shaped_runs(rows: Sequence[Measured], machine: Machine) -> dict[str, Placement]:
    """Return the runs on virtual tori, by name."""
    runs: dict[str, Placement] = {}
    for row in rows:
        if row.run in runs or "x" not in row.nodes:
            continue
        try:
            nodes = folded_nodes(machine, f"torus:{row.nodes}")
            runs[row.run] = place(
                machine,
                len(nodes) * row.ranks_per_node,
                allocation=nodes,
                ranks_per_node=row.ranks_per_node,
            )
        except UserError as error:
            raise UserError(
                error.what, value=error.value, allowed=error.allowed, where=row.where
            ) from None
    return runs


def _workload(row: Measured, ranks: int) -> Collective | None:
    """Return the collective of a row, None if none of ours is its algorithm."""
    operation = "reduce_scatter_block" if row.collective == "reduce_scatter" else row.collective
    ours = _names().get(row.collective, {}).get(row.algorithm, row.algorithm)
    if ours.partition(":")[0] not in algorithms().get(operation, ()):
        return None
    size = row.bytes if row.collective in WHOLE else -(-row.bytes // ranks)
    return Collective(operation, ours, bytes=size)


@cache
def _names() -> Mapping[str, Mapping[str, str]]:
    """Return our name of an algorithm by the collective and the name in a table."""
    text = resources.files("odonata").joinpath("data/measured/algorithms.toml").read_text("utf-8")
    return tomllib.loads(text)
