"""Ways to choose the node of each rank of a job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement.blocks import BLOCK, allocated_block
from odonata.placement.placement import Placement, listed
from odonata.placement.spread import DISTANCE, spread_nodes

__all__ = ["ALLOCATIONS", "FORMS", "MAPPINGS", "place", "place_on_rest", "shaped_nodes"]

ALLOCATIONS = ("contiguous", "random", "random-routers", "random-groups")
"""Ways to choose nodes that no earlier job has."""

LIKE = "like:"
"""Beginning of an allocation that is spread as jobs of a real machine: ``like:lumi``."""

TORUS = "torus:"
"""Beginning of an allocation that is a virtual torus: ``torus:4x4x4``."""

MAPPINGS = ("block", "cyclic", "random")
"""Orders in which ranks fill the nodes."""


def place(
    machine: Machine,
    ranks: int,
    *,
    allocation: str | Sequence[int] = "contiguous",
    mapping: str | Sequence[int] = "block",
    ranks_per_node: int = 1,
    first: int = 0,
    seed: int = 0,
    beside: Sequence[Placement] = (),
) -> Placement:
    """Place the ranks of a job.

    Parameters
    ----------
    machine
        The machine.
    ranks
        Number of ranks.
    allocation
        One of `ALLOCATIONS`, a block of routers such as ``block:4x2x8`` or ``block:4x2x8@0x2x0``
        (sizes, and least coordinates, along the machine's axes), a virtual torus such as
        ``torus:4x4x4`` on a Tofu network, an average node distance such as ``distance:1.5``, a
        spread over groups as jobs of a machine have it, such as ``like:lumi``, or the nodes of the
        job in order. Nodes are used in the order in which
        they are found: rank 0 of a `random` job is on a random node, and so is its neighbour.
    mapping
        One of `MAPPINGS`, or the position in the allocation of the node of each rank.
    ranks_per_node
        Largest number of ranks on a node, up to its cores.
    first
        Node at which a contiguous allocation begins.
    seed
        Seed of the random choices.
    beside
        Placements of earlier jobs; their nodes are not taken.

    Returns
    -------
    Placement
        The ranks on as few nodes as they need.

    Raises
    ------
    UserError
        A name is unknown, there are not enough nodes or cores, or a listed node is taken.

    Examples
    --------
    >>> from odonata import machine
    >>> eos = machine.load("eos")
    >>> one = place(eos, 4, ranks_per_node=2)
    >>> place(eos, 2, beside=[one]).nodes
    array([2, 3], dtype=int32)
    """
    _check_counts(machine, ranks, ranks_per_node)
    free = _free_nodes(machine, seed, beside)
    needed = -(-ranks // ranks_per_node)
    job = len(beside)
    _check_enough(needed, free.count, ranks, ranks_per_node)
    meant = _nodes_meant(machine, allocation, needed, beside, seed)
    if isinstance(meant, str):
        nodes = free.take(meant, needed, first, job)
    else:
        nodes = listed("allocation", meant, machine.num_nodes)
        if machine.cut_nodes:
            from odonata.machine.faults import require_joined  # few machines have faults

            require_joined(machine, nodes, "allocation")
        free.take_these(nodes)
        _check_enough(needed, len(nodes), ranks, ranks_per_node)
    shown = allocation if isinstance(allocation, str) else "explicit"
    if isinstance(mapping, str):
        _check_name("mapping", mapping, MAPPINGS)
        placed = _core.map_ranks(nodes, ranks, ranks_per_node, mapping, seed, job)
        return Placement(machine, placed, allocation=shown, mapping=mapping)
    positions = listed("mapping", mapping, len(nodes))
    if len(positions) != ranks or max(Counter(positions).values()) > ranks_per_node:
        allowed = f"{ranks} positions, each at most {ranks_per_node} times"
        raise UserError("mapping: doesn't fit the ranks", value=len(positions), allowed=allowed)
    return Placement(machine, [nodes[at] for at in positions], allocation=shown)


def place_on_rest(machine: Machine, *, beside: Sequence[Placement]) -> Placement:
    """Place one rank on every node that no other job has: background traffic.

    Parameters
    ----------
    machine
        The machine.
    beside
        Placements of the other jobs.

    Raises
    ------
    UserError
        No node is left.
    """
    taken = {node for other in beside for node in other.node_of}.union(machine.cut_nodes)
    nodes = [node for node in range(machine.num_nodes) if node not in taken]
    if not nodes:
        raise UserError("placement: no node is left", allowed="jobs on fewer nodes")
    return Placement(machine, nodes, allocation="rest", mapping="block")


def shaped_nodes(machine: Machine, allocation: str) -> list[int] | None:
    """Return the nodes of a block or a virtual torus, None if an allocation is something else.

    Parameters
    ----------
    machine
        The machine.
    allocation
        Such as ``block:4x2x8`` or ``torus:4x4x4``.

    Raises
    ------
    UserError
        The shape does not fit the machine.
    """
    kind, colon, _ = allocation.partition(":")
    return _SHAPED[kind + colon](machine, allocation) if kind + colon in _SHAPED else None


def _nodes_meant(
    machine: Machine,
    allocation: str | Sequence[int],
    count: int,
    beside: Sequence[Placement],
    seed: int,
) -> str | Sequence[int]:
    """Return the nodes of an allocation, or its name if it is one of `ALLOCATIONS`."""
    if not isinstance(allocation, str):
        return allocation
    shaped = shaped_nodes(machine, allocation)
    if shaped is not None:
        return shaped
    kind, colon, _ = allocation.partition(":")
    if kind + colon in _DRAWN:
        taken = {node for other in beside for node in other.node_of}.union(machine.cut_nodes)
        free = [node for node in range(machine.num_nodes) if node not in taken]
        draw = _DRAWN[kind + colon]
        return draw(machine, allocation, free, count, seed=seed, job=len(beside))
    forms = (f"{BLOCK}SIZES", f"{TORUS}SIZES", f"{DISTANCE}D", f"{LIKE}MACHINE")
    _check_name("allocation", allocation, (*ALLOCATIONS, *forms))
    return allocation


def _folded(machine: Machine, allocation: str) -> list[int]:
    from odonata.placement.folded import folded_nodes  # few machines have virtual tori

    return folded_nodes(machine, allocation)


def _alike(
    machine: Machine, allocation: str, free: Sequence[int], count: int, *, seed: int, job: int
) -> list[int]:
    from odonata.placement.alike import alike_nodes  # few jobs are drawn so

    return alike_nodes(machine, allocation, free, count, seed=seed, job=job)


_SHAPED: Mapping[str, Callable[[Machine, str], list[int]]] = {
    BLOCK: allocated_block,
    TORUS: _folded,
}
"""Allocations that name their nodes, by their beginnings."""

_DRAWN: Mapping[str, Callable[..., list[int]]] = {DISTANCE: spread_nodes, LIKE: _alike}
"""Allocations that are drawn among the free nodes."""

FORMS = (*_SHAPED, *_DRAWN)
"""Beginnings of allocations that have a colon."""


def _check_counts(machine: Machine, ranks: int, ranks_per_node: int) -> None:
    cores = machine.cores_per_node
    if not 1 <= ranks_per_node <= cores:
        allowed = f"1 to {cores}, the cores of a node of {machine.name}"
        raise UserError("ranks per node: out of range", value=ranks_per_node, allowed=allowed)
    most = machine.num_nodes * cores
    if not 1 <= ranks <= most:
        allowed = f"1 to {most} ({machine.num_nodes} nodes × {cores} cores of {machine.name})"
        raise UserError("ranks: out of range", value=ranks, allowed=allowed)


def _check_enough(needed: int, there: int, ranks: int, ranks_per_node: int) -> None:
    if needed > there:
        raise UserError(
            f"ranks: {ranks}, {ranks_per_node} a node, need {needed} nodes",
            allowed=f"{there} nodes; more ranks a node need fewer",
        )


def _check_name(what: str, name: str, known: Sequence[str]) -> None:
    if name not in known:
        near = near_miss(name, known)
        raise UserError(f"{what}: unknown", value=name, allowed=", ".join(known), near=near)


def _free_nodes(machine: Machine, seed: int, beside: Sequence[Placement]) -> _core.FreeNodes:
    if not 0 <= seed < 2**64:
        raise UserError("seed: out of range", value=seed, allowed="0 to 2**64 - 1")
    free = _core.FreeNodes(machine.core, seed)
    cut = set(machine.cut_nodes)
    free.take_these(sorted(cut))
    for other in beside:
        free.take_these(sorted(set(other.node_of) - cut))
    return free
