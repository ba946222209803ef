"""``odonata trace show --matrix``: who sends to whom, by phase and level."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

import typer

from odonata import report
from odonata import trace as traces
from odonata.errors import UserError, near_miss
from odonata.report.printing import print_line, print_table
from odonata.report.style import require_figure
from odonata.result.overview import count, share, size
from odonata.text import for_table
from odonata.units import Written

__all__ = ["Wanted", "show_matrices"]

VALUES = ("messages", "bytes")


@dataclass(frozen=True)
class Wanted:
    """A trace, and the parts of its matrices that are printed or drawn.

    Parameters
    ----------
    trace
        The trace.
    phases, levels
        Names and levels; none: all.
    values
        Colours of the figure: messages or bytes.
    plot
        The figure; None: none.
    json
        Whether a JSON document is printed instead of tables.
    """

    trace: Path
    phases: Sequence[str]
    levels: Sequence[int]
    values: str
    plot: Path | None
    json: bool


def show_matrices(wanted: Wanted) -> None:
    """Print the matrices of a trace, and draw them if that is wanted."""
    if wanted.values not in VALUES:
        near = near_miss(wanted.values, VALUES)
        allowed = ", ".join(VALUES)
        raise UserError("--values: no such values", value=wanted.values, allowed=allowed, near=near)
    if wanted.plot is not None:
        require_figure(wanted.plot)
    with traces.Reader(wanted.trace) as reader:
        header = reader.header
    found = traces.select(traces.matrices(wanted.trace), phases=wanted.phases, levels=wanted.levels)
    if wanted.plot is not None:
        what = cast("Literal['messages', 'bytes']", wanted.values)
        report.plot_matrices(found, wanted.plot, title=title(header), what=what)
    if wanted.json:
        document = {
            "program": header.program,
            "machine": header.machine,
            "ranks": header.ranks,
            "phases": [matrix.plain() for matrix in found],
        }
        typer.echo(json.dumps(document))
    else:
        _print(header, found)


def title(header: traces.Header) -> str:
    """Return the name of the run that a figure shows."""
    where = f" on {header.machine}" if header.machine else ""
    program = for_table(header.program)
    if len(program) > 160:
        program = program[:157] + "..."
    return f"{header.ranks:,} ranks{for_table(where)}: {program}"


def _print(header: traces.Header, found: Sequence[traces.Matrix]) -> None:
    print_line(title(header))
    print_line()
    columns = ["phase", "level", "messages", "bytes", "mean size", "pairs", "of all pairs",
               "ranks that send", "partners, mean", "most"]  # fmt: skip
    print_table(report.Table(columns, [_row(matrix) for matrix in found], left=1))
    operations = [row for matrix in found for row in _collectives(matrix)]
    if operations:
        print_line()
        columns = ["phase", "level", "collective", "calls", "bytes moved"]
        print_table(report.Table(columns, operations, left=1))


def _row(matrix: traces.Matrix) -> list[str]:
    messages, sent = int(matrix.messages.sum()), int(matrix.bytes.sum())
    partners = matrix.partners
    active = partners[partners > 0]
    pairs, all_pairs = int(partners.sum()), matrix.ranks * (matrix.ranks - 1)
    return [
        *_place(matrix),
        count(messages),
        size(sent),
        size(sent / messages) if messages else "",
        count(pairs),
        share(pairs / all_pairs) if all_pairs else "",
        count(len(active)),
        Written(f"{active.mean():.1f}", float(active.mean())) if len(active) else "",
        count(int(partners.max())),
    ]


def _collectives(matrix: traces.Matrix) -> list[list[str]]:
    return [
        [*_place(matrix), name, count(of.calls), size(of.bytes)]
        for name, of in matrix.collectives.items()
    ]


def _place(matrix: traces.Matrix) -> list[str]:
    phase = matrix.phase
    return [phase.name or "none", "" if phase.level is None else str(phase.level)]
