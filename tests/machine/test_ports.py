"""Several ports of a node: where they are, who uses them, and times by hand."""

import numpy as np
import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import Placement
from odonata.simulate import Job, simulate
from odonata.workload import Collective, PointToPoint

FREE = {
    "links.injection.bandwidth": "1 GB/s",
    "links.ejection.bandwidth": "1 GB/s",
    "links.injection.latency": "0 ns",
    "links.ejection.latency": "0 ns",
    "router.delay": "0 ns",
    "mpi.send_overhead": "0 ns",
    "mpi.recv_overhead": "0 ns",
    "mpi.send_overhead_per_byte": "0 ps/B",
    "mpi.recv_overhead_per_byte": "0 ps/B",
    "mpi.eager_threshold": "1 GiB",
    "mpi.copy_per_byte": "0 ps/B",
    "nic.packet_bytes": "1 KiB",
    "nic.header_bytes": "0 B",
}
"""A star in which 1 kB takes 1 us from port to port."""


def star(**ports):
    return machine.load(
        "jupiter-1gbe", FREE | {f"nic.{key}": value for key, value in ports.items()}
    )


def pingpong(on, nodes, size):
    job = Job(PointToPoint("pingpong", bytes=size), Placement(on, nodes))
    return simulate(on, job)


def used(result, kind):
    """Return the bytes of the links of a class that carried any, by number."""
    links = result.run.links
    mine = links["class"] == result.run.link_classes.index(kind)
    return {int(at): int(links["bytes"][at]) for at in np.flatnonzero(mine & (links["bytes"] > 0))}


def test_the_ports_of_a_node_are_spread_over_the_routers_of_its_block():
    shape = {"shape.routers_per_group": 12, "nic.ports": 4, "nic.routers": 4}
    there = machine.load("dragonfly-5256", shape)
    nodes_per_router = there.value("shape.nodes_per_router")
    routers = there.port_router.reshape(there.num_nodes, 4)
    assert (routers[:, 0] == there.node_router).all()
    assert (np.sort(routers) == routers.min(axis=1)[:, None] + range(4)).all()
    assert (routers.min(axis=1) % 4 == 0).all()
    assert (np.bincount(there.port_router) == 4 * nodes_per_router).all()
    assert there.num_node_ports == 4 * there.num_nodes
    assert there.check("ugal").deadlock_free


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"ports": 4, "routers": 3}, "nic.routers: not a divisor of nic.ports: 3"),
        ({"routers": 4}, "nic.routers: out of range: 4; allowed: 1 to 1"),
        ({"ports": 5, "routers": 5}, "nic.routers: ports of a node would be in several blocks"),
        ({"ports": 65}, "nic.ports: out of range: 65; allowed: 1 to 64"),
        ({"binding": "rank"}, "nic.binding: .*rank.*blocks, round-robin, first"),
    ],
)
def test_ports_that_do_not_fit_are_refused(keys, message):
    with pytest.raises(UserError, match=message):
        machine.load("dragonfly-5256", {f"nic.{key}": value for key, value in keys.items()})


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_rank_uses_one_port_and_cut_messages_use_all(engine):
    times = {}
    for stripe in (None, "2 KiB"):
        on = star(ports=4) if stripe is None else star(ports=4, stripe_from=stripe)
        job = Job(PointToPoint("pingpong", bytes=8192), Placement(on, [0, 1]))
        times[stripe] = simulate(on, job, engine=engine)
    assert times[None].time == pytest.approx(2 * (8192 + 0) * 1e-9, rel=1e-9)
    assert times["2 KiB"].time == pytest.approx(2 * 2048e-9, rel=1e-9)
    assert used(times[None], "injection") == {0: 8192, 4: 8192}
    assert used(times["2 KiB"], "injection") == {at: 2048 for at in range(8)}


def test_the_parts_of_a_message_differ_by_a_byte_at_most():
    result = pingpong(star(ports=4, stripe_from="1 B"), [0, 1], 7)
    assert used(result, "ejection") == dict(enumerate((2, 2, 2, 1, 2, 2, 2, 1), first_of(result)))
    short = pingpong(star(ports=4, stripe_from="8 B"), [0, 1], 7)
    assert used(short, "injection") == {0: 7, 4: 7}


def first_of(result):
    return int(np.flatnonzero(result.run.links["class"] == 1)[0])


@pytest.mark.parametrize(
    ("binding", "ports"),
    [("blocks", [0, 0, 1, 1]), ("round-robin", [0, 1, 0, 1]), ("first", [0, 0, 0, 0])],
)
def test_a_message_uses_the_port_of_its_rank(binding, ports):
    on = star(ports=2, binding=binding)
    scatter = Collective("scatter", "linear", bytes=1000)  # from the first rank of node 0
    result = simulate(on, Job(scatter, Placement(on, [0] * 4 + [1] * 4)))
    assert used(result, "injection") == {0: 4000}
    received = np.bincount(ports, minlength=2) * 1000
    of_node_1 = first_of(result) + 2
    assert used(result, "ejection") == {of_node_1 + at: n for at, n in enumerate(received) if n}


def test_one_rank_of_three_has_the_middle_port_of_three():
    on = star(ports=3)
    assert [on.core.ports.of_rank(at, 3, 3) for at in range(3)] == [0, 1, 2]
    assert [on.core.ports.of_rank(at, 6, 3) for at in range(6)] == [0, 0, 1, 1, 2, 2]
    assert on.core.ports.of_rank(0, 1, 3) == 0


@pytest.mark.parametrize("size", [1000, 100_000])
def test_cut_messages_are_explained_to_the_picosecond(size):
    on = star(ports=4, stripe_from="1 kB").with_values({"mpi.eager_threshold": "10 kB"})
    job = Job(PointToPoint("pingpong", bytes=size), Placement(on, [0, 1]))
    result = simulate(on, job, explain=True)
    by_rank = result.run.explanation.by_rank
    assert (by_rank.sum(axis=1) == result.run.jobs[0].finished).all()
