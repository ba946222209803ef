"""Best fits that machine files carry, when they hold, and when a fit is too poor to be one."""

from __future__ import annotations

import numpy as np
import pytest

from odonata import machine, model
from odonata.errors import UserError
from odonata.model.known import doubt_about
from odonata.model.terms import TERMS, dominance_of

EOS = machine.load("eos")
FIT = ["16x1", "distance", 1024, 0.5]


def with_fits(*fits):
    return EOS.with_values({"model.best_fit": list(fits)})


@pytest.mark.parametrize(
    ("cores", "expected"),
    [
        (1024, {"16x1": 0.860, "8x2": 0.913, "4x4": 0.874, "2x8": 0.853, "1x16": 0.834}),
        (8192, {"16x1": 0.904, "8x2": 0.928, "4x4": 0.892, "2x8": 0.866, "1x16": 0.859}),
    ],
)
def test_eos_has_the_papers_fit_of_each_mix(cores, expected):
    found = {mix: model.known_fit(EOS, model.Mix.parse(mix), cores) for mix in expected}
    assert {fit.scenario for fit in found.values()} == {"distance"}
    assert {fit.status for fit in found.values()} == {"published"}
    assert {fit.cores for fit in found.values()} == {cores}
    assert {mix: fit.accuracy for mix, fit in found.items()} == expected


def test_another_mix_another_machine_or_changed_numbers_have_none():
    assert model.known_fit(EOS, model.Mix(3), 1024) is None
    assert model.known_fit(machine.load("theta"), model.Mix(16), 1024) is None
    faster = EOS.with_values({"model.alpha": "0.1 us"})
    assert model.known_fit(faster, model.Mix(16), 1024) is None
    assert model.known_fit(with_fits(FIT), model.Mix(16), 1024).accuracy == 0.5


@pytest.mark.parametrize(
    ("fit", "message"),
    [
        (["16x1", "distance", 1024], "not a fit"),
        (["16", "distance", 1024, 0.9], "not a fit"),
        ([16, "distance", 1024, 0.9], "not a fit"),
        ("distance", "not a fit"),
        (["16x1", 5, 1024, 0.9], "not a text"),
        (["16x1", "distance", 0, 0.9], "cores: out of range"),
        (["16x1", "distance", 1024, 1.5], "accuracy: out of range"),
    ],
)
def test_a_fit_of_another_form_is_refused(fit, message):
    with pytest.raises(UserError, match=rf"model\.best_fit\[0\].*{message}"):
        with_fits(fit)


def test_an_unknown_scenario_has_its_near_miss():
    wrong = with_fits(["16x1", "distence", 1024, 0.9])
    with pytest.raises(UserError, match="did you mean 'distance'"):
        model.known_fit(wrong, model.Mix(16), 1024)


def test_a_poor_fit_is_told_by_its_accuracy_or_its_levels():
    assert doubt_about("alpha", 0.8, 0.5) is None
    assert "79.9 %, below 80 %" in doubt_about("alpha", 0.799, 0.1)
    assert "51 % off over the levels, above 50 %" in doubt_about("alpha", 1.0, 0.51)
    assert "below 80 %" in model.known_fit(with_fits(FIT), model.Mix(16), 1024).warning


def test_terms_add_up_to_the_cycle_under_every_scenario():
    parameters = model.parameters_of(EOS, threads=2)
    h = model.find_hierarchy("laplace", (50, 50, 25), 1024, 2)
    for scenario in model.PENALTIES:
        given = (h, parameters, scenario, model.Mix(8, 2))
        links = model.links_of(EOS)
        terms = model.cycle_terms(*given, links=links)
        whole = model.cycle_time(*given, links=links)
        assert list(terms) == list(TERMS)
        assert sum(t.total for t in terms.values()) == pytest.approx(whole.total)
        distance = "distance" in model.PENALTIES[scenario]
        assert (terms["gamma"].cycle_seconds > 0) == distance


def test_dominance_by_hand():
    # level 0: 1 + 3 s, level 1: 5 + 1 s, both of them smoothing
    nothing = np.zeros(2)
    terms = {
        "flops": model.LevelTimes(np.array([1.0, 5.0]), nothing, nothing),
        "alpha": model.LevelTimes(np.array([3.0, 1.0]), nothing, nothing),
    }
    found = dominance_of(terms)
    assert (found.level, found.level_share, found.term) == (1, 0.6, "flops")
    assert found.term_share == pytest.approx(5 / 6)
    assert found.cycle_shares == pytest.approx({"flops": 0.6, "alpha": 0.4})
    still = dominance_of({"flops": model.LevelTimes(nothing, nothing, nothing)})
    assert (still.level, still.level_share, still.term_share) == (0, 0.0, 0.0)
