"""Gemini: the order of nodes, the links of each class, the machines of that family."""

from __future__ import annotations

import re
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
    """Two a direction along x and z, one along y; half of y and 3 in 24 of z are cables."""
    made = machine.load("blue-waters")
    routers = 23 * 24 * 24
    assert counts(made) == {
        "injection": 2 * routers,
        "ejection": 2 * routers,
        "x": 4 * routers,
        "y": routers,
        "z": 4 * routers * 21 // 24,
        "y-cable": routers,
        "z-cable": 4 * routers * 3 // 24,
    }
    assert made.core.axes == ["x", "y", "z"]
    found = _core.find_properties(made.core, made.routing("minimal"))
    assert found.diameter == 11 + 12 + 12
    assert found.mean_distance == pytest.approx((23 - 1 / 23) / 4 + 6 + 6)


def test_the_number_of_links_a_direction_can_be_changed():
    made = load(sizes=[4, 4, 8], links_per_direction=[1, 2, 1], y_cable_every=4)
    assert counts(made) == {
        "injection": 256, "ejection": 256, "x": 256, "y": 384, "z": 224, "y-cable": 128,
        "z-cable": 32,
    }  # fmt: skip


def data_rate(name, axis, coordinate):
    """Return the rate [GB/s] of the links from one coordinate along an axis to the next."""
    made = machine.load(name)
    sizes = made.value("shape.sizes")
    step = {"x": 1, "y": sizes[0], "z": sizes[0] * sizes[1]}[axis]
    pair = [coordinate * step, (coordinate + 1) * step]
    between = made.core.links[2 * made.num_nodes :]
    classes = between[(between[:, :2] == pair).all(axis=1), 2]
    return sum(made.core.classes[kind].bandwidth for kind in classes) / 1e9


def test_links_have_the_speed_of_their_medium():
    """Rates by LDMS: 3 lanes a tile, 4 tiles a link; a blade ends behind 1, a chassis behind 7."""
    mezzanine, backplane, cable = (4 * 3 * lane / 8 for lane in (6.25, 5.0, 3.125))
    for name in ("blue-waters", "titan", "hopper"):
        assert data_rate(name, "x", 0) == data_rate(name, "x", 1) == 2 * cable
        assert data_rate(name, "y", 0) == data_rate(name, "y", 2) == mezzanine
        assert data_rate(name, "y", 1) == data_rate(name, "y", 3) == cable
        assert data_rate(name, "z", 0) == data_rate(name, "z", 6) == 2 * backplane
        assert data_rate(name, "z", 7) == 2 * cable


def test_cables_along_z_alone_have_their_own_class():
    text = re.sub(r"(?m)^y_cable_every.*\n", "", template("gemini"))
    made = machine.Machine(describe(parse(text, "new"), None, {}), {})
    found = counts(made)
    assert (found["y-cable"], found["z-cable"], found["z"]) == (0, 64, 448)  # 4 x 4 x 8 routers


def test_files_without_cables_along_z_are_read():
    """A file of before has no table [links.z-cable]; with z_cable_every it needs one."""
    text = template("gemini")
    old = re.sub(r"(?s)\[links.z-cable\]\n.*?(?=\n\[)", "", text)
    without = "\n".join(line for line in old.splitlines() if not line.startswith("z_cable_every"))
    made = machine.Machine(describe(parse(without, "old"), None, {}), {})
    assert made.link_classes == ("injection", "ejection", "x", "y", "z", "y-cable")
    for wrong, found in (
        (old, "'none'; allowed: z-cable"),
        (text.replace("z_cable_every", "#"), ""),
    ):
        with pytest.raises(UserError, match=f"links: classes of a gemini.*{found}"):
            machine.Machine(describe(parse(wrong, "new"), None, {}), {})


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
