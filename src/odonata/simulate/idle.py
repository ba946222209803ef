"""Numbers of closed-form models that the links of an idle machine imply."""

from __future__ import annotations

from collections.abc import Sequence

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.simulate.job import Job
from odonata.simulate.simulation import simulate
from odonata.workload import PointToPoint

__all__ = ["MODEL_KEYS", "add_model_numbers"]

MODEL_KEYS = ("model.alpha", "model.beta", "model.gamma")
"""Numbers of the model of a cycle that come from links: latency, time of a value, time of a hop."""

SHORT_BYTES, LONG_BYTES = 8, 2_000_000
"""Sizes of the messages whose times are the latency and the bandwidth, as `odonata measure` has."""

NEAREST_LINKS = 2
"""Links between two nodes of one router."""

MOST_FAR = 8
"""Most nodes that are searched for the largest latency."""


def add_model_numbers(machine: Machine) -> tuple[Machine, dict[str, int]]:
    """Return a machine with the numbers α, β and γ that its file lacks, from ping-pongs on it.

    Parameters
    ----------
    machine
        Any; numbers that its file has are kept.

    Returns
    -------
    tuple
        The machine, and the numbers that were added [ps], by key of `MODEL_KEYS`.

    Raises
    ------
    UserError
        A number is missing, and the machine has one node.

    Notes
    -----
    Messages go to and fro between node 0 and others, on routes that are minimal, with nothing else
    under way. α is the least latency of 8 bytes, to a nearest node; γ the difference to the largest
    (among eight of the farthest nodes at most), by the links that lie between; β 8 bytes by the
    bandwidth of 2,000,000 bytes to the nearest. Where no two nodes share a router, α is brought to
    the two links of such nodes by γ. All three are whole picoseconds.

    References
    ----------
    Model-guided AMG on a dragonfly, section 4: how α, β and γ were measured.

    Examples
    --------
    >>> from odonata import machine
    >>> titan, added = add_model_numbers(machine.load("titan"))
    >>> list(added)
    ['model.alpha', 'model.beta', 'model.gamma']
    >>> add_model_numbers(titan)[1]
    {}
    """
    missing = [key for key in MODEL_KEYS if key not in machine.numbers]
    if not missing:
        return machine, {}
    if machine.num_nodes < 2:
        raise UserError(
            f"{missing[0]}: missing in machine {machine.name}, which has one node: "
            "nothing can be sent between nodes"
        )
    found = dict(zip(MODEL_KEYS, _numbers(machine), strict=True))
    added = {key: round(found[key] * 1e12) for key in missing}
    return machine.with_values({key: f"{time} ps" for key, time in added.items()}), added


def _numbers(machine: Machine) -> tuple[float, float, float]:
    """Return α, β and γ [s]; γ is 0 where all nodes are equally far."""
    links = _links_from_first(machine)
    near = min(range(1, machine.num_nodes), key=lambda node: links[node])
    latency = _one_way(machine, near, SHORT_BYTES)
    beta = SHORT_BYTES * _one_way(machine, near, LONG_BYTES) / LONG_BYTES
    most = max(links)
    if most == links[near]:
        return latency, beta, 0.0
    far = [node for node in range(machine.num_nodes) if links[node] == most]
    largest = max(_one_way(machine, node, SHORT_BYTES) for node in _spread(far, MOST_FAR))
    gamma = max(0.0, (largest - latency) / (most - links[near]))
    return max(0.0, latency - (links[near] - NEAREST_LINKS) * gamma), beta, gamma


def _links_from_first(machine: Machine) -> list[int]:
    """Return the links between node 0 and each node on a shortest route, 0 for itself."""
    routing = machine.routing("minimal")
    routers = machine.node_router.tolist()
    between = [NEAREST_LINKS + routing.distance(routers[0], router) for router in routers]
    return [0, *between[1:]]


def _one_way(machine: Machine, node: int, bytes: int) -> float:
    """Return half of the time of a round trip between node 0 and another [s]."""
    pingpong = PointToPoint("pingpong", bytes=bytes)
    result = simulate(machine, Job(pingpong, Placement(machine, [0, node])), record_messages=False)
    assert result.time is not None
    return result.time / 2


def _spread(nodes: Sequence[int], most: int) -> Sequence[int]:
    """Return some of the nodes, evenly apart, the first among them."""
    return nodes[:: -(-len(nodes) // most)]
