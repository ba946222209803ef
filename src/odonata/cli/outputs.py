"""Outputs of ``odonata simulate``: a table or JSON, a file, a figure."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import typer

from odonata import cli, decide, explain, report, simulate
from odonata.files import require_writable
from odonata.machine import Machine
from odonata.quiet import is_quiet
from odonata.result import Result, Run
from odonata.result.run import Scalar

if TYPE_CHECKING:
    from odonata.trust.decisions import Decision  # imports NumPy

__all__ = ["NAMED", "Outputs", "names_apart"]


@dataclass(frozen=True)
class Outputs:
    """Destinations of results.

    Parameters
    ----------
    json
        Whether one JSON document is printed instead of a table.
    output
        A netCDF file; a comparison makes one for each run, named after it, or the folder of a
        study.
    plot
        A figure.
    what_if
        Whether one run is made again with other numbers of its machine.
    coverage
        Share of measured times for which an interval is printed; None: no interval.
    beside
        Whether standard output is the program's: the table goes to standard error.
    keeps_trace
        Whether the trace that is played stays; else the file cannot say how to run it again.
    """

    json: bool
    output: Path | None
    plot: Path | None
    what_if: bool = False
    coverage: float | None = None
    beside: bool = False
    keeps_trace: bool = True

    @property
    def shows_loads(self) -> bool:
        """Whether a table or a figure has the loads of links."""
        return self.plot is not None or not self.json

    @property
    def into_folder(self) -> bool:
        """Whether a comparison goes into a folder: one that is there, or a name without suffix."""
        return self.output is not None and (self.output.is_dir() or not self.output.suffix)

    def check(self) -> None:
        """Fail before a long run if something could not be written after it."""
        if self.plot is not None:
            report.require_figure(self.plot)
        for path in (self.output, self.plot):
            if path is not None:
                require_writable(path)

    def deliver(
        self,
        run: Run,
        besides: Mapping[str, object] | None = None,
        again: Callable[[int], int] | None = None,
    ) -> None:
        """Print and write one run; the JSON document has more besides.

        For an interval, `again` makes the run with another seed, see `intervals.with_interval`.
        """
        if self.coverage is not None:
            run, found = cli.intervals.with_interval(run, self.coverage, again)
            besides = {**(besides or {}), **found.document()}
        if self.output is not None:
            self._save(run, self.output)
        if self.plot is not None:
            report.plot_run(Result(run), self.plot)
        if self.json:
            worth = {"what_if": self._trials(run).document()} if self.what_if else {}
            _print_json({**_document(run), **(besides or {}), **worth})
            return

        beside = self.beside and report.form_of_tables() != "csv"
        if beside and is_quiet():
            return
        file = sys.stderr if beside else sys.stdout
        _print_one(Result(run), file)
        if self.coverage is not None:
            cli.intervals.print_interval(found, file)
        if self.what_if:
            report.print_line(file=file)
            cli.whatif.print_trials(self._trials(run), file)

    def _save(self, run: Run, path: Path) -> None:
        Result(run if self.keeps_trace else replace(run, recipe=None)).save(path)

    def _trials(self, run: Run) -> decide.WhatIf:
        return cli.whatif.try_changes(simulate.Recipe.of_run(run), None, as_json=self.json)

    def save_one(self, run: Run, named: Sequence[str], others: Sequence[str]) -> None:
        """Write a run of a comparison as it ends, to a file named after its settings.

        Parameters
        ----------
        run
            The run.
        named, others
            Fields and words of the options in which the runs differ, see `names_apart`.
        """
        if self.output is not None:
            words = _NOT_IN_NAMES.sub("-", "-".join([_told(run, named), *others]))
            name = f"{self.output.stem}-{words}{self.output.suffix}"
            self._save(run, self.output.with_name(name))

    def deliver_all(
        self,
        runs: Sequence[Run],
        besides: Sequence[Mapping[str, object]] | None = None,
        *,
        planned: int | None = None,
        settled: Sequence[int] | None = None,
        machines: Sequence[Machine] = (),
    ) -> None:
        """Print and draw the runs of a comparison; each JSON document has more besides.

        Of a complete one `machines` are the machines of its runs.

        Of one that was interrupted, `planned` is the number of its runs, and `settled` are the
        numbers of those beside which no run is missing that they would be compared with.
        """
        if self.plot is not None:
            report.plot_comparison([Result(run) for run in runs], self.plot)
        if self.json:
            more = besides or [{}] * len(runs)
            documents = [{**_document(run), **more} for run, more in zip(runs, more, strict=True)]
            document: dict[str, object] = {"runs": documents, "complete": planned is None}
            if self.coverage is not None:
                document["decisions"] = [one.document() for one in self._decisions(runs, machines)]
            if _are_explained(runs):
                document["differences"] = [each.document() for each in _differences(runs)]
            _print_json(document)
            return
        _print_comparison(runs, planned, settled or ())
        for one in self._decisions(runs, machines):
            report.print_line(one.sentence)

    def _decisions(self, runs: Sequence[Run], machines: Sequence[Machine]) -> Sequence[Decision]:
        """Return how often the fastest algorithms are faster, if intervals are asked for."""
        asked = self.coverage is not None and machines
        return cli.intervals.decisions(runs, machines) if asked else ()


def _print_comparison(runs: Sequence[Run], planned: int | None, settled: Sequence[int]) -> None:
    report.print_table(report.comparison_table([Result(run) for run in runs]))
    for number, run in enumerate(runs, start=1):
        _print_warnings(Result(run), sys.stdout, f"run {number}: ")
    if planned is not None:
        report.print_line(f"\n{len(runs)} of {planned} runs: the comparison is not complete.")
        runs = [runs[at] for at in settled]
    if _are_explained(runs):
        _print_differences(runs)
    elif told := report.fastest_sentence([Result(run) for run in runs]):
        report.print_line(f"\n{told} A run with --explain says why.")


def _are_explained(runs: Sequence[Run]) -> bool:
    """Return whether there are several runs that all have an account of their time."""
    return len(runs) > 1 and all(run.explanation is not None for run in runs)


def _differences(runs: Sequence[Run]) -> list[explain.Difference]:
    """Return the difference of each run to the shortest one in the same circumstances."""
    met = [report.circumstances(Result(run)) for run in runs]
    explained = [explain.explain(Result(run)) for run in runs]
    names = _names(runs)
    made = []
    for at, mine in enumerate(met):
        alike = [i for i, other in enumerate(met) if other == mine]
        least = min(alike, key=lambda i: explained[i].length_ps)
        if at != least:
            pair = names[least], names[at]
            made.append(explain.Difference(explained[least], explained[at], pair))
    return made


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the name of each run beside the others."""
    return report.run_labels([Result(run) for run in runs])


def _print_differences(runs: Sequence[Run]) -> None:
    differences = _differences(runs)
    if len(differences) == 1:
        tables = report.difference_tables(differences[0])
    else:
        tables = [report.paths_table([explain.explain(Result(run)) for run in runs], _names(runs))]
    report.print_line()
    report.print_tables(tables)
    for each in differences:
        report.print_line(each.sentence)


def _print_one(result: Result, file: TextIO) -> None:
    """Print the cost of a run and the links that made it so."""
    tables = [report.summary_table(result), report.link_class_table(result)]
    if (orders := report.reordering_table(result)) is not None:
        tables.append(orders)
    report.print_tables(tables, file)
    report.print_line(report.where_the_time_goes(result), file=file)
    _print_warnings(result, file)
    if result.run.explanation is not None:
        _print_explanation(result, file)


def _print_explanation(result: Result, file: TextIO) -> None:
    explained = explain.explain(result)
    report.print_line(file=file)
    report.print_tables([report.breakdown_table(explained)], file)
    if explained.sentence:
        report.print_line(explained.sentence, file=file)


def _print_warnings(result: Result, file: TextIO, where: str = "") -> None:
    for warning in result.warnings:
        report.print_line(f"warning: {where}{warning}", file=file)


def _document(run: Run) -> dict[str, object]:
    """Return the JSON document of a run."""
    document: dict[str, object] = {**run.summary, "warnings": Result(run).warnings}
    if run.explanation is not None:
        document["sentence"] = explain.explain(Result(run)).sentence
    return document


def _print_json(document: object) -> None:
    typer.echo(json.dumps(document, indent=2))


NAMED = {
    "requested_algorithm": "algorithm",
    "block_bytes": "size",
    "machine": "machine",
    "routing": "routing",
    "allocation": "allocation",
    "ranks_per_node": "ranks_per_node",
    "collectives": "chosen",
    "compute_scale": "compute_scale",
    "engine": "engine",
    "mapping": "mapping",
    "busy": "busy",
    "seed": "seeds",
}
"""Fields that the name of a file tells where runs differ, beside algorithm or load and ranks, and
the option of each."""


IN_EVERY_NAME = {"ranks", "load", "seed", "ranks_per_nodes", "placed", "operation"}
"""Options that the name of a file tells in any case, or by another of them."""

_NOT_IN_NAMES = re.compile(r"[^\w.+=%:,@-]+")


def names_apart(rows: Sequence[cli.setting.Setting]) -> list[tuple[list[str], list[str]]]:
    """Return for each run the settings that distinguish its file from other runs' files.

    Parameters
    ----------
    rows
        The runs.

    Returns
    -------
    list of tuple
        Settings of `NAMED` in which runs differ, and words for all other options in which they do.
    """
    differ = [
        each.name
        for each in fields(rows[0])
        if len({str(getattr(row, each.name)) for row in rows}) > 1
    ]
    named = [name for name, option in NAMED.items() if option in differ]
    rest = [name for name in differ if name not in IN_EVERY_NAME.union(NAMED.values())]
    common = set.intersection(*(set(row.changes or ()) for row in rows))
    return [(named, [word for name in rest for word in _words(row, name, common)]) for row in rows]


def _words(row: cli.setting.Setting, name: str, common: set[str]) -> list[str]:
    """Return an option of a run as the name of its file tells it."""
    if name == "changes":
        return [change for change in row.changes or () if change not in common]
    if name in ("fail", "slow"):
        return [f"{name}-{'-'.join(getattr(row, name))}"]
    return [f"{name.replace('_', '-')}-{getattr(row, name)}"]


def _named(run: Run, name: str) -> Scalar:
    """Return a field of a run's summary, or else of its first job."""
    value = run.summary.get(name)
    if value is None and run.jobs:
        value = run.jobs[0].workload.get(name)
    return value


def _told(run: Run, differing: Sequence[str]) -> str:
    got = run.summary
    traffic = got["offered_load"] is not None
    words = [f"load-{got['offered_load']:g}" if traffic else _workload(run)]
    if "requested_algorithm" in differing and got["requested_algorithm"] == "auto":
        words.insert(0, "auto")
    words.append(str(got["ranks"]))
    for name in differing:
        if name == "seed":
            words.append(f"seed-{got[name]}")
        elif name in ("compute_scale", "busy"):
            words.append(f"{name.partition('_')[0]}-{_named(run, name):g}")
        elif name != "requested_algorithm":
            words.append(f"{got[name]}B" if name == "block_bytes" else str(_named(run, name)))
    return "-".join(words).replace("/", "_")


def _workload(run: Run) -> str:
    """Return the algorithm of a run, or else the name of its trace or program."""
    algorithm = run.summary["algorithm"]
    return Path(str(run.summary["workload"])).stem if algorithm is None else str(algorithm)
