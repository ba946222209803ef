"""Where the results of ``odonata simulate`` go: a table or JSON, a file, a figure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from odonata.errors import UserError, near_miss
from odonata.report.table import Table, print_table
from odonata.result import Result, Run, Scalar
from odonata.result.atomic import require_writable
from odonata.units import format_bytes, format_time
from odonata.workload import PATTERNS, algorithms

__all__ = ["Outputs", "list_workloads"]

FIGURES = (".png", ".pdf", ".svg")


@dataclass(frozen=True)
class Outputs:
    """Where results go.

    Parameters
    ----------
    json
        Whether one JSON document is printed instead of a table.
    output
        A netCDF file; a comparison makes one for each run, named after it.
    plot
        A figure.
    """

    json: bool
    output: Path | None
    plot: Path | None

    def check(self) -> None:
        """Fail before a long run if something could not be written after it."""
        if self.plot is not None and self.plot.suffix not in FIGURES:
            near = near_miss(self.plot.suffix, FIGURES)
            raise UserError(
                "plot: unknown kind of figure",
                value=str(self.plot),
                allowed=", ".join(FIGURES),
                near=near,
            )
        for path in (self.output, self.plot):
            if path is not None:
                require_writable(path)

    def deliver(self, run: Run) -> None:
        """Print and write one run."""
        if self.output is not None:
            Result(run).save(self.output)
        if self.plot is not None:
            from odonata.report import plot_result

            plot_result(Result(run), self.plot)
        if self.json:
            _print_json(run.summary)
        else:
            print_table(_describe(run))

    def deliver_all(self, runs: Sequence[Run], *, complete: bool = True) -> None:
        """Print and write the runs of a comparison."""
        if self.output is not None:
            for run in runs:
                Result(run).save(_own_name(self.output, run))
        if self.plot is not None:
            from odonata.report import plot_comparison

            plot_comparison([Result(run) for run in runs], self.plot)
        if self.json:
            _print_json({"runs": [dict(run.summary) for run in runs], "complete": complete})
        else:
            print_table(_compare(runs))


def list_workloads() -> None:
    """Print all operations, algorithms and patterns."""
    rows = [
        [operation, name, summary]
        for operation, named in algorithms().items()
        for name, summary in named.items()
    ]
    rows += [["traffic", pattern, ""] for pattern in PATTERNS]
    print_table(Table(["operation", "algorithm, pattern", "how"], rows, left=3))


def _print_json(document: object) -> None:
    typer.echo(json.dumps(document, indent=2))


def _own_name(path: Path, run: Run) -> Path:
    got = run.summary
    return path.with_name(f"{path.stem}-{got['algorithm']}-{got['ranks']}{path.suffix}")


def _describe(run: Run) -> Table:
    """Return the table of one run: a row a quantity."""
    got = run.summary
    rows = {
        "workload": _text(got["workload"]),
        "ranks": _count(got["ranks"]),
        "machine": _text(got["machine"]),
        "engine": f"{got['engine']}, {got['routing']} routing, seed {got['seed']}",
        "background": _text(got["background"]),
        "time": _time(got["time_seconds"]),
        "messages": _count(got["messages"]),
        "bytes": format_bytes(_number(got["bytes"])),
        "packets": _count(got["packets"]),
        "routers a packet": f"{_number(got['mean_routers']):.3f}",
        "mean latency": _time(got["mean_latency_seconds"]),
        "offered load": _text(got["offered_load"]),
        "accepted load": _share(got["accepted_load"]),
        "events": _count(got["events"]),
        "processor time": f"{_number(got['cpu_seconds']):.2f} s",
        "peak memory": format_bytes(_number(got["peak_memory_bytes"])),
        "digest": _text(got["digest"]),
    }
    return Table(["quantity", "value"], [[key, value] for key, value in rows.items() if value])


def _compare(runs: Sequence[Run]) -> Table:
    """Return the table of a comparison: a row a run."""
    columns = [
        "workload",
        "ranks",
        "time",
        "messages",
        "routers a packet",
        "mean latency",
        "accepted load",
        "digest",
        "processor time",
    ]
    rows = []
    for run in runs:
        got = run.summary
        rows.append(
            [
                _text(got["workload"]),
                _count(got["ranks"]),
                _time(got["time_seconds"]),
                _count(got["messages"]),
                f"{_number(got['mean_routers']):.3f}",
                _time(got["mean_latency_seconds"]),
                _share(got["accepted_load"]),
                _text(got["digest"]),
                f"{_number(got['cpu_seconds']):.2f} s",
            ]
        )
    used = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    return Table([columns[at] for at in used], [[row[at] for at in used] for row in rows])


def _number(value: Scalar) -> float:
    assert isinstance(value, (int, float))
    return value


def _text(value: Scalar) -> str:
    return "" if value is None else str(value)


def _count(value: Scalar) -> str:
    return f"{_number(value):,}"


def _share(value: Scalar) -> str:
    return "" if value is None else f"{_number(value):.4f}"


def _time(value: Scalar) -> str:
    return format_time(_number(value) * 1e12)
