"""A number that was measured: its median, an interval of confidence, and how noisy it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError

__all__ = ["CONFIDENCE", "Estimate", "exactly", "median_of"]

CONFIDENCE = 0.95

MOST_UNCERTAIN = 0.05
"""Half of the interval, in parts of the value: beyond it a number is called noisy."""

MOST_SPREAD = 0.5
"""Between the quartiles of the samples, in parts of the median: beyond it a number is noisy."""


@dataclass(frozen=True)
class Estimate:
    """A number and how well it is known.

    Parameters
    ----------
    value
        The number, in the unit of its samples.
    low, high
        Interval of confidence, `CONFIDENCE`.
    spread
        Difference of the quartiles of the samples, in parts of their median.
    samples
        How many there were.
    """

    value: float
    low: float
    high: float
    spread: float = 0.0
    samples: int = 1

    @property
    def uncertainty(self) -> float:
        """Half of the interval, in parts of the value."""
        return (self.high - self.low) / (2 * self.value) if self.value else 0.0

    @property
    def noisy(self) -> bool:
        """Whether it is too uncertain, or its samples too far apart, to be relied upon."""
        return self.uncertainty > MOST_UNCERTAIN or self.spread > MOST_SPREAD

    def lowered(self, by: float) -> Estimate:
        """Return the same value with an interval that reaches further down.

        Parameters
        ----------
        by
            Largest error that the measurement may have added, in the unit of the value.
        """
        return replace(self, low=max(0.0, self.low - by))

    def mapped(self, function: Callable[[float], float]) -> Estimate:
        """Return the estimate of a monotonic function of the number.

        Parameters
        ----------
        function
            Rising or falling throughout.
        """
        ends = sorted((function(self.low), function(self.high)))
        return replace(self, value=function(self.value), low=ends[0], high=ends[1])


def exactly(value: float) -> Estimate:
    """Return a number that is known without an interval: it was counted, or read.

    Parameters
    ----------
    value
        The number.
    """
    return Estimate(value, value, value)


def median_of(samples: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Return the median of samples, and its interval by order statistics.

    Parameters
    ----------
    samples
        Independent samples of any distribution; at least one.

    Raises
    ------
    UserError
        There is no sample.

    Notes
    -----
    The k-th smallest and the k-th largest of n samples enclose the median with probability
    1 - 2 P(B < k), B binomial with n draws of 1/2; k is the largest with at least `CONFIDENCE`.
    Up to five samples can't have that: the interval is all of them.

    Examples
    --------
    >>> found = median_of([5.0, 1.0, 4.0, 2.0, 3.0, 6.0, 7.0, 8.0, 9.0])
    >>> found.value, found.low, found.high
    (5.0, 2.0, 8.0)
    """
    ordered = np.sort(np.asarray(samples, dtype=np.float64))
    if len(ordered) == 0:
        raise UserError("samples: none")
    k = _rank(len(ordered))
    value = float(np.median(ordered))
    quarters = np.quantile(ordered, [0.25, 0.75])
    spread = float(quarters[1] - quarters[0]) / value if value else 0.0
    return Estimate(value, float(ordered[k - 1]), float(ordered[-k]), spread, len(ordered))


def _rank(n: int) -> int:
    """Return the largest k for which the k-th from either end enclose the median."""
    below, k = 1.0, 0  # P(B <= 0) in units of 2**-n
    while below / 2.0**n <= (1 - CONFIDENCE) / 2:
        k += 1
        below += math.comb(n, k)
    return max(k, 1)
