"""Hierarchies that come with Odonata, and those that can be estimated from them."""

from __future__ import annotations

import functools
import math
from importlib import resources

import numpy as np

from odonata.errors import UserError, near_miss
from odonata.model.hierarchy import PROBLEMS, Hierarchy, parse_run

__all__ = ["estimates_to_check", "find_hierarchy", "interpolate", "regroup", "shipped_hierarchies"]

Points = tuple[int, int, int]


@functools.cache
def shipped_hierarchies(problem: str) -> tuple[Hierarchy, ...]:
    """Return what ships for a problem, by points per rank and number of ranks.

    Parameters
    ----------
    problem
        Its name, such as ``laplace``.

    Raises
    ------
    UserError
        There is no such problem.

    Examples
    --------
    >>> [h.ranks for h in shipped_hierarchies("laplace") if h.points_per_rank == (50, 50, 25)]
    [8, 16, 64, 128, 1024]
    """
    import msgspec

    if problem not in PROBLEMS:
        near = near_miss(problem, PROBLEMS)
        raise UserError("problem: unknown", value=problem, near=near, allowed=", ".join(PROBLEMS))
    file = resources.files("odonata") / "data" / "hierarchies" / f"{problem}.json"
    document = msgspec.json.decode(file.read_bytes())
    source = f"{document['source']['solver']}; {document['source']['problem']}"
    runs = [
        parse_run(run, problem=problem, where=f"{file.name}:runs[{i}]", source=source,
                  origin="shipped")
        for i, run in enumerate(document["runs"])
    ]  # fmt: skip
    return tuple(sorted(runs, key=lambda run: (run.points_per_rank, run.ranks)))


def find_hierarchy(problem: str, points: Points, cores: int, threads: int = 1) -> Hierarchy:
    """Return the hierarchy of a problem on so many cores, or the best estimate of it.

    Parameters
    ----------
    problem
        Its name.
    points
        Grid points of each core along x, y and z.
    cores
        Cores: ranks times threads.
    threads
        Threads a rank; each rank has the points of its threads.

    Returns
    -------
    Hierarchy
        With ``origin`` ``shipped``, ``interpolated`` (see `interpolate`) or ``regrouped``
        (see `regroup`).

    Raises
    ------
    UserError
        Nothing that ships is near; lists what does.
    """
    if threads < 1 or cores < 1 or cores % threads:
        raise UserError("cores: not a multiple of the threads a rank", value=cores,
                        allowed=f"multiples of {threads}")  # fmt: skip
    ranks = cores // threads
    for h in shipped_hierarchies(problem):
        divides = all(n % m == 0 for n, m in zip(h.points_per_rank, points, strict=True))
        fits = math.prod(h.points_per_rank) == threads * math.prod(points)
        if h.ranks == ranks and divides and fits:
            return h
    known = [h for h in shipped_hierarchies(problem) if h.points_per_rank == points]
    whole = _on_cores(known, cores)
    if whole is None:
        raise _nothing_near(problem, points, cores)
    return whole if threads == 1 else regroup(whole, ranks)


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
    weight = math.log(ranks / few.ranks) / math.log(many.ranks / few.ranks)
    levels = max(few.num_levels, many.num_levels)
    columns = {}
    for name in few.columns():
        a, b = (np.zeros(levels), np.zeros(levels))
        for column, h in ((a, few), (b, many)):
            scale = h.ranks if name in ("rows", "active_ranks") else 1
            column[: h.num_levels] = getattr(h, name) / scale
        scale = ranks if name in ("rows", "active_ranks") else 1
        columns[name] = scale * ((1 - weight) * a + weight * b)
    source = f"between {few.ranks} and {many.ranks} ranks of {few.source}"
    return Hierarchy(
        few.problem, ranks, few.points_per_rank, **columns, source=source, origin="interpolated"
    )


def regroup(hierarchy: Hierarchy, ranks: int) -> Hierarchy:
    """Estimate the hierarchy of the same grid on fewer ranks, each with more of it.

    Parameters
    ----------
    hierarchy
        Of the grid on more ranks.
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
    return Hierarchy(hierarchy.problem, ranks, points, **columns, source=source, origin="regrouped")


def estimates_to_check(hierarchy: Hierarchy) -> list[tuple[Hierarchy, Hierarchy]]:
    """Return estimates of hierarchies that ship, made as a given estimate, and the true ones.

    Parameters
    ----------
    hierarchy
        An estimate.

    Returns
    -------
    list
        Pairs of estimate and truth; for ``interpolated`` one for each number of ranks that can be
        left out, for ``regrouped`` one for each grid that ships on two numbers of ranks.
    """
    runs = shipped_hierarchies(hierarchy.problem)
    pairs = []
    if hierarchy.origin == "interpolated":
        same = [h for h in runs if h.points_per_rank == hierarchy.points_per_rank]
        for few, true, many in zip(same, same[1:], same[2:], strict=False):
            pairs.append((interpolate(few, many, true.ranks), true))
    if hierarchy.origin == "regrouped":
        for many in runs:
            for true in runs:
                if 1 < true.ranks < many.ranks and true.rows[0] == many.rows[0]:
                    pairs.append((regroup(many, true.ranks), true))
    return pairs


def _on_cores(known: list[Hierarchy], cores: int) -> Hierarchy | None:
    """Return the hierarchy with a rank on each core, interpolated if it is between two."""
    for h in known:
        if h.ranks == cores:
            return h
    few = [h for h in known if h.ranks < cores]
    many = [h for h in known if h.ranks > cores]
    return interpolate(few[-1], many[0], cores) if few and many else None


def _nothing_near(problem: str, points: Points, cores: int) -> UserError:
    ranks_by_points: dict[Points, list[str]] = {}
    for h in shipped_hierarchies(problem):
        ranks_by_points.setdefault(h.points_per_rank, []).append(str(h.ranks))
    ships = "; ".join(
        f"{'x'.join(map(str, p))} on {', '.join(r)}" for p, r in ranks_by_points.items()
    )
    return UserError(
        f"hierarchy: none ships, or lies between two, for {problem} with these points and cores "
        "(give one with --hierarchy)",
        value=f"{'x'.join(map(str, points))} on {cores}",
        allowed=ships,
    )


def _multiplied(points: Points, factor: int) -> Points:
    """Return the points of so many ranks together, the shortest side doubled first."""
    sides = list(points)
    while factor > 1:
        prime = next((p for p in (2, 3, 5, 7) if factor % p == 0), factor)
        sides[sides.index(min(sides))] *= prime
        factor //= prime
    return (sides[0], sides[1], sides[2])
