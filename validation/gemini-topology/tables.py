"""The tables of the page, written between its markers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from published import SAVED

Row = Mapping[str, object]


def write(rows: Sequence[Row], page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    text = page.read_text(encoding="utf-8")
    for name, made in TABLES.items():
        head, found, rest = text.partition(f"<!-- {name} -->\n")
        if found:
            text = f"{head}{found}\n{made(rows)}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    page.write_text(text, encoding="utf-8")


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    marks = "|".join(":--" if i == 0 else "--:" for i in range(len(head)))
    rows = [" | ".join(line) for line in lines]
    return "\n".join([f"| {' | '.join(head)} |", f"|{marks}|", *(f"| {row} |" for row in rows)])


def pick(rows: Sequence[Row], **wanted: object) -> Row:
    """Return the only row with these values."""
    (found,) = (row for row in rows if wanted.items() <= row.items())
    return found


def number(value: object) -> float:
    assert isinstance(value, (int, float))
    return float(value)


def rate(row: Row, key: str) -> str:
    return f"{number(row[key]) / 1e9:.2f}"


def streams(rows: Sequence[Row]) -> str:
    of = [row for row in rows if row["study"] == "streams"]
    windows = list(dict.fromkeys(row["window"] for row in of))
    cases = [(w, axis, way) for w in windows for axis in "xyz" for way in ("one way", "both ways")]
    head = ["hops", *(f"{axis}, {way}{', window' * (w != '0 B')}" for w, axis, way in cases)]
    lines = []
    for hops in sorted({int(number(row["hops"])) for row in of}):
        cells = [rate(pick(of, window=w, axis=a, hops=hops), way) for w, a, way in cases]
        lines.append([str(hops), *cells])
    return table(head, lines)


def parallel(rows: Sequence[Row]) -> str:
    of = [row for row in rows if row["study"] == "parallel"]
    lines = [
        [
            f"{row['axis']}, {row['hops']}",
            rate(row, "one pair"),
            rate(row, "two pairs"),
            f"{number(row['two pairs']) / number(row['one pair']):.2f}",
        ]
        for row in of
    ]
    return table(["axis, hops", "one pair", "two pairs", "ratio"], lines)


def time_of(rows: Sequence[Row], along: str, operation: str, size: str, variant: str) -> float:
    row = pick(rows, along=along, operation=operation, bytes=size, variant=variant)
    return number(row["mean_us"])


def cases_of(rows: Sequence[Row], groups: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return variant, operation and size of the rows about these groups, each once."""
    of = [row for row in rows if row["study"] == "collectives" and row["along"] in groups]
    cases = ((str(row["variant"]), str(row["operation"]), str(row["bytes"])) for row in of)
    return list(dict.fromkeys(cases))


def saved(slow: float, fast: float) -> str:
    return f"{round(100 * (1 - fast / slow)):d} %"


def lines_of(rows: Sequence[Row], cases: Sequence[tuple[str, str, str]]) -> str:
    lines = []
    for variant, operation, size in cases:
        x, y, z = (time_of(rows, along, operation, size, variant) for along in "xyz")
        lines.append([variant or "as it stands", operation, size, f"{x:.1f}", f"{y:.1f}"])
        lines[-1] += [f"{z:.1f}", saved(x, y), f"{SAVED['row', operation]} %"]
    head = ["machine", "operation", "block", "x [µs]", "y [µs]", "z [µs]", "y saves", "published"]
    return table(head, lines)


def planes_of(rows: Sequence[Row], cases: Sequence[tuple[str, str, str]]) -> str:
    lines = []
    for variant, operation, size in cases:
        xy, xz, yz = (
            time_of(rows, along, operation, size, variant) for along in ("xy", "xz", "yz")
        )
        lines.append([variant or "as it stands", operation, size, f"{xy:.1f}", f"{xz:.1f}"])
        lines[-1] += [f"{yz:.1f}", saved(xz, min(xy, yz)), f"{SAVED['plane', operation]} %"]
    head = [
        "machine",
        "operation",
        "block",
        "xy [µs]",
        "xz [µs]",
        "yz [µs]",
        "y saves",
        "published",
    ]
    return table(head, lines)


def rows_table(rows: Sequence[Row]) -> str:
    return lines_of(rows, cases_of(rows, ("x", "y", "z")))


def planes_table(rows: Sequence[Row]) -> str:
    return planes_of(rows, cases_of(rows, ("xy", "xz", "yz")))


def bytes_table(rows: Sequence[Row]) -> str:
    """Return the bytes on the links of each class for the rows of the largest blocks."""
    lines = []
    for variant, operation, size in cases_of(rows, ("x", "y", "z")):
        if variant in ("", "two links along y", "the two nodes along x") and size == "256 KiB":
            for along in "xyz":
                row = pick(rows, along=along, operation=operation, bytes=size, variant=variant)
                classes = ("y", "y-cable") if along == "y" else (along,)
                total = sum(number(row[f"{name} MiB"]) for name in classes)
                most = max(number(row[f"{name} most MiB"]) for name in classes)
                line = [variant or "as it stands", operation, along, f"{total:.0f}", f"{most:.2f}"]
                lines.append([*line, f"{number(row['last_us']):.0f}"])
    head = ["machine", "operation", "rows along", "all links [MiB]", "fullest link [MiB]"]
    return table([*head, "last rank [µs]"], lines)


TABLES: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "streams": streams,
    "parallel": parallel,
    "rows": rows_table,
    "planes": planes_table,
    "bytes": bytes_table,
}
