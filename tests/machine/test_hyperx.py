"""HyperX: shapes and loads by hand, deadlock freedom, detours round a full link."""

from __future__ import annotations

import json
import math

import pytest

from odonata import _core, machine
from odonata.errors import UserError
from odonata.machine.files import describe, parse
from odonata.machine.template import template


def link(name):
    return _core.LinkClass(name, 10**9, 1000, 4096, 1000)


def hyperx(sizes, nodes=2, cables=()):
    shape = {"sizes": sizes, "nodes_per_router": nodes}
    if cables:
        shape["links_per_pair"] = cables
    names = ["injection", "ejection", *"xyzwvu"[: len(sizes)]]
    basics = _core.Basics("test", 1, 1000, 1000, 10**9)
    return _core.make_machine("hyperx", basics, shape, [link(name) for name in names])


def ends(made, kind):
    return [(int(a), int(b)) for a, b, c in made.links if c == kind]


def test_a_line_of_three_and_two_of_them_side_by_side():
    made = hyperx([3, 2])
    assert ends(made, 2) == [
        (0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1),
        (3, 4), (3, 5), (4, 3), (4, 5), (5, 3), (5, 4),
    ]  # fmt: skip
    assert ends(made, 3) == [(0, 3), (1, 4), (2, 5), (3, 0), (4, 1), (5, 2)]
    assert list(made.node_router) == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]


def test_coordinates_are_listed_as_people_write_them():
    made = hyperx([3, 2, 4])
    assert made.axes == ["x", "y", "z"]
    assert made.position(16) == [1, 1, 2]  # 1 + 3 (1 + 2 * 2)
    assert [(level.name, level.count) for level in made.levels] == [("x-line", 8), ("xy-plane", 4)]
    assert made.group_of(17) == 2


def test_parallel_cables():
    made = hyperx([2, 2], cables=[1, 3])
    assert ends(made, 3) == [(a, b) for a, b in [(0, 2), (1, 3), (2, 0), (3, 1)] for _ in range(3)]


@pytest.mark.parametrize("policy", machine.routings("hyperx"))
@pytest.mark.parametrize(
    ("sizes", "cables"),
    [([2], []), ([6], [2]), ([3, 2], []), ([2, 4, 3], [2, 1, 1]), ([3] * 4, [])],
)
def test_no_policy_can_deadlock(sizes, cables, policy):
    made = hyperx(sizes, cables=cables)
    routing = _core.make_routing(made, policy, 0, 0)
    report = _core.check_deadlock(made, routing)
    assert report.deadlock_free
    channels = [2 if policy != "minimal" and size > 2 else 1 for size in sizes]
    assert [routing.num_vcs(2 + d) for d in range(len(sizes))] == channels


@pytest.mark.parametrize(
    ("policy", "pattern", "bound"),
    [
        # 16 nodes of a line send to the 16 of the next: 4 over each link of y.
        ("minimal", "adversarial", 1 / 4),
        # A link of y carries 4/3 of its own routers' first hops and 4/3 of second hops.
        ("valiant", "adversarial", 3 / 8),
        # From any router to 12 of 63 nodes by each link of x, from all routers of a line 4 * 4 / 63
        # to each of the 4 in its column, by a link of y.
        ("minimal", "uniform", 63 / 64),
    ],
)
def test_fluid_bounds_by_hand(policy, pattern, bound):
    made = hyperx([4, 4], nodes=4)
    found = _core.fluid_bound(made, policy, pattern, 1)
    assert math.isclose(found.load, bound)


def test_a_bisection_cuts_across_the_weakest_dimension():
    """A 4 x 2 grid: across x 2 * 2 lines of two rows, across y one link for each of 4 columns."""
    made = hyperx([4, 2])
    found = _core.find_properties(made, _core.make_routing(made, "minimal", 0, 0)).bisection
    assert (found.parts, found.count, found.links, found.exact) == ("y-planes", 2, 4, True)


def load(changes):
    return machine.Machine(describe(parse(template("hyperx"), "new"), None, changes), changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shape.sizes": []}, "number of dimensions: out of range: 0; allowed: 1 to 16"),
        (
            {"shape.sizes": [4, 4, 4]},
            "classes of 3 dimensions.*: 'x, y'; allowed: x, y, z, in this order",
        ),
        ({"shape.sizes": [4, 1]}, r"shape.sizes\[1\]: out of range: 1; allowed: 2 to 4096"),
        (
            {"shape.links_per_pair": [1]},
            "links_per_pair: number of dimensions: out of range: 1; allowed: 2 to 2",
        ),
        ({"shape.sizes": [4096, 4096]}, "number of routers: out of range: 16777216"),
    ],
)
def test_shapes_that_are_refused(changes, message):
    with pytest.raises(UserError, match=message):
        load(changes)


def test_adaptive_routing_leaves_the_full_link(run_odonata, tmp_path):
    """Minimal routes carry a quarter of the load; detours along y carry more."""
    file = tmp_path / "mine.toml"
    file.write_text(template("hyperx"))
    accepted = {}
    for policy in ("minimal", "ugal-l", "par"):
        status, out, err = run_odonata(
            "simulate", "traffic", "--pattern", "adversarial+1", "--load", "0.34", "--machine",
            file, "--routing", policy, "--packet-bytes", "1KiB", "--packets-per-node", "300",
            "--json",
        )  # fmt: skip
        assert status == 0, err
        accepted[policy] = json.loads(out)["accepted_load"]
    assert accepted["minimal"] == pytest.approx(0.25, abs=0.01)
    assert accepted["ugal-l"] > 0.3
    assert accepted["par"] > 0.3


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"sizes": [3, 1]}, r"shape.sizes\[1\]: out of range: 1; allowed: 2 to 4096"),
        ({"sizes": [4097]}, r"shape.sizes\[0\]: out of range: 4097; allowed: 2 to 4096"),
        (
            {"sizes": [3], "links_per_pair": [0]},
            r"links_per_pair\[0\]: out of range: 0; allowed: 1 to",
        ),
        ({"sizes": [3], "nodes_per_router": 0}, "nodes_per_router: out of range: 0; allowed: 1 to"),
        (
            {"sizes": [3], "nodes_per_router": 2**40},
            "nodes_per_router: out of range: 1099511627776",
        ),
        (
            {"sizes": [3], "nodes_per_router": None},
            "nodes_per_router: out of range: 0; allowed: 1 to",
        ),
    ],
)
def test_the_builder_checks_declared_ranges_itself(shape, message):
    """Whoever calls it without a machine file is refused as well; None leaves the key out."""
    values = {"nodes_per_router": 1} | shape
    given = {key: value for key, value in values.items() if value is not None}
    names = ["injection", "ejection", *"xyzwvu"[: len(shape["sizes"])]]
    basics = _core.Basics("test", 1, 1000, 1000, 10**9)
    with pytest.raises(UserError, match=message):
        _core.make_machine("hyperx", basics, given, [link(name) for name in names])
