"""Tables of a run and of several: what it cost, and which links made it so."""

from __future__ import annotations

from collections.abc import Sequence

from odonata.report.comparison import WORKLOAD, field, label, varying
from odonata.report.table import Table
from odonata.result import ClassLoad, LinkLoad, Result, busiest_links, class_loads
from odonata.result.overview import count, fixed, overview, seconds, share, size, title

__all__ = [
    "comparison_table",
    "hot_links",
    "link_class_table",
    "summary_table",
    "where_the_time_goes",
]


def summary_table(result: Result) -> Table:
    """Return what a run was and what it cost, a line each.

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
    longest = job.totals.get("latency_max", 0) / 1e12 if job else None
    rows = {
        **overview(result.run),
        "placement": ", ".join(word for word in placed if word),
        "longest latency": seconds(longest),
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

    Parameters
    ----------
    results
        Runs.

    Returns
    -------
    Table
        The time, and what explains it: messages, path lengths, latencies, the busiest link, the
        buffers that filled.
    """
    names = [name for name in varying(results) if name not in WORKLOAD]
    what = WORKLOAD if "operation" in varying(results) else ("algorithm", "pattern")
    plain = all(field(result, "algorithm") for result in results)
    traffic = any(result.run.summary.get("offered_load") is not None for result in results)
    columns = ["algorithm" if plain else "workload", *names, "ranks", "time", "messages"]
    columns += ["routers per packet", "mean latency", "busiest link", "filled buffers"]
    rows = [
        [label(result, what), *(_field(result, name) for name in names), *_costs(result)]
        for result in results
    ]
    if traffic:
        columns += ["offered", "accepted"]
        for row, result in zip(rows, results, strict=True):
            row += [fixed(result.run.summary.get(f"{side}_load")) for side in columns[-2:]]
    return Table(columns, rows, left=1 + len(names))


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
    """Return one sentence: which links were busiest, where credit was short, what filled.

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


def _costs(result: Result) -> list[str]:
    got = result.run.summary.get
    loads = class_loads(result)
    return [
        count(got("ranks")),
        seconds(got("time_seconds")),
        count(got("messages")),
        fixed(got("mean_routers")),
        seconds(got("mean_latency_seconds")),
        share(max((load.max_utilisation for load in loads), default=None)),
        count(sum(load.num_filled for load in loads)),
    ]


def _field(result: Result, name: str) -> str:
    value = field(result, name)
    return size(value) if name == "bytes" else str("" if value is None else value)


def _ends(load: LinkLoad) -> tuple[str, str]:
    source = "node" if load.class_name == "injection" else "router"
    target = "node" if load.class_name == "ejection" else "router"
    return f"{source} {load.source}", f"{target} {load.target}"
