"""Allocations with a wanted average node distance, and the jobs of a busy machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement.distance import node_numbers
from odonata.placement.placement import Placement

__all__ = ["DISTANCE", "place_busy", "spread_nodes"]

DISTANCE = "distance:"
"""Beginning of an allocation with an average node distance: ``distance:1.5``."""

NEAR = 0.01
"""Part of the wanted distance by which the nearest possible one may differ."""

_DISTANCE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def spread_nodes(
    machine: Machine, allocation: str, free: Sequence[int], count: int, *, seed: int, job: int
) -> list[int]:
    """Return nodes that have a wanted average node distance, by number.

    Parameters
    ----------
    machine
        The machine; NIDs count where it has them, else the numbers of its nodes.
    allocation
        Such as ``distance:1.5``.
    free
        Nodes to choose from.
    count
        Number of nodes.
    seed, job
        Seed and number of the job, for the draws.

    Returns
    -------
    list of int
        First and last node are drawn among those with the nearest possible distance, the others
        among all nodes between them.

    Raises
    ------
    UserError
        The distance is no number, or the free nodes cannot have it.

    Notes
    -----
    The distance ``D = sum (NID[i+1] - NID[i]) / (n - 1)`` telescopes: the NIDs of the first and the
    last node differ by D (n - 1).
    """
    wanted = _wanted(allocation)
    if count < 2:
        what = "allocation: a job on one node has no average node distance"
        raise UserError(what, value=allocation, allowed="2 nodes or more")
    number_of = node_numbers(machine)
    nodes = sorted(free, key=number_of.__getitem__)
    numbers = [number_of[node] for node in nodes]
    gaps = count - 1
    at = _core.spread(numbers, count, round(wanted * gaps), seed, job)
    span = numbers[at[-1]] - numbers[at[0]]
    if abs(span - wanted * gaps) > max(0.5, NEAR * wanted * gaps):
        nearest = span / gaps
        least, most = (width / gaps for width in _core.spans_of(numbers, count))
        behind = "" if nearest in (least, most) else f", the nearest is {nearest:.6g}"
        raise UserError(
            f"allocation: average node distance of {count} of the {len(nodes)} free nodes of "
            f"{machine.name}",
            value=f"{wanted:g}",
            allowed=f"{least:.6g} to {most:.6g}{behind}",
        )
    return [nodes[position] for position in at]


def place_busy(
    machine: Machine,
    share: float,
    *,
    beside: Sequence[Placement],
    seed: int = 0,
    like: str | None = None,
) -> list[Placement]:
    """Place the jobs of a busy machine on a share of the nodes that some jobs leave free.

    Parameters
    ----------
    machine
        The machine.
    share
        Part of the free nodes that they get together, from 0 to 1.
    beside
        Placements of the other jobs.
    seed
        Seed of the random choices.
    like
        Machine whose real jobs the sizes and nodes are drawn from, ``lumi`` or ``leonardo``; None:
        a model of jobs of any machine.

    Returns
    -------
    list of Placement
        One rank a node, two nodes or more each.

    Raises
    ------
    UserError
        The share is out of range, or stands for a single node.

    Notes
    -----
    Sizes follow the workload model of Lublin and Feitelson without its jobs of one node, which send
    nothing: the logarithm of the number of nodes is uniform in two stages, up to all nodes of the
    machine, and three sizes of four are powers of two. The model was fitted to three machines of
    the 1990s; that it holds for this one is assumed. A job with more nodes than are still wanted
    waits. Each job gets the next free nodes by number from a drawn one on, so that later ones are
    in pieces: this is assumed, too.

    References
    ----------
    U. Lublin and D. G. Feitelson, *The workload on parallel supercomputers: modeling the
    characteristics of rigid jobs*, J. Parallel Distrib. Comput. 63 (2003) 1105-1122.

    Examples
    --------
    >>> from odonata import machine, placement
    >>> eos = machine.load("eos")
    >>> job = placement.place(eos, 44)
    >>> others = place_busy(eos, 0.5, beside=[job])
    >>> sum(one.ranks for one in others)
    350
    """
    if not 0 <= share <= 1:
        raise UserError("busy: out of range", value=share, allowed="0 to 1")
    taken = {node for other in beside for node in other.node_of}.union(machine.cut_nodes)
    free = [node for node in range(machine.num_nodes) if node not in taken]
    busy = round(share * len(free))
    if busy == 1 or (share > 0 and busy == 0):
        raise UserError(
            "busy: jobs on too few nodes, which send nothing",
            value=f"{busy} of {len(free)} nodes",
            allowed="2 nodes or more",
        )
    if like is None:
        jobs = _core.busy_jobs(free, machine.num_nodes, busy, seed)
    else:
        from odonata.placement.alike import busy_alike  # few machines are busy so

        jobs = busy_alike(machine, like, free, busy, seed=seed)
    return [Placement(machine, nodes, allocation="busy", mapping="block") for nodes in jobs]


def _wanted(allocation: str) -> float:
    text = allocation.removeprefix(DISTANCE)
    if _DISTANCE.fullmatch(text) is None or not float(text):
        allowed = f"{DISTANCE}D with a number above 0, as in {DISTANCE}1.5"
        raise UserError("allocation: not understood", value=allocation, allowed=allowed)
    return float(text)
