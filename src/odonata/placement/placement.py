"""The node of each rank of a job."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import launchers
from odonata.placement.distance import mean_node_distance
from odonata.placement.order import check_order

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Placement", "listed"]

_SHOWN = 8  # ranks at either end of a printed table


class Placement:
    """Ranks of a job on nodes of a machine; immutable.

    Parameters
    ----------
    machine
        The machine.
    nodes
        Shape (ranks,): node of each rank.
    allocation, mapping
        How they were chosen, in words.

    Raises
    ------
    UserError
        There are no ranks, a node is not one of the machine's, or has more ranks than cores.

    Examples
    --------
    >>> from odonata import machine
    >>> Placement(machine.load("eos"), [4, 0, 4]).cores
    array([0, 0, 1], dtype=int32)
    """

    def __init__(
        self,
        machine: Machine,
        nodes: Sequence[int] | NDArray[np.int32],
        *,
        allocation: str = "explicit",
        mapping: str = "explicit",
    ) -> None:
        self._machine = machine
        self._node_of = listed("placement: node of a rank", nodes, machine.num_nodes).toreadonly()
        self._allocation = allocation
        self._mapping = mapping
        fullest, self._ranks_per_node = Counter(self._node_of).most_common(1)[0]
        if self._ranks_per_node > machine.cores_per_node:
            raise UserError(
                f"placement: {self._ranks_per_node} ranks on node {fullest}",
                allowed=f"{machine.cores_per_node}, the cores of a node",
            )

    @property
    def machine(self) -> Machine:
        """The machine."""
        return self._machine

    @property
    def node_of(self) -> memoryview[int]:
        """Node of each rank, as whole numbers; NumPy is not needed for them."""
        return self._node_of

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Node of each rank, shape (ranks,)."""
        import numpy as np

        return np.asarray(self._node_of)

    @property
    def used_nodes(self) -> NDArray[np.int32]:
        """Nodes that have a rank, each once, in increasing order."""
        import numpy as np

        return np.unique(self.nodes)

    @property
    def used_groups(self) -> list[int]:
        """Groups that have a rank, each once, in increasing order; 0 on machines without groups."""
        router_of = self._machine.core.node_router
        routers = {router_of[node] for node in self._node_of}
        return sorted({self._machine.group_of(router) for router in routers})

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self._node_of)

    @property
    def ranks_per_node(self) -> int:
        """Largest number of ranks on a node."""
        return self._ranks_per_node

    @property
    def allocation(self) -> str:
        """Allocation: one of `ALLOCATIONS`, block, distance, ``explicit``, ``busy`` or ``rest``."""
        return self._allocation

    @property
    def mapping(self) -> str:
        """Mapping: one of `MAPPINGS`, or ``explicit``."""
        return self._mapping

    @property
    def cores(self) -> NDArray[np.int32]:
        """Core of each rank on its node, shape (ranks,): ranks of a node take them in order."""
        import numpy as np

        order = np.argsort(self.nodes, kind="stable")
        starts = np.searchsorted(self.nodes[order], self.nodes[order])
        cores = np.empty(self.ranks, dtype=np.int32)
        cores[order] = np.arange(self.ranks) - starts
        return cores

    @property
    def routers(self) -> NDArray[np.int32]:
        """Router of each rank, shape (ranks,)."""
        return self._machine.node_router[self.nodes]

    @property
    def groups(self) -> NDArray[np.int32]:
        """Group of each rank, shape (ranks,); 0 on machines without groups."""
        return self._machine.router_group[self.routers]

    def mean_node_distance(self) -> float:
        """Return the mean step between neighbours in the sorted list of the job's nodes.

        It counts by NID on machines that have names, else by the numbers of nodes: see
        `odonata.placement.mean_node_distance`.
        """
        return mean_node_distance(self._machine, self._node_of)

    def reordered(self, order: Sequence[int]) -> Placement:
        """Return the placement in which other ranks take the parts of ranks.

        Parameters
        ----------
        order
            Rank that takes the part of rank 0, 1, ...: rank i goes where rank ``order[i]`` is.

        Raises
        ------
        UserError
            It is no permutation of the ranks.

        Examples
        --------
        >>> from odonata import machine
        >>> Placement(machine.load("eos"), [0, 1, 2]).reordered([2, 0, 1]).nodes
        array([2, 0, 1], dtype=int32)
        """
        if len(order) != self.ranks:
            raise UserError("reorder: length", value=len(order), allowed=f"{self.ranks}, the ranks")
        nodes = [self._node_of[rank] for rank in check_order(order)]
        return Placement(self._machine, nodes, allocation=self._allocation)

    def router_distances(self) -> NDArray[np.int64]:
        """Return how many pairs of ranks are how many router-to-router links apart.

        Returns
        -------
        NDArray[np.int64]
            Shape (most + 1,): pairs that are 0, 1, 2, ... links apart on a shortest route.
        """
        import numpy as np

        routing = self._machine.routing("minimal")
        return np.asarray(_core.count_distances(self._machine.core, routing, self._node_of))

    def write_hosts(self, path: str | Path) -> None:
        """Write the number of each rank's node, a line a rank: the format ``nodes``.

        Parameters
        ----------
        path
            The file.
        """
        self._write(path, "nodes")

    def write_rank_order(self, path: str | Path) -> None:
        """Write a file for ``MPICH_RANK_REORDER_METHOD=3``: the format ``mpich-order``.

        Parameters
        ----------
        path
            The file; the launcher wants it under the name ``MPICH_RANK_ORDER``.

        Raises
        ------
        UserError
            A node other than the last by number has fewer ranks than others: the launcher would
            fill it up, and all that follow would move.
        """
        self._write(path, "mpich-order")

    def _write(self, path: str | Path, format: str) -> None:
        launchers.write_hosts(path, format, [str(node) for node in self._node_of])

    def __repr__(self) -> str:
        used = len(self.used_nodes)
        head = (
            f"{self.ranks} ranks on {used} nodes of {self._machine.name} "
            f"({self._allocation}, {self._mapping})"
        )
        rows = [f"{'rank':>6} {'node':>7} {'core':>5} {'router':>7} {'group':>6}"]
        columns = (self.nodes, self.cores, self.routers, self.groups)
        for rank in range(self.ranks):
            if _SHOWN <= rank < self.ranks - _SHOWN:
                rows += ["   ..."] if rank == _SHOWN else []
                continue
            node, core, router, group = (int(column[rank]) for column in columns)
            rows.append(f"{rank:>6} {node:>7} {core:>5} {router:>7} {group:>6}")
        return "\n".join([head, *rows])


def listed(what: str, values: Iterable[int], end: int) -> memoryview[int]:
    """Return whole numbers below `end`.

    Parameters
    ----------
    what
        Name of the numbers, for errors.
    values
        The numbers.
    end
        The first number that is too large.

    Raises
    ------
    UserError
        The list is empty, or has something else than whole numbers from 0 to `end`.
    """
    try:
        given = array("q", list(values))
    except (TypeError, OverflowError):
        given = array("q")
    if not given:
        raise UserError(f"{what}: not a list of whole numbers", value=values)
    outside = next((value for value in (min(given), max(given)) if not 0 <= value < end), None)
    if outside is not None:
        raise UserError(f"{what}: no such number", value=outside, allowed=f"0 to {end - 1}")
    return memoryview(array("i", given))
