"""The rule that ends the repetitions of a run."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from odonata.study.seeds import CONFIDENCE, Seeds, median_interval

VALUES = st.lists(st.floats(1, 1e6), min_size=1, max_size=40)


@given(number=st.integers(1, 60))
def test_the_interval_is_the_narrowest_with_its_probability(number):
    found = median_interval(range(number))
    ends = [(low, number - 1 - low) for low in range((number + 1) // 2)]
    enough = [pair for pair in ends if probability(number, *pair) >= Fraction(95, 100)]
    assert found == (max(enough) if enough else None)
    assert Fraction(95, 100) == Fraction(CONFIDENCE).limit_denominator(100)


def probability(number: int, low: int, high: int) -> Fraction:
    """Return the probability that the median is between two order statistics, by counting."""
    inside = range(low + 1, high + 1)  # values that are below the median
    return sum((Fraction(math.comb(number, below), 2**number) for below in inside), Fraction(0))


@given(values=VALUES, until=st.floats(0.001, 0.5))
def test_runs_end_at_the_first_narrow_interval(values, until):
    seeds = Seeds(tuple(range(40)), until=until)
    needed = next(
        (size for size in range(1, len(values) + 1) if narrow(values[:size], until)), None
    )
    for size in range(len(values)):
        after = seeds.next_after(values[:size])
        if needed is None or size < needed:
            assert after == size
        elif size == needed:
            assert after is None


def narrow(values: list[float], until: float) -> bool:
    interval = median_interval(values)
    if interval is None:
        return False
    return (interval[1] - interval[0]) / 2 <= until * statistics.median(values)


def test_without_a_rule_all_seeds_are_run():
    seeds = Seeds((7, 9))
    assert [seeds.next_after(done) for done in ([], [1.0], [1.0, None])] == [0, 1, None]


def test_a_command_without_seeds_runs_once():
    assert [Seeds().next_after(done) for done in ([], [None])] == [0, None]


def test_a_failed_run_ends_the_search_for_a_median():
    seeds = Seeds(tuple(range(40)), until=0.02)
    assert seeds.next_after([1.0, None]) is None
