"""Halo exchange: times, messages and bytes by hand, and who is whose neighbour."""

from __future__ import annotations

import itertools
import json

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import Placement, block_nodes, place
from odonata.simulate import Job, simulate
from odonata.units import parse_time
from odonata.workload import Halo
from odonata.workload.build import build

FAST = {  # a star without delays, on which a byte takes 1 ns a link and packets have no headers
    "nic.packet_bytes": "1 KiB",
    "nic.header_bytes": "0 B",
    "router.delay": "0 ns",
    "node.cores": 4,
    **{f"links.{name}.bandwidth": "1 GB/s" for name in ("injection", "ejection")},
    **{f"links.{name}.latency": "0 ns" for name in ("injection", "ejection")},
}


def star(nodes):
    from odonata.machine.files import describe, parse
    from odonata.machine.template import template

    changes = {**FAST, "shape.nodes": nodes}
    for key in ("send_overhead", "recv_overhead", "wait_per_request", "search_per_entry"):
        changes[f"mpi.{key}"] = "0 ns"
    for key in ("send_overhead_per_byte", "recv_overhead_per_byte", "copy_per_byte"):
        changes[f"mpi.{key}"] = "0 ps/B"
    changes["mpi.eager_threshold"] = "1 MiB"
    return machine.Machine(describe(parse(template("star"), "star"), None, changes), changes)


def grid(sizes, nodes=1):
    from odonata.machine.files import describe, parse
    from odonata.machine.template import template

    changes = {"shape.sizes": sizes, "shape.nodes_per_router": nodes}
    text = template("hyperx")
    extra = "".join(
        text[text.index("[links.y]") :].partition("\n\n")[0].replace("links.y", f"links.{axis}")
        + "\n\n"
        for axis in "zwvu"[: max(0, len(sizes) - 2)]
    )
    return machine.Machine(describe(parse(text + "\n" + extra, "grid"), None, changes), changes)


def run(halo, on, nodes=None):
    placed = place(on, halo.ranks) if nodes is None else Placement(on, nodes)
    return simulate(on, [Job(halo, placed)])


def test_two_ranks_pack_send_and_unpack():
    # A face of 100 cells of 8 B: 800 ns on a link, 80 ns to pack or to unpack.
    halo = Halo("2x1", cells="64x100", pack="0.1 ns/B", periodic=False)
    assert halo.face_bytes == [800, 512]
    got = run(halo, star(2)).summary
    # Packed at 80; on the wire until 880; through the router as a whole packet until 880 (cut
    # through) and unpacked until 960.
    assert got["time_seconds"] == pytest.approx(960e-9, abs=1e-15)
    assert (got["messages"], got["bytes"]) == (2, 1600)


def test_a_periodic_pair_meets_in_both_directions():
    got = run(Halo("2x1", cells="64x100", pack="0.1 ns/B"), star(2)).summary
    # Two messages each way: packed at 80 and 160; on the wire until 880 and 1680; the second is
    # unpacked until 1760, long after the first.
    assert got["time_seconds"] == pytest.approx(1760e-9, abs=1e-15)
    assert (got["messages"], got["bytes"]) == (4, 3200)


def test_packing_costs_what_its_direction_costs():
    one = run(Halo("2x1", cells="100x100", pack=("0.5 ns/B", "0 ps/B"), periodic=False), star(2))
    other = run(Halo("1x2", cells="100x100", pack=("0.5 ns/B", "0 ps/B"), periodic=False), star(2))
    assert one.summary["time_seconds"] == pytest.approx(1600e-9, abs=1e-15)  # 400 + 800 + 400
    assert other.summary["time_seconds"] == pytest.approx(800e-9, abs=1e-15)


def test_repetitions_come_one_after_the_other():
    halo = Halo("2x1", cells="64x100", pack="0.1 ns/B", periodic=False, repetitions=3)
    assert run(halo, star(2)).summary["time_seconds"] == pytest.approx(3 * 960e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("sides", "periodic", "messages"),
    [
        ((4, 3), True, 2 * (12 + 12)),
        ((4, 3), False, 2 * (3 * 3 + 4 * 2)),
        ((2, 2), True, 2 * (4 + 4)),  # two messages to the only neighbour
        ((5, 1), True, 2 * 5),  # nothing along a side of one
        ((3, 2, 4), True, 2 * 3 * 24),
        ((3, 2, 4), False, 2 * (2 * 8 + 1 * 12 + 3 * 6)),
    ],
)
def test_messages_and_bytes(sides, periodic, messages):
    halo = Halo(sides, cells=range(3, 3 + len(sides)), cell_bytes=2, periodic=periodic)
    got = run(halo, star(halo.ranks)).summary
    assert got["messages"] == halo.messages == messages
    lines = [halo.ranks // side * (side if periodic else side - 1) for side in sides]
    lines = [0 if side == 1 else count for side, count in zip(sides, lines, strict=True)]
    faces = halo.face_bytes
    assert got["bytes"] == sum(2 * n * size for n, size in zip(lines, faces, strict=True))


def test_the_faces_of_the_study():
    assert Halo("2x2", cells=65536).face_bytes == [2**19, 2**19]  # 4 MiB with all sent and received
    assert Halo("3x3x3", cells=1536).face_bytes == [18 * 2**20] * 3  # 216 MiB


# ---- distributions


def test_plain_runs_along_x_first_and_cart_along_the_last():
    on = place(star(12), 12)
    assert Halo("3x4").rank_at(on) == list(range(12))
    places = list(itertools.product(range(4), range(3)))  # (y, x), x fastest
    assert Halo("3x4", "cart").rank_at(on) == [4 * x + y for y, x in places]
    places = itertools.product(range(3), range(2), range(2))  # (z, y, x)
    assert Halo("2x2x3", "cart").rank_at(on) == [6 * x + 3 * y + z for z, y, x in places]


def test_custom_makes_a_step_in_the_grid_a_step_in_the_machine():
    on = grid([4, 3, 5])
    nodes = block_nodes(on, "2x3x4", "1x0x1")
    shuffled = Placement(on, nodes[::-1])
    rank_at = Halo("2x3x4", "custom").rank_at(shuffled)
    for place_, (z, y, x) in enumerate(itertools.product(range(4), range(3), range(2))):
        router = on.core.node_router[shuffled.node_of[rank_at[place_]]]
        assert on.core.position(router) == [x + 1, y, z + 1]


def test_custom_seats_the_nodes_of_a_router_along_the_side_that_is_longer():
    on = grid([4, 3, 5], nodes=2)
    placed = Placement(on, block_nodes(on, "2x2x3"))
    rank_at = Halo("2x4x3", "custom").rank_at(placed)
    for place_, (z, y, x) in enumerate(itertools.product(range(3), range(4), range(2))):
        node = placed.node_of[rank_at[place_]]
        assert on.core.position(on.core.node_router[node]) == [x, y // 2, z]
        assert node % 2 == y % 2


def test_custom_leaves_out_axes_along_which_the_block_is_thin():
    on = grid([4, 3, 5], nodes=2)
    placed = Placement(on, block_nodes(on, "4x1x3", "0x2x1"))
    rank_at = Halo("4x6", "custom").rank_at(placed)
    for place_, (z, x) in enumerate(itertools.product(range(6), range(4))):
        node = placed.node_of[rank_at[place_]]
        assert on.core.position(on.core.node_router[node]) == [x, 2, 1 + z // 2]


def test_custom_takes_an_odd_number_of_nodes_two_of_which_share_a_router():
    on = grid([4, 3, 5], nodes=2)
    nodes = block_nodes(on, "3x2x1")
    odd = [node for node in nodes if node not in (9, 11, 13)]  # the second ones at y = 1
    placed = Placement(on, odd)
    rank_at = Halo("3x3", "custom").rank_at(placed)
    where = [placed.node_of[rank] for rank in rank_at]
    assert where == [0, 2, 4, 1, 3, 5, 8, 10, 12]


def test_custom_takes_several_ranks_of_a_node():
    on = grid([2, 2]).with_values({"node.cores": 4})
    placed = Placement(on, [node for node in range(4) for _ in range(2)])
    assert Halo("2x4", "custom").rank_at(placed) == [0, 2, 1, 3, 4, 6, 5, 7]


@pytest.mark.parametrize(
    ("sides", "nodes", "message"),
    [
        ("3x2x4", block_nodes(grid([4, 3, 5]), "2x3x4"), "3x2x4.*on 2x3x4 of them, 1 ranks on"),
        ("2x2", [0, 1, 2, 3], "2x2.*on 4x1x1 of them"),
        ("2x2", [0, 1, 4, 6], "2x2"),  # one router is missing, another there instead
    ],
)
def test_custom_needs_a_block_that_the_grid_matches(sides, nodes, message):
    on = grid([4, 3, 5])
    with pytest.raises(UserError, match=f"does not match the machine: '?{message}"):
        Halo(sides, "custom").rank_at(Placement(on, nodes))


def test_custom_needs_coordinates():
    with pytest.raises(UserError, match="routers of mine have no coordinates"):
        Halo("2x2", "custom").rank_at(place(star(4), 4))


# ---- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sides": "4by4"}, "sides: not understood: '4by4'; allowed: numbers with x"),
        ({"sides": "4x0"}, "sides: out of range: 0; allowed: 1 to"),
        ({"sides": "2x2x2x2"}, "sides: too many.*1 to 3"),
        ({"sides": "4x4", "cells": "8x8x8"}, "cells: wrong number of values: 3; allowed: 1 or 2"),
        ({"sides": "4x4", "cells": 0}, "cells: out of range: 0"),
        ({"sides": "4x4", "cell_bytes": "1 kb"}, "cell bytes: unknown unit"),
        ({"sides": "4x4", "cells": 2**31 - 1, "cell_bytes": "1 KiB"}, "bytes of a face: out of"),
        ({"sides": "4x4", "pack": "3 ns"}, "pack: unknown unit 'ns'.*did you mean 'ns/B'"),
        ({"sides": "4x4", "pack": ("1 ns/B",) * 3}, "pack: wrong number of values: 3"),
        ({"sides": "4x4", "distribution": "crat"}, "distribution: unknown: 'crat'; did you mean"),
        ({"sides": "4x4", "repetitions": 0}, "repetitions: out of range: 0"),
    ],
)
def test_mistakes_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        Halo(**arguments)


def test_ranks_and_sides_agree():
    with pytest.raises(UserError, match=r"sides: another number of ranks.*4x4 = 16.*15 in all"):
        build(Halo("4x4"), place(star(16), 15))


def test_the_machine_says_what_packing_costs_unless_told():
    costly = star(2).with_values({"mpi.copy_per_byte": "0.5 ns/B"})
    assert Halo("2x1").pack_ps(costly) == [500.0, 500.0]
    assert parse_time("1 ns") == 1000


@pytest.mark.parametrize(
    ("ranks", "cells", "sides"),
    [("64", "4", "4x4x4"), ("12", "4x4", "4x3"), ("7", "4", "7x1x1"), ("24", "4x4x4", "4x3x2")],
)
def test_the_grid_of_ranks_is_the_squarest(run_odonata, ranks, cells, sides):
    words = ["simulate", "halo", "--machine", "theta", "--ranks", ranks, "--cells", cells, "--json"]
    found = json.loads(run_odonata(*words)[1])
    given = json.loads(run_odonata(*words, "--sides", sides)[1])
    assert found["time_seconds"] == given["time_seconds"]
    assert found["digest"] == given["digest"]


def test_a_grid_with_commas_is_explained(run_odonata):
    words = ["simulate", "halo", "--machine", "theta", "--cells", "4"]
    status, _, err = run_odonata(*words, "--sides", "4,4,4")
    assert (status, "did you mean '4x4x4'" in err) == (2, True)
    assert run_odonata(*words, "--sides", "2x2,4x4")[0] == 0
