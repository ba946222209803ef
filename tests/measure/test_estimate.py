"""Medians and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.measure.estimate import CONFIDENCE, Estimate, median_of

NUMBERS = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=60)


@given(NUMBERS)
def test_the_interval_has_the_median_and_lies_in_the_samples(samples):
    found = median_of(samples)
    assert min(samples) <= found.low <= found.value <= found.high <= max(samples)
    assert found.value == float(np.median(samples))
    assert found.samples == len(samples)


def test_the_interval_covers_the_median_as_often_as_it_says():
    """4,000 sets of 30 draws of a skewed distribution, whose median is ln 2: 95.7 % by theory."""
    draws = np.random.default_rng(1).exponential(size=(4000, 30))
    found = [median_of(row) for row in draws]
    covered = np.mean([e.low <= np.log(2) <= e.high for e in found])
    assert covered == pytest.approx(0.957, abs=0.012)
    assert covered >= CONFIDENCE


def test_a_hundred_samples_by_the_table():
    """The 40th from either end of 100: as in the tables of Conover, Practical Statistics."""
    found = median_of(np.arange(1.0, 101.0))
    assert (found.low, found.high) == (40, 61)


def test_the_spread_is_that_of_the_quartiles_in_parts_of_the_median():
    """The quartiles of 1 to 9 are 3 and 7, and their median is 5."""
    assert median_of(np.arange(1.0, 10.0)).spread == pytest.approx((7 - 3) / 5)


def test_noise_is_a_wide_interval_or_a_wide_spread():
    assert not Estimate(100, 96, 104, spread=0.1).noisy
    assert Estimate(100, 94, 106).noisy
    assert Estimate(100, 100, 100, spread=0.6).noisy
    assert median_of([1.0, 2.0, 3.0]).noisy
    assert not median_of([2.0] * 9).noisy
    assert not Estimate(0, 0, 0).noisy


def test_a_falling_function_turns_the_interval_round():
    rate = Estimate(2, 1, 4).mapped(lambda seconds: 8 / seconds)
    assert (rate.value, rate.low, rate.high) == (4, 2, 8)


def test_nothing_has_no_median():
    with pytest.raises(UserError, match="samples: none"):
        median_of([])
