"""The tables of the page, written between its markers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from odonata.measure import find_knees
from odonata.units import format_bytes

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

Row = Mapping[str, object]
Rows = Sequence[Row]

POINT_TO_POINT = ("sendrecv", "exchange")
COLLECTIVES = ("allreduce", "allgather", "alltoall")
KINDS = {
    "4 ranks, single": {"ranks": 4, "ensemble": False},
    "4 ranks, ensemble": {"ranks": 4, "ensemble": True},
    "16 ranks": {"ranks": 16, "ensemble": True},
}
COLOURS = ("green", "black", "red", "blue")


def write(rows: Rows, page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    fill(page, {name: made(rows) for name, made in TABLES.items()})


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    marks = "|".join(":--" if i == 0 else "--:" for i in range(len(head)))
    body = [" | ".join(line) for line in lines]
    return "\n".join([f"| {' | '.join(head)} |", f"|{marks}|", *(f"| {row} |" for row in body)])


def times(rows: Rows, **wanted: object) -> dict[int, float]:
    """Return the times [us] of the rows with these values, by size [B].

    Unless another is wanted, routing is minimal, and algorithm and machine are as they come.
    """
    usual = {"routing": "minimal", "variant": "", "algorithm": "auto"} | wanted
    found = {}
    for row in rows:
        if usual.items() <= row.items():
            size, time = row["bytes"], row["us"]
            assert isinstance(size, int)
            assert isinstance(time, float)
            found[size] = time
    return dict(sorted(found.items()))


def knees(rows: Rows) -> str:
    """Return the knees of the curves of Sendrecv and Exchange, as `odonata.measure` finds them."""
    head = ["benchmark", "communicators", "short messages up to", "knees"]
    lines = []
    for operation in POINT_TO_POINT:
        for kind, of in KINDS.items():
            for colour in COLOURS:
                for variant, limit in (("", "1 KiB"), ("short messages to 8 KiB", "8 KiB")):
                    wanted = {"operation": operation, "colour": colour, "variant": variant, **of}
                    found = times(rows, study="point to point", **wanted)
                    if found:
                        lines.append([operation, f"{colour}, {kind}", limit, _knees(found)])
    return table(head, lines)


def _knees(found: Mapping[int, float]) -> str:
    at = {size: time for size, time in found.items() if size >= 64}
    said = []
    for knee in find_knees(list(at), [time * 1e-6 for time in at.values()]):
        what = f"{knee.seconds * 1e6:+.2g} µs" if knee.kind == "jump" else "bend"
        said.append(f"{format_bytes(knee.low)}: {what}")
    return ", ".join(said) or "none"


def colours(rows: Rows) -> str:
    """Return the time of the slowest colour divided by the fastest's, by size."""
    head = ["size", *(f"{name}, {kind}" for name in POINT_TO_POINT for kind in KINDS)]
    columns = [
        [
            times(rows, study="point to point", operation=name, colour=colour, **of)
            for colour in COLOURS
        ]
        for name in POINT_TO_POINT
        for of in KINDS.values()
    ]
    lines = [
        [format_bytes(size), *(_apart([c[size] for c in column if c]) for column in columns)]
        for size in columns[0][0]
    ]
    return table(head, lines)


def _apart(values: Sequence[float]) -> str:
    return f"{max(values) / min(values):.3f}"


def ratios(rows: Rows) -> str:
    """Return the time on green over that on black of each collective, by size."""
    head = ["size", *(f"{name}, {kind}" for name in COLLECTIVES for kind in KINDS)]
    columns = [
        _over(rows, operation=name, **of, study="collectives")
        for name in COLLECTIVES
        for of in KINDS.values()
    ]
    return _by_size(head, columns)


def alltoall(rows: Rows) -> str:
    """Return the same of Alltoall, by algorithm and with other links."""
    kinds = list(KINDS.items())[1:]
    cases: dict[str, dict[str, object]] = {
        "bruck": {"algorithm": "bruck"},
        "scattered": {"algorithm": "scattered"},
        "pairwise": {"algorithm": "pairwise"},
        "scattered, equal links": {"algorithm": "scattered", "variant": "equal links"},
        "scattered, faster green": {"algorithm": "scattered", "variant": "faster green links"},
    }
    head = ["size", *(f"{name}, {kind}" for kind, _ in kinds for name in cases)]
    columns = [
        _over(rows, study="alltoall", **of, **how) for _, of in kinds for how in cases.values()
    ]
    return _by_size(head, columns)


def short(rows: Rows) -> str:
    """Return the same of short blocks, with drawn delays, other routes and larger headers."""
    kinds = list(KINDS.items())[1:]
    cases: dict[str, dict[str, object]] = {
        "starts within 1 µs": {"variant": "starts within 1 us"},
        "within 10 µs": {"variant": "starts within 10 us"},
        "ugal-l": {"routing": "ugal-l"},
        "valiant": {"routing": "valiant"},
        "headers of 1 KiB": {"variant": "headers of 1 KiB"},
        "of 4 KiB": {"variant": "headers of 4 KiB"},
        "of 8 KiB": {"variant": "headers of 8 KiB"},
    }
    head = ["size", *(f"{name}, {kind}" for kind, _ in kinds for name in cases)]
    columns = [_over(rows, study="short", **of, **how) for _, of in kinds for how in cases.values()]
    return _by_size(head, columns)


def limit(rows: Rows) -> str:
    """Return the time of Alltoall with Bruck's algorithm to 8 KiB over that to 256 B, by size."""
    columns = []
    for colour in ("green", "black"):
        wanted = {"study": "collectives", "operation": "alltoall", "colour": colour, "ranks": 16}
        usual, further = (times(rows, variant=name, **wanted) for name in ("", "Bruck to 8 KiB"))
        columns.append({size: further[size] / usual[size] for size in usual if size <= 2**14})
    return _by_size(["size", "green", "black"], columns)


def adaptive(rows: Rows) -> str:
    """Return green over black with adaptive routes, where they were run."""
    names = (*POINT_TO_POINT, *COLLECTIVES)
    kinds = list(KINDS.items())[1:]
    head = ["size", *(f"{name}, {kind}" for kind, _ in kinds for name in names)]
    columns = [_over(rows, operation=n, routing="ugal-l", **of) for _, of in kinds for n in names]
    return _by_size(head, columns)


def imb(rows: Rows) -> str:
    """Return times of IMB-MPI1 beside the same operation simulated [us]."""
    head = ["size"]
    columns = []
    for operation in (*POINT_TO_POINT, *COLLECTIVES):
        for kind, of in KINDS.items():
            for colour in COLOURS:
                wanted = {"operation": operation, "colour": colour, **of}
                printed = times(rows, study="imb", **wanted)
                if printed:
                    head += [f"{operation}, {colour}, {kind}: IMB", "simulated"]
                    ours = times([row for row in rows if row["study"] != "imb"], **wanted)
                    columns += [printed, {size: ours[size] for size in printed}]
    return _by_size(head, columns)


def _over(rows: Rows, **wanted: object) -> dict[int, float]:
    green, black = (times(rows, colour=colour, **wanted) for colour in ("green", "black"))
    return {size: green[size] / black[size] for size in green if size in black}


def _by_size(head: Sequence[str], columns: Sequence[Mapping[int, float]]) -> str:
    sizes = sorted({size for column in columns for size in column})
    lines = [
        [format_bytes(size), *(f"{c[size]:.2f}" if size in c else "" for c in columns)]
        for size in sizes
    ]
    return table(head, lines)


TABLES: Mapping[str, Callable[[Rows], str]] = {
    "knees": knees,
    "colours": colours,
    "ratios": ratios,
    "alltoall": alltoall,
    "short": short,
    "limit": limit,
    "adaptive": adaptive,
    "imb": imb,
}
