"""Tables of a profile, on a terminal and in files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from odonata import profile as profiles
from odonata import report
from odonata.files import write_whole
from odonata.interchange.report import Coverage
from odonata.report.printing import print_line, print_table
from odonata.report.spreadsheets import csv_of_records
from odonata.result.overview import count, fixed, part, seconds, share, size
from odonata.text import for_table

__all__ = ["print_comparison", "print_views", "write_csv"]

MOST_BLOCKS = 16
"""Rows of the matrix on a terminal; of more ranks, each row is a group of neighbours."""

MOST_PARTNERS = 10
"""Pairs of ranks that are listed, those with the most bytes first."""

COMPARED = 12
"""Pairs of ranks that a comparison lists."""


def print_views(views: profiles.Views) -> None:
    """Print all views of a profile.

    Parameters
    ----------
    views
        The views.
    """
    for title, columns, rows in _tables(views):
        if rows:
            _print(title, columns, rows)
    for note in (*views.profile.notes, *_unknown(views)):
        print_line(f"{for_table(note)}.")
    waiting = views.profile.waiting
    if waiting is not None and waiting.reversed_messages:
        print_line(
            f"warning: {waiting.reversed_messages:,} of {waiting.messages:,} messages were "
            "received before they were sent: clocks of computers differ, and waits with them"
        )
    if views.profile.lost:
        print_line(f"warning: {views.profile.lost} counts found no memory or disk space")


def write_csv(views: profiles.Views, folder: Path) -> None:
    """Write the views as tables with plain numbers.

    Parameters
    ----------
    views
        The views.
    folder
        Folder of calls.csv, ranks.csv, sizes.csv, matrix.csv, collectives.csv, phases.csv and,
        where waits are known, waiting.csv.
    """
    folder.mkdir(parents=True, exist_ok=True)
    document = views.plain()
    calls = [{"call": name, **call} for name, call in document["calls"].items()]
    sizes = [
        {"call": name, **one} for name, bins in document["sizes"]["by_call"].items() for one in bins
    ]
    collectives = [{"operation": name, **one} for name, one in document["collectives"].items()]
    ranks = [
        {"rank": rank, "wall_seconds": wall, "mpi_seconds": mpi, "sent_bytes": sent}
        for rank, (wall, mpi, sent) in enumerate(
            zip(
                views.wall_seconds.tolist(),
                views.mpi_seconds.tolist(),
                views.sent_bytes.tolist(),
                strict=True,
            )
        )
        if views.profile.by_rank
    ]
    tables = {
        "calls": calls,
        "ranks": ranks,
        "sizes": sizes,
        "matrix": document["matrix"],
        "collectives": collectives,
        "phases": document["phases"],
    }
    if document["waiting"] is not None:
        reasons = document["waiting"]["reasons"]
        tables["waiting"] = [{"reason": name, **one} for name, one in reasons.items()]
    for name, rows in tables.items():
        write_whole(folder / f"{name}.csv", csv_of_records(rows).encode())


def print_comparison(found: Mapping[str, Any], first: str, second: str) -> None:
    """Print two profiles side by side.

    Parameters
    ----------
    found
        Comparison of them; see `odonata.profile.compare_views`.
    first, second
        Their names.
    """
    writers = {"bytes": size, "seconds": seconds}
    rows = []
    for name, both in found["totals"].items():
        write = writers.get(name.rpartition("_")[2], count)
        if both[0] is not None or both[1] is not None:
            rows.append([name.replace("_", " "), *(write(value) or "" for value in both)])
    _print("Totals", ["", first, second], rows)
    rows = [
        [
            name,
            *(count(value) for value in both["count"]),
            *(size(value) for value in both["bytes"]),
            *(seconds(value) or "" for value in both["seconds"]),
        ]
        for name, both in found["calls"].items()
    ]
    each = [f"{what} {name}" for what in ("calls", "bytes", "time") for name in (first, second)]
    _print("Calls", ["call", *each], rows)
    pairs = [
        [
            f"{one['source']} to {one['target']}",
            *map(count, one["messages"]),
            *map(size, one["bytes"]),
        ]
        for one in found["matrix"][:COMPARED]
    ]
    if pairs:
        _print(
            f"{len(found['matrix']):,} pairs of ranks that differ",
            ["ranks", *each[:2], *each[2:4]],
            pairs,
        )
    alike = "are equal" if found["same"] else "differ"
    print_line(f"Counts, sizes and matrices {alike}.")


def _tables(views: profiles.Views) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    yield "", ["profile", ""], _overview(views)
    timed = views.profile.timed
    columns = ["call", "calls", "of all", "without idle polls", "bytes"]
    times = ["time of all ranks", "of MPI", "mean rank", "longest rank"] if timed else []
    yield "Calls", columns + times, [_call(name, views) for name in views.calls]
    yield "Calls that were made", ["call", "made", "recorded", ""], _covered(views.profile.coverage)
    if timed and views.profile.by_rank:
        yield "Time in MPI by rank", _RANKS, _by_rank(views)
    yield from _waiting_tables(views)
    yield "Sizes of messages and blocks, in the paper's bins", _SIZES, _bins(views.paper_sizes())
    yield "Sizes in powers of two", _SIZES, _bins(views.sizes())
    columns = ["call", *(_range(one) for one in views.paper_sizes())]
    yield "Messages and blocks by call and size", columns, _by_call(views)
    yield (
        "Collectives",
        ["operation", "calls", "bytes moved"],
        [[name, count(one.calls), size(one.bytes)] for name, one in views.collectives.items()],
    )
    yield from _matrix_tables(views)
    if len(views.profile.phases) > 1:
        yield "Phases", ["phase", "calls", "time of all ranks", "in MPI", "sent"], _phases(views)


def _waiting_tables(views: profiles.Views) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    found = views.waiting()
    if found is None:
        return
    whole = found["seconds"]
    rows = [
        [
            name.replace("_", " "),
            count(one["calls"]),
            seconds(one["seconds"]) or "",
            share(one["seconds"] / whole),
        ]
        for name, one in found["reasons"].items()
        if one["calls"]
    ]
    yield "Waiting, by reason", ["reason", "calls that wait", "time of all ranks", "of it"], rows
    rows = [
        [name, *(seconds(one[what]) or "" for what in ("seconds", "waiting", "transfer"))]
        for name, one in found["calls"].items()
    ]
    yield "Waiting and transfer", ["call", "time of all ranks", "waiting", "transfer"], rows


_RANKS = ["rank", "wall", "in MPI", "of the wall", "sent"]
_SIZES = ["size", "messages", "of all", "bytes"]


def _unknown(views: profiles.Views) -> Iterable[str]:
    """Yield a sentence about the records that a reader did not know."""
    if views.profile.unknown:
        some = [f"{name} ({times:,})" for name, times in [*views.profile.unknown.items()][:12]]
        yield f"Unknown records: {', '.join(some)}"


def _coverage(coverage: Coverage | None) -> str:
    if coverage is None or coverage.share is None:
        return ""
    return (
        f"{100 * coverage.share:.3g} %: {count(coverage.num_recorded)} of "
        f"{count(coverage.num_called)} calls are recorded"
    )


def _covered(coverage: Coverage | None) -> list[list[str]]:
    """Return a row for each function of a trace that says how often each was called."""
    if coverage is None or set(coverage.called) <= {"all"}:
        return []
    order = sorted({*coverage.called, *coverage.recorded})
    order.sort(key=lambda name: -coverage.called.get(name, 0))
    rows = []
    for name in order:
        made, kept = coverage.called.get(name, 0), coverage.recorded.get(name, 0)
        share = part(kept, made)
        rows.append([name, count(made), count(kept), share])
    return rows


def _overview(views: profiles.Views) -> list[list[str]]:
    profile = views.profile
    calls = sum(call.count for call in views.calls.values())
    idle = sum(call.nothing_found for call in views.calls.values())
    rows = {
        "program": profile.program,
        "ranks": count(profile.ranks)
        + ("" if profile.complete else " (some did not come to MPI_Finalize)"),
        "source": " ".join(part for part in (profile.source, profile.library) if part),
        "calls": count(calls),
        "coverage": _coverage(profile.coverage),
        "polls that found nothing": f"{count(idle)} ({share(idle / calls)})" if idle else "",
    }
    if profile.has_pairs or len(profile.sizes):
        rows["sent"] = size(views.message_bytes)
        rows["moved by collectives"] = size(views.collective_bytes)
        rows["total data"] = size(views.total_bytes)
    if profile.timed:
        wall, mpi = float(views.wall_seconds.mean()), float(views.mpi_seconds.mean())
        rows["wall, mean rank"] = seconds(wall) or ""
        rows["in MPI, mean rank"] = f"{seconds(mpi)} ({share(mpi / wall)})" if wall else ""
        rows["imbalance of time in MPI"] = fixed(views.imbalance(views.mpi_seconds)) or ""
        outside = views.outside_seconds
        rows["imbalance of time outside"] = fixed(views.imbalance(outside)) or ""
    rows["imbalance of bytes sent"] = fixed(views.imbalance(views.sent_bytes)) or ""
    return [[name, value] for name, value in rows.items() if value]


def _call(name: str, views: profiles.Views) -> list[str]:
    call = views.calls[name]
    row = [
        name,
        count(call.count),
        share(call.share),
        share(call.share_without_polls),
        size(call.bytes) if call.bytes else "",
    ]
    if views.profile.timed:
        row += [
            seconds(call.seconds) or "",
            share(call.mpi_share),
            seconds(call.mean_seconds) or "",
            seconds(call.longest_rank_seconds) or "",
        ]
    return row


def _by_rank(views: profiles.Views) -> list[list[str]]:
    """Return a row for each rank, or for those with the most, median and least time in MPI."""
    order = np.argsort(-views.mpi_seconds, kind="stable")
    if len(order) > 2 * MOST_BLOCKS:
        middle = len(order) // 2
        order = np.concatenate([order[:8], order[middle : middle + 1], order[-8:]])
    return [
        [
            str(rank),
            seconds(views.wall_seconds[rank]) or "0 s",
            seconds(views.mpi_seconds[rank]) or "0 s",
            share(views.mpi_seconds[rank] / views.wall_seconds[rank])
            if views.wall_seconds[rank]
            else "",
            size(int(views.sent_bytes[rank])),
        ]
        for rank in order.tolist()
    ]


def _bins(bins: Sequence[profiles.SizeBin]) -> list[list[str]]:
    total = sum(one.messages for one in bins)
    return [
        [_range(one), count(one.messages), share(one.messages / total), size(one.bytes)]
        for one in bins
        if one.messages
    ]


def _range(one: profiles.SizeBin) -> str:
    if one.least is None and one.most is None:
        return "unknown"
    if one.most is None:
        return f"{one.least:,} B and more"
    return f"{one.least:,} B" if one.least == one.most else f"{one.least:,} to {one.most:,} B"


def _by_call(views: profiles.Views) -> list[list[str]]:
    rows = []
    for name in views.calls:
        bins = views.paper_sizes(name)
        if any(one.messages for one in bins):
            rows.append([name, *(count(one.messages) if one.messages else "" for one in bins)])
    return rows


def _matrix_tables(views: profiles.Views) -> Iterable[tuple[str, list[str], list[list[str]]]]:
    matrix = views.matrix
    if not len(matrix.source):
        return
    fold = -(-matrix.ranks // MOST_BLOCKS)
    n = -(-matrix.ranks // fold)
    blocks = np.zeros((2, n, n), dtype=np.int64)
    place = (matrix.source // fold, matrix.target // fold)
    np.add.at(blocks[0], place, matrix.messages)
    np.add.at(blocks[1], place, matrix.bytes)
    names = [_group(at * fold, min((at + 1) * fold, matrix.ranks) - 1) for at in range(n)]
    for title, values, write in (("messages", blocks[0], count), ("bytes", blocks[1], size)):
        rows = [
            [names[at], *(write(int(value)) if value else "." for value in values[at])]
            for at in range(n)
        ]
        yield f"Who sends to whom, {title}", ["from \\ to rank", *names], rows
    most = np.argsort(-matrix.bytes, kind="stable")[:MOST_PARTNERS]
    yield (
        f"Pairs of ranks with the most bytes, of {len(matrix.source):,}",
        ["from", "to", "messages", "bytes"],
        [
            [
                str(matrix.source[at]),
                str(matrix.target[at]),
                count(int(matrix.messages[at])),
                size(int(matrix.bytes[at])),
            ]
            for at in most.tolist()
        ],
    )


def _group(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _phases(views: profiles.Views) -> list[list[str]]:
    return [
        [
            (one["phase"] or "none") + ("" if one["level"] is None else f", level {one['level']}"),
            count(one["calls"]),
            seconds(one["seconds"]) or "",
            seconds(one["mpi_seconds"]) or "",
            size(one["message_bytes"]),
        ]
        for one in views.plain()["phases"]
    ]


def _print(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print_table(report.Table(columns, rows, left=1, title=title))
    print_line()
