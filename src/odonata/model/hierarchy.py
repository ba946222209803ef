"""Hierarchies of algebraic multigrid, as the numbers that the model of its cycle needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError, near_miss
from odonata.files import checked, read_json

__all__ = [
    "PROBLEMS",
    "Hierarchy",
    "Points",
    "load_document",
    "parse_document",
    "parse_run",
    "read_hierarchy",
]

Points = tuple[int, int, int]
"""Points of a box of the grid along its three axes."""

PROBLEMS: Mapping[str, tuple[str, float]] = {
    "laplace": ("3D 7-point Laplacian", 7.0),
    "laplace27": ("3D 27-point Laplacian", 27.0),
}
"""Description of each problem in files, and its most nonzeros per row on level 0."""

MOST_BYTES = 16 * 2**20
"""Largest file that is read."""

MOST_LEVELS = 100
MOST = 1e15  # any number of a file
MOST_RANKS = 10**8

_COLUMNS: Mapping[str, str] = {
    "rows": "rows",
    "row_nonzeros": "nnz_per_row",
    "interp_nonzeros": "P_nnz_per_row",
    "sends": "A_max_sends",
    "values_sent": "A_max_elements_sent",
    "interp_sends": "P_max_sends",
    "interp_values_sent": "P_max_elements_sent",
    "active_ranks": "active_ranks",
}
Count = Annotated[float, msgspec.Meta(ge=0, le=MOST, multiple_of=1)]
"""A whole number of a file; some programs write all numbers with a point."""

Mean = Annotated[float, msgspec.Meta(ge=0, le=MOST)]
Side = Annotated[int, msgspec.Meta(ge=1, le=int(MOST))]


class Level(msgspec.Struct, rename=_COLUMNS):
    """A level of a run in a file."""

    rows: Count
    row_nonzeros: Mean
    interp_nonzeros: Mean
    sends: Count
    values_sent: Count
    interp_sends: Count
    interp_values_sent: Count
    active_ranks: Count


class Run(msgspec.Struct):
    """A run in a file."""

    ranks: Annotated[int, msgspec.Meta(ge=1, le=MOST_RANKS)]
    points_per_rank: tuple[Side, Side, Side]
    levels: Annotated[list[Level], msgspec.Meta(min_length=1, max_length=MOST_LEVELS)]
    problem: str | None = None
    source: object = None


class _Meta(msgspec.Struct):
    problem: str | None = None


class _Runs(msgspec.Struct):
    runs: Annotated[list[object], msgspec.Meta(min_length=1)]
    problem: str | None = None
    meta: _Meta | None = None


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The levels of a hierarchy, level 0 the finest; all arrays have shape (levels,).

    Parameters
    ----------
    problem
        Its name: see `PROBLEMS`.
    ranks
        Over which the hierarchy is distributed: P.
    points_per_rank
        Grid points of each rank along x, y and z.
    rows
        Unknowns: C_i.
    row_nonzeros, interp_nonzeros
        Mean nonzeros a row of the solve operator and of the interpolation: s_i, ŝ_i.
    sends, interp_sends
        Largest number of messages that any rank sends for either: p_i, p̂_i.
    values_sent, interp_values_sent
        Largest number of values of 8 bytes that any rank sends for either: n_i, n̂_i.
    active_ranks
        Ranks that have unknowns: P_i.
    source
        Where the numbers come from.
    origin
        ``shipped``, ``file``, or how it was estimated: see `odonata.model.estimates`.

    References
    ----------
    Model-guided AMG on a dragonfly, section 4.1, list of terms.
    """

    problem: str
    ranks: int
    points_per_rank: Points
    rows: NDArray[np.float64]
    row_nonzeros: NDArray[np.float64]
    interp_nonzeros: NDArray[np.float64]
    sends: NDArray[np.float64]
    values_sent: NDArray[np.float64]
    interp_sends: NDArray[np.float64]
    interp_values_sent: NDArray[np.float64]
    active_ranks: NDArray[np.float64]
    source: str = ""
    origin: str = "file"

    def __post_init__(self) -> None:
        for name in _COLUMNS:
            column = np.array(getattr(self, name), dtype=np.float64).reshape(-1)
            if len(column) != len(np.reshape(self.rows, -1)):
                raise UserError(f"{name}: not one number a level", value=len(column))
            column.setflags(write=False)
            object.__setattr__(self, name, column)

    @property
    def num_levels(self) -> int:
        """Number of levels: L."""
        return len(self.rows)

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the arrays by name, each of shape (levels,)."""
        return {name: getattr(self, name) for name in _COLUMNS}

    def __repr__(self) -> str:
        head = f"{self.problem}, {self.ranks} ranks of {self.points_per_rank}, {self.origin}"
        lines = [head, "level       rows   s_i   p_i    n_i  active"]
        lines += [
            f"{i:5d} {self.rows[i]:10.0f} {self.row_nonzeros[i]:5.1f} {self.sends[i]:5.0f} "
            f"{self.values_sent[i]:6.0f} {self.active_ranks[i]:7.0f}"
            for i in range(self.num_levels)
        ]
        return "\n".join(lines)


def read_hierarchy(path: str | Path, *, problem: str, ranks: int, points: int) -> Hierarchy:
    """Read one run from a JSON file and check its problem, ranks and points.

    Parameters
    ----------
    path
        A file with the keys of one run (``ranks``, ``points_per_rank``, ``levels``), or with
        several of them in ``runs``.
    problem
        Name of the problem: see `PROBLEMS`.
    ranks
        The number of ranks that is wanted.
    points
        Grid points of all ranks together.

    Raises
    ------
    UserError
        The file is damaged, a key is missing, a number is out of range, or the run is of another
        problem, size or number of ranks.
    """
    document = load_document(path)
    if isinstance(document, dict) and isinstance(document.get("runs"), list):
        same = [run for run in document["runs"] if _is_on(run, ranks)]
        if document["runs"] and not same:
            there = sorted({r["ranks"] for r in document["runs"] if _has_ranks(r)})
            raise UserError("hierarchy: none for this number of ranks", value=ranks,
                            allowed=", ".join(map(str, there)), where=str(path))  # fmt: skip
        document = {**document, "runs": same}
    runs = parse_document(document, problem=problem, where=str(path))
    fitting = [run for run in runs if run.ranks == ranks and run.rows[0] == points]
    if not fitting:
        found = [f"{run.ranks} ranks, {run.rows[0]:.0f} unknowns" for run in runs]
        raise UserError(
            "hierarchy: wrong size",
            value="; ".join(found),
            allowed=f"{ranks} ranks, {points} unknowns",
            where=str(path),
        )
    return fitting[0]


def load_document(path: str | Path) -> object:
    """Return the contents of a JSON file; errors as for `odonata.files.read_json`.

    Parameters
    ----------
    path
        The file.
    """
    return read_json(path, MOST_BYTES, what="hierarchy")


def parse_document(document: object, *, problem: str, where: str) -> list[Hierarchy]:
    """Return the runs of a document: one run, or several in ``runs``.

    Parameters
    ----------
    document
        The document that JSON gives.
    problem
        Name of the problem that is wanted: see `PROBLEMS`.
    where
        Name of the file, for errors.

    Raises
    ------
    UserError
        The document is wrong in a way that `read_hierarchy` lists.
    """
    if not isinstance(document, dict) or "runs" not in document:
        return [parse_run(document, problem=problem, where=where)]
    several = checked(document, _Runs, what="hierarchy", where=where)
    named = several.problem if several.meta is None else several.meta.problem
    _check_problem(named, problem, f"{where}:problem")
    return [
        parse_run(run, problem=problem, where=f"{where}:runs[{i}]")
        for i, run in enumerate(several.runs)
    ]


def parse_run(
    run: object, *, problem: str, where: str, source: str = "", origin: str = "file"
) -> Hierarchy:
    """Return one run, checked.

    Parameters
    ----------
    run
        The run that JSON gives.
    problem
        Name of the problem that is wanted.
    where
        File, and key in it, for errors.
    source, origin
        For `Hierarchy`.

    Raises
    ------
    UserError
        The run is wrong in a way that `read_hierarchy` lists.
    """
    if isinstance(run, dict) and "redistribution" in run and "levels" not in run:
        raise UserError(
            "hierarchy: missing in the output of odonata-amg --redistribute; run it without, for "
            "its levels",
            where=where,
        )
    given = checked(run, Run, what="run", where=where)
    _check_problem(given.problem, problem, f"{where}:problem")
    columns = {
        name: np.array([getattr(level, name) for level in given.levels]) for name in _COLUMNS
    }
    hierarchy = Hierarchy(
        problem,
        given.ranks,
        given.points_per_rank,
        **columns,
        source=source or str(given.source or where),
        origin=origin,
    )
    _check_levels(hierarchy, where)
    return hierarchy


def _is_on(run: object, ranks: int) -> bool:
    return _has_ranks(run) and run["ranks"] == ranks  # type: ignore[index]


def _has_ranks(run: object) -> bool:
    return isinstance(run, dict) and isinstance(run.get("ranks"), int)


def _check_problem(given: str | None, problem: str, where: str) -> None:
    if problem not in PROBLEMS:
        raise UserError(
            "problem: unknown",
            value=problem,
            near=near_miss(problem, PROBLEMS),
            allowed=", ".join(PROBLEMS),
        )
    text, _ = PROBLEMS[problem]
    if given is None or given == problem:
        return
    if not given.startswith(text):
        raise UserError(
            "problem: differs from the requested one", value=given, allowed=problem, where=where
        )


def _check_levels(hierarchy: Hierarchy, where: str) -> None:
    """Refuse levels that can't be: of another problem, not coarser, more ranks than there are."""
    h = hierarchy
    _, most = PROBLEMS[h.problem]
    if h.row_nonzeros[0] > most:
        raise UserError(
            "nnz_per_row: too large for the problem",
            value=float(h.row_nonzeros[0]),
            allowed=f"at most {most:g} on level 0 of {h.problem}",
            where=f"{where}:levels[0].nnz_per_row",
        )
    if h.rows[0] != h.ranks * math.prod(h.points_per_rank):
        raise UserError(
            "rows: not the points of all ranks",
            value=int(h.rows[0]),
            allowed=str(h.ranks * math.prod(h.points_per_rank)),
            where=f"{where}:levels[0].rows",
        )
    for i in range(1, h.num_levels):
        if h.rows[i] and h.rows[i] >= h.rows[i - 1]:
            raise UserError(
                "rows: a level is not coarser than the previous one (several hierarchies in a "
                "list?)",
                value=int(h.rows[i]),
                where=f"{where}:levels[{i}].rows",
            )
    for name in ("active_ranks", "sends", "interp_sends"):
        most = h.ranks - (name != "active_ranks")  # no rank sends to itself
        too_many = np.flatnonzero(getattr(h, name) > most)
        if len(too_many):
            raise UserError(
                f"{_COLUMNS[name]}: more than there are ranks",
                value=int(getattr(h, name)[too_many[0]]),
                allowed=f"0 to {most}",
                where=f"{where}:levels[{too_many[0]}].{_COLUMNS[name]}",
            )
