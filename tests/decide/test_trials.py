"""Second runs with other numbers of the machine, and their tables."""

from __future__ import annotations

import json
import threading

import pytest
from typer.testing import CliRunner

from odonata import decide, machine, placement, simulate, workload
from odonata.cli import app
from odonata.cli.whatif import advice_sentence
from odonata.decide import trials as trials_module
from odonata.decide.choices import Choice
from odonata.decide.trials import LONGER, Advice
from odonata.errors import UserError
from odonata.result import Result

THETA = machine.load("theta")


def result_of(work, ranks, engine="packet"):
    return simulate.simulate(
        THETA, [simulate.Job(work, placement.place(THETA, ranks))], engine=engine
    )


def recipe_of(work, ranks=2, engine="packet"):
    return simulate.Recipe.of_run(result_of(work, ranks, engine).run)


PINGPONG = workload.PointToPoint("pingpong", bytes=8)


def value(key):
    return THETA.value(key)


def trials(found):
    return {(trial.number, trial.value): trial for trial in found.trials}


def test_a_pingpong_pays_twice_for_what_ten_per_cent_take():
    found = decide.what_if(recipe_of(PINGPONG))
    tried = trials(found)
    for key in ("mpi.send_overhead", "mpi.recv_overhead", "links.injection.latency"):
        (trial,) = (each for (number, _), each in tried.items() if number == key)
        assert found.time_ps - trial.time_ps == 2 * (value(key) - round(0.9 * value(key))), key
        assert trial.share == pytest.approx(trial.time_ps / found.time_ps - 1)
    shares = [trial.share for trial in found.trials]
    assert shares == sorted(shares)
    assert found.best == found.trials[0]


def test_only_numbers_that_may_matter_are_tried():
    numbers = {trial.number for trial in decide.what_if(recipe_of(PINGPONG)).trials}
    assert "links.blue.latency" not in numbers  # no message goes there
    assert "node.latency" not in numbers  # no node has two ranks
    assert not any(number.startswith(("shape.", "model.", "mpi.collectives")) for number in numbers)
    assert {"links.*.latency", "links.*.bandwidth", "nic.packet_bytes"} <= numbers


def test_more_is_tried_of_rates_and_room_less_of_costs_and_both_of_sizes():
    tried = {}
    for trial in decide.what_if(recipe_of(PINGPONG)).trials:
        tried.setdefault(trial.number, set()).add(trial.factor)
    for number in ("links.injection.bandwidth", "links.injection.buffer", "links.*.bandwidth"):
        assert tried[number] == {1.1}
    for number in ("mpi.send_overhead", "router.delay", "links.*.latency"):
        assert tried[number] == {0.9}
    assert tried["nic.packet_bytes"] == {0.9, 1.1}


def test_all_links_together_are_worth_what_each_is():
    found = decide.what_if(recipe_of(PINGPONG))
    gains = {trial.number: found.time_ps - trial.time_ps for trial in found.trials}
    each = [gain for number, gain in gains.items() if number.endswith(".latency")]
    assert gains["links.*.latency"] == sum(each) - gains["links.*.latency"] > 0


def test_the_other_algorithm_that_is_faster_is_advised_with_five_seeds():
    ring = workload.Collective("allreduce", "ring", bytes=8)
    found = decide.what_if(recipe_of(ring, 16))
    tried = {each.value: each for each in found.trials if each.number == "algorithm"}
    best = min(tried.values(), key=lambda each: each.time_ps)
    for name, trial in tried.items():
        run = result_of(workload.Collective("allreduce", name, bytes=8), 16).run
        assert (trial.before, trial.time_ps) == ("ring", run.length_ps)
    assert (found.advice.choice, found.advice.value) == ("algorithm", best.value)
    assert found.advice.shares == [pytest.approx(best.share)] * 5  # routes are not drawn
    assert found.advice.faster_in == 5


def test_a_routing_that_draws_is_advised_with_the_range_of_its_seeds():
    spread = placement.place(THETA, 64, allocation="random-groups", seed=1)
    job = simulate.Job(workload.PointToPoint("exchange", bytes="256 KiB"), spread)
    recipe = simulate.Recipe.of_run(simulate.run(THETA, [job]))
    found = decide.what_if(recipe)
    tried = {each.value: each for each in found.trials if each.number == "routing"}
    assert set(tried) == {"valiant", "ugal-l", "ugal-g", "par"}
    advice = found.advice
    assert (advice.choice, advice.before, advice.faster_in) == ("routing", "minimal", 5)
    again = recipe.with_options(routing=advice.value, seed=3).run().length_ps
    usual = recipe.with_options(seed=3).run().length_ps
    assert advice.shares[3] == again / usual - 1


def test_nothing_is_advised_where_no_choice_helps():
    fastest = workload.Collective("allreduce", "bine_doubling", bytes=8)
    assert decide.what_if(recipe_of(fastest, 16)).advice is None


def test_a_choice_that_is_refused_is_left_out(monkeypatch):
    def refused(recipe, machine, base):
        yield Choice("routing", "minimal", "none", recipe.with_options(routing="none"))

    monkeypatch.setattr(trials_module, "choices", refused)
    found = decide.what_if(recipe_of(PINGPONG))
    assert found.document()["complete"]
    assert "routing" not in {each.number for each in found.trials}


def test_a_value_that_the_run_refuses_is_told():
    """The smaller machine can be made, and lacks a node of the job."""
    far = placement.Placement(THETA, [0, 3000])
    recipe = simulate.Recipe.of_run(simulate.run(THETA, [simulate.Job(PINGPONG, far)]))
    with pytest.raises(UserError, match="node"):
        decide.what_if(recipe, {"shape.groups": [2]})


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        ([-0.3, -0.3], "With routing par in place of minimal the run is 30.0 % shorter (2 seeds)."),
        (
            [-0.3, -0.25, -0.311],
            "With routing par in place of minimal the run is 25.0 to 31.1 % shorter (3 seeds).",
        ),
        (
            [-0.01, 0.02],
            "With routing par in place of minimal the run is shorter with 1 of 2 seeds.",
        ),
    ],
)
def test_advice_says_what_every_seed_showed(shares, told):
    assert advice_sentence(Advice("routing", "minimal", "par", shares)) == told


def test_values_are_tried_in_their_order_and_one_number_at_a_time():
    asked = {"mpi.send_overhead": ["0 ns", "1 us"], "router.delay": ["1 us"]}
    found = decide.what_if(recipe_of(PINGPONG), asked)
    assert [(each.number, each.value) for each in found.trials] == [
        ("mpi.send_overhead", "0 ns"),
        ("mpi.send_overhead", "1 us"),
        ("router.delay", "1 us"),
    ]
    sends = [found.time_ps - each.time_ps for each in found.trials[:2]]
    overhead = value("mpi.send_overhead")
    assert sends == [2 * overhead, 2 * (overhead - 10**6)]


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_the_number_of_workers_changes_nothing(engine):
    recipe = recipe_of(workload.Collective("alltoall", bytes="4 KiB"), 16, engine)
    one, three = (decide.what_if(recipe, workers=workers) for workers in (1, 3))
    assert one.document() == three.document()


def test_an_interruption_keeps_what_was_finished_and_leaves_no_thread():
    def interrupt(done):
        if done > 0.2:
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt) as stopped:
        decide.what_if(recipe_of(PINGPONG), workers=2, report=interrupt)
    (partial,) = stopped.value.args
    assert 0 < len(partial.trials) < partial.planned
    assert not partial.document()["complete"]
    assert threading.active_count() == before


@pytest.mark.parametrize("messages", [1, 7])
def test_a_chain_of_messages_tolerates_its_share_of_latency(messages):
    recipe = recipe_of(workload.PointToPoint("pingpong", bytes=8, repetitions=messages))
    time = recipe.run().length_ps
    for found, share in zip(decide.tolerances(recipe), LONGER, strict=True):
        exact = time * share / (2 * messages)
        assert found.longer == share
        assert exact - 1 <= found.latency_ps <= exact + 1


def test_a_run_without_messages_between_nodes_has_no_tolerance():
    at = placement.place(THETA, 2, ranks_per_node=2)
    run = simulate.run(THETA, [simulate.Job(PINGPONG, at)])
    assert decide.tolerances(simulate.Recipe.of_run(run)) == []


def odonata(*words):
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "run.nc"
    result_of(PINGPONG, 2).save(path)
    return path


def test_the_command_prints_what_python_returns(saved):
    recipe = simulate.Recipe.of_run(Result.load(saved).run)
    assert json.loads(odonata("whatif", saved, "--json").stdout) == (
        decide.what_if(recipe).document()
    )
    (row, *_) = json.loads(odonata("whatif", saved, "--set", "router.delay=1us", "--json").stdout)[
        "trials"
    ]
    assert (row["number"], row["before"], row["value"]) == ("router.delay", "100 ns", "1us")
    printed = odonata("whatif", saved)
    assert "10 % less mpi.recv_overhead makes the run" in printed.stdout
    tolerances = json.loads(odonata("whatif", saved, "--tolerance", "--json").stdout)["tolerances"]
    assert [each["longer"] for each in tolerances] == list(LONGER)


def test_a_command_that_simulates_says_what_if_as_well(saved):
    words = ("simulate", "pingpong", "-n", 2, "--bytes", 8, "--machine", "theta", "--what-if")
    assert json.loads(odonata(*words, "--json").stdout)["what_if"] == (
        json.loads(odonata("whatif", saved, "--json").stdout)
    )
    assert "makes the run" in odonata(*words).stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--set", "router.dela=1us"], "did you mean 'router.delay'"),
        (["--set", "router.delay=fast"], "router.delay"),
        (["--set", "router.delay"], "--set: not KEY=VALUE"),
        (["--set", "router.delay=1us", "--tolerance"], "--tolerance: it searches"),
    ],
)
def test_a_mistake_is_one_line(saved, words, told):
    done = odonata("whatif", saved, *words)
    assert isinstance(done.exception, UserError)
    assert told in str(done.exception)


def test_a_comparison_has_no_what_if():
    done = odonata("simulate", "bcast", "-n", "2,4", "--machine", "theta", "--what-if")
    assert "--what-if: is for one run" in str(done.exception)


def test_a_result_that_takes_another_time_now_is_told(saved, tmp_path):
    run = Result.load(saved).run
    run.jobs[0].totals["last_finished"] += 5_000_000
    other = tmp_path / "other.nc"
    Result(run).save(other)
    done = odonata("whatif", other, "--set", "router.delay=1us")
    assert "the run took" in done.stderr
