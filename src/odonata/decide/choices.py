"""Choices that a user has beside the numbers of the machine: routing, and algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from odonata.machine import Machine, routings
from odonata.result import Run
from odonata.simulate import Recipe
from odonata.workload import algorithms

__all__ = ["KINDS", "Choice", "choices"]

KINDS = ("routing", "algorithm")
"""Names of choices."""


@dataclass(frozen=True)
class Choice:
    """Another way to make a run on the same machine and nodes.

    Parameters
    ----------
    name
        One of `KINDS`.
    before, value
        The choice of the run, and the other one.
    recipe
        The run with that.
    """

    name: str
    before: str
    value: str
    recipe: Recipe


def choices(recipe: Recipe, machine: Machine, base: Run) -> Iterator[Choice]:
    """Yield the choices that a run could be made with instead, one choice at a time.

    Parameters
    ----------
    recipe
        The run.
    machine
        Its machine.
    base
        What came out: it has the algorithm that ``auto`` chose.
    """
    used = str(recipe.options["routing"])
    for name in routings(machine.core.family):
        if name != used and recipe.options["engine"] == "packet":
            yield Choice("routing", used, name, recipe.with_options(routing=name))
    # The algorithm of a job that makes other jobs wait is not looked for.
    if len(recipe.jobs) == 1 and recipe.jobs[0]["kind"] == "Collective":
        used = str(base.jobs[0].workload["algorithm"])
        for name in algorithms()[recipe.jobs[0]["fields"]["operation"]]:
            if name != used:
                yield Choice("algorithm", used, name, recipe.with_algorithm(name))
