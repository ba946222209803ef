"""Tables of a run and of several: its cost, and the links that made it so."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from odonata.report.comparison import WORKLOAD, common, field, group_seeds, label, varying
from odonata.report.table import Table
from odonata.result import ClassLoad, LinkLoad, Result, busiest_links, class_loads
from odonata.result.overview import count, fixed, overview, seconds, share, size, title
from odonata.result.run import Scalar
from odonata.units import Written

__all__ = [
    "comparison_table",
    "hot_links",
    "link_class_table",
    "summary_table",
    "where_the_time_goes",
]


NOT_ALWAYS = (
    "seeds",
    "least to most",
    "interval",
    "offered",
    "accepted",
    "background accepted",
    "warnings",
)
"""Columns of a comparison that are there only if a row has them."""

LEAST = ("routers per packet", "messages", "filled buffers", "mean latency", "least to most")
"""Columns of a comparison that a narrow terminal leaves out first."""


def summary_table(result: Result) -> Table:
    """Return the settings of a run and its costs, a line each.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    Table
        Two columns.
    """
    got = result.run.summary.get
    job = result.main_job
    placed = [str(field(result, name) or "") for name in ("allocation", "mapping")]
    ranks_per_node = field(result, "ranks_per_node")
    longest = job.totals.get("latency_max", 0) / 1e12 if job else None
    rows = {
        **overview(result.run),
        "checked": str(got("checked") or ""),
        "algorithm": str(field(result, "algorithm") or ""),
        "block": size(got("block_bytes")),
        "process grid": str(field(result, "sides") or ""),
        "placement": ", ".join(dict.fromkeys(word for word in placed if word)),
        "average node distance": fixed(got("mean_node_distance") or None),
        "ranks a node": count(ranks_per_node),
        "busy nodes": _busy(result),
        "seed": str("" if got("seed") is None else got("seed")),
        "changed": str(got("changes") or ""),
        "longest latency": seconds(longest),
        "warnings": str(len(result.warnings) or ""),
        "packets": count(got("packets")),
        "events": count(got("events")),
        "simulated in": seconds(got("cpu_seconds")),
        "peak memory": size(got("peak_memory_bytes")),
        "digest": str(got("digest") or ""),
    }
    shown = [[name, value] for name, value in rows.items() if value]
    return Table(["what", "value"], shown, title=title(result.run))


def comparison_table(results: Sequence[Result]) -> Table:
    """Return one row a run, with a column for everything in which the runs differ.

    Runs that differ in nothing but their seed share a row: it has the median of each number, and
    the least and the most of the time.

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    Table
        The time, and its reasons: messages, path lengths, latencies, the busiest link, the buffers
        that filled. The title has the common fields of the runs.
    """
    differing = varying(results)
    names = [name for name in differing if name not in WORKLOAD]
    what = WORKLOAD if "operation" in differing else ("algorithm", "pattern")
    plain = all(field(result, "algorithm") for result in results)
    rows = group_seeds(results)
    several = max((len(runs) for runs in rows), default=0) > 1
    seeds_differ = len({result.run.summary.get("seed") for result in results}) > 1
    labels = [*names, *(["seed"] if seeds_differ and not several else [])]
    head = ["algorithm" if plain else "workload", *(name.replace("_", " ") for name in labels)]
    costs = [_costs(runs) for runs in rows]
    empty = {name for name in NOT_ALWAYS if not any(cost[name] for cost in costs)}
    columns = [name for name in costs[0] if name not in empty] if costs else []
    cells = [
        [
            label(runs[0], what),
            *(_field(runs[0], name) for name in labels),
            *(cost[name] for name in columns),
        ]
        for runs, cost in zip(rows, costs, strict=True)
    ]
    left = 1 + len(labels)
    return Table([*head, *columns], cells, left, title=common(results), least=LEAST)


def hot_links(result: Result, n: int = 10) -> Table:
    """Return the busiest links and where they are.

    Parameters
    ----------
    result
        A run.
    n
        How many.

    Returns
    -------
    Table
        The busiest first; shares are of the run's time.
    """
    columns = ["class", "from", "to", "groups", "link", "bytes", "busy", "without credit"]
    rows = [
        [
            load.class_name,
            *_ends(load),
            f"{load.group_from} → {load.group_to}",
            str(load.link),
            size(load.num_bytes),
            share(load.utilisation),
            share(load.stalled),
            size(load.peak_waiting_bytes),
        ]
        for load in busiest_links(result, n)
    ]
    return Table([*columns, "most waiting"], rows, left=4, title="Busiest links")


def link_class_table(result: Result) -> Table:
    """Return how busy the links of each class were, and whose buffers filled.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    Table
        One row a class; shares are of the run's time.
    """
    columns = ["class", "links", "used", "bytes", "busy, mean of used", "busy, max"]
    columns += ["without credit, sum", "without credit, max", "filled buffers"]
    rows = [
        [
            load.name,
            count(load.num_links),
            count(load.num_used),
            size(load.num_bytes),
            share(load.mean_utilisation),
            share(load.max_utilisation),
            seconds(load.stalled_ps / 1e12),
            share(load.max_stalled),
            f"{count(load.num_filled)} of {count(load.num_buffers)}" if load.num_buffers else "",
        ]
        for load in class_loads(result)
    ]
    return Table(columns, rows, title="Links by class")


def where_the_time_goes(result: Result) -> str:
    """Return one sentence: the busiest links, where credit was short, and full buffers.

    Parameters
    ----------
    result
        A run.

    Returns
    -------
    str
        Such as ``Busiest class: local (38 % mean of 96 used links, 97 % max); no packet waited
        for credit.``
    """
    loads = [load for load in class_loads(result) if load.num_used > 0]
    if not loads:
        return "No link was used."
    busiest = max(loads, key=lambda load: (load.max_utilisation, load.mean_utilisation))
    mean, most = share(busiest.mean_utilisation), share(busiest.max_utilisation)
    used = f"{count(busiest.num_used)} used links"
    return f"Busiest class: {busiest.name} ({mean} mean of {used}, {most} max); {_shortage(loads)}."


def _shortage(loads: Sequence[ClassLoad]) -> str:
    if not any(load.num_buffers for load in loads):
        return "this engine has no buffers"
    worst = max(loads, key=lambda load: load.max_stalled)
    if worst.max_stalled == 0:
        return "no packet waited for credit"
    filled = sum(load.num_filled for load in loads)
    total = sum(load.num_buffers for load in loads)
    part = f"{count(filled)} of {count(total)} buffers filled"
    return f"{worst.name} links waited for credit up to {share(worst.max_stalled)}; {part}"


def _costs(runs: Sequence[Result]) -> dict[str, str]:
    """Return the costs of runs that differ in their seed, by column."""

    def middle(name: str) -> Scalar:
        values = [
            value for run in runs if isinstance(value := run.run.summary.get(name), float | int)
        ]
        return median(values) if values else None

    loads = [class_loads(run) for run in runs]
    busiest = [max((load.max_utilisation for load in each), default=0.0) for each in loads]
    filled = [sum(load.num_filled for load in each) for each in loads]
    return {
        "ranks": count(middle("ranks")),
        "seeds": str(len(runs)) if len(runs) > 1 else "",
        "time": seconds(middle("time_seconds")),
        "least to most": _time_range(runs),
        "interval": str(runs[0].run.summary.get("interval") or ""),
        "messages": count(middle("messages")),
        "routers per packet": fixed(middle("mean_routers")),
        "mean latency": seconds(middle("mean_latency_seconds")),
        "busiest link": share(median(busiest)) if any(loads) else "",
        "filled buffers": count(median(filled)),
        "offered": fixed(middle("offered_load")),
        "accepted": fixed(middle("accepted_load")),
        "background accepted": fixed(middle("background_accepted_load")),
        "warnings": str(sum(len(run.warnings) for run in runs) or ""),
    }


def _time_range(runs: Sequence[Result]) -> str:
    times = [run.run.summary.get("time_seconds") for run in runs]
    known = [time for time in times if isinstance(time, float | int)]
    if len(known) < 2:
        return ""
    return f"{seconds(min(known))} to {seconds(max(known))}"


def _busy(result: Result) -> str:
    part = field(result, "busy")
    number = count(result.run.summary.get("background_jobs"))
    return f"{part} of the others, in {number} jobs" if part else ""


def _field(result: Result, name: str) -> str:
    value = field(result, name)
    if isinstance(value, float) and name != "bytes":
        return Written(f"{value:g}", value)
    return size(value) if name == "bytes" else str("" if value is None else value)


def _ends(load: LinkLoad) -> tuple[str, str]:
    source = "node" if load.class_name.partition("-")[0] == "injection" else "router"
    target = "node" if load.class_name.partition("-")[0] == "ejection" else "router"
    return f"{source} {load.source}", f"{target} {load.target}"
