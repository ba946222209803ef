"""The tables of the page, written between its markers."""

from __future__ import annotations

from pathlib import Path
from statistics import mean

from cases import Case

from odonata.report import Table

Row = dict[str, object]
NAMES = {"booksim": "BookSim 2", "codes": "CODES"}


def write(ours: list[Row], theirs: list[Row], page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    text = page.read_text()
    for name in ("matched", "differs"):
        rows = [row for row in theirs if row["table"] == name]
        head, found, rest = text.partition(f"<!-- {name} -->\n")
        if found:
            table = _table(ours, rows)
            text = f"{head}{found}\n{table}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"
    page.write_text(text)


def _table(ours: list[Row], theirs: list[Row]) -> Table:
    head = ["shape", "traffic", "routing", "load", "what differs", "simulator"]
    head += ["theirs", "Odonata", "ours over theirs", "with the source: theirs", "Odonata"]
    found = {Case.of(row["case"]): row for row in ours}  # type: ignore[arg-type]
    lines = []
    for row in sorted(theirs, key=_order):
        case = Case.of(row["case"])  # type: ignore[arg-type]
        mine = found[case]
        line = [", ".join(map(str, case.shape)), case.pattern, case.routing, f"{case.load:g}"]
        line += [str(row["what"]), NAMES[str(row["simulator"])]]
        line += [_number(row["network"]), _spread(mine["network"])]
        line += [_excess(mine["network"], row["network"])]
        line += [_number(row["total"]), _spread(mine["total"])]
        lines.append(line)
    return Table(head, lines, left=6)


def _order(row: Row) -> tuple[object, ...]:
    case = Case.of(row["case"])  # type: ignore[arg-type]
    return (case.routing, case.pattern, case.shape, case.packets, case.load, row["simulator"])


def _number(value: object) -> str:
    return "–" if value is None else f"{value:.3f}"


def _spread(values: object) -> str:
    assert isinstance(values, list)
    return f"{mean(values):.3f} ({min(values):.3f}–{max(values):.3f})"


def _excess(values: object, theirs: object) -> str:
    assert isinstance(values, list)
    if not isinstance(theirs, float):
        return "–"
    return f"{100 * (mean(values) / theirs - 1):+.1f} %"
