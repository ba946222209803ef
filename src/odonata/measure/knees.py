"""Knees of a latency curve: straight pieces, and the sizes at which they meet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError

__all__ = ["Knee", "Piece", "find_knees", "fit_pieces", "highest_jump"]

LEAST_POINTS = 3
"""Fewest points of a piece."""

LEAST_ERROR = 0.003
"""Least error of a point as a share of its time: straight lines are never exact. Jumps of less than
four such errors are not seen."""

PENALTY = 5.0
"""Penalty of a piece in units of ln N: see `fit_pieces`."""

LEAST_JUMP = 4.0
"""Least size of a jump in standard errors of the points beside it."""


@dataclass(frozen=True)
class Piece:
    """A straight piece of a latency curve: seconds = intercept + slope × bytes.

    Parameters
    ----------
    first, last
        Sizes of its first and last point [B].
    intercept
        Time of an empty message [s].
    slope
        Time of a byte [s/B].
    """

    first: int
    last: int
    intercept: float
    slope: float

    def seconds(self, size: float) -> float:
        """Return the time of a message of a size [B]."""
        return self.intercept + self.slope * size


@dataclass(frozen=True)
class Knee:
    """A size at which a curve changes its law.

    Parameters
    ----------
    low, high
        The last size that follows the law before, the first that follows the law behind [B].
    kind
        ``jump`` where the time leaps, ``bend`` where only the slope changes.
    seconds
        Height of the jump at `low` [s].
    before, behind
        The pieces on both sides.
    """

    low: int
    high: int
    kind: str
    seconds: float
    before: Piece
    behind: Piece

    def belongs_before(self, size: int, seconds: float) -> bool:
        """Whether a message of this size and time follows the law before the knee."""
        return abs(seconds - self.before.seconds(size)) <= abs(seconds - self.behind.seconds(size))


def fit_pieces(
    sizes: Sequence[int], seconds: Sequence[float], errors: Sequence[float] | None = None
) -> list[Piece]:
    """Return the straight pieces that a latency curve is made of.

    Parameters
    ----------
    sizes
        Rising [B].
    seconds
        One way, of each size [s].
    errors
        Standard errors of the times [s]; at least `LEAST_ERROR` of each is taken.

    Returns
    -------
    list of Piece
        From small to large; each has at least `LEAST_POINTS` points.

    Raises
    ------
    UserError
        There are too few points, or sizes don't rise, or a time is not positive.

    Notes
    -----
    Over all divisions of the N points into K pieces, each a weighted least-squares line, the sum of
    squared errors is minimized by dynamic programming; K minimizes that sum + `PENALTY` K ln N.
    Schwarz's criterion has 3 (two numbers a line, and where it begins), which takes noise of 3 %
    for a knee in one curve of six, 5 in less than one of sixty.

    Examples
    --------
    >>> sizes = [2**k for k in range(3, 16)]
    >>> pieces = fit_pieces(sizes, [1e-6 + n * 1e-10 + (n > 1024) * 2e-6 for n in sizes])
    >>> [(piece.first, piece.last) for piece in pieces]
    [(8, 1024), (2048, 32768)]
    """
    x = np.asarray(sizes, dtype=np.float64)
    y = np.asarray(seconds, dtype=np.float64)
    if len(x) != len(y) or len(x) < LEAST_POINTS:
        raise UserError("curve: too few points", value=len(x), allowed=f"{LEAST_POINTS} or more")
    if (np.diff(x) <= 0).any() or not (np.isfinite(y) & (y > 0)).all():
        raise UserError("curve: sizes must rise, and times be positive")
    error = _standard_errors(y, errors)
    lines = _lines(x, y, error)
    ends = _divide(lines[0], PENALTY * np.log(len(x)))
    return [
        Piece(int(x[i]), int(x[j]), float(lines[1][i, j]), float(lines[2][i, j])) for i, j in ends
    ]


def find_knees(
    sizes: Sequence[int], seconds: Sequence[float], errors: Sequence[float] | None = None
) -> list[Knee]:
    """Return where the pieces of a latency curve meet; parameters and errors as `fit_pieces`.

    Notes
    -----
    A knee is a jump if the pieces differ, at the last size before it and at the first behind, by
    more than `LEAST_JUMP` standard errors; a bend has its size where the lines cross, which is
    between the points of the two pieces, or one of these.
    """
    pieces = fit_pieces(sizes, seconds, errors)
    error = _standard_errors(np.asarray(seconds, dtype=np.float64), errors)
    least = dict(zip(sizes, LEAST_JUMP * error, strict=True))
    return [_knee(before, behind, least) for before, behind in pairwise(pieces)]


def highest_jump(knees: Iterable[Knee]) -> Knee | None:
    """Return the highest jump upwards: from there on messages go by rendezvous.

    Parameters
    ----------
    knees
        Knees of a latency curve.

    Returns
    -------
    Knee or None
        None if no knee is a jump upwards.
    """
    up = (knee for knee in knees if knee.kind == "jump" and knee.seconds > 0)
    return max(up, key=lambda knee: knee.seconds, default=None)


def _standard_errors(
    seconds: NDArray[np.float64], errors: Sequence[float] | None
) -> NDArray[np.float64]:
    """Return standard errors that are at least `LEAST_ERROR` of their times [s]."""
    return np.maximum(LEAST_ERROR * seconds, 0.0 if errors is None else np.asarray(errors))


def _knee(before: Piece, behind: Piece, least: dict[int, float]) -> Knee:
    low, high = before.last, behind.first
    jump = behind.seconds(low) - before.seconds(low)
    after = behind.seconds(high) - before.seconds(high)
    leaps = abs(jump) > least[low] and abs(after) > least[high] and jump * after > 0
    return Knee(low, high, "jump" if leaps else "bend", jump, before, behind)


def _lines(
    x: NDArray[np.float64], y: NDArray[np.float64], error: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return squared errors, intercepts and slopes of the line through points i to j, [n, n]."""
    n = len(x)
    cost, intercept, slope = (np.full((n, n), np.inf) for _ in range(3))
    for i in range(n):
        for j in range(i + LEAST_POINTS - 1, n):
            part = slice(i, j + 1)
            rows = np.column_stack([1 / error[part], x[part] / error[part]])
            scale = np.abs(rows).max(axis=0)  # of a second and of a byte: far apart
            found = np.linalg.lstsq(rows / scale, y[part] / error[part], rcond=None)[0] / scale
            rest = y[part] / error[part] - rows @ found
            cost[i, j], (intercept[i, j], slope[i, j]) = rest @ rest, found
    return cost, intercept, slope


def _divide(cost: NDArray[np.float64], penalty: float) -> list[tuple[int, int]]:
    """Return the first and last points of the pieces whose costs and penalties are least."""
    n = len(cost)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    begin = np.zeros(n + 1, dtype=np.int64)
    for end in range(LEAST_POINTS, n + 1):
        totals = best[:end] + cost[:end, end - 1] + penalty
        begin[end] = int(np.argmin(totals))
        best[end] = totals[begin[end]]
    ends: list[tuple[int, int]] = []
    end = n
    while end > 0:
        ends.append((int(begin[end]), end - 1))
        end = int(begin[end])
    return ends[::-1]
