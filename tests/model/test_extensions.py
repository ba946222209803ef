"""Terms of many small messages in the model: by hand, and beside the paper's scenarios."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources

import pytest

from odonata import machine, model
from odonata.errors import UserError

from .documents import document
from .test_cycle import LINKS, PARAMETERS, hierarchy

SMALL = dataclasses.replace(
    PARAMETERS,
    peak_bandwidth=10e9,
    message_gap=4e-6,
    search_per_entry=20e-9,
    wait_per_request=50e-9,
    contention=1e-10,
)
DISTANCE = 1e-6 + 3 * 2e-6
"""A message of the distance scenario [s]: alpha + (D - h_m) gamma."""


def smoothing(scenario, parameters=SMALL):
    """Return the time of the three products on level 0 without their flops [s]."""
    times = model.cycle_time(hierarchy(), parameters, scenario, model.Mix(2), links=LINKS)
    return times.smooth[0] - 42e-6


def test_each_term_by_hand():
    # two ranks a node send 3 messages and 100 values each: 2 * 4 us a message instead of 7 us, and
    # 2 * 8 B / 10 GB/s = 1.6 ns a value instead of 1 ns
    rate = 3 * (3 * 8e-6 + 100 * 1.6e-9)
    queue = 3 * 10e-9 * 3**2  # half of 20 ns, 3 messages, 3 products
    wait = 3 * 2 * 3 * 50e-9  # 3 sends and 3 receives
    # 100 values of each of 4 ranks over 5 links, shared by 2 nodes and 6 links
    contention = 3 * 1e-10 * 8 * 100 * 4 * 5 / 8
    terms = [rate, queue, wait, contention]
    for number, scenario in enumerate(model.EXTENSIONS, start=1):
        assert smoothing(scenario) == pytest.approx(sum(terms[:number])), scenario


def test_terms_can_be_chosen_one_by_one():
    none = smoothing("distance")
    assert none == pytest.approx(3 * (3 * DISTANCE + 100e-9))
    assert smoothing({"distance", "queue"}) - none == pytest.approx(3 * 10e-9 * 9)
    assert smoothing({"distance", "wait"}) - none == pytest.approx(3 * 6 * 50e-9)
    with pytest.raises(UserError, match="penalty: unknown: 'queues'; did you mean 'queue'"):
        smoothing({"queues"})


def test_a_machine_without_these_costs_has_the_distance_scenario():
    parameters = dataclasses.replace(PARAMETERS, peak_bandwidth=16e9)
    for scenario in model.EXTENSIONS:  # 2 * 8 B / 16 GB/s is the 1 ns of beta
        assert smoothing(scenario, parameters) == pytest.approx(smoothing("distance", parameters))


def test_a_gap_shorter_than_a_message_adds_nothing():
    short = dataclasses.replace(SMALL, message_gap=3.4e-6, peak_bandwidth=16e9)
    assert smoothing("max_rate", short) == pytest.approx(smoothing("distance", short))


def test_terms_add_up_to_the_cycle():
    for scenario in (*model.SCENARIOS, *model.EXTENSIONS):
        readings = {"mix": model.Mix(2), "links": LINKS}
        whole = model.cycle_time(hierarchy(), SMALL, scenario, **readings).cycle_seconds
        terms = model.cycle_terms(hierarchy(), SMALL, scenario, **readings)
        assert sum(t.cycle_seconds for t in terms.values()) == pytest.approx(whole)
        assert ("small messages" in terms) == (scenario in model.EXTENSIONS)


def test_parameters_are_read_from_the_machine_file():
    changes = {"nic.message_gap": "73 ns", "mpi.search_per_entry": "25 ns"}
    changes |= {"mpi.wait_per_request": "50 ns", "model.contention": "100 ps/B"}
    p = model.parameters_of(machine.load("eos", changes))
    found = (p.message_gap, p.search_per_entry, p.wait_per_request, p.contention)
    assert found == pytest.approx((73e-9, 25e-9, 50e-9, 1e-10))
    assert p.has_small_messages
    assert not model.parameters_of(machine.load("eos")).has_small_messages


def test_predict_has_them_beside_the_six(run_odonata):
    status, out, _ = run_odonata("predict", "amg", "--machine", "eos", "--scenario", "max_rate")
    assert status == 0
    assert "small messages of the cycle" in out
    status, out, _ = run_odonata("predict", "amg", "--machine", "eos", "--json")
    assert list(json.loads(out)["cycle_seconds"]) == list(model.SCENARIOS)
    assert "small messages" not in out
    words = ["--scenario", "contention", "--redistribute"]
    status, _, err = run_odonata("predict", "amg", "--machine", "eos", *words)
    assert status == 2
    assert "redistribute: not by this scenario" in err


def test_fit_has_them_where_the_machine_has_a_cost(run_odonata, tmp_path):
    cycle = tmp_path / "amg.json"
    cycle.write_text(json.dumps(document("distance", model.Mix(16))))
    file = tmp_path / "slow.toml"
    eos = (resources.files("odonata") / "data" / "machines" / "eos.toml").read_text()
    cost = 'search_per_entry = { value = "1 us", source = "a test", status = "assumed" }'
    file.write_text(eos.replace("[mpi]\n", f"[mpi]\n{cost}\n"))
    words = ("fit", "amg", f"{cycle}:16x1", "--machine")
    assert "small messages" not in run_odonata(*words, "eos")[1]
    assert "extensions" not in json.loads(run_odonata(*words, "eos", "--json")[1])["mixes"][0]
    assert "With costs of many small messages" in run_odonata(*words, file)[1]
    (found,) = json.loads(run_odonata(*words, file, "--json")[1])["mixes"]
    assert list(found["extensions"]) == list(model.EXTENSIONS)
    assert found["errors"]["distance"] == pytest.approx(0, abs=1e-9)
    # 0.5 us for the square of up to 158 sends is far more than the measured time
    assert found["extensions"]["queue_search"] > found["extensions"]["max_rate"] + 1
