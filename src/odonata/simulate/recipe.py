"""Recipes: all that a run was made of, so that it can be made again.

>>> from odonata import machine, placement, simulate, workload
>>> theta = machine.load("theta")
>>> job = simulate.Job(workload.Collective("bcast"), placement.place(theta, 8))
>>> first = simulate.run(theta, [job])
>>> again = simulate.Recipe.of_run(first)
>>> again.run().end == first.end
True
>>> again.run({"router.delay": "1 us"}).end > first.end
True
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from odonata import workload
from odonata.errors import UserError
from odonata.machine import Machine, from_document
from odonata.placement import Placement
from odonata.result import Run, Scalar
from odonata.simulate.job import Job
from odonata.simulate.options import Options
from odonata.workload.build import Workload

if TYPE_CHECKING:
    from odonata.simulate.simulation import Progress

__all__ = ["Recipe", "recipe_text"]

KINDS = ("Collective", "PointToPoint", "Halo", "Sedov", "Fft", "Traffic", "Replay")
"""Workloads that are data; others are functions or programs of the caller."""

KEPT_OPTIONS = ("engine", "routing", "seed", "bias_bytes")
"""Options that decide what happens; the others decide what is recorded of it."""

_OF_THE_RUN = ("statistics", "watcher", "promises")
"""Fields of workloads that a run fills in."""


class JobRecipe(TypedDict):
    """Kind and fields of a job's workload, and how it was placed."""

    kind: str
    fields: dict[str, Any]
    background: bool
    allocation: str
    mapping: str


class _Kept(TypedDict):
    """A recipe as a file holds it."""

    machine: dict[str, Any]
    changes: dict[str, Any]
    jobs: list[JobRecipe]
    options: dict[str, Scalar]


@dataclass(frozen=True)
class Recipe:
    """Machine, jobs and options of a run.

    Parameters
    ----------
    machine
        Contents of the machine file, see `odonata.machine.Machine.document`.
    changes
        What was changed in it, by dotted key.
    jobs
        The jobs.
    nodes
        Node of each rank of each job.
    options
        The options that decide what happens.
    """

    machine: Mapping[str, Any]
    changes: Mapping[str, object]
    jobs: Sequence[JobRecipe]
    nodes: Sequence[Sequence[int]]
    options: Mapping[str, Scalar]

    @classmethod
    def of_run(cls, run: Run, where: str = "result") -> Recipe:
        """Return the recipe of a run.

        Parameters
        ----------
        run
            The run, also one that was read from a file.
        where
            Name of its file, for errors.

        Raises
        ------
        UserError
            The run has no recipe: it is older, or its jobs are programs of the caller.
        """
        if run.recipe is None:
            raise UserError(f"{where}: cannot be run again: {_why_not(run)}")
        import msgspec

        try:
            kept = msgspec.convert(json.loads(run.recipe), _Kept)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{where}: its recipe is damaged: {error}") from error
        if len(kept["jobs"]) != len(run.jobs):
            raise UserError(f"{where}: its recipe is damaged: it has other jobs")
        return cls(nodes=[[int(node) for node in job.nodes] for job in run.jobs], **kept)

    def load_machine(self, changes: Mapping[str, object] | None = None) -> Machine:
        """Return the machine, with further changes.

        Parameters
        ----------
        changes
            Values by dotted key, beside the changes of the run.
        """
        return from_document(self.machine, {**self.changes, **(changes or {})})

    def run(
        self,
        changes: Mapping[str, object] | None = None,
        *,
        progress: Callable[[Progress], None] | None = None,
    ) -> Run:
        """Run the jobs again.

        Parameters
        ----------
        changes
            Numbers of the machine that are different, by dotted key.
        progress
            Called now and then.

        Raises
        ------
        UserError
            A change is not one that the machine takes, or a trace is not there any more.
        """
        from odonata.simulate.simulation import run

        machine = self.load_machine(changes)
        options = _made("options", Options, self.options)
        return run(machine, self._jobs(machine), options, record_messages=False, progress=progress)

    def _jobs(self, machine: Machine) -> list[Job]:
        made = []
        for job, nodes in zip(self.jobs, self.nodes, strict=True):
            how = {"allocation": job["allocation"], "mapping": job["mapping"]}
            placed = Placement(machine, nodes, **how)
            made.append(Job(_workload(job), placed, background=job["background"]))
        return made


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
    """Return what JSON can hold: a path is that of the same file from any folder."""
    if isinstance(value, Path):
        return str(value.resolve())
    return dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]


def _workload(job: JobRecipe) -> Workload:
    if job["kind"] not in KINDS:
        raise UserError("recipe: no such workload", value=job["kind"], allowed=", ".join(KINDS))
    given = dict(job["fields"])
    if "path" in given:
        given["path"] = Path(given["path"])
    made: Workload = _made("workload", getattr(workload, job["kind"]), given)
    return made


def _made(what: str, kind: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    try:
        return kind(**given)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise UserError(f"recipe: damaged {what}: {error}") from error


def _why_not(run: Run) -> str:
    if "mpi_calls" in run.provenance:
        return "a real program needs its trace: run it with --record run.trace, and replay that"
    return (
        "its jobs are Python functions, or a trace of another tool (odonata trace convert), or an "
        "older Odonata saved it"
    )
