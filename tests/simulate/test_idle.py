"""Numbers of the model of a cycle from ping-pongs on an idle machine."""

from __future__ import annotations

import pytest

from odonata import machine as machines
from odonata import placement, simulate, workload
from odonata.errors import UserError
from odonata.simulate.idle import MODEL_KEYS, add_model_numbers


def test_numbers_that_the_file_has_are_kept():
    eos = machines.load("eos")
    assert add_model_numbers(eos) == (eos, {})
    changed, added = add_model_numbers(machines.load("titan", {"model.alpha": "7 us"}))
    assert list(added) == ["model.beta", "model.gamma"]
    assert changed.value("model.alpha") == 7_000_000


def test_a_longer_wire_between_groups_is_shared_by_the_links_of_the_farthest_route():
    plain = add_model_numbers(machines.load("dragonfly-5256"))[1]
    longer = add_model_numbers(machines.load("dragonfly-5256", {"links.global.latency": "4 us"}))[1]
    shorter = machines.load("dragonfly-5256").value("links.global.latency")
    beyond = 3  # local, global and local links, beside the links of nodes
    expected = plain["model.gamma"] + (4_000_000 - shorter) / beyond
    assert longer["model.gamma"] == pytest.approx(expected, abs=1)
    assert longer["model.alpha"] == plain["model.alpha"]
    assert longer["model.beta"] == plain["model.beta"]


def test_the_line_of_the_numbers_goes_through_the_nearest_and_the_farthest_pair():
    summit = machines.load("summit")  # a node has adapters of its own, so no two share a router
    added = add_model_numbers(summit)[1]
    for node, links in ((1, 4), (4607, 8)):  # on one leaf, and across the whole tree
        pair = placement.Placement(summit, [0, node])
        pingpong = simulate.Job(workload.PointToPoint("pingpong", bytes=8), pair)
        one_way = simulate.simulate(summit, pingpong).time * 1e12 / 2
        model = added["model.alpha"] + (links - 2) * added["model.gamma"]
        assert model == pytest.approx(one_way, abs=links)


@pytest.mark.parametrize("name", machines.names())
def test_every_machine_has_numbers(name):
    found, _ = add_model_numbers(machines.load(name))
    assert all(found.value(key) >= 0 for key in MODEL_KEYS)
    assert found.value("model.alpha") > 0
    assert found.value("model.beta") > 0


def test_a_machine_of_one_node_has_no_network():
    with pytest.raises(UserError, match="has one node"):
        add_model_numbers(machines.load("jupiter-fdr", {"shape.nodes": 1}))
