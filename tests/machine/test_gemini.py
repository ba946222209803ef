"""Gemini: the order of nodes, the links of each class, the machines of that family."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.files import describe, parse
from odonata.machine.template import template


def load(**shape):
    changes = {f"shape.{key}": value for key, value in shape.items()}
    return machine.Machine(describe(parse(template("gemini"), "new"), None, changes), changes)


def walk(made):
    """Return the coordinates (x, y, z) of the routers in the order of nodes."""
    return [tuple(made.core.position(r)) for r in made.core.node_router[::2]]


def apart(one, other):
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))


def test_a_block_is_walked_through_neighbours_and_back_to_its_start():
    way = walk(load(sizes=[4, 2, 8], wrap=[1, 0, 1]))
    assert len(set(way)) == 64
    assert way[:3] == [(0, 0, 0), (0, 0, 1), (0, 0, 2)]
    assert way[7:10] == [(0, 0, 7), (1, 0, 7), (1, 0, 6)]
    assert way[31:33] == [(3, 0, 0), (3, 1, 0)]  # down into the second plane, and the same way back
    assert all(apart(one, other) == 1 for one, other in pairwise([*way, way[0]]))


def test_blocks_follow_each_other_along_y_then_z_then_x():
    way = walk(load(sizes=[8, 6, 16]))
    starts = [way[i] for i in range(0, len(way), 64)]
    assert starts[:4] == [(0, 0, 0), (0, 2, 0), (0, 4, 0), (0, 5, 8)]
    assert starts[5:7] == [(0, 1, 8), (4, 0, 8)]
    within_a_column = [i for i in range(63, 6 * 64 - 1, 64) if i != 191]
    assert all(apart(way[i], way[i + 1]) == 1 for i in within_a_column)
    assert apart(way[191], way[192]) == 8  # from one column of blocks to the next along z


@pytest.mark.parametrize("sizes", [[23, 24, 24], [3, 3, 3], [5, 7, 9]])
def test_every_router_has_its_two_nodes_also_in_blocks_cut_off(sizes):
    made = load(sizes=sizes)
    assert set(Counter(made.core.node_router).values()) == {2}
    assert made.num_nodes == 2 * made.num_routers
    assert made.place(made.num_nodes - 1).position == 1
    assert made.place(made.num_nodes - 2).position == 0


def test_nodes_may_be_in_the_order_of_the_grid():
    made = load(sizes=[4, 4, 8], node_order="grid")
    assert list(made.core.node_router) == [n // 2 for n in range(256)]


def counts(made):
    return {name: int((made.link_class == i).sum()) for i, name in enumerate(made.link_classes)}


def test_links_of_blue_waters():
    """Two a direction along x and z, one along y, of which 4 in 24 are cables."""
    made = machine.load("blue-waters")
    routers = 23 * 24 * 24
    assert counts(made) == {
        "injection": 2 * routers,
        "ejection": 2 * routers,
        "x": 4 * routers,
        "y": 2 * routers * 20 // 24,
        "z": 4 * routers,
        "y-cable": 2 * routers * 4 // 24,
    }
    assert made.core.axes == ["x", "y", "z"]
    found = _core.find_properties(made.core, made.routing("minimal"))
    assert found.diameter == 11 + 12 + 12
    assert found.mean_distance == pytest.approx((23 - 1 / 23) / 4 + 6 + 6)


def test_the_number_of_links_a_direction_can_be_changed():
    made = load(sizes=[4, 4, 8], links_per_direction=[1, 2, 1], y_cable_every=4)
    assert counts(made) == {
        "injection": 256, "ejection": 256, "x": 256, "y": 384, "z": 256, "y-cable": 128
    }  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"sizes": [4, 4]}, "shape.sizes: number of dimensions: out of range: 2; allowed: 3 to 3"),
        ({"sizes": [4, 1, 4]}, r"shape.sizes\[1\]: out of range: 1; allowed: 2 to 255"),
        ({"sizes": [4, 2, 8]}, "shape.wrap: two routers along y and a wrap"),
        ({"node_order": "zigzagg"}, "did you mean 'zigzag'"),
    ],
)
def test_shapes_that_are_refused(shape, message):
    with pytest.raises(UserError, match=message):
        load(**shape)


@pytest.mark.parametrize(
    ("name", "published"), [("blue-waters", 1.5e-6), ("titan", 1.5e-6), ("hopper", 1.27e-6)]
)
def test_a_small_message_to_the_next_router_takes_what_is_in_print(name, published):
    """By addition: overheads, NICs, two routers, a link of x, and 136 B on it."""
    m = machine.load(name)

    def value(key):
        found = m.value(key)
        assert isinstance(found, int)
        return found

    network = value("links.injection.latency") + value("links.ejection.latency")
    network += 2 * value("router.delay") + value("links.x.latency")
    wire = (8 + value("nic.header_bytes")) / value("links.x.bandwidth")
    software = value("mpi.send_overhead") + value("mpi.recv_overhead")
    assert (network + software) * 1e-12 + wire == pytest.approx(published, abs=5e-9)
