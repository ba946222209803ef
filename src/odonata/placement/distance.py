"""How far the nodes of a job spread."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from odonata.machine import Machine
from odonata.machine.node_names import nids

__all__ = ["mean_node_distance", "node_numbers"]


def mean_node_distance(machine: Machine, nodes: Iterable[int]) -> float:
    """Return the mean step between neighbours in the sorted list of some nodes.

    Parameters
    ----------
    machine
        The machine; NIDs count where it has them, else the numbers of its nodes.
    nodes
        The nodes; each counts once.

    Returns
    -------
    float
        1 for nodes side by side, 0 for a single node.

    Notes
    -----
    ``D_n = sum (NID[i+1] - NID[i]) / (n - 1)`` over the n sorted nodes. The sum telescopes: only
    the ends and the number of nodes count.

    References
    ----------
    Budiardja, Crosby and You, *Effect of rank placement on Cray XC30 communication cost*, equation
    2.
    """
    used = set(nodes)
    if len(used) < 2:
        return 0.0
    number_of = node_numbers(machine)
    numbers = [number_of[node] for node in used]
    return (max(numbers) - min(numbers)) / (len(used) - 1)


def node_numbers(machine: Machine) -> Sequence[int]:
    """Return the number of each node that its distance to others counts by.

    Parameters
    ----------
    machine
        The machine; its NIDs where it has names, else the numbers of its nodes.
    """
    return nids(machine) or range(machine.num_nodes)
