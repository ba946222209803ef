"""Estimated hierarchies: kept numbers, limits, and errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine, model
from odonata.errors import UserError
from odonata.model.estimates import estimates_to_check, extrapolate, interpolate, regroup

POINTS = (50, 50, 25)
KNOWN = [h for h in model.shipped_hierarchies("laplace") if h.points_per_rank == POINTS]


def made(ranks, levels):
    """Return a hierarchy of sends of A alone, two unknowns a rank on each level."""
    n = len(levels)
    few = [2.0 * ranks / 10**i for i in range(n)]
    columns = dict.fromkeys(("row_nonzeros", "interp_nonzeros"), [1] * n)
    columns |= dict.fromkeys(("interp_sends", "interp_values_sent"), [0] * n)
    return model.Hierarchy("laplace", ranks, (2, 1, 1), rows=few, sends=levels,
                           values_sent=[10] * n, active_ranks=[ranks] * n, **columns)  # fmt: skip


def test_interpolation_is_linear_in_log_p():
    h = interpolate(made(10, [3, 5]), made(1000, [5, 9]), 100)
    assert h.sends == pytest.approx([4, 7])
    assert h.origin == "interpolated"


def test_extrapolation_is_linear_in_log_p_and_reaches_as_far_back_as_ahead():
    known = [made(10, [0]), made(100, [3]), made(1000, [5])]
    assert extrapolate(known, 10_000).sends == pytest.approx([7])  # by 100 and 1000
    assert extrapolate(known, 100_000).sends == pytest.approx([10])  # by 10 and 1000
    assert extrapolate(known, 1).sends == pytest.approx([0])  # not less than nothing
    with pytest.raises(UserError, match="too few"):
        extrapolate(known[:1], 2)


def test_a_rank_sends_to_each_other_active_rank_once():
    known = [made(10, [5, 5, 5]), made(100, [60, 60, 60])]
    h = extrapolate(known, 1000)
    assert h.rows == pytest.approx([2000, 200, 20])
    assert h.active_ranks == pytest.approx([1000, 200, 20])
    assert h.sends == pytest.approx([115, 115, 19])


def test_interpolation_ends_at_its_ends():
    few, many = KNOWN[1:3]
    for h in (few, many):
        again = interpolate(few, many, h.ranks)
        assert again.rows[: h.num_levels] == pytest.approx(h.rows)


def test_estimates_say_so_and_keep_the_grid():
    between = model.find_hierarchy("laplace", POINTS, 200)
    assert (between.origin, between.rows[0]) == ("interpolated", pytest.approx(200 * 62_500))
    beyond = model.find_hierarchy("laplace", POINTS, 8192)
    assert (beyond.origin, beyond.rows[0]) == ("extrapolated", 8192 * 62_500)
    few, many = (model.find_hierarchy("laplace", POINTS, n) for n in (128, 1024))
    assert few.sends[5] < between.sends[5] < many.sends[5] < beyond.sends[5]
    grouped = regroup(many, 64)
    assert (grouped.origin, grouped.points_per_rank) == ("regrouped", (100, 100, 100))
    assert np.array_equal(grouped.rows, many.rows)
    assert grouped.sends.max() == 63


def test_checks_are_made_as_the_estimate_is():
    checks = estimates_to_check(model.find_hierarchy("laplace", POINTS, 8192), KNOWN)
    assert list(checks) == ["extrapolated"]
    for estimate, true in checks["extrapolated"]:
        assert (estimate.ranks, estimate.origin) == (true.ranks, "extrapolated")
        assert sum(8 * h.ranks <= true.ranks for h in KNOWN) >= 2  # from eight times fewer
    both = estimates_to_check(model.find_hierarchy("laplace", POINTS, 8192, 16), KNOWN)
    assert list(both) == ["extrapolated", "regrouped"]
    assert len(both["extrapolated"]) == len(checks["extrapolated"])
    assert estimates_to_check(KNOWN[0], KNOWN) == {}


def predicted(ranks, scenario="distance"):
    return model.predict_cycle(
        machine.load("eos"), "laplace", POINTS, ranks, model.Mix(16), scenarios=[scenario]
    )


@given(st.integers(1, 11_000), st.integers(1, 11_000), st.sampled_from(model.SCENARIOS))
def test_time_grows_with_the_ranks_known_or_not(few, many, scenario):
    few, many = sorted((few, many))
    first, second = (predicted(n, scenario).cycle_seconds[scenario] for n in (few, many))
    assert first <= second * 1.02  # s_i and the random part of coarsening: up to 2 %


def error_of(estimate, true):
    """Return the error of the cycle time of an estimate, distance scenario."""
    parameters = model.parameters_of(machine.load("eos"))
    seconds = [model.cycle_time(h, parameters).cycle_seconds for h in (estimate, true)]
    return seconds[0] / seconds[1] - 1


def test_the_error_bar_of_8192_ranks_is_the_larger_of_two_errors():
    prediction = predicted(8192)
    by_ranks = {h.ranks: h for h in KNOWN}
    few, many = (
        error_of(extrapolate([by_ranks[n] for n in below], ranks), by_ranks[ranks])
        for below, ranks in (((8, 16), 128), ((8, 16, 64, 128), 1024))
    )
    assert prediction.checks["extrapolated"] == pytest.approx({128: few, 1024: many})
    assert prediction.estimate_error == pytest.approx(max(abs(few), abs(many)))
    assert (few, many) == (pytest.approx(-0.104, abs=5e-4), pytest.approx(-0.009, abs=5e-4))


def test_1024_ranks_estimated_without_them_are_within_the_bar_of_that_estimate():
    known = [h for h in KNOWN if h.ranks <= 128]
    estimate = extrapolate(known, 1024)
    pairs = estimates_to_check(estimate, known)["extrapolated"]
    bar = max(abs(error_of(*pair)) for pair in pairs)
    assert [true.ranks for _, true in pairs] == [128]
    assert abs(error_of(estimate, KNOWN[-1])) <= bar


def test_what_is_known_has_no_error_and_what_cannot_be_checked_none():
    assert predicted(1024).estimate_error == 0
    assert model.Prediction(KNOWN[0], model.Mix(1), {}, {"extrapolated": {}}).estimate_error is None
    two = model.Prediction(KNOWN[0], model.Mix(1), {}, {"a": {8: -0.1, 16: 0.02}, "b": {2: 0.01}})
    assert two.estimate_error == pytest.approx(0.11)


def test_a_rank_of_eight_times_the_points_sends_four_times_the_values():
    assert regroup(made(64, [3]), 8).values_sent == pytest.approx([40])
