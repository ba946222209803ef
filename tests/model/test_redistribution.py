"""The decision to redistribute: against its readable twin, by hand, and as published for Eos."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from odonata import _core, machine, model
from odonata.cli import app
from odonata.errors import UserError
from odonata.model import Mix, Rules, decide_redistribution
from odonata.reference import redistribution as twin

POINTS = (50, 50, 25)


@pytest.fixture(scope="module")
def eos():
    return model.parameters_of(machine.load("eos"))


def hierarchy(ranks):
    return model.find_hierarchy("laplace", POINTS, ranks)


@pytest.mark.parametrize(
    ("ranks", "refused", "refused_gain", "switched", "groups", "gain"),
    [(1024, 4, 0.031, 5, 8, 0.139), (128, 4, 0.049, 5, 2, None)],
)
def test_the_decision_on_eos_is_the_published_one(
    eos, ranks, refused, refused_gain, switched, groups, gain
):
    for cache in (None, 2.5 * 2**20):
        found = decide_redistribution(hierarchy(ranks), eos, rules=Rules(cache_bytes=cache))
        assert found.levels[refused].gain == pytest.approx(refused_gain, abs=5e-4)
        assert not found.levels[refused].switches
        assert found.levels[refused].reason.endswith("is below 5 %")
        assert (found.switch.level, found.switch.groups) == (switched, groups)
        if gain is not None:
            assert found.switch.gain == pytest.approx(gain, abs=5e-4)


def test_in_cf_order_a_finer_level_is_switched_on_eos(eos):
    found = decide_redistribution(hierarchy(1024), eos, rules=Rules(relaxation_order="cf"))
    assert (found.switch.level, found.switch.groups) == (4, 16)
    assert found.switch.gain == pytest.approx(0.053, abs=5e-4)
    with pytest.raises(UserError, match=r"relaxation order.*did you mean 'lexicographic'"):
        Rules(relaxation_order="lexicografic")


LEVELS = st.builds(
    twin.Level,
    rows=st.integers(1, 10**9),
    row_nonzeros=st.floats(1, 500),
    sends=st.integers(0, 400),
    values_sent=st.integers(0, 10**6),
    active_ranks=st.integers(1, 5000),
    flop_seconds=st.floats(1e-11, 1e-7),
)
NETWORKS = st.builds(
    twin.Network,
    alpha=st.floats(1e-7, 1e-4),
    beta=st.floats(1e-10, 1e-7),
    ranks=st.integers(5000, 10**5),
)


@given(LEVELS, NETWORKS, st.none() | st.floats(1e3, 1e9), st.booleans(), st.sampled_from([5, 7]))
def test_the_core_decides_as_its_readable_twin(level, network, cache, exhaustive, exchanges):
    costs = _core.MessageCosts(network.alpha, 0, network.beta, 0, 1, False, False)
    rules = _core.RedistributionRules(exhaustive, 0.05, cache or 0, exchanges)
    core = _core.Redistribution(costs, rules)
    work = _core.LevelWork(ranks=network.ranks, **dataclasses.asdict(level))
    first, found = core.decide(work), core.decide(work)
    stays = twin.no_switch(level, network, exchanges)
    assert first.sum_seconds == first.no_switch_seconds == pytest.approx(stays)
    assert found.sum_seconds == pytest.approx(2 * stays)
    for candidate in found.candidates:
        seconds = twin.switch(level, network, candidate.groups, exchanges)
        assert candidate.seconds == pytest.approx(seconds)
        outgrown = cache is not None and twin.is_too_large(level, candidate.groups, cache)
        assert candidate.too_large == outgrown
    groups = twin.choose_groups(level, network, cache, exhaustive=exhaustive, exchanges=exchanges)
    if groups is None:
        assert found.best is None
        assert not found.switches
    else:
        assert found.best.seconds == pytest.approx(twin.switch(level, network, groups, exchanges))
        gain = (stays - found.best.seconds) / (2 * stays)
        assert found.gain == pytest.approx(gain, rel=1e-9, abs=1e-12)
        if abs(gain - 0.05) > 1e-9:
            assert found.switches == (gain > 0.05)


def test_the_penalties_are_those_of_the_cycle(eos):
    h = hierarchy(1024)
    links = model.links_of(machine.load("eos"))
    for scenario in model.SCENARIOS:
        options = {"links": links}
        found = decide_redistribution(h, eos, scenario, Mix(16), **options)
        times = model.cycle_time(h, eos, scenario, Mix(16), **options)
        flops = 4 * h.rows * h.row_nonzeros * np.array([1.59e-9, 0.806e-9] + 6 * [0.545e-9]) / 1024
        messages = model.cycle_time(
            h, dataclasses.replace(eos, t=(0.0,)), scenario, Mix(16), **options
        )
        # five products with the solve operator, where smoothing and its residual are three
        expected = times.smooth + flops + messages.smooth * 2 / 3
        for i in range(h.num_levels - 1):
            assert found.levels[i].no_switch_seconds == pytest.approx(expected[i])


def test_threads_make_the_flops_of_a_rank_faster(eos):
    h = hierarchy(512)
    one, four = (
        decide_redistribution(h, dataclasses.replace(eos, alpha=0, beta=0, gamma=0), mix=mix)
        for mix in (Mix(1, 1), Mix(1, 4))
    )
    ratio = one.levels[2].no_switch_seconds / four.levels[2].no_switch_seconds
    assert ratio == pytest.approx(4 / (11106 / 2755))


def test_all_numbers_of_groups_are_no_slower_than_powers_of_two(eos):
    h = hierarchy(1024)
    powers = decide_redistribution(h, eos).switch
    every = decide_redistribution(h, eos, rules=Rules(candidates="all")).switch
    assert len(every.switch_seconds) == 157  # below the 158 sends of level 5
    assert set(powers.switch_seconds) == {1, 2, 4, 8, 16, 32, 64, 128}
    assert every.switch_seconds[every.groups] < powers.switch_seconds[powers.groups]


def test_the_finest_and_the_coarsest_level_stay(eos):
    found = decide_redistribution(hierarchy(1024), eos, rules=Rules(least_gain=0.5))
    assert found.switch is None
    assert found.levels[0].switch_seconds == found.levels[-1].switch_seconds == {}
    assert found.levels[-1].reason == "the coarsest level is solved directly"
    document = found.to_dict()
    assert document["level"] is document["groups"] is document["gain"] is None


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"candidates": "power"}, "did you mean 'powers'"),
        ({"least_gain": -0.1}, "least gain: out of range"),
        ({"least_gain": math.nan}, "least gain: out of range"),
        ({"cache_bytes": 0}, "cache: out of range"),
    ],
)
def test_wrong_rules_are_refused(rules, message):
    with pytest.raises(UserError, match=message):
        Rules(**rules)


def predict(*options):
    result = CliRunner().invoke(app, ["predict", "amg", "--machine", "eos", *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_the_command_has_the_decision_as_json():
    asked = ["--cores", "1024", "--redistribute", "--json"]
    document = json.loads(predict(*asked))
    found = document["redistribution"]
    assert (found["level"], found["groups"]) == (5, 8)
    assert found["gain"] == pytest.approx(0.139, abs=5e-4)
    assert found["scenario"] == "distance"  # the best fit of the machine
    assert found["cache_bytes"] == 2.5 * 2**20
    assert len(found["levels"]) == len(document["levels"])
    level = found["levels"][5]
    assert level["switch_seconds"]["8"] == min(level["switch_seconds"].values())
    assert level["no_switch_seconds"] > level["switch_seconds"]["8"]
    total = sum(each["no_switch_seconds"] for each in found["levels"][:6])
    gained = level["no_switch_seconds"] - level["switch_seconds"]["8"]
    assert found["gain"] == pytest.approx(gained / total)
    assert level["reason"] == "a switch to 8 gains 13.9 %"
    assert "redistribution" not in json.loads(predict("--cores", "1024", "--json"))


def test_the_command_has_the_decision_as_a_table():
    text = predict("--cores", "1024", "--redistribute")
    assert "level 5 is switched to 8 groups, gain 13.9%" in text
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
    assert ["4", "0.841", "0.530", "16", "3.1%", "the gain of 3.1 % is below 5 %"] in rows
    assert ["5", "1.833", "0.189", "8", "13.9%", "* a switch to 8 gains 13.9 %"] in rows


def test_rules_and_scenario_can_be_set_for_each_mix():
    asked = ["--cores", "1024", "--redistribute", "--json"]
    earlier = json.loads(predict(*asked, "--least-gain", "0.03"))["redistribution"]
    assert (earlier["level"], earlier["groups"]) == (4, 16)
    small = json.loads(predict(*asked, "--cache", "100KiB"))["redistribution"]
    assert small["levels"][5]["excluded"] == [1, 2, 4, 8, 16]
    assert json.loads(predict(*asked, "--cache", "none"))["redistribution"]["cache_bytes"] is None
    named = json.loads(predict(*asked, "--scenario", "gamma"))["redistribution"]
    assert named["scenario"] == "gamma"
    mixes = json.loads(predict(*asked, "--mix", "16x1,8x2"))["mixes"]
    assert [mix["redistribution"]["cache_bytes"] / 2**20 for mix in mixes] == [2.5, 5]
    with pytest.raises(UserError, match="cache: "):
        predict(*asked, "--cache", "much")


def test_a_hierarchy_file_is_decided_too(tmp_path):
    path = tmp_path / "run.json"
    h = hierarchy(64)
    columns = {"rows": "rows", "row_nonzeros": "nnz_per_row", "interp_nonzeros": "P_nnz_per_row",
               "sends": "A_max_sends", "values_sent": "A_max_elements_sent",
               "interp_sends": "P_max_sends", "interp_values_sent": "P_max_elements_sent",
               "active_ranks": "active_ranks"}  # fmt: skip
    levels = [
        {key: float(getattr(h, name)[i]) for name, key in columns.items()}
        for i in range(h.num_levels)
    ]
    path.write_text(json.dumps({"ranks": 64, "points_per_rank": POINTS, "levels": levels}))
    asked = ["--cores", "64", "--redistribute", "--json"]
    shipped, read = (
        json.loads(predict(*asked, *more))["redistribution"]
        for more in ([], ["--hierarchy", str(path)])
    )
    assert read == shipped
