"""The fit: it finds the scenario that a measurement was made from, under the rule on mixes."""

from __future__ import annotations

import json

import pytest

from odonata import machine, model
from odonata.errors import UserError
from odonata.model.fit import FLOPS
from odonata.model.fitted import Weight

from .documents import document

EOS = machine.load("eos")
MANY, FEW = model.Mix(16, 1), model.Mix(8, 2)


def read(tmp_path, made, mix=MANY, name="amg.json", **options):
    path = tmp_path / name
    path.write_text(json.dumps(made))
    return model.read_measured(path, mix, **options)


@pytest.mark.parametrize("scenario", model.SCENARIOS)
def test_a_cycle_that_the_model_made_is_fitted_by_its_scenario(scenario, tmp_path):
    fit = model.fit_cycle(EOS, [read(tmp_path, document(scenario, MANY))])
    (found,) = fit.mixes
    assert (found.best, found.nearest) == (scenario, scenario)
    assert found.errors[scenario] == pytest.approx(0, abs=1e-12)
    assert found.accuracy == pytest.approx(1)
    for penalty, weight in found.weights.items():
        assert weight.earns_its_place == (penalty in model.PENALTIES[scenario])


@pytest.mark.parametrize(("gain", "earns"), [(0.0001, False), (0.009, False), (0.02, True)])
def test_a_penalty_earns_its_place_by_a_point_or_more(gain, earns):
    assert Weight(0.5, 0.3 - gain, 0.3).earns_its_place is earns
    assert not Weight(0.5, 0.3, 0.3 - gain).earns_its_place


def test_error_and_accuracy_by_hand(tmp_path):
    # Measured is 1.25 times the model on each level: the model is 20 % low
    fit = model.fit_cycle(EOS, [read(tmp_path, document("distance", MANY, factor=1.25))])
    (found,) = fit.mixes
    assert found.errors["distance"] == pytest.approx(0.2)
    (run,) = found.runs
    assert run.accuracy["distance"] == pytest.approx(0.8)
    assert run.measured.direct == pytest.approx(1e-4)
    alone = found.weights["distance"].alone
    assert alone == pytest.approx(found.errors["distance"])
    assert found.weights["gamma"].alone == pytest.approx(found.errors["only_gamma"])


def test_fewer_ranks_a_node_may_not_need_more_penalties(tmp_path):
    runs = [
        read(tmp_path, document("distance", MANY), MANY, "16x1.json"),
        read(tmp_path, document("alpha", FEW), FEW, "8x2.json"),
    ]
    fit = model.fit_cycle(EOS, runs[::-1])
    assert fit.best == {MANY: "distance", FEW: "distance"}
    assert fit.mixes[1].nearest == "alpha"
    assert model.fit_cycle(EOS, runs[1:]).best == {FEW: "alpha"}


def test_runs_of_a_mix_count_alike_whatever_their_length(tmp_path):
    runs = [
        read(tmp_path, document("distance", MANY, 1024), name="a.json"),
        read(tmp_path, document("distance", MANY, 128), name="b.json"),
    ]
    (found,) = model.fit_cycle(EOS, runs).mixes
    assert [run.measured.hierarchy.ranks for run in found.runs] == [128, 1024]
    single = [model.fit_cycle(EOS, [run]).mixes[0].errors["baseline"] for run in runs]
    assert found.errors["baseline"] == pytest.approx(sum(single) / 2)


def test_the_count_of_links_can_change_the_best_fit(tmp_path):
    run = read(tmp_path, document("bandwidth", MANY, links="wiring"))
    assert model.fit_cycle(EOS, [run], links="wiring").best == {MANY: "bandwidth"}
    assert model.fit_cycle(EOS, [run], links="paper").best == {MANY: "distance"}


def test_flops_of_the_machine_of_the_document_or_none(tmp_path):
    run = read(tmp_path, document("baseline", MANY))
    by_flops = {name: model.fit_cycle(EOS, [run], flops=name) for name in FLOPS}
    times = {name: fit.mixes[0].runs[0].times["baseline"] for name, fit in by_flops.items()}
    h = run.hierarchy
    messages = times["none"].smooth[0]
    assert messages == pytest.approx(3 * (6 * 0.238e-6 + 10_000 * 0.858e-9))
    flops = 6 * 62_500 * h.row_nonzeros[0]
    assert times["machine"].smooth[0] == pytest.approx(messages + flops * 1.59e-9)
    assert times["measured"].smooth[0] == pytest.approx(messages + flops * 1e-9)
    threaded = read(tmp_path, document("baseline", FEW), FEW)
    found = model.fit_cycle(EOS, [threaded], flops="measured").mixes[0].runs[0]
    nothing = model.fit_cycle(EOS, [threaded], flops="none").mixes[0].runs[0]
    compute = found.times["baseline"].smooth[0] - nothing.times["baseline"].smooth[0]
    assert compute == pytest.approx(2 * flops * 1e-9)  # a rank's rows, as measured in it


def test_flops_that_rise_are_those_of_the_level_before(tmp_path):
    made = document("baseline", MANY)
    given = [2e-9, 1e-9, 1.5e-9, 0.5e-9]
    for level, seconds in zip(made["levels"], given, strict=False):
        level["flop_seconds"] = seconds
    run = read(tmp_path, made)
    h = run.hierarchy
    nothing, falling = (
        model.fit_cycle(EOS, [run], flops=name).mixes[0].runs[0].times["baseline"].smooth
        for name in ("none", "falling")
    )
    for i, seconds in enumerate([2e-9, 1e-9, 1e-9, 1e-9][: h.num_levels - 1]):
        flops = 6 * h.rows[i] * h.row_nonzeros[i] / h.ranks
        assert falling[i] - nothing[i] == pytest.approx(flops * seconds)


def test_the_mean_over_ranks_can_be_fitted_too(tmp_path):
    made = document("distance", MANY)
    largest, mean = (read(tmp_path, made, which=name) for name in ("largest", "mean"))
    assert mean.times.cycle_seconds == pytest.approx(largest.times.cycle_seconds / 2)


def test_data_and_panels_have_every_level(tmp_path):
    fit = model.fit_cycle(EOS, [read(tmp_path, document("distance", MANY))])
    data = json.loads(json.dumps(fit.to_dict()))
    (mix,) = data["mixes"]
    assert (data["machine"], data["links"], mix["mix"]) == ("eos", "paper", "16x1")
    assert set(model.SCENARIOS) <= set(mix["errors"])
    levels = mix["runs"][0]["levels"]
    assert levels[3]["measured_seconds"] == pytest.approx(levels[3]["modelled_seconds"]["distance"])
    (panel,) = fit.panels()
    assert panel.best == "distance"
    assert panel.measured == pytest.approx(panel.modelled["distance"])
    assert len(panel.measured) == len(levels) - 1


def test_simulated_is_not_called_measured(tmp_path):
    made = document("distance", MANY)
    for mpi, word in (("Open MPI v4.1.4", "measured"), ("Odonata 0.1.0", "simulated")):
        fit = model.fit_cycle(EOS, [read(tmp_path, made | {"mpi": mpi})])
        assert [panel.measured_as for panel in fit.panels()] == [word]


def changed(where, value):
    made = document("distance", MANY)
    table = made
    for key in where[:-1]:
        table = table[key]
    if value is None:
        del table[where[-1]]
    else:
        table[where[-1]] = value
    return made


@pytest.mark.parametrize(
    ("made", "options", "message"),
    [
        (changed(["levels", 2, "seconds"], None), {}, r"levels\[2\].seconds: .*--cycles 10"),
        (changed(["levels", 2, "mean_seconds"], None), {"which": "mean"}, "mean_seconds: missing"),
        (changed(["levels", 2, "seconds", "smooth"], None), {}, "seconds.smooth: smooth: missing"),
        (changed(["levels", 2, "seconds", "smooth"], "1"), {}, "not a number: '1'"),
        (changed(["levels", 2, "seconds", "smooth"], True), {}, "not a number"),
        (changed(["levels", 2, "seconds", "smooth"], -1.0), {}, "out of range: -1"),
        (changed(["cycle_seconds"], 1e300), {}, "cycle_seconds: out of range"),
        (
            changed(["problem"], "3D 27-point Laplacian"),
            {},
            "problem: differs from the requested one",
        ),
        (changed(["levels", 0, "nnz_per_row"], 26.0), {}, "too large for the problem"),
        (document("distance", MANY), {"problem": "laplac"}, "did you mean 'laplace'"),
        (document("distance", MANY), {"which": "least"}, "allowed: largest, mean"),
        (document("distance", MANY, factor=0.0), {}, "no time on any level"),
        ([], {}, "not an object"),
    ],
)
def test_documents_without_what_is_needed_are_refused(made, options, message, tmp_path):
    with pytest.raises(UserError, match=message):
        read(tmp_path, made, **options)


def test_wrong_options_are_refused(tmp_path):
    run = read(tmp_path, document("distance", MANY))
    with pytest.raises(UserError, match="did you mean 'measured'"):
        model.fit_cycle(EOS, [run], flops="measure")
    with pytest.raises(UserError, match="no cycle"):
        model.fit_cycle(EOS, [])
    silent = read(tmp_path, changed(["levels", 0, "flop_seconds"], 0.0))
    for level in range(silent.hierarchy.num_levels):
        silent.flop_seconds[level] = 0.0
    with pytest.raises(UserError, match="no flop_seconds"):
        model.fit_cycle(EOS, [silent], flops="measured")


def test_best_fit_never_needs_more_penalties_with_fewer_ranks_a_node():
    many, few = model.Mix(16, 1), model.Mix(1, 16)
    modelled = {s: [float(i), 1.0] for i, s in enumerate(model.SCENARIOS)}
    measured = {few: [4.9, 1.0], many: [1.2, 1.0]}
    fits = model.best_fit(measured, {few: modelled, many: modelled})
    assert fits == {many: "distance", few: "distance"}
    assert model.best_fit({few: [4.9, 1.0]}, {few: modelled}) == {few: "alpha_gamma"}
    with pytest.raises(UserError, match="number of levels"):
        model.best_fit({few: [1.0]}, {few: modelled})
    with pytest.raises(UserError, match="no scenario"):
        model.best_fit({few: [1.0]}, {})


@pytest.mark.parametrize(
    ("modelled", "measured", "published"),
    [(9.75, 11.3, 86.0), (14.9, 16.3, 91.3), (24.2, 27.6, 87.4), (86.4, 104, 83.4)],
)
def test_accuracy_is_the_papers_within_the_rounding_of_its_times(modelled, measured, published):
    assert model.accuracy(modelled, measured) == pytest.approx(published / 100, abs=0.005)


def test_a_level_that_is_too_slow_does_not_make_up_for_one_too_fast():
    mix = model.Mix(1)
    modelled = {"baseline": [2.0, 0.0], "distance": [1.1, 1.1]}  # of 1 and 1
    assert model.best_fit({mix: [1.0, 1.0]}, {mix: modelled}) == {mix: "distance"}
