"""Choices among orders, and sizes of blocks, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from odonata import machine
from odonata.decide import Communication, map_ranks, mapping
from odonata.decide.methods import MOST_WEIGHT, _cut, whole_weights
from odonata.decide.partitioning import _balanced, _units
from odonata.placement import place

EOS = machine.load("eos")
RING = Communication(4, np.arange(4), np.roll(np.arange(4), -1), np.full(4, 64.0))


@pytest.mark.parametrize("costs", [(3.0, 2.0, 5.0), (5.0, 3.0, 2.0), (2.0, 3.0, 5.0)])
def test_of_several_orders_of_a_method_the_cheapest_is_kept(monkeypatch, costs):
    orders = {(1, 0, 2, 3): costs[0], (2, 1, 0, 3): costs[1], (3, 1, 2, 0): costs[2]}
    made = [("swaps", np.array(order, dtype=np.int32)) for order in orders]
    monkeypatch.setattr(mapping._Search, "candidates", lambda *_: made)
    monkeypatch.setattr(
        mapping._Search, "cost", lambda self, objective, slots, _: orders.get(tuple(slots), 9.0)
    )
    found = map_ranks(RING, place(EOS, 4), methods=["swaps"])
    assert found.tried == {"start": 9.0, "swaps": min(costs)}
    assert tuple(found.order) == min(orders, key=orders.get)


@pytest.mark.parametrize("most", [1, 2])
def test_of_many_ranks_those_orders_are_improved_whose_busiest_link_is_best(monkeypatch, most):
    monkeypatch.setattr(mapping, "MANY_RANKS", 3)
    monkeypatch.setattr(mapping, "MOST_RANKS_OF_TWO", 4 if most == 2 else 3)
    load = {"a": 3.0, "b": 1.0, "c": 2.0}
    improved = []

    def improve(objective, slots):
        improved.append((objective, slots))
        return slots

    search = SimpleNamespace(
        situation=SimpleNamespace(node_of=range(4)),
        mapper=None,
        _makers=lambda: {name: lambda name=name: name for name in load},
        _improved=improve,
        _busiest=lambda candidate: load[candidate[0]],
    )
    mapping._Search.candidates(search, list(load), "max-link")
    assert [slots for objective, slots in improved if objective == "max-link"] == ["b", "c"][:most]


def test_weights_keep_their_proportions_and_are_whole():
    weights = whole_weights(np.array([1.0, 2.0, 4.0, 0.0]))
    assert weights == [MOST_WEIGHT // 4, MOST_WEIGHT // 2, MOST_WEIGHT, 1]
    assert whole_weights(np.array([1.0, 3.0])) == [round(MOST_WEIGHT / 3), MOST_WEIGHT]
    assert whole_weights(np.array([])) == []


def test_a_range_of_slots_is_cut_at_the_border_of_blocks_that_is_nearest_to_its_middle():
    node = np.arange(12)
    block = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3])  # borders at 4, 6 and 9
    keys = [block, block, node]
    assert _cut(keys, 4, 12) == 9  # one from the middle, 8, and 6 is two
    assert _cut(keys, 0, 10) == 4  # 4 and 6 are as near to 5
    assert _cut(keys, 9, 12) is None  # different nodes of one router


def test_the_units_are_the_smallest_blocks_with_more_than_one_slot():
    group, router = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    for node, units in ((np.arange(6), router), (np.array([0, 0, 1, 2, 3, 4]), [0, 0, 1, 2, 3, 4])):
        keys = [group, router, node]
        situation = SimpleNamespace(node_of=node, blocks=lambda keys=keys: keys)
        assert _units(situation).tolist() == list(units)


def test_the_largest_block_gets_the_largest_unit():
    """Blocks of 3 and 1 fit into units of 1 and 3 as they are: no rank is moved."""
    situation = SimpleNamespace(graph=csr_array(np.ones((4, 4)) - np.eye(4)))
    block = np.array([0, 0, 0, 1])
    assert _balanced(situation, block.copy(), np.array([1, 3])).tolist() == block.tolist()


def test_a_block_that_is_too_large_gives_away_the_rank_with_the_fewest_bytes_to_it():
    graph = np.zeros((4, 4))
    for one, other, size in ((0, 1, 9.0), (1, 2, 1.0), (0, 2, 1.0), (2, 3, 5.0)):
        graph[one, other] = graph[other, one] = size
    situation = SimpleNamespace(graph=csr_array(graph))
    found = _balanced(situation, np.array([0, 0, 0, 1]), np.array([2, 2]))
    assert found.tolist() == [0, 0, 1, 1]
