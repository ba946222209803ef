"""Allocations with an average node distance, and the jobs of a busy machine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.placement import place, place_busy

DARTER = machine.load("darter")
NAMELESS = machine.load("dragonfly-5256", {"shape.groups": 3, "node.cores": 4})
# 216 nodes; the nameless machine counts by the numbers of its nodes.


@settings(max_examples=40)
@given(
    count=st.integers(2, 256),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**64 - 1),
)
def test_a_possible_distance_is_met(count, share, seed):
    """The widest job of n of the 748 nodes spans 755 NIDs; 1.1 is possible for all sizes."""
    wanted = round(1.1 + share * (755 / (count - 1) - 1.1), 6)
    one = place(DARTER, count, allocation=f"distance:{wanted:.6f}", seed=seed)
    assert one.mean_node_distance() == pytest.approx(wanted, rel=0.011, abs=0.501 / (count - 1))
    assert one.node_of.tolist() == sorted(set(one.node_of))
    assert one.allocation == f"distance:{wanted:.6f}"


def test_half_a_nid_away_is_near_enough():
    """15 gaps of 1.1 are 16.5 NIDs, and NIDs are whole."""
    assert place(DARTER, 16, allocation="distance:1.1").mean_node_distance() == 16 / 15


def test_distances_are_those_of_the_paper():
    """256 nodes of Darter with 1 to 3, as in the runs of Figure 13."""
    for wanted in (1.05, 1.5, 2, 2.5, 2.9):
        job = place(DARTER, 4096, allocation=f"distance:{wanted}", ranks_per_node=16, seed=3)
        assert len(job.used_nodes) == 256
        assert job.mean_node_distance() == pytest.approx(wanted, abs=0.5 / 255)


def test_nids_count_where_there_are_names():
    """Nodes 0 and 1 are nid00012 and nid00013: the first blades of Darter are not for computing."""
    pair = place(DARTER, 2, allocation="distance:755", seed=1)
    assert pair.node_of.tolist() == [0, DARTER.num_nodes - 1]
    assert place(NAMELESS, 2, allocation="distance:215").node_of.tolist() == [0, 215]


def test_the_ends_and_what_is_between_are_drawn():
    jobs = [place(NAMELESS, 8, allocation="distance:10", seed=seed) for seed in range(20)]
    assert all(job.node_of[7] - job.node_of[0] == 70 for job in jobs)
    assert len({job.node_of[0] for job in jobs}) > 10
    assert len({job.node_of[3] - job.node_of[0] for job in jobs}) > 10
    again = place(NAMELESS, 8, allocation="distance:10", seed=7)
    assert again.node_of == jobs[7].node_of


def test_taken_nodes_are_left_out():
    taken = place(NAMELESS, 100, allocation="distance:2", seed=1)
    other = place(NAMELESS, 50, allocation="distance:4", seed=1, beside=[taken])
    assert set(taken.node_of).isdisjoint(other.node_of)


@pytest.mark.parametrize(
    ("ranks", "allocation", "said"),
    [
        (216, "distance:2", "allowed: 1 to 1"),
        (11, "distance:22", r"11 of the 216 free nodes .*: '22'; allowed: 1 to 21.5"),
        (11, "distance:0.5", "allowed: 1 to 21.5"),
        (1, "distance:1", "2 nodes or more"),
        (300, "distance:1", "need 300 nodes"),
        (8, "distance:", r"distance:1\.5"),
        (8, "distance:-1", r"distance:1\.5"),
        (8, "distance:0", r"distance:1\.5"),
        (8, "distance:1e3", r"distance:1\.5"),
        (8, "distance:nan", r"distance:1\.5"),
        (8, "distance:1,5", r"distance:1\.5"),
        (8, "distance:999999999", "allowed: 1 to 30"),
        (8, "distance", "distance:D"),
    ],
)
def test_an_impossible_distance_is_answered_with_the_possible_ones(ranks, allocation, said):
    with pytest.raises(UserError, match=said):
        place(NAMELESS, ranks, allocation=allocation)


def test_a_distance_between_the_possible_ones():
    """Two of the nodes 0 to 9 and 206 to 215 are up to 9 or from 197 on apart."""
    middle = place(NAMELESS, 196, first=10)
    with pytest.raises(UserError, match="allowed: 1 to 215, the nearest is 9"):
        place(NAMELESS, 2, allocation="distance:100", beside=[middle])


# ---- a busy machine


@settings(max_examples=30)
@given(share=st.floats(0.02, 1), seed=st.integers(0, 2**64 - 1))
def test_busy_jobs_have_the_wanted_share(share, seed):
    mine = place(NAMELESS, 66, ranks_per_node=1, first=100)
    jobs = place_busy(NAMELESS, share, beside=[mine], seed=seed)
    nodes = [node for job in jobs for node in job.node_of]
    assert len(set(nodes)) == len(nodes) == round(share * 150)
    assert set(nodes).isdisjoint(mine.node_of)
    assert all(job.ranks == len(job.used_nodes) >= 2 for job in jobs)
    again = place_busy(NAMELESS, share, beside=[mine], seed=seed)
    assert [job.node_of for job in again] == [job.node_of for job in jobs]


def test_busy_jobs_are_several_and_of_many_sizes():
    sizes = {
        job.ranks
        for seed in range(5)
        for job in place_busy(DARTER, 0.8, beside=[place(DARTER, 100)], seed=seed)
    }
    assert len(sizes) > 8
    assert max(sizes) > 100


def test_a_quiet_machine_has_none():
    assert place_busy(NAMELESS, 0, beside=[]) == []


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), 0.001, 1 / 216])
def test_wrong_shares_are_refused(share):
    with pytest.raises(UserError, match="busy: "):
        place_busy(NAMELESS, share, beside=[])
