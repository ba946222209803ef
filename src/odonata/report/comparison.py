"""What several runs have in common, and in what they differ."""

from __future__ import annotations

from collections.abc import Sequence

from odonata.result import Result, Scalar

__all__ = ["field", "label", "varying"]

FIELDS = (
    "operation",
    "algorithm",
    "pattern",
    "machine",
    "engine",
    "routing",
    "allocation",
    "mapping",
    "background",
    "bytes",
)
"""What tells one run from another, from the outside in; ``bytes`` is that of the workload."""


def field(result: Result, name: str) -> Scalar:
    """Return what a run was asked for, by name.

    Parameters
    ----------
    result
        A run.
    name
        A field of the workload of its first job, else of its summary.
    """
    job = result.main_job
    if job is not None and name in job.workload:
        return job.workload[name]
    return None if name == "bytes" else result.run.summary.get(name)


def varying(results: Sequence[Result]) -> list[str]:
    """Return the fields in which runs differ.

    Parameters
    ----------
    results
        Runs.
    """
    return [name for name in FIELDS if len({field(result, name) for result in results}) > 1]


def label(result: Result, names: Sequence[str]) -> str:
    """Return what a run is called beside others that differ from it in some fields.

    Parameters
    ----------
    result
        A run.
    names
        The fields, see `varying`.

    Returns
    -------
    str
        Such as ``allgather/ring, valiant``; the workload's name if no field has a value.
    """
    words = {name: str(field(result, name)) for name in names if field(result, name) is not None}
    if "operation" in words and "algorithm" in words:
        words["algorithm"] = f"{words.pop('operation')}/{words['algorithm']}"
    job = result.main_job
    return ", ".join(words.values()) or (job.name if job is not None else "")
