"""The tables of the page, written between its markers."""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import mean

from cases import Case

from odonata.report import Table

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

Row = dict[str, object]
NAMES = {"booksim": "BookSim 2", "codes": "CODES"}


def write(ours: dict[str, list[Row]], theirs: dict[str, list[Row]], page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    made = {"ring": _rings(ours["rings"], theirs["rings"])}
    for name in ("matched", "differs"):
        made[name] = _table(ours["rows"], [row for row in theirs["rows"] if row["table"] == name])
    fill(page, made)


def _table(ours: list[Row], theirs: list[Row]) -> Table:
    head = ["shape", "traffic", "routing", "load", "what differs", "simulator"]
    head += ["theirs", "Odonata", "with the source: theirs", "Odonata", "ours over theirs"]
    found = {Case.of(row["case"]): row for row in ours}  # type: ignore[arg-type]
    lines = []
    for row in sorted(theirs, key=_order):
        case = Case.of(row["case"])  # type: ignore[arg-type]
        mine = found[case]
        line = [", ".join(map(str, case.shape)), case.pattern, case.routing, f"{case.load:g}"]
        line += [str(row["what"]), NAMES[str(row["simulator"])]]
        both = ("network", "total") if row["network"] else ("total",)
        for key in ("network", "total"):
            line += [_spread(row[key]), _spread(mine[key])] if key in both else ["–", "–"]
        line += [_excess(mine[both[0]], row[both[0]])]
        lines.append(line)
    return Table(head, lines, left=6)


def _rings(ours: list[Row], theirs: list[Row]) -> Table:
    head = ["ranks", "CODES [ns]", "Odonata [ns]", "ours over theirs"]
    head += ["with 1.5 ns a message [ns]", "ours over theirs"]
    found = {row["ranks"]: row for row in ours}
    lines = []
    for row in theirs:
        mine = found[row["ranks"]]
        line = [f"{row['ranks']:,}", f"{row['time_ns']:,.1f}"]
        for key in ("time_ns", "with_look_ahead_ns"):
            excess = 100 * (mine[key] / row["time_ns"] - 1)  # type: ignore[operator]
            line += [f"{mine[key]:,.1f}", f"{excess:+.2f} %"]
        lines.append(line)
    return Table(head, lines, left=0)


def _order(row: Row) -> tuple[object, ...]:
    case = Case.of(row["case"])  # type: ignore[arg-type]
    return (case.routing, case.pattern, case.shape, case.packets, case.load, row["simulator"])


def _spread(values: object) -> str:
    assert isinstance(values, list)
    middle = f"{mean(values):.3f}"
    return f"{middle} ({min(values):.3f}–{max(values):.3f})" if len(values) > 1 else middle


def _excess(ours: object, theirs: object) -> str:
    assert isinstance(ours, list)
    assert isinstance(theirs, list)
    return f"{100 * (mean(ours) / mean(theirs) - 1):+.1f} %"
