"""Hierarchies that come with Odonata."""

from __future__ import annotations

import functools
import math
from pathlib import Path

from odonata.errors import UserError, near_miss
from odonata.model.estimates import extrapolate, interpolate, regroup
from odonata.model.hierarchy import PROBLEMS, Hierarchy, Points, parse_run

__all__ = ["find_hierarchy", "shipped_hierarchies"]

SHIPPED = Path(__file__).parents[1] / "data" / "hierarchies"
"""Files of the hierarchies that come with Odonata."""


@functools.cache
def shipped_hierarchies(problem: str) -> tuple[Hierarchy, ...]:
    """Return the shipped hierarchies of a problem, by points per rank and number of ranks.

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
    file = SHIPPED / f"{problem}.json"
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
        With ``origin`` ``shipped``, or how it was estimated: ``interpolated``, ``extrapolated``,
        ``regrouped`` or two of them, see the functions of `odonata.model.estimates`.

    Raises
    ------
    UserError
        No shipped hierarchy is near; lists all of them.
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


def _on_cores(known: list[Hierarchy], cores: int) -> Hierarchy | None:
    """Return the hierarchy with a rank on each core, estimated if two others are known."""
    for h in known:
        if h.ranks == cores:
            return h
    few = [h for h in known if h.ranks < cores]
    many = [h for h in known if h.ranks > cores]
    if few and many:
        return interpolate(few[-1], many[0], cores)
    return extrapolate(known, cores) if len(known) > 1 else None


def _nothing_near(problem: str, points: Points, cores: int) -> UserError:
    ranks_by_points: dict[Points, list[str]] = {}
    for h in shipped_hierarchies(problem):
        ranks_by_points.setdefault(h.points_per_rank, []).append(str(h.ranks))
    ships = "; ".join(
        f"{'x'.join(map(str, p))} on {', '.join(r)}" for p, r in ranks_by_points.items()
    )
    return UserError(
        f"hierarchy: none ships, or can be estimated, for {problem} with these points and cores "
        "(give one with --hierarchy)",
        value=f"{'x'.join(map(str, points))} on {cores}",
        allowed=ships,
    )
