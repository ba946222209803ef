"""Checks of a drawn simulation: runs of it that must agree, and its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from drawing import Drawn

from odonata.explain import Explained
from odonata.result import Result, Run
from odonata.simulate import run


def check(drawn: Drawn, folder: Path) -> None:
    """Run it in several ways, and raise AssertionError where two of them differ.

    Parameters
    ----------
    drawn
        The simulation.
    folder
        Folder for its files.
    """
    jobs, options = drawn.jobs(folder), replace(drawn.options, digest=True)
    plain = run(drawn.machine, jobs, options)
    shuffled = run(drawn.machine, jobs, replace(options, shuffle_insertions=7))
    whole = run(drawn.machine, jobs, replace(drawn.options, explain=True))
    alone = run(drawn.machine, jobs, replace(drawn.options, explain="breakdown"))
    assert shuffled.summary["digest"] == plain.summary["digest"]
    for other in (shuffled, whole, alone):
        same_times(plain, other)
    same_categories(whole, alone)
    for saved in (whole, alone):
        same_when_read(saved, folder / "drawn.nc")


def same_times(one: Run, other: Run) -> None:
    """Compare the times of two runs, and their messages."""
    assert other.end == one.end
    for a, b in zip(one.jobs, other.jobs, strict=True):
        assert a.totals == b.totals
        assert np.array_equal(a.finished, b.finished)
    for column, values in one.links.items():
        assert np.array_equal(values, other.links[column]), column


def same_categories(whole: Run, alone: Run) -> None:
    """Compare the times by category of an explanation and a breakdown, and the path with a run."""
    first, second = whole.explanation, alone.explanation
    assert first is not None
    assert second is not None
    assert (first.categories, first.scopes) == (second.categories, second.scopes)
    for rank, (a, b) in enumerate(zip(first.by_rank, second.by_rank, strict=True)):
        assert np.array_equal(a, b), (rank, times(first.categories, a), times(first.categories, b))
    assert np.array_equal(first.by_scope, second.by_scope)
    job = whole.jobs[0].totals
    assert Explained(whole).length_ps == max(job["last_finished"], job["last_delivered"])


def times(categories: tuple[str, ...], row: np.ndarray) -> Mapping[str, int]:
    """Return the times of a rank that are not 0, by category [ps]."""
    return {name: int(time) for name, time in zip(categories, row, strict=True) if time}


def same_when_read(saved: Run, path: Path) -> None:
    """Compare a result with what its file has, and their explanations."""
    made = Result(saved)
    made.save(path)
    read = Result.load(path)
    assert read.dataset.identical(made.dataset)
    assert read.warnings == made.warnings
    assert Explained(read.run).document() == Explained(saved).document()
