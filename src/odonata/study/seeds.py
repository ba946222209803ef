"""Repetitions of a run by seed, and the rule that ends them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["CONFIDENCE", "Seeds", "median_interval"]

CONFIDENCE = 0.95
"""Probability with which the interval of a median has it in it."""


@dataclass(frozen=True)
class Seeds:
    """The seeds of each combination.

    Parameters
    ----------
    values
        All seeds that may be used, in order; empty: the command has none.
    until
        Half of the interval of the median over the median at which no further seed is run; None:
        all seeds are run.
    of
        Result whose median it is.
    """

    values: tuple[int, ...] = ()
    until: float | None = None
    of: str = "time_seconds"

    @property
    def most(self) -> int:
        """Most runs of a combination."""
        return max(1, len(self.values))

    def next_after(self, results: Sequence[float | None]) -> int | None:
        """Return the position of the next seed, or None if there are enough.

        The answer depends on the results in the order of the seeds alone.

        Parameters
        ----------
        results
            Result of each seed so far, in order; None: that run failed.
        """
        done = len(results)
        if done == self.most:
            return None
        if self.until is None:
            return done
        known = [value for value in results if value is not None]
        if len(known) < done:  # a median of the runs that happened not to fail says nothing
            return None
        interval = median_interval(known)
        if interval is None:
            return done
        low, high = interval
        return done if (high - low) / 2 > self.until * abs(statistics.median(known)) else None


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the interval of order statistics that has the median in it.

    The number of values below the median is binomial with p = 1/2 for any distribution; the
    interval leaves out as many values on both sides as `CONFIDENCE` allows. A rule that looks at
    it after each value ends a little too early: the probability at the end is somewhat lower.

    Parameters
    ----------
    values
        Independent values, in any order.

    Returns
    -------
    tuple of float, or None
        Its ends; None: fewer than six values have none.

    Examples
    --------
    >>> median_interval([1, 2, 3, 4, 5]) is None
    True
    >>> median_interval([1, 2, 3, 4, 5, 6])
    (1, 6)
    >>> median_interval([1, 2, 3, 4, 5, 6, 7, 8, 9])
    (2, 8)
    """
    number = len(values)
    outside = 0.0
    left_out = -1
    while left_out + 1 < number / 2:
        outside += 2 * math.comb(number, left_out + 1) / 2**number
        if outside > 1 - CONFIDENCE:
            break
        left_out += 1
    if left_out < 0:
        return None
    ordered = sorted(values)
    return ordered[left_out], ordered[number - 1 - left_out]
