"""Recipes as text, which a result keeps so that its run can be made again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, TypedDict

from odonata.machine import Machine
from odonata.result.run import Scalar
from odonata.simulate.job import Job
from odonata.simulate.options import Options

__all__ = ["KINDS", "JobRecipe", "KeptRecipe", "recipe_text"]

KINDS = ("Collective", "PointToPoint", "Halo", "Sedov", "Fft", "Traffic", "Replay")
"""Workloads that are data; others are functions or programs of the caller."""

KEPT_OPTIONS = ("engine", "routing", "seed", "bias_bytes")
"""Options that decide the outcome; the others decide what a run records."""

_OF_THE_RUN = ("statistics", "watcher", "lookahead")
"""Fields of workloads that a run fills in."""


class JobRecipe(TypedDict):
    """Kind and fields of a job's workload, and how it was placed."""

    kind: str
    fields: dict[str, Any]
    background: bool
    allocation: str
    mapping: str


class KeptRecipe(TypedDict):
    """A recipe as a file holds it."""

    machine: dict[str, Any]
    changes: dict[str, Any]
    jobs: list[JobRecipe]
    options: dict[str, Scalar]


def recipe_text(machine: Machine, jobs: Sequence[Job], options: Options) -> str | None:
    """Return the recipe of a run as JSON text, without the nodes; None if it has no recipe.

    Parameters
    ----------
    machine, jobs, options
        Of the run.
    """
    if any(type(job.workload).__name__ not in KINDS for job in jobs):
        return None
    return json.dumps(
        {
            "machine": machine.document(),
            "changes": dict(machine.changes),
            "jobs": [_job_text(job) for job in jobs],
            "options": {name: getattr(options, name) for name in KEPT_OPTIONS},
        },
        default=_plain,
    )


def _job_text(job: Job) -> JobRecipe:
    kind = type(job.workload)
    given = [name for name in signature(kind).parameters if name not in _OF_THE_RUN]
    return {
        "kind": kind.__name__,
        "fields": {name: getattr(job.workload, name) for name in given},
        "background": job.background,
        "allocation": job.placement.allocation,
        "mapping": job.placement.mapping,
    }


def _plain(value: object) -> object:
    """Return data for JSON; a path names the same file from any folder."""
    if isinstance(value, Path):
        return str(value.resolve())
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]
