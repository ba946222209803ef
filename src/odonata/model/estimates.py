"""Unknown hierarchies, estimated from known ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.model.hierarchy import Hierarchy, Points

__all__ = ["estimates_to_check", "extrapolate", "interpolate", "regroup"]

_PER_RANK = ("rows", "active_ranks")
"""Quantities that are estimated as a share of the ranks."""

INTERPOLATED, EXTRAPOLATED, REGROUPED = "interpolated", "extrapolated", "regrouped"


def interpolate(few: Hierarchy, many: Hierarchy, ranks: int) -> Hierarchy:
    """Estimate a hierarchy between two with the same points per rank.

    Parameters
    ----------
    few, many
        Hierarchies with fewer and with more ranks.
    ranks
        Between theirs.

    Notes
    -----
    Every number of a level (unknowns and active ranks as shares of the ranks) goes linearly with
    log P. Where one has fewer levels its missing ones are empty.
    """
    return _on_a_line(few, many, ranks, INTERPOLATED)


def extrapolate(known: Sequence[Hierarchy], ranks: int) -> Hierarchy:
    """Estimate a hierarchy on more, or on fewer, ranks than any that is known.

    Parameters
    ----------
    known
        Two or more hierarchies with the same points per rank.
    ranks
        Outside theirs.

    Returns
    -------
    Hierarchy
        With as many levels as the largest has: none is added, so that the last ones, which depend
        on when coarsening ends, are less certain than their sum.

    Raises
    ------
    UserError
        Fewer than two are known.

    Notes
    -----
    Every number of a level (unknowns and active ranks as shares of the ranks) grows linearly with
    log P, by the line through the known hierarchy nearest to `ranks` and a second one, which lies
    about as far (in log P) behind it as `ranks` is ahead. No rank sends more than one message to
    each other active rank, and no more ranks are active than there are unknowns.

    Examples
    --------
    >>> from odonata.model import shipped_hierarchies
    >>> known = [h for h in shipped_hierarchies("laplace") if h.points_per_rank == (50, 50, 25)]
    >>> h = extrapolate(known, 8192)
    >>> h.origin, int(h.rows[0])
    ('extrapolated', 512000000)
    """
    if len(known) < 2:
        raise UserError("extrapolation: too few hierarchies", value=len(known), allowed="2 or more")
    apart = [abs(math.log(ranks / h.ranks)) for h in known]
    near = known[int(np.argmin(apart))]
    opposite = near.ranks**2 / ranks
    others = [h for h in known if h is not near]
    far = min(others, key=lambda h: abs(math.log(h.ranks / opposite)))
    return _on_a_line(far, near, ranks, EXTRAPOLATED)


def regroup(hierarchy: Hierarchy, ranks: int) -> Hierarchy:
    """Estimate the hierarchy of the same grid on fewer ranks, each with more of it.

    Parameters
    ----------
    hierarchy
        Hierarchy of the grid on more ranks.
    ranks
        A divisor of its ranks.

    Notes
    -----
    Unknowns and nonzeros stay. With f times fewer ranks a rank's surface, and so the values it
    sends, grow as f^(2/3); its sends stay, but are at most one to each other rank.
    """
    factor = hierarchy.ranks // ranks
    columns = hierarchy.columns()
    for name in ("sends", "interp_sends"):
        columns[name] = np.minimum(columns[name], ranks - 1)
    for name in ("values_sent", "interp_values_sent"):
        sends = columns[name.replace("values_sent", "sends")]
        columns[name] = np.where(sends > 0, columns[name] * factor ** (2 / 3), 0.0)
    columns["active_ranks"] = np.minimum(columns["active_ranks"], ranks)
    points = _multiplied(hierarchy.points_per_rank, factor)
    source = f"{hierarchy.ranks} ranks regrouped: {hierarchy.source}"
    before = [how for how in (INTERPOLATED, EXTRAPOLATED) if hierarchy.origin == how]
    origin = ", ".join([*before, REGROUPED])
    return Hierarchy(hierarchy.problem, ranks, points, **columns, source=source, origin=origin)


def estimates_to_check(
    hierarchy: Hierarchy, known: Sequence[Hierarchy]
) -> dict[str, list[tuple[Hierarchy, Hierarchy]]]:
    """Return estimates of hierarchies that are known, made as a given one, and the true ones.

    Parameters
    ----------
    hierarchy
        An estimate, or not.
    known
        Hierarchies of the same problem by number of ranks.

    Returns
    -------
    dict
        By each word of its ``origin``, pairs of estimate and truth: for ``interpolated`` one for
        each number of ranks between two; for ``extrapolated`` one for each that lies as far (in
        log P) outside two others as `hierarchy` does; for ``regrouped`` one for each grid that
        is known on two numbers of ranks.
    """
    ways = {INTERPOLATED: _interpolated, EXTRAPOLATED: _extrapolated, REGROUPED: _regrouped}
    used = hierarchy.origin.split(", ")
    return {how: list(pairs(hierarchy, known)) for how, pairs in ways.items() if how in used}


Pairs = Iterator[tuple[Hierarchy, Hierarchy]]


def _interpolated(hierarchy: Hierarchy, known: Sequence[Hierarchy]) -> Pairs:
    same = _same_points(hierarchy, known)
    for few, true, many in zip(same, same[1:], same[2:], strict=False):
        yield interpolate(few, many, true.ranks), true


def _extrapolated(hierarchy: Hierarchy, known: Sequence[Hierarchy]) -> Pairs:
    same = _same_points(hierarchy, known)
    ranks = _whole_ranks(hierarchy, same)
    ahead = ranks > same[-1].ranks
    reach = ranks / same[-1].ranks if ahead else same[0].ranks / ranks
    for true in same:
        behind = [
            h for h in same
            if (true.ranks / h.ranks if ahead else h.ranks / true.ranks) > reach * (1 - 1e-9)
        ]  # fmt: skip
        if len(behind) > 1:
            yield extrapolate(behind, true.ranks), true


def _regrouped(_: Hierarchy, known: Sequence[Hierarchy]) -> Pairs:
    for many in known:
        for true in known:
            if 1 < true.ranks < many.ranks and true.rows[0] == many.rows[0]:
                yield regroup(many, true.ranks), true


def _same_points(hierarchy: Hierarchy, known: Sequence[Hierarchy]) -> list[Hierarchy]:
    """Return those from which an estimate was made, before it was regrouped."""
    points = hierarchy.points_per_rank
    if REGROUPED in hierarchy.origin:
        ships = {h.points_per_rank for h in known}
        whole = [p for p in ships if _factor(hierarchy, p) > 1 and _divides(p, points)]
        points = max(whole, key=lambda p: sum(h.points_per_rank == p for h in known))
    return sorted((h for h in known if h.points_per_rank == points), key=lambda h: h.ranks)


def _whole_ranks(hierarchy: Hierarchy, same: Sequence[Hierarchy]) -> int:
    return hierarchy.ranks * _factor(hierarchy, same[0].points_per_rank)


def _factor(hierarchy: Hierarchy, points: Points) -> int:
    return math.prod(hierarchy.points_per_rank) // math.prod(points)


def _divides(points: Points, by: Points) -> bool:
    return all(n % m == 0 for n, m in zip(by, points, strict=True))


def _on_a_line(a: Hierarchy, b: Hierarchy, ranks: int, origin: str) -> Hierarchy:
    """Return the hierarchy on the line in log P through two; never less than nothing."""
    weight = math.log(ranks / a.ranks) / math.log(b.ranks / a.ranks)
    levels = max(a.num_levels, b.num_levels)
    columns: dict[str, NDArray[np.float64]] = {}
    for name in a.columns():
        ends = [_shares(h, name, levels) for h in (a, b)]
        share = np.maximum(0.0, (1 - weight) * ends[0] + weight * ends[1])
        columns[name] = share * (ranks if name in _PER_RANK else 1)
    if origin == EXTRAPOLATED:
        columns |= _possible(columns, ranks)
    few, many = sorted((a.ranks, b.ranks))
    source = f"{origin} to {ranks} ranks from {few} and {many} of {a.source}"
    return Hierarchy(
        a.problem, ranks, a.points_per_rank, **columns, source=source, origin=origin
    )  # fmt: skip


def _shares(h: Hierarchy, name: str, levels: int) -> NDArray[np.float64]:
    column = np.zeros(levels)
    column[: h.num_levels] = getattr(h, name) / (h.ranks if name in _PER_RANK else 1)
    return column


def _possible(
    columns: Mapping[str, NDArray[np.float64]], ranks: int
) -> dict[str, NDArray[np.float64]]:
    """Return columns cut to possible values."""
    active = np.minimum(np.minimum(columns["active_ranks"], ranks), columns["rows"])
    others = np.maximum(0.0, active - 1)
    sends = {name: np.minimum(columns[name], others) for name in ("sends", "interp_sends")}
    values = {
        name: np.where(sends[name.replace("values_sent", "sends")] > 0, columns[name], 0.0)
        for name in ("values_sent", "interp_values_sent")
    }
    return {"active_ranks": active, **sends, **values}


def _multiplied(points: Points, factor: int) -> Points:
    """Return the points of so many ranks together, the shortest side doubled first."""
    sides = list(points)
    while factor > 1:
        prime = next((p for p in (2, 3, 5, 7) if factor % p == 0), factor)
        sides[sides.index(min(sides))] *= prime
        factor //= prime
    return (sides[0], sides[1], sides[2])
