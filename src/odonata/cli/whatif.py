"""``odonata whatif``: the effect of the machine's numbers on a run, by running it again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TextIO

import typer

from odonata import cli, decide, report, simulate
from odonata import result as results
from odonata.cli.commands import NumericTables
from odonata.cli.options import Json
from odonata.decide.trials import Advice, Trial
from odonata.errors import UserError
from odonata.quiet import note
from odonata.report.printing import print_line, print_tables
from odonata.result.overview import seconds, share
from odonata.units import format_time

__all__ = [
    "advice_sentence",
    "app",
    "find_tolerances",
    "print_tolerances",
    "print_trials",
    "try_changes",
    "whatif",
]

app = typer.Typer(add_completion=False)

SHOWN = 0.0005
"""Share of the run's time below which a change is not listed."""


@app.command(cls=NumericTables, no_args_is_help=True)
def whatif(
    result: Annotated[Path, typer.Argument(metavar="RUN.nc", help="Result file that -o wrote.")],
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE,...",
            help="Number of the machine and the values to try; may be repeated.",
            show_default="each number, 10 % better",
        ),
    ] = None,
    tolerance: Annotated[
        bool,
        typer.Option(
            "--tolerance",
            help="Find the latency between nodes with which the run takes 1, 2 and 5 % longer.",
        ),
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "-j", "--workers", min=1, help="Runs at a time.", show_default="one for each processor"
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the effect of each number of the machine on a run, by running it again.

    The experiment of the result is run once more for each number of its machine, with that number
    10 % better, for each other routing and for each other algorithm of a collective operation, or
    once for each value of --set. One thing is changed at a time.
    """
    if tolerance and changes:
        what = "--tolerance: it searches for the latency by itself"
        raise UserError(what, value=", ".join(changes), allowed="--tolerance or --set")
    run = results.Result.load(result).run
    recipe = simulate.Recipe.of_run(run, str(result))
    if tolerance:
        found = find_tolerances(recipe)
        told = {"tolerances": [asdict(each) for each in found]}
        return _print_json(told) if as_json else print_tolerances(found)
    tried = try_changes(recipe, changes, workers, as_json=as_json)
    if tried.time_ps != run.length_ps:
        took, takes = format_time(run.length_ps), format_time(tried.time_ps)
        note(f"warning: {result}: the run took {took}, and now takes {takes}")
    return _print_json(tried.document()) if as_json else print_trials(tried, by_gain=not changes)


def try_changes(
    recipe: simulate.Recipe,
    changes: Sequence[str] | None,
    workers: int | None = None,
    *,
    as_json: bool,
) -> decide.WhatIf:
    """Return the effects of changes; when interrupted, print and return the finished ones.

    Parameters
    ----------
    recipe
        The experiment.
    changes
        Each ``NAME=VALUE,VALUE``; None: every number.
    workers
        Runs at a time.
    as_json
        Whether a document is printed.
    """
    values = None if not changes else _values(changes)
    with cli.progress.ProgressBar("what if") as bar:
        try:
            return decide.what_if(recipe, values, workers=workers, report=bar.note_share)
        except KeyboardInterrupt as stopped:
            partial = stopped.args[0] if stopped.args else None
            if isinstance(partial, decide.WhatIf) and partial.trials:
                _print_json(partial.document()) if as_json else print_trials(partial)
            raise


def find_tolerances(recipe: simulate.Recipe) -> list[decide.Tolerance]:
    """Return the tolerances of latency of an experiment, with a bar meanwhile.

    Parameters
    ----------
    recipe
        The experiment.
    """
    with cli.progress.ProgressBar("latency tolerance") as bar:
        return decide.tolerances(recipe, report=bar.note_share)


def print_trials(tried: decide.WhatIf, file: TextIO | None = None, *, by_gain: bool = True) -> None:
    """Print second runs as a table, with a sentence on the best.

    Parameters
    ----------
    tried
        The second runs.
    file
        Where they are printed; None: standard output.
    by_gain
        Whether they are changes of 10 %; changes without effect are then only counted.
    """
    shown = [each for each in tried.trials if not by_gain or abs(each.share) >= SHOWN]
    title = f"The run takes {seconds(tried.time_ps / 1e12)}; with one change:"
    rows = [_row(each) for each in shown]
    columns = ["number or choice", "now", "tried", "time", "change"]
    if rows:
        print_tables([report.Table(columns, rows, left=3, title=title)], file)
    if len(tried.trials) < tried.planned:
        print_line(
            f"{len(tried.trials)} of {tried.planned} runs: the list is not complete.",
            file=file,
        )
    elif by_gain:
        print_line(_sentence(tried, len(tried.trials) - len(shown)), file=file)


def print_tolerances(found: Sequence[decide.Tolerance]) -> None:
    """Print tolerances as a table.

    Parameters
    ----------
    found
        The tolerances.
    """
    if not found:
        return print_line("No latency between nodes makes the run longer.")
    rows = [
        [f"{share(each.longer)} longer", f"{seconds(each.latency_ps / 1e12)} later"]
        for each in found
    ]
    columns = ["the run takes", "if each message between nodes comes"]
    return print_tables([report.Table(columns, rows, left=2, title="Tolerance of latency")])


def _row(trial: Trial) -> list[str]:
    time = seconds(trial.time_ps / 1e12)
    return [trial.number, trial.before, trial.value, time, f"{100 * trial.share:+.1f} %"]


def _sentence(tried: decide.WhatIf, others: int) -> str:
    """Return the number that is worth most, the best choice, and how many changes do nothing."""
    numbers = [each for each in tried.trials if each.factor is not None]
    best = min(numbers, key=lambda each: each.time_ps, default=None)
    if best is None or best.factor is None or -best.share < SHOWN:
        told = ["No number of the machine that is 10 % better makes the run shorter."]
    else:
        change = f"10 % {'less' if best.factor < 1 else 'more'} {best.number}"
        shorter = f"makes the run {-100 * best.share:.1f} % shorter"
        told = [f"{change} {shorter}, more than any other number."]
    if tried.advice is not None:
        told.append(advice_sentence(tried.advice))
    if others:
        told.append(f"{others} changes do nothing.")
    return " ".join(told)


def advice_sentence(advice: Advice) -> str:
    """Return a choice that makes the run shorter in a sentence, with the range over seeds.

    Parameters
    ----------
    advice
        The choice.
    """
    change = f"{advice.choice} {advice.value} in place of {advice.before}"
    number = len(advice.shares)
    if advice.faster_in < number:
        return f"With {change} the run is shorter with {advice.faster_in} of {number} seeds."
    least, most = (f"{-100 * share:.1f}" for share in (max(advice.shares), min(advice.shares)))
    shorter = least if least == most else f"{least} to {most}"
    return f"With {change} the run is {shorter} % shorter ({number} seeds)."


def _values(changes: Sequence[str]) -> dict[str, list[object]]:
    """Return the values to try of each number."""
    values: dict[str, list[object]] = {}
    for setting in changes:
        for (one,) in cli.axes.split_changes([setting]):
            for key, value in cli.changes.parse_changes([one]).items():
                values.setdefault(key, []).append(value)
    return values


def _print_json(document: object) -> None:
    typer.echo(json.dumps(document, indent=2))
