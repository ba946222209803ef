"""Fields that several runs have in common, and fields in which they differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from odonata.result import JobRun, Result
from odonata.result.overview import num_ranks, share, size
from odonata.result.run import Scalar

__all__ = [
    "CHOICES",
    "WORKLOAD",
    "circumstances",
    "common",
    "field",
    "group_seeds",
    "in_words",
    "label",
    "run_labels",
    "varying",
]

WORKLOAD = ("operation", "algorithm", "pattern")
"""Fields that name a workload."""

FIELDS = (
    *WORKLOAD,
    "machine",
    "changes",
    "engine",
    "routing",
    "bias_bytes",
    "allocation",
    "mapping",
    "ranks_per_node",
    "background",
    "busy",
    "sides",
    "distribution",
    "cells",
    "points",
    "bytes",
    "root",
    "repetitions",
    "collectives",
    "compute_scale",
)
"""Fields that tell one run from another, from the outside in; ``bytes`` is the workload's."""

DETAILS = ("cell_bytes", "ghosts", "exchanges", "messages_per_rank")
"""Fields that are told where runs differ alone."""

PREFIXES = {"background": "background", "busy": "busy", "changes": "with", "root": "root"}
"""Words that stand before a field in a header."""

COUNTED = {
    "repetitions": "{} repetitions",
    "cells": "{} cells",
    "cell_bytes": "cells of {} B",
    "ghosts": "{} ghost layers",
    "exchanges": "{} exchanges a step",
    "messages_per_rank": "{} packets a node",
}
"""Words around a number in a header."""

CHOICES = (
    "algorithm",
    "machine",
    "changes",
    "routing",
    "bias_bytes",
    "allocation",
    "mapping",
    "ranks_per_node",
    "collectives",
)
"""Fields that a user chooses, of which one is better than another; all others are circumstances."""

_OF_CHOICES = {*CHOICES, "requested_algorithm", "mean_node_distance"}
_MET = ("operation", "engine", "background", "busy", "ranks", "offered_load")

USUAL: dict[str, Scalar] = {"bias_bytes": 0, "root": 0, "repetitions": 1, "compute_scale": 1}
"""Values that go without saying."""


def field(result: Result, name: str) -> Scalar:
    """Return a field of a run, by name.

    Parameters
    ----------
    result
        A run.
    name
        A field of the workload of its first job, else of its summary. An algorithm that ``auto``
        stood for has both names, ``ring (auto)``.
    """
    if name == "algorithm":
        return _algorithm(result)
    if name == "background":
        behind = (_behind(job) for job in result.jobs if job.background)
        return " + ".join(dict.fromkeys(behind)) or None
    if name == "busy":
        return _busy(result)
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
    names = (*FIELDS, *DETAILS)
    return [name for name in names if len({field(result, name) for result in results}) > 1]


def group_seeds(results: Sequence[Result]) -> list[list[Result]]:
    """Return runs in groups that differ in nothing but their seed, in the order they came.

    Parameters
    ----------
    results
        Runs.
    """
    groups: dict[tuple[Scalar, ...], list[Result]] = {}
    for result in results:
        got = result.run.summary.get
        told = (field(result, name) for name in (*FIELDS, *DETAILS))
        key = (*told, got("ranks"), got("offered_load"))
        groups.setdefault(key, []).append(result)
    return list(groups.values())


def circumstances(result: Result) -> dict[str, Scalar]:
    """Return the circumstances of a run: only runs with the same circumstances are compared.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    dict
        Values by field: the operation or program and its sizes, ranks, load, other jobs, engine.
    """
    job = result.main_job
    fields = {} if job is None else dict(job.workload)
    met = {name: value for name, value in fields.items() if name not in _OF_CHOICES}
    return {name: field(result, name) for name in _MET} | met


def in_words(name: str, value: Scalar) -> str:
    """Return a circumstance in words, such as ``8 ranks`` or ``busy 80 %``.

    Parameters
    ----------
    name, value
        The field and its value.
    """
    if name == "ranks":
        return num_ranks(value)
    if value is None:
        return "busy 0 %" if name == "busy" else f"no {name}"
    if name in ("operation", "program", "engine", *PREFIXES, *FIELDS):
        return _word(name, value)
    return f"{name.replace('_', ' ')} {value}"


def label(result: Result, names: Sequence[str]) -> str:
    """Return the name of a run beside others that differ from it in some fields.

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
    words = {name: _word(name, value) for name, value in values.items() if value is not None}
    rest = [word for name, word in words.items() if name not in WORKLOAD]
    workload = "/".join(words[name] for name in WORKLOAD if name in words)
    job = result.main_job
    return ", ".join([workload, *rest] if workload else rest) or (job.name if job else "")


def run_labels(results: Sequence[Result]) -> list[str]:
    """Return the name of each run beside the others, with ranks, load and seed if these differ.

    Parameters
    ----------
    results
        Runs.
    """
    fields = varying(results)
    written: dict[str, Callable[[Scalar], str]] = {
        "ranks": num_ranks,
        "offered_load": "load {}".format,
        "seed": "seed {}".format,
    }
    numbers = {
        key: write
        for key, write in written.items()
        if len({result.run.summary.get(key) for result in results}) > 1
    }
    made = []
    for result in results:
        given = [write(result.run.summary.get(key)) for key, write in numbers.items()]
        made.append(", ".join([*([label(result, fields)] if fields or not given else []), *given]))
    return made


def common(results: Sequence[Result]) -> str:
    """Return the common fields of runs, in a line.

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    str
        Such as ``allgather  ·  eos  ·  packet  ·  minimal  ·  1 rank a node  ·  1 KiB  ·
        random, block  ·  seed 7``; default values (no bias, no repetitions) are left out.
    """
    different = varying(results)
    values = {name: field(results[0], name) for name in FIELDS if name not in different}
    named = [values.pop(name, None) for name in WORKLOAD]
    words = ["/".join(str(word) for word in named if word is not None)]
    placed = [values.pop(name, None) for name in ("allocation", "mapping")]
    for name, value in values.items():
        if value is not None and value != USUAL.get(name):
            words.append(_word(name, value))
    words.append(", ".join(dict.fromkeys(str(word) for word in placed if word is not None)))
    words += [_counted(results, name) for name in ("ranks", "seed")]
    return "  ·  ".join(word for word in words if word)


def _word(name: str, value: Scalar) -> str:
    """Return a field as a header has it."""
    if name in ("bytes", "bias_bytes"):
        return size(value) if name == "bytes" else f"bias {size(value)}"
    if name == "ranks_per_node":
        return "1 rank a node" if value == 1 else f"{value} ranks a node"
    if name in COUNTED:
        return COUNTED[name].format(value)
    if name == "compute_scale":
        return f"compute x {value:g}" if value else "no compute"
    return f"{PREFIXES[name]} {value}" if name in PREFIXES else str(value)


def _counted(results: Sequence[Result], name: str) -> str:
    """Return the common number of ranks or seed, or how many seeds runs have."""
    values = {result.run.summary.get(name) for result in results}
    if name == "seed" and len(values) > 1:
        return f"{len(values)} seeds"
    value = values.pop() if len(values) == 1 else None
    if not isinstance(value, int):
        return ""
    return f"seed {value}" if name == "seed" else num_ranks(value)


def _algorithm(result: Result) -> Scalar:
    job = result.main_job
    if job is None:
        return result.run.summary.get("algorithm")
    name = job.workload.get("algorithm")
    asked = job.workload.get("requested_algorithm")
    return f"{name} (auto)" if asked == "auto" and name is not None else name


def _busy(result: Result) -> str | None:
    """Return the share of the other nodes that other jobs keep busy; None without such jobs."""
    among = [job for job in result.jobs if job.workload.get("allocation") == "busy"]
    return share(result.run.summary.get("busy")) if among else None


def _behind(job: JobRun) -> str:
    """Return a background job as the command line writes it, such as ``uniform:0.3``."""
    pattern, load = job.workload.get("pattern"), job.workload.get("load")
    return job.name if pattern is None else f"{pattern}:{load}"
