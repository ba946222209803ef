"""What several runs have in common, and in what they differ."""

from __future__ import annotations

from collections.abc import Sequence

from odonata.result import JobRun, Result, Scalar
from odonata.result.overview import size

__all__ = ["WORKLOAD", "common", "field", "label", "varying"]

WORKLOAD = ("operation", "algorithm", "pattern")
"""What names a workload."""

FIELDS = (
    *WORKLOAD,
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
    if name == "background":
        return " + ".join(_behind(job) for job in result.jobs if job.background) or None
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
    values = {name: field(result, name) for name in names}
    words = {name: str(value) for name, value in values.items() if value is not None}
    rest = [word for name, word in words.items() if name not in WORKLOAD]
    workload = "/".join(words[name] for name in WORKLOAD if name in words)
    job = result.main_job
    return ", ".join([workload, *rest] if workload else rest) or (job.name if job else "")


def common(results: Sequence[Result]) -> str:
    """Return what runs have in common, in a line.

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    str
        Such as ``allgather  ·  eos  ·  packet  ·  minimal  ·  random  ·  1 KiB``.
    """
    different = varying(results)
    values = {name: field(results[0], name) for name in FIELDS if name not in different}
    named = [values.pop(name, None) for name in WORKLOAD]
    words = ["/".join(str(word) for word in named if word is not None)]
    for name, value in values.items():
        if value is not None:
            written = size(value) if name == "bytes" else str(value)
            words.append(f"background {written}" if name == "background" else written)
    return "  ·  ".join(word for word in words if word)


def _behind(job: JobRun) -> str:
    """Return a background job as the command line writes it, such as ``uniform:0.3``."""
    pattern, load = job.workload.get("pattern"), job.workload.get("load")
    return job.name if pattern is None else f"{pattern}:{load}"
