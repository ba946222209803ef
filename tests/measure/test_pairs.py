"""The pairs of ranks that are measured."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.machine import load
from odonata.measure.pairs import choose_pairs
from odonata.measure.topology import links_between, node_numbers


@given(st.integers(2, 40), st.integers(1, 100), st.integers(1, 5), st.integers(0, 9))
def test_pairs_are_different_and_of_every_distance(ranks, most, per_node, seed):
    def apart(a, b):
        return int(a // per_node != b // per_node)

    pairs = choose_pairs(ranks, most, apart, seed)
    every = list(combinations(range(ranks), 2))
    assert len(set(pairs)) == len(pairs) == min(most, len(every))
    assert set(pairs) <= set(every)
    if most >= 2:
        assert {apart(*p) for p in pairs} == {apart(*p) for p in every}
    assert pairs == choose_pairs(ranks, most, apart, seed)


@pytest.mark.parametrize("seed", range(5))
def test_neighbours_are_among_a_few_pairs_of_very_many_ranks(seed):
    """200 pairs are drawn: two ranks of one node are among them once in 170 times."""

    def apart(a, b):
        return a // 4 != b // 4

    pairs = choose_pairs(100_000, 4, apart, seed)
    assert sorted(apart(*pair) for pair in pairs) == [False, False, True, True]
    assert all(b == a + 1 for a, b in pairs if not apart(a, b))


def test_links_between_ranks_are_those_of_a_shortest_route():
    """On the dragonfly of 12 routers a group and 6 nodes a router."""
    apart = links_between(load("dragonfly-5256"), [0, 0, 5, 6, 5255])
    assert [apart(0, b) for b in range(5)] == [0, 0, 2, 3, 5]
    assert apart(4, 0) == 5


def test_nodes_are_found_by_the_names_of_their_machine():
    """The first three blades of eos carry service nodes: NIDs 0 to 11 belong to no compute node."""
    eos, plain = load("eos"), load("dragonfly-5256")
    assert node_numbers(["nid00012", "c0-0c0s3n1", "nid00012"], eos) == [0, 1, 0]
    assert node_numbers(["nid00012", "nid05255"], plain) == [12, 5255]
    for name, where in (("nid00011", eos), ("node1", eos), ("nid05256", plain), ("node1", plain)):
        with pytest.raises(UserError, match=f"name.*{name}"):
            node_numbers([name], where)
