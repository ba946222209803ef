"""Shapes of the lines of a study's files."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["Begun", "Expected", "Header", "Lost", "Marked", "Point", "Record"]


class Header(msgspec.Struct, frozen=True):
    """The first line of a plan.

    Parameters
    ----------
    format
        Number of the layout.
    version
        Version of Odonata.
    file, study
        Name and text of the study file.
    base
        Folder in which its commands run.
    inputs
        Digest of each file that its commands name.
    points
        Number of combinations.
    """

    format: int
    version: str
    file: str
    study: str
    base: str
    inputs: dict[str, str]
    points: int


class Point(msgspec.Struct, frozen=True):
    """A combination.

    Parameters
    ----------
    key
        Digest of all that decides its result but the seed, see `plan.key_of`.
    values
        A value of each option of the axes.
    seconds
        Expected time of a run [s].
    """

    key: str
    values: tuple[str | bool, ...]
    seconds: float


class Expected(msgspec.Struct, frozen=True):
    """The expected time of a line of a plan."""

    seconds: float


class Begun(msgspec.Struct, frozen=True):
    """A line of records that says that a run has begun."""

    begun: str
    seed: int


class Lost(msgspec.Struct, frozen=True):
    """A line of records that says that a run has ended its worker, and no other process."""

    lost: str
    seed: int


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of records: a run that has ended.

    Parameters
    ----------
    key, seed
        Combination and seed; a command without seeds has 0.
    command
        Command that makes the run again.
    result
        Its numbers and texts by name.
    error
        Reason of its failure, in the place of a result.
    cost
        Processor time and memory of the run; they differ from time to time.
    """

    key: str
    seed: int
    command: str
    result: dict[str, Any] | None = None
    error: str | None = None
    cost: dict[str, Any] | None = None

    def number(self, name: str) -> float | None:
        """Return a result that is a number; None: it is missing.

        Parameters
        ----------
        name
            Name of the result.
        """
        value = (self.result or {}).get(name)
        return None if isinstance(value, bool) or not isinstance(value, (int, float)) else value


class Marked(msgspec.Struct, frozen=True):
    """The parts of a line of records that tell which run it is of."""

    key: str | None = None
    begun: str | None = None
    lost: str | None = None
    seed: int = 0
    error: str | None = None
