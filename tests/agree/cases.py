"""Random small machines, options and jobs, for both engines."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from odonata import _core, reference
from odonata.testing import usable_routings

ALGORITHMS = [
    ("allgather", "ring"),
    ("allgather", "bruck"),
    ("allgather", "recursive_doubling"),
    ("scatter", "linear"),
    ("scatter", "binomial"),
]


def examples(count: int) -> settings:
    """Return settings for `count` examples, always the same ones.

    ODONATA_EXAMPLES=50 in the environment makes it 50 times as many, other ones each time.
    """
    times = int(os.environ.get("ODONATA_EXAMPLES", "1"))
    return settings(
        max_examples=count * times,
        derandomize=times == 1,
        suppress_health_check=[HealthCheck.too_slow],
    )


@dataclass
class Options:
    """Settings of both engines, by common names."""

    network: dict[str, int] = field(default_factory=dict)
    policy: str = "minimal"
    routing_seed: int = 0
    bias_bytes: int = 0  # [B]
    mpi: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    shuffle: int = 0

    def fast(self) -> _core.SimulationOptions:
        options = _core.SimulationOptions()
        for name, value in self.network.items():
            setattr(options.engine, name, value)
        options.engine.routing = self.policy
        options.engine.routing_seed = self.routing_seed
        options.engine.bias_bytes = self.bias_bytes
        for name, value in self.mpi.items():
            setattr(options.mpi, name, value)
        options.seed = self.seed
        options.keep_log = options.digest = True
        options.shuffle_insertions = self.shuffle
        return options

    def slow(self, machine: reference.Machine) -> reference.Simulation:
        routing = reference.RoutingOptions(self.policy, self.routing_seed, self.bias_bytes)
        return reference.Simulation(
            machine,
            reference.NetworkOptions(**self.network, routing=routing),
            reference.MpiOptions(**self.mpi),
            self.seed,
        )


# ---- machines

# Times that often coincide, and times that hardly ever do.
times = st.one_of(st.sampled_from([0, 1000, 2000, 5000]), st.integers(0, 10_000))
few_times = st.one_of(st.just(0), st.just(0), times)
rates = st.one_of(
    st.sampled_from([500_000_000, 1_000_000_000, 2_000_000_000]),
    st.integers(1_000_000, 10**15),
)


@st.composite
def link_classes(draw: st.DrawFn, packet: int) -> _core.LinkClass:
    """Return a link class whose buffers take a packet of `packet` bytes."""
    buffer = draw(st.one_of(st.just(packet), st.integers(packet, 6 * packet)))
    return _core.LinkClass("?", draw(rates), draw(times), buffer, draw(times))


@st.composite
def dragonflies(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    nodes, routers, ports = (
        draw(st.integers(1, 2)),
        draw(st.integers(1, 4)),
        draw(st.integers(1, 2)),
    )
    groups = draw(st.integers(1, min(5, routers * ports + 1)))
    arrangement = draw(st.sampled_from(["absolute", "relative", "circulant"]))
    classes = [draw(link_classes(packet)) for _ in range(4)]
    shape = dragonfly_shape(nodes, routers, ports, groups) | {"arrangement": arrangement}
    return _core.make_machine("dragonfly", basics, shape, classes)


def dragonfly_shape(nodes: int, routers: int, ports: int, groups: int) -> dict[str, Any]:
    return {
        "nodes_per_router": nodes,
        "routers_per_group": routers,
        "global_links_per_router": ports,
        "groups": groups,
    }


@st.composite
def dragonflies_plus(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    cells, spines = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    leaves = draw(st.sampled_from([[2], [3], [1 + cell % 3 for cell in range(cells)]]))
    shape = {"cells": cells, "leaves_per_cell": leaves, "spines_per_cell": spines}
    shape |= {"links_per_pair": draw(st.integers(1, 2))}
    shape |= {"global_links_per_spine": -(-(cells - 1) // spines) + draw(st.integers(0, 2))}
    shape |= {"arrangement": draw(st.sampled_from(["absolute", "relative", "circulant"]))}
    if draw(st.booleans()):
        shape |= {"nodes_per_leaf": draw(st.integers(1, 2))}
    else:
        last = (leaves[0] * cells if len(leaves) < cells else sum(leaves)) - 1
        nodes = st.lists(st.integers(0, last), min_size=1, max_size=8)
        shape |= {"leaf_of_node": draw(nodes)}
    classes = [draw(link_classes(packet)) for _ in range(4)]
    return _core.make_machine("dragonfly-plus", basics, shape, classes)


@st.composite
def aries(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    groups, rows, columns = (
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 3)),
    )
    black = draw(st.integers(1, 3))
    blue = 0 if groups == 1 else draw(st.integers(1, 4))
    classes = [draw(link_classes(packet)) for _ in range(5)]
    shape = aries_shape(groups, rows, columns, black, blue)
    return _core.make_machine("aries", basics, shape, classes)


def aries_shape(groups: int, rows: int, columns: int, black: int, blue: int) -> dict[str, Any]:
    """Return the shape of an Aries machine with a node a router; no blue links if `blue` is 0."""
    shape = {"groups": groups, "rows": rows, "columns": columns, "nodes_per_router": 1}
    return shape | {"black_links": black} | ({"blue_links": blue} if blue else {})


@st.composite
def stars(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    classes = [draw(link_classes(packet)) for _ in range(2)]
    return _core.make_machine("star", basics, {"nodes": draw(st.integers(1, 8))}, classes)


@st.composite
def graphs(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    routers = draw(st.integers(1, 6))
    cables = [(draw(st.integers(0, r - 1)), r) for r in range(1, routers)]  # a tree, and more
    ends = st.integers(0, routers - 1)
    cables += [(a, b) for a, b in draw(st.lists(st.tuples(ends, ends), max_size=4)) if a != b]
    links = [(a, b, draw(st.integers(2, 3))) for a, b in cables]
    links += [(b, a, c) for a, b, c in links]
    nodes = draw(st.lists(ends, min_size=1, max_size=8))
    classes = [
        _core.LinkClass(name, c.bandwidth, c.latency, c.buffer, c.credit_delay)
        for name in ["injection", "ejection", "x", "y"]
        for c in [draw(link_classes(packet))]
    ]
    wires = np.array(links, np.int32).reshape(-1, 3)
    shape = {"routers": routers, "node_router": np.array(nodes, np.int32), "links": wires}
    if draw(st.booleans()):  # the list is then one of ports, each of which begins a node or not
        begins = [True, *draw(st.lists(st.booleans(), min_size=7, max_size=7))][: len(nodes)]
        numbers = np.cumsum(begins) - 1
        shape["node_ports"] = np.bincount(numbers).astype(np.int32)
    return _core.make_machine("graph", basics, shape, classes)


@st.composite
def hyperxes(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    sizes = draw(st.sampled_from([[2], [5], [2, 3], [4, 2], [3, 3], [2, 3, 2], [2, 2, 2, 2]]))
    shape = {"sizes": sizes, "nodes_per_router": draw(st.integers(1, 2))}
    if draw(st.booleans()):
        shape["links_per_pair"] = [draw(st.integers(1, 3)) for _ in sizes]
    classes = [
        _core.LinkClass(name, c.bandwidth, c.latency, c.buffer, c.credit_delay)
        for name in ["injection", "ejection", *"xyzw"[: len(sizes)]]
        for c in [draw(link_classes(packet))]
    ]
    return _core.make_machine("hyperx", basics, shape, classes)


def _named(draw: st.DrawFn, names: list[str], packet: int) -> list[_core.LinkClass]:
    """Return link classes of these names."""
    drawn = [(name, draw(link_classes(packet))) for name in names]
    return [
        _core.LinkClass(name, c.bandwidth, c.latency, c.buffer, c.credit_delay) for name, c in drawn
    ]


@st.composite
def tori(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    sizes = draw(st.sampled_from([[2], [5], [4], [2, 3], [4, 3], [5, 2], [3, 2, 4], [2, 2, 2, 2]]))
    wrap = [int(size > 2 and draw(st.booleans())) for size in sizes]
    far = [draw(st.sampled_from([0, 0, 2])) for _ in sizes]
    shape = {"sizes": sizes, "nodes_per_router": draw(st.integers(1, 2)), "wrap": wrap}
    shape |= {"links_per_direction": [draw(st.integers(1, 3)) for _ in sizes], "far_every": far}
    along = list("xyzw"[: len(sizes)])
    names = [*along, *(f"{name}-far" for name, every in zip(along, far, strict=True) if every)]
    classes = _named(draw, ["injection", "ejection", *names], packet)
    return _core.make_machine("torus", basics, shape, classes)


@st.composite
def geminis(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    sizes = draw(st.sampled_from([[3, 4, 3], [4, 2, 3], [2, 3, 4]]))
    shape = {"sizes": sizes, "wrap": [int(size > 2) for size in sizes], "y_cable_every": 2}
    shape |= {"z_cable_every": draw(st.sampled_from([1, 2]))}
    names = ["injection", "ejection", "x", "y", "z", "y-cable", "z-cable"]
    classes = _named(draw, names, packet)
    return _core.make_machine("gemini", basics, shape, classes)


@st.composite
def fat_trees(draw: st.DrawFn, basics: _core.Basics, packet: int) -> _core.Machine:
    down = draw(st.sampled_from([[3], [2, 3], [1, 2], [2, 2, 2], [1, 3, 2], [1, 2, 2, 2]]))
    steps = len(down) - 1
    shape = {"down": down, "rails": draw(st.integers(1, 2))}
    if steps:
        shape["up"] = [draw(st.integers(1, 3)) for _ in range(steps)]
        shape["parallel"] = [draw(st.integers(1, 2)) for _ in range(steps)]
    rails = ["rail"] if shape["rails"] > 1 else []
    classes = [
        _core.LinkClass(name, c.bandwidth, c.latency, c.buffer, c.credit_delay)
        for name in ["injection", "ejection", *rails, *(f"uplink{i + 1}" for i in range(steps))]
        for c in [draw(link_classes(packet))]
    ]
    return _core.make_machine("fat-tree", basics, shape, classes)


@st.composite
def broken(draw: st.DrawFn, machine: _core.Machine) -> _core.Machine:
    """Return a machine without some cables, which still joins all routers, or with slower ones."""
    links = machine.links
    there = [
        at for at in range(2 * machine.num_ports, machine.num_links) if links[at, 0] < links[at, 1]
    ]
    back = [
        at for at in range(2 * machine.num_ports, machine.num_links) if links[at, 0] > links[at, 1]
    ]
    there.sort(key=lambda at: (*links[at], at))
    back.sort(key=lambda at: (links[at, 1], links[at, 0], links[at, 2], at))
    cables = list(zip(there, back, strict=True))
    lost: list[int] = []
    for cable in draw(st.lists(st.sampled_from(cables), max_size=3, unique=True)) if cables else []:
        without = _core.with_faults(machine, [*lost, *cable], [], [])
        lost += cable if set(_core.parts_of(without)) == {0} else ()
    slow = draw(st.sampled_from(cables)) if cables and draw(st.booleans()) else ()
    classes = list(machine.classes)
    added = [classes[links[at, 2]] for at in slow[:1]]
    added = [
        _core.LinkClass("slow", -(-c.bandwidth // 3), c.latency, c.buffer, c.credit_delay)
        for c in added
    ]
    return _core.with_faults(machine, lost, [(at, len(classes)) for at in slow], added)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[_core.Machine, Options]:
    """Return a machine and options that fit each other."""
    network = {
        "packet_bytes": draw(st.sampled_from([1, 7, 64, 1000])),
        "header_bytes": draw(st.sampled_from([0, 0, 1, 16])),
        "window_bytes": draw(st.sampled_from([0, 0, 1, 200, 3000])),
        "message_gap": draw(few_times),
        "in_turns": draw(st.sampled_from([False, False, True])),
        "congestion_bytes": draw(st.sampled_from([0, 0, 1, 1000, 3000])),
        "congestion_delay": draw(few_times),
    }
    if network["in_turns"]:
        network["congestion_bytes"] = 0
    copying = draw(rates)
    memory = draw(st.sampled_from([0, copying, min(2 * copying, 10**15)]))
    basics = _core.Basics("?", 4, draw(times), draw(times), copying, memory)
    families = [dragonflies, dragonflies_plus, aries, hyperxes, tori, geminis, fat_trees]
    families += [stars, graphs]
    family = draw(st.sampled_from(families))
    machine = draw(family(basics, network["packet_bytes"] + network["header_bytes"]))
    if draw(st.integers(0, 3)) == 0:
        machine = draw(broken(machine))
    policy = draw(st.sampled_from(usable_routings(machine)))
    seeds = st.integers(0, 2**64 - 1)
    bias = draw(st.sampled_from([0, 0, 100]))
    mpi = draw(st.one_of(st.just({}), overheads(network["packet_bytes"])))
    return machine, Options(network, policy, draw(seeds), bias, mpi, draw(seeds))


def overheads(packet: int) -> st.SearchStrategy[dict[str, Any]]:
    """Return the costs of an MPI layer, rendezvous from some packets on."""
    per_byte = st.sampled_from([0.0, 0.25, 1.5])
    return st.fixed_dictionaries(
        {
            "send_overhead": times,
            "recv_overhead": times,
            "node_send_overhead": st.none() | times,
            "node_recv_overhead": st.none() | times,
            "search_per_entry": few_times,
            "wait_per_request": few_times,
            "send_per_byte": per_byte,
            "recv_per_byte": per_byte,
            "copy_per_byte": per_byte,
            "short_threshold": st.integers(0, 2 * packet),
            "eager_overhead": few_times,
            "eager_per_byte": per_byte,
            "fetch_latency": few_times,
            "eager_threshold": st.integers(0, 4 * packet),
            "rendezvous_overhead": few_times,
            "long_threshold": st.integers(0, 4 * packet),
            "long_per_byte": per_byte,
            "control_bytes": st.integers(0, 20),
            "outstanding": st.sampled_from([1, 2, 5, 256]),
        }
    )


@st.composite
def placements(draw: st.DrawFn, machine: _core.Machine, least: int = 1) -> list[int]:
    """Return the node of each rank of a job; some have several."""
    nodes = st.integers(0, machine.num_nodes - 1)
    return draw(st.lists(nodes, min_size=least, max_size=12))


def crowded_machine() -> _core.Machine:
    """Return a dragonfly of 40 nodes whose buffers hold one packet, with times that coincide."""
    basics = _core.Basics("crowded", 1, 1000, 1000, 10**9)
    ends = _core.LinkClass("?", 10**9, 1000, 128, 1000)
    slow = _core.LinkClass("?", 5 * 10**8, 2000, 128, 1000)
    shape = dragonfly_shape(2, 4, 1, 5)
    return _core.make_machine("dragonfly", basics, shape, [ends, ends, ends, slow])


def crowded_cells() -> _core.Machine:
    """Return a Dragonfly+ of 24 nodes with few global links; buffers hold one packet."""
    basics = _core.Basics("crowded", 1, 1000, 1000, 10**9)
    link = _core.LinkClass("?", 10**9, 1000, 128, 1000)
    slow = _core.LinkClass("?", 5 * 10**8, 2000, 128, 1000)
    shape = {"cells": 4, "leaves_per_cell": [3], "spines_per_cell": 2, "nodes_per_leaf": 2}
    shape |= {"global_links_per_spine": 3, "arrangement": "relative"}
    return _core.make_machine("dragonfly-plus", basics, shape, [link, link, link, slow])


def crowded_grid() -> _core.Machine:
    """Return Aries groups of 3 by 3 routers with parallel cables; buffers hold two packets."""
    basics = _core.Basics("crowded", 1, 1000, 1000, 10**9)
    link = _core.LinkClass("?", 10**9, 1000, 300, 1000)
    return _core.make_machine("aries", basics, aries_shape(3, 3, 3, 2, 3), [link] * 5)


def crowded_torus() -> _core.Machine:
    """Return a torus of 60 nodes with a line, parallel cables and buffers of one packet."""
    basics = _core.Basics("crowded", 1, 1000, 1000, 10**9)
    names = ["injection", "ejection", "x", "y", "z"]
    links = [_core.LinkClass(name, 10**9, 1000, 128, 1000) for name in names]
    shape = {"sizes": [5, 4, 3], "nodes_per_router": 1, "wrap": [1, 1, 0]}
    shape |= {"links_per_direction": [1, 2, 1]}
    return _core.make_machine("torus", basics, shape, links)


def crowded_tree() -> _core.Machine:
    """Return a fat tree of 36 nodes with parallel cables; buffers hold two packets."""
    basics = _core.Basics("crowded", 1, 1000, 1000, 10**9)
    names = ["injection", "ejection", "uplink1", "uplink2"]
    links = [_core.LinkClass(name, 10**9, 1000, 300, 1000) for name in names]
    shape = {"down": [4, 3, 3], "up": [2, 2], "parallel": [2, 2]}
    return _core.make_machine("fat-tree", basics, shape, links)
