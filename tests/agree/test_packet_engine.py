"""The packet engine and its readable twin do the same, event by event."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference
from odonata.machine import routings

from .cases import (
    ALGORITHMS,
    Options,
    crowded_cells,
    crowded_grid,
    crowded_machine,
    crowded_torus,
    crowded_tree,
    examples,
    placements,
    worlds,
)
from .compare import Job, assert_agree, fast_log, first_difference, run_fast

DETOURS = routings("dragonfly")
CROWDED = (crowded_machine, crowded_cells, crowded_grid)


def collective_job(draw: st.DrawFn, machine: _core.Machine, packet: int) -> Job:
    operation, name = draw(st.sampled_from(ALGORITHMS))
    nodes = draw(placements(machine))
    size = draw(st.integers(0, 4 * packet))
    root = draw(st.integers(0, len(nodes) - 1))
    return Job(
        nodes,
        _core.repeat_algorithm(operation, name, size, root, 1),
        reference.collective(operation, name, size, root),
    )


def traffic_job(draw: st.DrawFn, machine: _core.Machine, options: Options) -> Job:
    nodes = draw(placements(machine, least=2))
    copy = reference.copy_machine(machine)
    patterns = {
        "uniform": reference.uniform(len(nodes)),
        "permutation": reference.permutation(len(nodes), options.seed),
    }
    if machine.groups > 1:
        patterns["adversarial"] = reference.adversarial(copy, nodes, 1)
    name = draw(st.sampled_from(sorted(patterns)))
    load = draw(st.sampled_from([0.1, 0.5, 1.0, 3.0]))
    size, count = draw(st.integers(0, 3 * options.network["packet_bytes"])), 8
    pattern = _core.PatternOptions()
    pattern.name = name
    seed = options.seed
    return Job(
        nodes,
        _core.traffic(machine, nodes, pattern, load, size, count, False, seed),
        reference.traffic(reference.Traffic(patterns[name], load, size, count)),
    )


@examples(150)
@given(worlds(), st.data())
def test_collectives(world, data):
    machine, options = world
    packet = options.network["packet_bytes"]
    jobs = [collective_job(data.draw, machine, packet) for _ in range(data.draw(st.integers(1, 2)))]
    assert_agree(machine, options, jobs)


@examples(150)
@given(worlds(), st.data())
def test_traffic(world, data):
    machine, options = world
    assert_agree(machine, options, [traffic_job(data.draw, machine, options)])


@examples(80)
@given(worlds(), st.data())
def test_collectives_in_traffic(world, data):
    machine, options = world
    packet = options.network["packet_bytes"]
    jobs = [
        collective_job(data.draw, machine, packet),
        traffic_job(data.draw, machine, options),
    ]
    assert_agree(machine, options, jobs)


@pytest.mark.parametrize("outstanding", [1, 3, 256])
@pytest.mark.parametrize(
    ("make_machine", "policy"),
    [
        *((made, policy) for made in CROWDED for policy in DETOURS),
        *((crowded_torus, policy) for policy in routings("torus")),
        *((crowded_tree, policy) for policy in routings("fat-tree")),
    ],
)
def test_crowded(make_machine, policy, outstanding):
    """The machine is offered more than it can take, and its buffers are tiny."""
    machine = make_machine()
    nodes = list(range(machine.num_nodes))
    pattern = _core.PatternOptions()
    traffic = Job(
        nodes,
        _core.traffic(machine, nodes, pattern, 2.0, 300, 4, False, 5),
        reference.traffic(reference.Traffic(reference.uniform(len(nodes)), 2.0, 300, 4)),
    )
    collective = Job(
        nodes[::3],
        _core.repeat_algorithm("allgather", "bruck", 100, 0, 1),
        reference.collective("allgather", "bruck", 100),
    )
    mpi = {"outstanding": outstanding}
    options = Options({"packet_bytes": 128}, policy, routing_seed=7, seed=5, mpi=mpi)
    assert_agree(machine, options, [traffic, collective])


def test_an_older_packet_passes_a_younger_one_that_has_no_room():
    """It needs less room, joins the queue in front, and goes at once.

    Packets of 600 and 1000 bytes come over a fast cable; the buffer of 1000 bytes that they go
    to takes only the first, which its node needs 600 us to receive. The packet of 100 bytes, sent
    at the same time as the first, comes over a cable of 10 us and finds 400 bytes of room.
    """
    ends = [
        _core.LinkClass("injection", 10**12, 0, 10**6, 0),
        _core.LinkClass("ejection", 10**6, 0, 0, 0),
    ]
    cables = [
        _core.LinkClass("slow", 10**12, 10_000_000, 10**6, 0),
        _core.LinkClass("fast", 10**12, 0, 10**6, 0),
        _core.LinkClass("out", 10**12, 0, 1000, 0),
    ]
    wires = [(0, 2, 2), (2, 0, 2), (1, 2, 3), (2, 1, 3), (2, 3, 4), (3, 2, 4)]
    node_router, links = np.array([0, 1, 3], np.int32), np.array(wires, np.int32)
    basics = _core.Basics("?", 1, 0, 0, 10**9)
    shape = {"routers": 4, "node_router": node_router, "links": links}
    machine = _core.make_machine("graph", basics, shape, ends + cables)

    def program(rank):
        if rank.index == 0:
            rank.send_datagram(2, 100)
        elif rank.index == 1:
            rank.send_datagram(2, 600)
            yield rank.compute(3_000_000)
            rank.send_datagram(2, 1000)

    job = Job([0, 1, 2], _core.python_program(program), program)
    options = Options({"packet_bytes": 1000})
    assert_agree(machine, options, [job])
    out = next(link for link in range(6, 12) if machine.links[link].tolist()[:2] == [2, 3])
    log = fast_log(run_fast(machine, options, [job]))
    starts = [(time, *packet) for time, link, _, *packet in log if link == out]
    assert starts == [(0, 1, 0), (10_000_000, 0, 0), (700_000_000, 1, 1)]


def test_first_difference_is_shown():
    machine = crowded_machine()
    log = [(0, 0, 0, 0, 7), (1000, 80, 0, 0, 7), (2000, -1, 1, 0, 7)]
    assert first_difference(log, log, machine) is None
    shown = first_difference(log, [*log[:2], (2500, -1, 1, 0, 7)], machine)
    assert shown == (
        "event 2 of 3 and 3 differs\n"
        "  both             0 ps  packet 7 of node 0 starts from node 0 to router 0, link 0 vc 0\n"
        "  both          1000 ps  packet 7 of node 0 starts from router 0 to router 1, "
        "link 80 vc 0\n"
        "  fast          2000 ps  packet 7 of node 0 delivered to node 1\n"
        "  slow          2500 ps  packet 7 of node 0 delivered to node 1"
    )
