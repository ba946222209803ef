"""Knees of latency curves whose pieces are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.measure import find_knees, fit_pieces
from odonata.measure.knees import highest_jump
from odonata.measure.network import curve_sizes

SIZES = curve_sizes()


def curve(sizes, intercept, slope, knees=()):
    """Return the times of sizes; each knee is (size, seconds added behind it, slope added)."""
    times = np.array([intercept + slope * n for n in sizes])
    for size, jump, more in knees:
        times += [jump + more * (n - size) if n > size else 0.0 for n in sizes]
    return times


@settings(max_examples=30)
@given(
    st.floats(1e-7, 1e-4),
    st.floats(1e-11, 1e-9),
    st.sampled_from(SIZES[4:-4]),
    st.floats(0.5, 3.0),
)
def test_a_jump_is_found_where_it_is(intercept, slope, size, height):
    jump = height * (intercept + slope * size)
    (knee,) = find_knees(SIZES, curve(SIZES, intercept, slope, [(size, jump, 0)]))
    assert knee.kind == "jump"
    assert knee.low == size
    assert knee.high == SIZES[SIZES.index(size) + 1]
    assert knee.seconds == pytest.approx(jump, rel=1e-6)
    for inside, before in ((size - 1, True), (size + 1, False)):
        time = intercept + slope * inside + (0 if before else jump)
        assert knee.belongs_before(inside, time) == before


@settings(max_examples=30)
@given(st.floats(1e-7, 1e-4), st.floats(0, 1e-9))
def test_a_straight_line_has_no_knee(intercept, slope):
    times = curve(SIZES, intercept, slope)
    assert find_knees(SIZES, times) == []
    (piece,) = fit_pieces(SIZES, times)
    assert piece.intercept == pytest.approx(intercept, rel=1e-6)
    assert piece.slope == pytest.approx(slope, rel=1e-4, abs=1e-17)


@pytest.mark.parametrize("seed", range(5))
def test_noise_of_three_per_cent_makes_no_knee_and_hides_none(seed):
    noise = np.random.default_rng(seed).normal(1, 0.03, len(SIZES))
    times = curve(SIZES, 1e-6, 1e-10, [(8192, 2e-6, 0)])
    errors = 0.03 * times
    (knee,) = find_knees(SIZES, times * noise, errors)
    assert (knee.low, knee.kind) == (8192, "jump")
    assert find_knees(SIZES, curve(SIZES, 1e-6, 1e-10) * noise, errors) == []


def test_a_bend_is_no_jump():
    """From 1 KiB on a byte takes five times as long, without a leap."""
    (knee,) = find_knees(SIZES, curve(SIZES, 1e-6, 2e-10, [(1024, 0, 8e-10)]))
    assert knee.kind == "bend"
    assert highest_jump([knee]) is None
    assert knee.low <= 1024 <= knee.high


def test_two_jumps_are_two():
    times = curve(SIZES, 1e-6, 1e-10, [(1024, 5e-7, 0), (65536, 6e-6, 0)])
    knees = find_knees(SIZES, times)
    assert [(knee.low, knee.kind) for knee in knees] == [(1024, "jump"), (65536, "jump")]
    assert highest_jump(knees) == knees[1]


@pytest.mark.parametrize(
    ("sizes", "seconds", "said"),
    [
        ([8, 16], [1e-6, 1e-6], "too few points"),
        ([8, 16], [1e-6], "too few points"),
        ([8, 16, 16], [1e-6] * 3, "must rise"),
        ([8, 16, 32], [1e-6, 0, 1e-6], "be positive"),
        ([8, 16, 32], [1e-6, float("nan"), 1e-6], "be positive"),
    ],
)
def test_what_is_no_curve_is_refused(sizes, seconds, said):
    for look in (fit_pieces, find_knees):
        with pytest.raises(UserError, match=said):
            look(sizes, seconds)
