"""The layout of a result: every variable with its dimensions, units and long name.

Jobs stand one behind the other along ``rank``, ``mark`` and ``message`` (the indexed ragged arrays
of the CF conventions); ``rank_job``, ``mark_job`` and ``message_job`` say whose each entry is.
Times stay whole picoseconds (int64), exactly as the engines counted them; where a sum of times of
many ranks, messages or links needs more than 64 bits, its variable has the nearest float64 numbers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.result.explanation import EXPLANATION_VERSION, Causes, Explanation
from odonata.result.latencies import bin_widths
from odonata.result.run import JobRun, Run
from odonata.text import for_file

__all__ = [
    "ATTRIBUTES",
    "EXPLANATION",
    "FORMAT",
    "RECIPE",
    "TABLES",
    "TOTALS",
    "Column",
    "Variable",
    "attributes",
    "checksum_of",
    "variables",
]

FORMAT = 4
"""Version of the layout; a file says which it has.

In format 1 there was no checksum, and before format 4 no account of where the time went.
"""

ATTRIBUTES = ("summary", "jobs", "link_classes", "machine", "options", "provenance")
"""Global attributes that hold JSON text."""

EXPLANATION = "explanation"
"""Global attribute with JSON text that is there if an account of the time was kept."""

RECIPE = "recipe"
"""Global attribute with JSON text that is there if the run can be made again."""

MOST_PHASE_TIMES = 2**24
"""Entries of ``phase_time`` above which it is left out."""

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Column:
    """A column of a `Run` and its name in the dataset.

    Parameters
    ----------
    name
        Name of the variable.
    units
        Its units; ``"1"`` for counts and numbers of things.
    long_name
        Its description.
    coordinate
        Whether it identifies the entry, and is no measurement.
    """

    name: str
    units: str
    long_name: str
    coordinate: bool = False


@dataclass(frozen=True)
class Variable:
    """A labelled array.

    Parameters
    ----------
    dims
        Names of its dimensions.
    values
        Its values; text as an array of Python strings.
    units, long_name, coordinate
        See `Column`.
    """

    dims: tuple[str, ...]
    values: Array
    units: str
    long_name: str
    coordinate: bool = False


TABLES: Mapping[str, Mapping[str, Column]] = {
    "link": {
        "from": Column("link_from", "1", "router, or node of an injection link, it leaves", True),
        "to": Column("link_to", "1", "router, or node of an ejection link, it leads to", True),
        "class": Column("link_class_number", "1", "position in link_class", True),
        "group_from": Column("link_group_from", "1", "group that the link leaves", True),
        "group_to": Column("link_group_to", "1", "group that the link leads to", True),
        "bytes": Column("link_bytes", "B", "bytes sent, headers included"),
        "busy": Column("link_busy", "ps", "time spent sending"),
        "stalled": Column("link_stalled", "ps", "time with packets waiting, free, without credit"),
        "peak_waiting": Column("link_peak_waiting", "B", "most bytes that waited at its router"),
    },
    "buffer": {
        "link": Column("buffer_link", "1", "link at whose downstream end it is", True),
        "vc": Column("buffer_vc", "1", "virtual channel", True),
        "capacity": Column("buffer_capacity", "B", "size"),
        "peak": Column("buffer_peak", "B", "most bytes reserved, returning credits included"),
        "refused": Column("buffer_refused", "1", "times it was full when a packet asked for room"),
    },
    "message": {
        "source": Column("message_source", "1", "rank of the job that sent it", True),
        "target": Column("message_target", "1", "rank of the job that received it", True),
        "bytes": Column("message_bytes", "B", "size"),
        "sent": Column("message_sent", "ps", "when it was handed to the NIC"),
        "delivered": Column("message_delivered", "ps", "when its last byte arrived"),
        "routers": Column("message_routers", "1", "routers that forwarded it, mean of its packets"),
    },
    "mark": {
        "rank": Column("mark_rank", "1", "rank of the job that entered a phase", True),
        "phase": Column("mark_phase", "1", "position in the phases of the job", True),
        "begin": Column("mark_begin", "ps", "when it entered the phase"),
    },
    "event": {
        "time": Column("event_time", "ps", "when a packet started on a link or was delivered"),
        "link": Column("event_link", "1", "link; -1: delivered"),
        "vc": Column("event_vc", "1", "virtual channel; node, if delivered"),
        "source": Column("event_source", "1", "node that the packet comes from"),
        "packet": Column("event_packet", "1", "number of the packet, counted by its source"),
    },
    "stretch": {
        "begin": Column("stretch_begin", "ps", "when a stretch of the critical path begins"),
        "end": Column("stretch_end", "ps", "when it ends"),
        "rank": Column("stretch_rank", "1", "rank of all jobs that works, or sends", True),
        "to": Column("stretch_to", "1", "rank that waits for the message; -1: work", True),
        "category": Column("stretch_category", "1", "position in the categories", True),
        "link": Column("stretch_link", "1", "link that the message waits for; -1: none", True),
        "full": Column(
            "stretch_full", "1", "full link that a lack of credit comes from; -1: not known", True
        ),
        "scope": Column("stretch_scope", "1", "part of the program of the rank", True),
    },
    "step": {
        "kind": Column("step_kind", "1", "what the rank did; 11: it waited", True),
        "time": Column("step_time", "ps", "how long"),
        "scope": Column("step_scope", "1", "part of the program", True),
        "cause": Column("step_cause", "1", "crossing that ended the wait; -1: none", True),
    },
    "crossing": {
        "handed": Column("crossing_handed", "ps", "when a message was handed to its NIC"),
        "end": Column("crossing_end", "ps", "when it had arrived, or left its node"),
        "launcher": Column("crossing_launcher", "1", "rank that handed it over", True),
        "from": Column("crossing_from", "1", "rank that sends the whole message", True),
        "to": Column("crossing_to", "1", "rank that receives it", True),
        "parent": Column("crossing_parent", "1", "crossing that it answers; -1: none", True),
        "leg": Column("crossing_leg", "1", "0 eager, 1 request, 2 answer, 3 data, 4 traffic", True),
        "bytes": Column("crossing_bytes", "B", "size of the message"),
        "pieces": Column("crossing_pieces", "1", "pieces of its way"),
    },
    "piece": {
        "part": Column("piece_part", "1", "0 queue, 1 credit, 2 own bytes, 3 slower, 4 wire", True),
        "link": Column("piece_link", "1", "link", True),
        "time": Column("piece_time", "ps", "how long"),
    },
}
"""Columns of a `Run` by dimension."""

TOTALS: Mapping[str, tuple[str, str]] = {
    "messages": ("1", "messages of the application, delivered"),
    "control_messages": ("1", "requests to send and their answers"),
    "bytes": ("B", "bytes of the application, delivered"),
    "packets": ("1", "packets delivered"),
    "packet_hops": ("1", "routers that forwarded a packet, summed over packets"),
    "latency_sum": ("ps", "latency, summed over messages"),
    "latency_max": ("ps", "longest latency of a message"),
    "first_sent": ("ps", "when the first message was sent"),
    "last_delivered": ("ps", "when the last message arrived"),
    "window_begin": ("ps", "begin of the steady window of traffic"),
    "window_end": ("ps", "end of the steady window: the first rank has nothing left to send"),
    "window_bytes": ("B", "bytes delivered in the steady window"),
    "window_first_bytes": ("B", "bytes delivered in its first half"),
}
"""Units and long names of `JobRun.totals`."""


def attributes(run: Run) -> dict[str, str | int]:
    """Return labels of the whole: the layout's version, the end, and JSON text to run it again.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    dict
        ``title``, ``odonata_format``, ``end_ps`` [ps], and each of `ATTRIBUTES`.
    """
    jobs = [
        {
            "name": job.name,
            "background": job.background,
            "workload": dict(job.workload),
            "totals": dict(job.totals),
            "phases": list(job.phases),
            "has_messages": job.messages is not None,
        }
        for job in run.jobs
    ]
    plain = {
        "summary": dict(run.summary),
        "jobs": jobs,
        "link_classes": list(run.link_classes),
        "machine": dict(run.machine),
        "options": dict(run.options),
        "provenance": dict(run.provenance),
    }
    title = f"{', '.join(job.name for job in run.jobs)} on {run.summary.get('machine', '?')}"
    texts: dict[str, str | int] = {name: _json(_writable(plain[name])) for name in ATTRIBUTES}
    if run.explanation is not None:
        texts[EXPLANATION] = _json(_explanation_text(run.explanation))
    if run.recipe is not None:
        texts[RECIPE] = run.recipe
    return {"title": title, "odonata_format": FORMAT, "end_ps": int(run.end), **texts}


def _writable(value: object) -> object:
    """Return a document whose texts are as files hold them."""
    if isinstance(value, str):
        return for_file(value)
    if isinstance(value, dict):
        return {_writable(key): _writable(each) for key, each in value.items()}
    return [_writable(each) for each in value] if isinstance(value, list) else value


def checksum_of(attributes: Mapping[str, Mapping[str, object]]) -> int:
    """Return the checksum of all attributes of a file; arrays have their own.

    Parameters
    ----------
    attributes
        By name of the variable, and then by their own name; the file's own under ``""``.

    Returns
    -------
    int
        CRC-32 of the names and values as JSON text with sorted keys, UTF-8.
    """
    text = json.dumps(attributes, sort_keys=True, ensure_ascii=False)
    return zlib.crc32(text.encode(errors="surrogatepass"))


def variables(run: Run) -> dict[str, Variable]:
    """Return every variable of a run by name, coordinates included.

    Parameters
    ----------
    run
        The run.

    Returns
    -------
    dict of str to Variable
        In the order of the page on results.
    """
    made = dict(_jobs(run.jobs))
    made |= _ranks(run.jobs)
    made |= _phases(run.jobs)
    made |= _latencies(run.jobs)
    made |= _ragged("message", [job.messages for job in run.jobs])
    made |= _links(run)
    made |= _table("buffer", run.buffers)
    made["time"] = Variable(("time",), run.samples["time"], "ps", "time of the sample", True)
    made["waiting"] = Variable(
        ("time", "link_class"),
        run.samples["waiting"],
        "B",
        "bytes waiting at routers for links of the class",
    )
    if run.log is not None:
        made |= _table("event", run.log)
    if run.explanation is not None:
        made |= _explanation(run.explanation)
    return made


def _explanation_text(explanation: Explanation) -> dict[str, object]:
    return {
        "version": EXPLANATION_VERSION,
        "categories": list(explanation.categories),
        "scopes": [asdict(scope) for scope in explanation.scopes],
        "proportions": dict(explanation.proportions),
    }


def _explanation(explanation: Explanation) -> dict[str, Variable]:
    names = _text(explanation.categories)
    causes = {} if explanation.causes is None else _causes(explanation.causes)
    return {
        "category": Variable(("category",), names, "1", "name of a category of time", True),
        "rank_time": Variable(
            ("rank", "category"), explanation.by_rank, "ps", "time of the rank in the category"
        ),
        "scope_time": Variable(
            ("scope", "category"), explanation.by_scope, "ps", "time of all ranks in a part"
        ),
        **({} if explanation.path is None else _table("stretch", explanation.path)),
        **causes,
        **_kinds(explanation),
    }


def _kinds(explanation: Explanation) -> dict[str, Variable]:
    if explanation.kinds is None:
        return {}
    long_name = "what the rank mostly did in the interval; 255: it had ended"
    return {"rank_kind": Variable(("rank", "interval"), explanation.kinds, "1", long_name)}


def _causes(causes: Causes) -> dict[str, Variable]:
    return {
        "rank_steps": Variable(("rank",), causes.counts, "1", "steps of the rank"),
        **_table("step", causes.steps),
        **_table("crossing", causes.crossings),
        **_table("piece", causes.pieces),
    }


def _json(plain: object) -> str:
    """Write plain data, numpy's scalars included, exactly."""
    return json.dumps(plain, ensure_ascii=False, default=lambda scalar: scalar.item())


def _text(names: Sequence[str]) -> Array:
    made = np.empty(len(names), dtype=object)
    made[:] = names
    return made


def _table(dim: str, columns: Mapping[str, Array]) -> dict[str, Variable]:
    return {
        column.name: Variable(
            (dim,), columns[key], column.units, column.long_name, column.coordinate
        )
        for key, column in TABLES[dim].items()
    }


def _jobs(jobs: Sequence[JobRun]) -> Iterator[tuple[str, Variable]]:
    dims = ("job",)
    numbers = np.arange(len(jobs), dtype=np.int32)
    yield "job", Variable(dims, numbers, "1", "number of the job", True)
    yield "job_name", Variable(dims, _text([job.name for job in jobs]), "1", "what it is", True)
    background = np.array([job.background for job in jobs], dtype=np.int8)
    yield "job_background", Variable(dims, background, "1", "1 if it ends with the others")
    for key, (units, long_name) in TOTALS.items():
        values = _sums([job.totals.get(key, 0) for job in jobs])
        yield f"job_{key}", Variable(dims, values, units, long_name)


def _sums(values: Sequence[int]) -> Array:
    """Return whole numbers, or the nearest doubles if one of them needs more than 64 bits."""
    wide = any(not -(2**63) <= value < 2**63 for value in values)
    return np.array(values, dtype=np.float64 if wide else np.int64)


def _ranks(jobs: Sequence[JobRun]) -> dict[str, Variable]:
    dims = ("rank",)
    sizes = [len(job.nodes) for job in jobs]
    ranks = _joined([np.arange(size, dtype=np.int32) for size in sizes], np.int32)
    nodes = _joined([job.nodes for job in jobs], np.int32)
    finished = _joined([job.finished for job in jobs], np.int64)
    return {
        "rank": Variable(dims, ranks, "1", "rank in its job", True),
        "rank_job": Variable(dims, _owners(sizes), "1", "job of the rank", True),
        "rank_node": Variable(dims, nodes, "1", "node that the rank runs on", True),
        "rank_finished": Variable(dims, finished, "ps", "when the rank ended"),
    }


def _phases(jobs: Sequence[JobRun]) -> dict[str, Variable]:
    made = _ragged("mark", [job.marks for job in jobs])
    names = list(dict.fromkeys(name for job in jobs for name in job.phases))
    made["phase"] = Variable(("phase",), _text(names), "1", "name of the phase", True)
    if sum(len(job.nodes) for job in jobs) * len(names) <= MOST_PHASE_TIMES:
        parts = [_phase_times(job, names) for job in jobs]
        times = np.concatenate(parts) if parts else np.empty((0, 0), dtype=np.int64)
        long_name = "time that the rank spent in the phase"
        made["phase_time"] = Variable(("rank", "phase"), times, "ps", long_name)
    return made


def _phase_times(job: JobRun, names: Sequence[str]) -> NDArray[np.int64]:
    """Return the time of each rank in each phase [ps]; a phase lasts until the rank's next mark."""
    spent = np.zeros((len(job.nodes), len(names)), dtype=np.int64)
    rank, begin = job.marks["rank"], job.marks["begin"]
    order = np.lexsort((np.arange(len(rank)), begin, rank))
    rank, begin, phase = rank[order], begin[order], job.marks["phase"][order]
    end = job.finished[rank].astype(np.int64)
    same = rank[1:] == rank[:-1]
    end[:-1][same] = begin[1:][same]
    position = {name: at for at, name in enumerate(names)}
    column = np.array([position[name] for name in job.phases], dtype=np.intp)
    np.add.at(spent, (rank, column[phase]), end - begin)
    return spent


def _latencies(jobs: Sequence[JobRun]) -> dict[str, Variable]:
    """Return the histograms of all jobs over the bins that any of them fills."""
    edges = np.unique(_joined([job.latencies["latency"] for job in jobs], np.int64))
    counts = np.zeros((len(jobs), len(edges)), dtype=np.int64)
    for row, job in zip(counts, jobs, strict=True):
        row[np.searchsorted(edges, job.latencies["latency"])] = job.latencies["count"]
    dims = ("latency_bin",)
    ends = edges + bin_widths(edges)
    return {
        "latency_bin": Variable(dims, edges, "ps", "least latency of the bin", True),
        "latency_bin_end": Variable(dims, ends, "ps", "latency where the bin ends", True),
        "latency_count": Variable(("job", *dims), counts, "1", "messages with such a latency"),
    }


def _links(run: Run) -> dict[str, Variable]:
    number = np.arange(len(run.links["from"]), dtype=np.int32)
    made = {"link": Variable(("link",), number, "1", "number of the link", True)}
    made |= _table("link", run.links)
    dims = ("link_class",)
    made["link_class"] = Variable(dims, _text(run.link_classes), "1", "name of the class", True)
    made["link_class_rate"] = Variable(dims, run.link_rates, "B/s", "bandwidth of its links")
    return made


def _ragged(dim: str, parts: Sequence[Mapping[str, Array] | None]) -> dict[str, Variable]:
    """Return the columns of all jobs, one behind the other; nothing if no job has any."""
    given = [part for part in parts if part is not None]
    if not given:
        return {}
    keys = TABLES[dim]
    joined = {key: np.concatenate([part[key] for part in given]) for key in keys}
    sizes = [0 if part is None else len(part[next(iter(keys))]) for part in parts]
    owner = Variable((dim,), _owners(sizes), "1", f"job of the {dim}", True)
    return {f"{dim}_job": owner, **_table(dim, joined)}


def _owners(sizes: Sequence[int]) -> NDArray[np.int32]:
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)


def _joined(parts: Sequence[NDArray[np.generic]], kind: type[np.generic]) -> NDArray[np.int64]:
    """Return arrays one behind the other; without any, an empty one."""
    joined: NDArray[np.int64] = np.concatenate(parts) if parts else np.empty(0, dtype=kind)
    return joined
