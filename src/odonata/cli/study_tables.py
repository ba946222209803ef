"""Tables of studies: how far one is, its groups, the best of an axis, commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from odonata.errors import UserError
from odonata.report import Table
from odonata.report.printing import print_line, print_table
from odonata.result.overview import count, quantity, seconds, size
from odonata.study.groups import Best, Group, best_of, grouped
from odonata.study.results import Conditions, Study
from odonata.study.values import Value
from odonata.text import json_document
from odonata.units import format_time

__all__ = [
    "Wanted",
    "axes_in",
    "conditions_of",
    "number_text",
    "print_state",
    "print_study",
    "told",
]

MOST_ROWS = 60
"""Rows of a table, unless all are asked for."""

MOST_ERRORS = 5
"""Different errors that are printed."""


@dataclass(frozen=True)
class Wanted:
    """Contents of a table of a study.

    Parameters
    ----------
    where
        Conditions of runs, each ``AXIS=VALUE``.
    by
        Axes of a row, separated by commas; None: all.
    of
        Name of the number.
    best
        Axis whose best value is asked for.
    all
        Whether all rows are printed.
    commands
        Whether the command of each run is printed.
    """

    where: Sequence[str]
    by: str | None
    of: str
    best: str | None
    all: bool
    commands: bool


def print_state(folder: Path, *, as_json: bool) -> None:
    """Print how far a study is.

    Parameters
    ----------
    folder
        Its folder.
    as_json
        Whether a JSON document is printed.
    """
    study = Study(folder)
    expected = sum(study.plan.seconds) * study.file.seeds.most
    state: dict[str, Any] = {
        "folder": str(folder),
        "combinations": len(study.plan),
        "runs": study.plan.runs,
        "ended": study.ended,
        "failed": study.failed,
        "complete": study.complete,
        "expected_seconds": expected,
    }
    if as_json:
        print_line(json_document(state, indent=2), folded=False)
        return
    runs = f"{count(study.ended)} of {count(study.plan.runs)} runs have ended"
    if study.file.seeds.until is not None and study.complete:
        runs = f"{count(study.ended)} runs were enough, at most {count(study.plan.runs)}"
    failed = f", {count(study.failed)} of them failed" if study.failed else ""
    print_line(f"{folder}: {count(len(study.plan))} combinations; {runs}{failed}.")
    if study.complete:
        print_line(f"odonata study show {folder} prints the table.")
    else:
        took = format_time(round(expected * 1e12))
        print_line(f"All runs together take about {took} of processor time.")
    _print_errors(study)


def print_study(folder: Path, wanted: Wanted, *, as_json: bool) -> None:
    """Print one table of the runs of a study.

    Parameters
    ----------
    folder
        Its folder.
    wanted
        Contents of the table.
    as_json
        Whether a JSON document is printed.
    """
    study = Study(folder)
    where = conditions_of(wanted.where)
    if wanted.commands:
        _print_commands(study, where, as_json=as_json)
        return
    by = [*study.options] if wanted.by is None else axes_in(wanted.by)
    if wanted.best is not None and wanted.best not in by:
        by.append(wanted.best)
    groups = grouped(study, where, by, wanted.of)
    if wanted.best is not None:
        best = best_of(groups, by, wanted.best)
        rest = [name for name in by if name != wanted.best]
        if as_json:
            _print_rows(rest, best)
        else:
            shown = best if wanted.all else best[:MOST_ROWS]
            _print_table(_best_table(shown, rest, wanted), len(best))
        return
    if as_json:
        _print_rows(by, groups)
        return
    shown_groups = groups if wanted.all else groups[:MOST_ROWS]
    _print_table(_group_table(shown_groups, by, wanted.of), len(groups))
    if not study.complete:
        print_line(f"{count(study.missing)} combinations are not complete.")
    _print_errors(study)


def conditions_of(texts: Sequence[str]) -> dict[str, str]:
    """Return conditions by axis.

    Parameters
    ----------
    texts
        Each ``AXIS=VALUE``.

    Raises
    ------
    UserError
        There is no ``=``.

    Examples
    --------
    >>> conditions_of(["machine=eos", "ranks=> 512"])
    {'machine': 'eos', 'ranks': '> 512'}
    """
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UserError("--where: not understood", value=text, allowed="AXIS=VALUE")
        found[name.strip()] = value.strip()
    return found


def number_text(name: str, value: float | None) -> str:
    """Return a number with the unit that its name ends in; None is empty.

    Parameters
    ----------
    name
        Name of the result.
    value
        The number.

    Examples
    --------
    >>> number_text("cycle_seconds.baseline", 1.5e-6), number_text("packets", 1200.0)
    ('1.5 us', '1,200')
    """
    if value is None:
        return ""
    write = {"time": seconds, "bytes": size}.get(quantity(name))
    if write is not None:
        return write(value)
    return count(value) if value == int(value) else f"{value:.4g}"


def axes_in(text: str) -> list[str]:
    """Return the axes of a list with commas.

    Parameters
    ----------
    text
        The list.
    """
    return [name.strip() for name in text.split(",") if name.strip()]


def _print_table(table: Table, rows: int) -> None:
    print_table(table)
    if len(table.rows) < rows:
        print_line(f"... and {count(rows - len(table.rows))} more rows: --all, --by, --where.")


def _group_table(groups: Sequence[Group], by: Sequence[str], of: str) -> Table:
    columns = [*by, "runs", of, "least", "most"]
    rows = [
        [
            *map(told, group.values),
            count(group.runs) + (f" ({group.failed} failed)" if group.failed else ""),
            *(number_text(of, value) for value in (group.median, group.least, group.most)),
        ]
        for group in groups
    ]
    return Table(columns, rows, left=len(by))


def _best_table(best: Sequence[Best], rest: Sequence[str], wanted: Wanted) -> Table:
    columns = [*rest, f"best {wanted.best}", wanted.of, "next", "times", "ranges"]
    rows = [
        [
            *map(told, one.values),
            told(one.value),
            number_text(wanted.of, one.median),
            "" if one.second is None else told(one.second),
            "" if one.factor is None else f"{one.factor:.3f}",
            "" if one.second is None else ("apart" if one.apart else "overlap"),
        ]
        for one in best
    ]
    return Table(columns, rows, left={*range(len(rest) + 1), len(rest) + 2, len(rest) + 4})


def told(value: Value) -> str:
    """Return the value of an axis as a table shows it.

    Parameters
    ----------
    value
        The value.
    """
    if isinstance(value, bool):
        return "yes" if value else "-"
    return value


def _print_rows(by: Sequence[str], rows: Sequence[Group] | Sequence[Best]) -> None:
    documents = []
    for row in rows:
        document = asdict(row)
        values = document.pop("values")
        documents.append({**dict(zip(by, values, strict=True)), **document})
    print_line(json_document(documents, indent=2), folded=False)


def _print_commands(study: Study, where: Conditions, *, as_json: bool) -> None:
    commands = [row.record.command for row in study.rows(where, "time_seconds")]
    if as_json:
        print_line(json_document(commands, indent=2), folded=False)
        return
    print_line(f"# in {study.plan.header.base}", folded=False)
    for command in commands:
        print_line(command, folded=False)


def _times(number: int) -> str:
    return f" {count(number)} times" if number > 1 else ""


def _print_errors(study: Study) -> None:
    if not study.failed:
        return
    errors: dict[str, int] = {}
    for row in study.rows(of="time_seconds"):
        if row.record.error is not None:
            errors[row.record.error] = errors.get(row.record.error, 0) + 1
    for error, times in [*errors.items()][:MOST_ERRORS]:
        print_line(f"failed{_times(times)}: {error}")
