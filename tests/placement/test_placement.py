"""Placement: which nodes a job has, and how its ranks use them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.placement import ALLOCATIONS, MAPPINGS, Placement, place, place_on_rest

# (p, a, h) = (2, 4, 2), 9 groups: 72 nodes, nodes 2 r and 2 r + 1 on router r, 8 nodes a group.
SMALL = machine.load(
    "dragonfly-5256",
    {
        "shape.nodes_per_router": 2,
        "shape.routers_per_group": 4,
        "shape.global_links_per_router": 2,
        "shape.groups": 9,
        "node.cores": 4,
    },
)


def test_the_used_groups_are_told_once_each_and_in_order():
    assert Placement(SMALL, [70, 0, 8, 7, 71]).used_groups == [0, 1, 8]  # 8 nodes a group


def test_contiguous_blocks_fill_nodes_from_the_first():
    placed = place(SMALL, 6, ranks_per_node=4, first=71)
    assert (placed.allocation, placed.mapping) == ("contiguous", "block")
    assert placed.nodes.tolist() == [71, 71, 71, 71, 0, 0]
    assert placed.cores.tolist() == [0, 1, 2, 3, 0, 1]


def test_cyclic_deals_ranks_to_the_nodes_that_block_would_use():
    placed = place(SMALL, 6, ranks_per_node=4, mapping="cyclic")
    assert placed.nodes.tolist() == [0, 1, 0, 1, 0, 1]
    assert placed.cores.tolist() == [0, 0, 1, 1, 2, 2]


def test_random_groups_and_routers_are_filled():
    groups = place(SMALL, 16, allocation="random-groups", seed=1)
    assert sorted(np.bincount(groups.groups)[np.unique(groups.groups)]) == [8, 8]
    routers = place(SMALL, 6, allocation="random-routers", seed=1)
    assert [len(set(routers.routers[i : i + 2])) for i in (0, 2, 4)] == [1, 1, 1]


def test_explicit_nodes_and_positions_are_taken_as_they_stand():
    placed = place(SMALL, 3, allocation=[9, 4, 70], mapping=[2, 0, 1])
    assert placed.nodes.tolist() == [70, 9, 4]


@settings(max_examples=60)
@given(
    allocation=st.sampled_from(ALLOCATIONS),
    mapping=st.sampled_from(MAPPINGS),
    ranks=st.integers(1, 60),
    per_node=st.integers(1, 4),
    seed=st.integers(0, 2**64 - 1),
)
def test_jobs_have_nodes_of_their_own_and_no_core_twice(allocation, mapping, ranks, per_node, seed):
    how = {"allocation": allocation, "mapping": mapping, "ranks_per_node": per_node, "seed": seed}
    first = place(SMALL, ranks, **how)
    again = place(SMALL, ranks, **how)
    assert first.nodes.tolist() == again.nodes.tolist()
    assert len(set(first.nodes.tolist())) == -(-ranks // per_node)
    assert len(set(zip(first.nodes.tolist(), first.cores.tolist(), strict=True))) == ranks
    second = place(SMALL, 5, allocation=allocation, seed=seed, beside=[first])
    rest = place_on_rest(SMALL, beside=[first, second])
    together = [set(placed.nodes.tolist()) for placed in (first, second, rest)]
    assert sum(map(len, together)) == len(set.union(*together)) == 72


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"ranks": 0}, "ranks: out of range: 0"),
        ({"ranks": 289}, r"1 to 288 \(72 nodes × 4 cores"),
        ({"ranks": 80}, "ranks: 80, 1 a node, need 80 nodes; allowed: 72 nodes"),
        ({"ranks": 4, "ranks_per_node": 5}, "1 to 4, the cores of a node"),
        ({"ranks": 4, "allocation": "randm"}, "did you mean 'random'"),
        ({"ranks": 4, "mapping": "blok"}, "did you mean 'block'"),
        ({"ranks": 4, "first": 72}, "first node: out of range: 72; allowed: 0 to 71"),
        ({"ranks": 4, "seed": -1}, "seed: out of range"),
        ({"ranks": 2, "allocation": [3, 3]}, "node 3 is taken twice"),
        ({"ranks": 2, "allocation": [3, 72]}, "no such number: 72"),
        ({"ranks": 2, "allocation": [3]}, "need 2 nodes"),
        ({"ranks": 2, "allocation": [3, 4], "mapping": [0, 0]}, "doesn't fit the ranks"),
    ],
)
def test_what_cannot_be_placed_is_refused(options, said):
    with pytest.raises(UserError, match=said):
        place(SMALL, **options)


def test_a_node_of_another_job_is_refused():
    taken = place(SMALL, 4)
    with pytest.raises(UserError, match="node 3 is taken twice"):
        place(SMALL, 2, allocation=[3, 9], beside=[taken])
    with pytest.raises(UserError, match="no node is left"):
        place_on_rest(SMALL, beside=[place(SMALL, 72)])


def test_more_ranks_than_cores_on_a_listed_node_are_refused():
    with pytest.raises(UserError, match="5 ranks on node 7; allowed: 4"):
        Placement(SMALL, [7] * 5)


def test_distances():
    placed = Placement(SMALL, [0, 1, 2, 10])
    # Nodes 0, 1 on router 0, 2 on router 1 of the same group, 10 on router 5 of the next:
    # pairs (0,1) 0 links; (0,2) (1,2) 1 link; (., 10) 1 to 3.
    counted = placed.router_distances()
    assert counted[0] == 1
    assert counted.sum() == 6
    assert placed.mean_node_distance() == pytest.approx(10 / 3)


def test_files_for_launchers(tmp_path):
    placed = place(SMALL, 7, ranks_per_node=4, mapping="cyclic")
    placed.write_hosts(tmp_path / "hosts")
    placed.write_rank_order(tmp_path / "MPICH_RANK_ORDER")
    assert (tmp_path / "hosts").read_text().split() == ["0", "1", "0", "1", "0", "1", "0"]
    assert (tmp_path / "MPICH_RANK_ORDER").read_text() == "0,2,4,6\n1,3,5\n"


def test_a_rank_order_that_the_launcher_would_fill_otherwise_is_refused(tmp_path):
    with pytest.raises(UserError, match="2 has 1 ranks"):
        Placement(SMALL, [2, 3, 3]).write_rank_order(tmp_path / "order")


def test_a_placement_cannot_be_changed_and_shows_both_ends():
    placed = place(SMALL, 40)
    with pytest.raises(ValueError, match="read-only"):
        placed.nodes[0] = 1
    lines = repr(placed).splitlines()
    assert lines[0] == "40 ranks on 40 nodes of dragonfly-5256 (contiguous, block)"
    assert lines[-1].split() == ["39", "39", "0", "19", "4"]
