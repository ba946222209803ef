"""The model of the cycle: by hand, against numbers in print, and what always holds."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine, model
from odonata.errors import UserError
from odonata.model.cycle import SINGLE
from odonata.model.parameters import Links

PARAMETERS = model.Parameters(
    alpha=1e-6,
    beta=1e-9,
    gamma=2e-6,
    t=(1e-9, 5e-10),
    memory_bandwidth=(8e9, 2e9),
    peak_bandwidth=16e9,
    diameter=5,
)
LINKS = Links(groups=1, nodes_per_group=100, per_group=6, per_pair=0)


def hierarchy(**changes):
    columns = {
        "rows": [4000, 400, 4],
        "row_nonzeros": [7, 20, 4],
        "interp_nonzeros": [2, 3, 0],
        "sends": [3, 2, 1],
        "values_sent": [100, 50, 1],
        "interp_sends": [3, 2, 0],
        "interp_values_sent": [20, 10, 0],
        "active_ranks": [4, 4, 2],
    } | changes
    return model.Hierarchy("laplace", 4, (10, 10, 10), **columns)


def seconds(scenario="baseline", mix=None, h=None, parameters=PARAMETERS, **options):
    h = hierarchy() if h is None else h
    return model.cycle_time(h, parameters, scenario, mix, links=LINKS, **options)


def test_baseline_by_hand():
    times = seconds()
    # 6 * 4000/4 * 7 * 1 ns + 3 (3 * 1 us + 100 * 1 ns); 6 * 400/4 * 20 * 0.5 ns + 3 (2 us + 50 ns)
    assert times.smooth == pytest.approx([42e-6 + 9.3e-6, 6e-6 + 6.15e-6, 0])
    # 2 * 400/4 * 2 * 1 ns + 3 us + 20 ns; 2 * 4/4 * 3 * 0.5 ns + 2 us + 10 ns
    assert times.restrict == pytest.approx([0.4e-6 + 3.02e-6, 3e-9 + 2.01e-6, 0])
    # 2 * 4000/4 * 2 * 1 ns + 3.02 us; 2 * 400/4 * 3 * 0.5 ns + 2.01 us
    assert times.interp == pytest.approx([0, 4e-6 + 3.02e-6, 0.3e-6 + 2.01e-6])
    assert times.cycle_seconds == pytest.approx(times.total.sum())


def test_each_penalty_by_hand_on_the_smoothing_of_level_0():
    flops, mix = 42e-6, model.Mix(2)
    hops = 3 * 2e-6  # (D - h_m) gamma
    # B_max/B = 16e9 / 8e9 = 2; m = 3 * 4 messages; l = 2 nodes + 6 links
    values = 3 * 100 * 1e-9 * (2 + 12 / 8)
    expected = {
        "baseline": 3 * 3 * 1e-6 + 300e-9,
        "distance": 3 * 3 * (1e-6 + hops) + 300e-9,
        "bandwidth": 3 * 3 * (1e-6 + hops) + values,
        "alpha": 3 * 3 * (2e-6 + hops) + values,
        "gamma": 3 * 3 * (1e-6 + 2 * hops) + values,
        "alpha_gamma": 3 * 3 * 2 * (1e-6 + hops) + values,
        "only_bandwidth": 3 * 3 * 1e-6 + values,
        "only_alpha": 3 * 3 * 2e-6 + 300e-9,
        "only_gamma": 3 * 3 * (1e-6 + 2 * hops) + 300e-9,
    }
    assert set(expected) == set(model.PENALTIES)
    for scenario, messages in expected.items():
        assert seconds(scenario, mix).smooth[0] == pytest.approx(flops + messages), scenario


def test_multicore_counts_the_active_ranks():
    # 4 ranks a node, 2 of 4 active on level 2: ceil(4 * 2/4) = 2 alphas for two sends
    assert seconds("only_alpha", model.Mix(4)).interp[2] == pytest.approx(0.3e-6 + 4e-6 + 10e-9)


def test_a_share_of_a_rank_counts_as_a_rank_in_the_multicore_penalty():
    # 3 ranks a node, 2 of 4 active on level 2: ceil(3 * 2/4 = 1.5) = 2 alphas for two sends
    assert seconds("only_alpha", model.Mix(3)).interp[2] == pytest.approx(0.3e-6 + 4e-6 + 10e-9)
    # and with gamma, 3 hops of 2 us beyond alpha for each
    penalised = 2 * (1e-6 + 2 * 3 * 2e-6)
    assert seconds("only_gamma", model.Mix(3)).interp[2] == pytest.approx(
        0.3e-6 + penalised + 10e-9
    )
    # 1 rank a node: half a rank a node is still one alpha
    assert seconds("only_alpha", model.Mix(1)).interp[2] == pytest.approx(0.3e-6 + 2e-6 + 10e-9)


def test_peak_bandwidth_below_the_measured_one_makes_no_message_faster():
    # B_max/B = 4e9 / 8e9 counts as 1; m/l = 12 messages on 2 nodes + 6 links
    slow = dataclasses.replace(PARAMETERS, peak_bandwidth=4e9)
    found = seconds("only_bandwidth", model.Mix(2), parameters=slow).smooth[0]
    assert found == pytest.approx(42e-6 + 9e-6 + 300e-9 * (1 + 12 / 8))


def test_a_node_that_is_not_full_has_its_link_too():
    # 4 ranks, 3 a node: 2 nodes + 6 links for 12 messages
    found = seconds("only_bandwidth", model.Mix(3)).smooth[0]
    assert found == pytest.approx(42e-6 + 9e-6 + 300e-9 * (2 + 12 / 8))


def test_threads_share_the_rows_and_slow_down():
    # 8e9 / 2e9 = 4 times slower, half of the rows each
    assert seconds(mix=model.Mix(2, 2)).smooth[0] == pytest.approx(84e-6 + 9.3e-6)


def test_options():
    assert seconds(restrict_rows="operator").restrict[0] == pytest.approx(4e-6 + 3.02e-6)
    assert seconds(coarsest="none").interp[2] == 0
    # Two sweeps of two exchanges each, and the residual.
    assert seconds(relaxation_order="cf").smooth[0] == pytest.approx(42e-6 + 5 / 3 * 9.3e-6)
    assert seconds("distance", distance=2).total == pytest.approx(seconds().total)


def test_one_rank_one_level_and_empty_levels():
    alone = hierarchy(
        sends=[0] * 3, values_sent=[0] * 3, interp_sends=[0] * 3, interp_values_sent=[0] * 3
    )
    assert seconds("alpha_gamma", h=alone).smooth[0] == pytest.approx(42e-6)
    level = {name: column[:1] for name, column in hierarchy().columns().items()}
    one = model.Hierarchy("laplace", 4, (10, 10, 10), **level)
    assert seconds("alpha_gamma", h=one).total.tolist() == [0.0]  # it is solved directly
    empty = {name: np.append(column, 0) for name, column in hierarchy(
        interp_sends=[3, 2, 0]).columns().items()}  # fmt: skip
    more = model.Hierarchy("laplace", 4, (10, 10, 10), **empty)
    assert seconds("alpha_gamma", h=more).total[3] == 0


@given(
    rows=st.lists(st.integers(0, 10**6), min_size=1, max_size=6),
    sends=st.integers(0, 100),
    values=st.integers(0, 10**4),
    active=st.integers(0, 64),
    tasks=st.integers(1, 16),
    grown=st.sampled_from(["alpha", "beta", "gamma"]),
    factor=st.floats(1, 10),
)
def test_scenarios_are_ordered_and_time_grows(rows, sends, values, active, tasks, grown, factor):
    n = len(rows)
    columns = dict.fromkeys(
        ("sends", "interp_sends"), [sends] * n
    ) | dict.fromkeys(("values_sent", "interp_values_sent"), [values] * n)  # fmt: skip
    nonzeros = {"row_nonzeros": np.full(n, 7.0), "interp_nonzeros": np.full(n, 2.0)}
    h = model.Hierarchy(
        "laplace", 64, (1, 1, 1), rows=rows, active_ranks=[active] * n, **columns, **nonzeros
    )
    times = {s: seconds(s, model.Mix(tasks), h).total for s in model.PENALTIES}
    for less, by_less in model.PENALTIES.items():
        for more, by_more in model.PENALTIES.items():
            if by_less <= by_more:
                assert np.all(times[less] <= times[more] * (1 + 1e-12)), (less, more)
    more_s = dataclasses.replace(h, row_nonzeros=factor * h.row_nonzeros)
    slower = dataclasses.replace(PARAMETERS, **{grown: factor * getattr(PARAMETERS, grown)})
    for s, before in times.items():
        mix = model.Mix(tasks)
        assert np.all(seconds(s, mix, more_s).total >= before * (1 - 1e-12))
        assert np.all(seconds(s, mix, h, slower).total >= before * (1 - 1e-12))


@pytest.mark.parametrize("scenario", ["baseline", "distance", "alpha_gamma"])
def test_time_grows_with_the_ranks_at_the_same_points_a_rank(scenario):
    eos = machine.load("eos")
    times = [
        model.predict_cycle(
            eos, "laplace", (50, 50, 25), ranks, model.Mix(16), scenarios=[scenario]
        ).cycle_seconds[scenario]
        for ranks in (8, 16, 64, 128, 512, 1024)
    ]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"coarsest": "none"}, 9.555),
        ({}, 9.718),
        ({"coarsest": "none", "restrict_rows": "operator"}, 9.960),
    ],
)
def test_1024_ranks_of_eos_in_three_readings_of_the_model(options, expected):
    parameters = model.parameters_of(machine.load("eos"))
    true = model.find_hierarchy("laplace", (50, 50, 25), 1024)
    times = model.cycle_time(true, parameters, "distance", model.Mix(16), **options)
    assert times.cycle_seconds * 1e3 == pytest.approx(expected, abs=5e-4)


COLD = """
import os, sys
from odonata.machine import load
from odonata.model import Mix, predict_cycle
import msgspec.json, numpy, tomllib
imported, opened = set(sys.modules), set()
sys.addaudithook(lambda event, given: event == "open" and opened.add(os.path.basename(given[0])))
predict_cycle(load("eos"), "laplace", (50, 50, 25), 1024, Mix(8, 2))
print(*sorted(opened), *sorted(set(sys.modules) - imported))
"""


def test_a_first_prediction_reads_two_files_and_imports_nothing():
    """How long it takes is measured by ``benchmarks/predict.py``."""
    did = subprocess.check_output([sys.executable, "-c", COLD], text=True)
    assert did.split() == ["eos.toml", "laplace.json"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scenario": "distence"}, "did you mean 'distance'"),
        ({"restrict_rows": "all"}, "allowed: paper, operator"),
        ({"coarsest": "x"}, "allowed: interp, none"),
        ({"relaxation_order": "c"}, "allowed: lexicographic, cf"),
        ({"mix": model.Mix(1, 3)}, "allowed: 1, 2"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        seconds(**options)
    with pytest.raises(UserError, match="links"):
        model.cycle_time(hierarchy(), PARAMETERS, "bandwidth")


@given(st.sets(st.sampled_from(sorted(SINGLE))))
def test_a_set_of_penalties_is_the_scenario_that_has_them(penalties):
    for scenario, its in model.PENALTIES.items():
        if its == penalties:
            assert np.array_equal(seconds(scenario).total, seconds(penalties).total)
    more = seconds(penalties | {"distance"}).total
    assert np.all(seconds(penalties).total <= more)
    with pytest.raises(UserError, match="did you mean 'gamma'"):
        seconds(penalties | {"gama"})


def test_links_of_eos_by_paper_and_by_wiring():
    eos = machine.load("eos")
    # 64 nodes: 64 + 170, and 64 + 170 * 2 + 4
    assert model.links_of(eos).count(64) == (234 + 408) / 2
    wired = model.links_of(eos, "wiring")
    assert (wired.per_group, wired.per_pair, wired.nodes_per_group) == (1440, 240, 384)
    df = machine.load("dragonfly-5256")
    assert model.links_of(df) == model.links_of(df, "wiring")
    assert (model.links_of(df).groups, model.links_of(df).per_pair) == (73, 1)
    with pytest.raises(UserError, match="no Aries"):
        model.links_of(df, "paper")
    with pytest.raises(UserError, match="did you mean 'wiring'"):
        model.links_of(df, "wirings")


def test_a_machine_without_groups_is_one_group(tmp_path):
    text = (resources.files("odonata") / "data" / "machines" / "dragonfly-5256.toml").read_text()
    nodes = '[shape]\nnodes = { value = 4, source = "a test", status = "assumed" }\n'
    head = 'name = "mine"\nfamily = "star"\ndescription = "A test."\n'
    ends = text[text.index("[links.injection]") : text.index("[links.local]")]
    path = tmp_path / "mine.toml"
    path.write_text(head + nodes + ends + text[text.index("[router]") :])
    star = machine.load(path)
    assert model.links_of(star).count(3) == 3  # each node's own; one router


def test_a_machine_without_a_parameter_says_which_and_how_to_measure_it():
    with pytest.raises(UserError, match=r"model.alpha: missing.*--set .*measure finds.*latency"):
        model.parameters_of(machine.load("dragonfly-5256"))


@pytest.mark.parametrize(
    ("mix", "published_ms", "within"),
    [
        ("16x1", 9.75, 0.025),
        ("8x2", 14.9, 0.04),
        ("4x4", 24.2, 0.05),
        ("2x8", 44.2, 0.05),
        ("1x16", 86.4, 0.05),
    ],
)
def test_published_models_of_1024_cores_of_eos(mix, published_ms, within):
    found = model.predict_cycle(
        machine.load("eos"), "laplace", (50, 50, 25), 1024, model.Mix.parse(mix)
    )
    assert found.hierarchy.origin == "shipped"
    assert found.cycle_seconds["distance"] * 1e3 == pytest.approx(published_ms, rel=within)
