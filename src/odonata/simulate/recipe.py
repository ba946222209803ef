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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from odonata import workload
from odonata.errors import UserError
from odonata.machine import Machine, from_document
from odonata.placement import Placement
from odonata.result import Run
from odonata.result.run import Scalar
from odonata.simulate.job import Job
from odonata.simulate.options import Options
from odonata.simulate.recipe_text import KINDS, JobRecipe, KeptRecipe
from odonata.simulate.simulation import Progress, run
from odonata.workload.build import Workload

__all__ = ["Recipe"]


@dataclass(frozen=True)
class Recipe:
    """Machine, jobs and options of a run.

    Parameters
    ----------
    machine
        Contents of the machine file, see `odonata.machine.Machine.document`.
    changes
        Changes of it, by dotted key.
    jobs
        The jobs.
    nodes
        Node of each rank of each job.
    options
        The options that decide the outcome.
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
            kept = msgspec.convert(json.loads(run.recipe), KeptRecipe)
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

    def with_changes(self, changes: Mapping[str, object]) -> Recipe:
        """Return the recipe on a machine with further changes.

        Parameters
        ----------
        changes
            Values by dotted key, beside the changes of the run.
        """
        return replace(self, changes={**self.changes, **changes})

    def with_options(self, **options: Scalar) -> Recipe:
        """Return the recipe with other options.

        Parameters
        ----------
        options
            Such as ``routing`` and ``seed``.
        """
        return replace(self, options={**self.options, **options})

    def with_algorithm(self, name: str) -> Recipe:
        """Return the recipe of a collective operation with another algorithm.

        Parameters
        ----------
        name
            The algorithm.
        """
        (job,) = self.jobs
        fields = {**job["fields"], "algorithm": name}
        return replace(self, jobs=[{**job, "fields": fields}])

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
