"""Orders of ranks: the choice, its cost, and its reason."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import _core, machine, simulate
from odonata.decide import METHODS, OBJECTIVES, Communication, map_ranks
from odonata.decide.methods import hilbert_index, why_not_here
from odonata.errors import UserError
from odonata.placement import Placement, place

EOS = machine.load("eos")
SEARCHED = ["swaps", "greedy", "bisection", "rcm", "kahypar"]


def halo(sides, size=4096.0):
    """Return the neighbours of each rank in a periodic grid, the last dimension fastest."""
    ranks = np.arange(np.prod(sides)).reshape(sides)
    pairs = [
        (ranks.ravel(), np.roll(ranks, way, axis).ravel())
        for axis in range(len(sides))
        for way in (-1, 1)
    ]
    source, target = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    return Communication(int(ranks.size), source, target, np.full(len(source), size))


def permuted(communication, seed):
    """Return the same job with its ranks numbered in another order."""
    new = np.random.default_rng(seed).permutation(communication.ranks)
    ends = (new[communication.source], new[communication.target])
    return Communication(communication.ranks, *ends, communication.bytes)


def slow_hop_bytes(communication, placement):
    routing = placement.machine.routing("minimal")
    total = 0
    entries = zip(communication.source, communication.target, communication.bytes, strict=True)
    for source, target, size in entries:
        if placement.nodes[source] != placement.nodes[target]:
            ends = (int(placement.routers[source]), int(placement.routers[target]))
            total += size * (2 + routing.distance(*ends))
    return total


def test_a_shuffled_halo_is_put_in_order_again():
    start = place(EOS, 64, ranks_per_node=4)
    found = map_ranks(permuted(halo([4, 4, 4]), 1), start, simulate=True)
    assert found.after.hop_bytes < 0.75 * found.before.hop_bytes
    assert found.after.simulated_seconds < found.before.simulated_seconds
    assert found.method != "start"
    assert sorted(found.order.tolist()) == list(range(64))


def test_costs_are_those_of_the_placement_it_gives():
    communication = permuted(halo([4, 8]), 2)
    start = place(EOS, 32, ranks_per_node=2, allocation="random", seed=3)
    found = map_ranks(communication, start)
    assert found.before.hop_bytes == slow_hop_bytes(communication, start)
    assert found.after.hop_bytes == slow_hop_bytes(communication, found.placement)
    assert found.placement.nodes.tolist() == start.nodes[found.order].tolist()
    assert sum(change.before for change in found.classes) == pytest.approx(found.before.hop_bytes)
    assert sum(change.after for change in found.classes) == pytest.approx(found.after.hop_bytes)


def test_the_busiest_link_is_told():
    communication = permuted(halo([4, 8]), 2)
    start = place(EOS, 32, ranks_per_node=2, allocation="random", seed=3)
    found = map_ranks(communication, start, objective="max-link")
    assert found.busiest_before[0].seconds == pytest.approx(found.before.max_link_seconds)
    assert found.busiest_after[0].seconds == pytest.approx(found.after.max_link_seconds)
    assert found.after.max_link_seconds < found.before.max_link_seconds


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_as_good_as_the_best_of_all_orders(objective):
    communication = permuted(halo([2, 3]), 4)
    start = Placement(EOS, [0, 1, 4, 5, 200, 201])
    found = map_ranks(communication, start, objective=objective)
    orders = itertools.permutations(range(6))
    if objective == "hop-bytes":
        best = min(
            slow_hop_bytes(communication, Placement(EOS, start.nodes[list(order)]))
            for order in orders
        )
        assert found.after.hop_bytes == best
    assert found.after.by(objective) <= min(found.tried.values())


@settings(max_examples=25)
@given(
    ranks=st.integers(1, 24),
    per_node=st.integers(1, 4),
    objective=st.sampled_from(["hop-bytes", "max-link"]),
    seed=st.integers(0, 2**32),
)
def test_never_worse_and_always_a_permutation(ranks, per_node, objective, seed):
    draw = np.random.default_rng(seed)
    ends = draw.integers(0, ranks, (2, 3 * ranks))
    communication = Communication(ranks, *ends, draw.integers(0, 9999, 3 * ranks))
    start = place(EOS, ranks, ranks_per_node=per_node, allocation="random", seed=seed)
    found = map_ranks(communication, start, objective=objective, seed=seed)
    assert found.after.by(objective) <= found.before.by(objective)
    assert sorted(found.order.tolist()) == list(range(ranks))
    assert found.after.by(objective) == min(found.tried.values())


@pytest.mark.parametrize("method", SEARCHED)
def test_a_method_alone_is_not_better_than_all(method):
    if reason := why_not_here(method):
        pytest.skip(f"{method} {reason}")
    start = place(EOS, 48, ranks_per_node=4, allocation="random", seed=1)
    communication = permuted(halo([6, 8]), 3)
    every, one = (map_ranks(communication, start, methods=m) for m in (None, [method]))
    assert every.after.hop_bytes <= one.after.hop_bytes < one.before.hop_bytes
    again = map_ranks(communication, start, methods=[method])
    assert again.order.tolist() == one.order.tolist()


def test_every_method_is_tried_where_it_can_be():
    found = map_ranks(halo([2, 4]), place(EOS, 8), grid=[2, 4])
    assert set(found.tried) == {"start", *METHODS} - found.skipped.keys()
    assert found.skipped == {name: why for name in METHODS if (why := why_not_here(name))}


def test_a_good_order_stays():
    pairs = Communication(4, [0, 2], [1, 3], [100, 100])
    found = map_ranks(pairs, place(EOS, 4, ranks_per_node=2))
    assert found.method == "start"
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.gain == 0


def test_the_simulation_is_one_exchange_of_all_messages():
    found = map_ranks(
        Communication(2, [0], [1], [4096]), Placement(EOS, [0, 4]), simulate=True, methods=["swaps"]
    )

    def ping(rank):
        if rank.index == 0:
            yield rank.send(1, 4096)
        else:
            yield rank.recv(0, 4096)

    from odonata.workload import Program

    one = simulate.simulate(EOS, [simulate.Job(Program(ping), Placement(EOS, [0, 4]))])
    assert found.before.simulated_seconds == pytest.approx(one.run.end / 1e12)


def test_a_large_matrix_is_simulated_in_part():
    many = Communication(2, [0], [1], [1e12])
    found = map_ranks(many, place(EOS, 2), simulate=True, methods=["swaps"])
    assert 0 < found.scale < 1e-3


@pytest.mark.parametrize("sides", [[4, 4], [8, 8], [4, 4, 4], [2, 2, 2, 2], [3, 5]])
def test_neighbours_on_a_hilbert_curve_are_neighbours_in_the_grid(sides):
    order = np.argsort(hilbert_index(sides))
    places = np.stack(np.unravel_index(order, sides))
    steps = abs(np.diff(places)).sum(axis=0)
    assert sorted(order.tolist()) == list(range(int(np.prod(sides))))
    if len(set(sides)) == 1 and sides[0] & (sides[0] - 1) == 0:
        assert set(steps.tolist()) == {1}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"objective": "hops"}, "objective: unknown"),
        ({"methods": ["greed"]}, "method: unknown"),
        ({"methods": ["exhaustive"]}, "is for up to 8 ranks"),
        ({"grid": [2, 2]}, "grid: processes"),
    ],
)
def test_mistakes(how, message):
    with pytest.raises(UserError, match=message):
        map_ranks(halo([3, 4]), place(EOS, 12), **how)


def test_a_matrix_of_another_size():
    with pytest.raises(UserError, match="matrix: ranks") as error:
        map_ranks(halo([3, 4]), place(EOS, 11))
    assert error.value.value == 12


# ---- more nodes than prices are kept for


MANY_NODES = 4_097  # a node more than that
DRAGONFLY = machine.load("dragonfly-5256")


def mapper_of(communication):
    """Return the mapper of a job with a rank on each of the first nodes."""
    ends = (communication.source.tolist(), communication.target.tolist())
    nodes = list(range(communication.ranks))
    return _core.Mapper(DRAGONFLY.core, nodes, *ends, communication.bytes.tolist())


@pytest.mark.parametrize("ranks", [MANY_NODES - 1, MANY_NODES])
def test_where_few_swaps_can_be_tried_it_is_the_right_ones(ranks):
    """Rank 0 sends 1 GB to a far rank, and each of the two 1 B to each of 500 others.

    A swap moves a thousand messages, so that four can be tried: the four with the best estimates,
    one of which spares the bytes a link, or, without prices, the four at the heaviest partner, the
    second of which brings rank 0 onto its router. Ranks that are drawn may do the same, but not
    with every seed.
    """
    far = 3_000
    source = [0] * 501 + [far] * 500
    target = [far, *range(7, 1_007)]
    found = mapper_of(Communication(ranks, source, target, [1e9, *[1.0] * 1_000]))
    slots = list(range(ranks))
    for seed in range(5):
        after = found.improved("max-link", slots, seed, 1)
        links = {MANY_NODES - 1: 4, MANY_NODES: 2}[ranks]
        assert round(found.hop_bytes(after) / 1e9) <= links < round(found.hop_bytes(slots) / 1e9)
        assert found.max_link_seconds(after) <= found.max_link_seconds(slots)
        assert sorted(after) == slots
        assert found.improved("max-link", slots, seed, 1) == after


@pytest.mark.parametrize("ranks", [MANY_NODES - 1, MANY_NODES])
def test_a_dense_matrix_on_very_many_nodes(ranks):
    """The ranks of three routers send to the ranks of three others, far away."""
    ends = [end.ravel() for end in np.meshgrid(np.arange(18), np.arange(3_000, 3_018))]
    found = mapper_of(Communication(ranks, *ends, np.full(324, 1e5)))
    slots = list(range(ranks))
    after = found.improved("max-link", slots, 0, 3)
    assert found.max_link_seconds(after) < found.max_link_seconds(slots)
    assert found.hop_bytes(after) < found.hop_bytes(slots)
    assert sorted(after) == slots
    assert found.improved("max-link", slots, 0, 3) == after


def test_distances_of_more_routers_than_a_table_has():
    waters = machine.load("blue-waters")
    nodes = (2 * np.arange(8_193)).tolist()  # one of each router
    mapper = _core.Mapper(waters.core, nodes, [0, 5], [8_192, 6], [10.0, 1.0])
    routing = waters.routing("minimal")
    pairs = [(nodes[0], nodes[8_192], 10), (nodes[5], nodes[6], 1)]
    routers = waters.node_router
    slow = sum(
        size * (2 + routing.distance(int(routers[a]), int(routers[b]))) for a, b, size in pairs
    )
    assert len(set(routers[nodes].tolist())) == 8_193
    assert mapper.hop_bytes(list(range(8_193))) == slow
