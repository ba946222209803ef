"""``odonata predict amg``: the time of a cycle of algebraic multigrid, by the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, model, report
from odonata import machine as machines
from odonata.cli.amg import (
    CoarsestOption,
    LinksOption,
    PlotOption,
    RelaxationOrderOption,
    RestrictRowsOption,
    milliseconds,
    parse_points,
    percent,
)
from odonata.cli.changes import parse_changes
from odonata.cli.commands import NumericTables
from odonata.cli.options import Changes, Json, Machine
from odonata.cli.redistribution import REDISTRIBUTION, print_redistribution, rules_of
from odonata.errors import UserError, near_miss
from odonata.report.printing import print_line, print_table
from odonata.report.style import require_figure
from odonata.result.overview import count
from odonata.simulate.idle import add_model_numbers
from odonata.text import for_table, json_document
from odonata.units import Written, format_time

__all__ = ["app"]

_SIGNS = {"flops": "flops", "alpha": "α", "gamma": "γ", "beta": "β"}
_MANY = "small messages"
"""Labels of the model's terms."""

LEAST = ("its largest term", "its largest level", "error bar", "hierarchy")
"""Columns of a comparison of mixes that a narrow terminal leaves out first."""

app = typer.Typer(
    add_completion=False, help="Predict times with closed-form models.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Predict times with closed-form models."""


@app.command(cls=NumericTables)
def amg(
    machine: Machine,
    problem: Annotated[str, typer.Option(help="Problem: laplace or laplace27.")] = "laplace",
    points: Annotated[str, typer.Option(help="Grid points of each core.")] = "50x50x25",
    cores: Annotated[
        int, typer.Option(help="Number of cores: ranks times threads per rank.")
    ] = 1024,
    mix: Annotated[
        str, typer.Option(help="Ranks per node x threads per rank, separated by commas.")
    ] = "16x1",
    scenario: Annotated[
        str,
        typer.Option(
            help="Scenario: baseline, distance, bandwidth, alpha, gamma, alpha_gamma, or all; "
            "only_bandwidth, only_alpha, only_gamma for one penalty by itself; max_rate, "
            "queue_search, many_waits, contention for costs of many small messages."
        ),
    ] = "all",
    hierarchy: Annotated[
        Path | None, typer.Option(help="Hierarchy to use, a .json file.", dir_okay=False)
    ] = None,
    links: LinksOption = None,
    restrict_rows: RestrictRowsOption = "paper",
    coarsest: CoarsestOption = "interp",
    relaxation_order: RelaxationOrderOption = "lexicographic",
    redistribute: Annotated[
        bool,
        typer.Option(
            "--redistribute",
            help="Decide which level is faster on fewer ranks.",
            rich_help_panel=REDISTRIBUTION,
        ),
    ] = False,
    candidates: Annotated[
        str,
        typer.Option(
            help="Numbers of groups to consider: powers (of two), all.",
            rich_help_panel=REDISTRIBUTION,
        ),
    ] = "powers",
    least_gain: Annotated[
        float,
        typer.Option(
            help="Least gain that justifies a switch, as a part of the cycle up to the level.",
            rich_help_panel=REDISTRIBUTION,
        ),
    ] = 0.05,
    cache: Annotated[
        str | None,
        typer.Option(
            help="Cache of a rank, such as 2.5MiB, or none; default: node.cache of the machine "
            "divided by the ranks of a node.",
            show_default=False,
            rich_help_panel=REDISTRIBUTION,
        ),
    ] = None,
    changes: Changes = None,
    plot: PlotOption = None,
    as_json: Json = False,
) -> None:
    """Predict the time of a V-cycle of BoomerAMG, by level and scenario.

    Where the file of the machine has no α, β or γ, they come from its links: from ping-pongs that
    are simulated on the idle machine. The time of a flop has to be known: --set model.t=1.6ns.

    A * marks the scenario that fits the machine best according to its file. Several mixes give one
    table with a row for each. With --redistribute a second table has the time of each level on all
    its ranks and on fewer ranks, and marks the levels where a switch pays.
    """
    if plot is not None:
        require_figure(plot)
    mixes = _mixes(mix)
    changed = parse_changes(changes or ())
    loaded, added = add_model_numbers(machines.load(machine, changed))
    predictions = [
        model.predict_cycle(
            loaded,
            problem,
            parse_points(points),
            cores,
            one,
            scenarios=_scenarios(scenario),
            hierarchy_file=hierarchy,
            links=links,
            restrict_rows=restrict_rows,
            coarsest=coarsest,
            relaxation_order=relaxation_order,
            redistribute=rules_of(loaded, one, candidates, least_gain, cache, relaxation_order)
            if redistribute
            else None,
        )
        for one in mixes
    ]
    if plot is not None:
        report.plot_levels([prediction.panel() for prediction in predictions], plot)
    if as_json:
        options = {
            "machine": machine,
            "changes": changed,
            "from_links": {key: f"{time} ps" for key, time in added.items()},
            "restrict_rows": restrict_rows,
            "coarsest": coarsest,
            "relaxation_order": relaxation_order,
        }
        documents = [prediction.to_dict() for prediction in predictions]
        found = documents[0] if len(documents) == 1 else {"mixes": documents}
        typer.echo(json_document(options | found, indent=2))
        return
    if len(predictions) == 1:
        _print(predictions[0], loaded.name)
    else:
        _print_all(predictions, loaded.name)
    if added:
        print_line("\n" + _from_links(loaded.name, added))
    if redistribute:
        for prediction in predictions:
            print_redistribution(prediction)


def _from_links(machine: str, added: Mapping[str, int]) -> str:
    """Return the numbers that come from the links of a machine, in a line."""
    signs = {key: _SIGNS[key.removeprefix("model.")] for key in added}
    numbers = ", ".join(f"{signs[key]} {format_time(time)}" for key, time in added.items())
    return f"From the links of {machine}, by ping-pongs on the idle machine: {numbers}."


def _mixes(text: str) -> list[model.Mix]:
    """Read ``16x1,8x2``."""
    mixes = [model.Mix.parse(part) for part in cli.axes.split("mix", text)]
    if len(set(mixes)) < len(mixes):
        raise UserError("mix: given twice", value=text)
    return mixes


def _scenarios(name: str) -> tuple[str, ...]:
    known = ("all", *model.PENALTIES, *model.EXTENSIONS)
    if name not in known:
        near = near_miss(name, known)
        raise UserError("scenario: unknown", value=name, near=near, allowed=", ".join(known))
    return model.SCENARIOS if name == "all" else (name,)


def _print(prediction: model.Prediction, machine: str) -> None:
    h = prediction.hierarchy
    print_line(
        f"{for_table(h.problem)}, {h.ranks} ranks, {prediction.mix}: time of a cycle [ms], modelled"
    )
    print_line(f"hierarchy {h.origin}: {for_table(h.source)}")
    for line in _doubts(prediction):
        print_line(line)
    print_line(_best(prediction, machine, alone=True))
    for table in (_table(prediction), _dominance(prediction)):
        print_line()
        print_table(table)


def _print_all(predictions: Sequence[model.Prediction], machine: str) -> None:
    """Print several mixes, a row each."""
    h, mix = predictions[0].hierarchy, predictions[0].mix
    cores = h.ranks * mix.threads
    print_line(
        f"{for_table(h.problem)}, {cores:,} cores of {machine}: time of a cycle [ms], modelled"
    )
    for line in dict.fromkeys(_best(prediction, machine) for prediction in predictions):
        print_line(line)
    print_line()
    print_table(_comparison(predictions))


def _best(prediction: model.Prediction, machine: str, *, alone: bool = False) -> str:
    """Return the source of the machine's best fit, or that it is unknown; alone, also the fit."""
    best, mix = prediction.best, prediction.mix
    if best is None:
        return (
            f"best fit: the file of {machine} has none for {mix}; "
            "odonata fit amg finds it from measured cycles"
        )
    what = f" for {mix}: {best.scenario}, accuracy {best.accuracy:.1%}" if alone else ", accuracy"
    doubt = f"; warning: {mix}: {best.warning}" if best.warning else ""
    where = f"on {best.cores:,} cores ({best.status}: {best.source})"
    return f"* best fit of {machine}{what} {where}{doubt}"


def _is_best(scenario: str, prediction: model.Prediction) -> bool:
    return prediction.best is not None and prediction.best.scenario == scenario


def _dominance(prediction: model.Prediction) -> report.Table:
    columns = ["scenario", "largest level", "of the cycle", "its largest term", "of the level"]
    many = any(_MANY in found.cycle_shares for found in prediction.dominance.values())
    signs = {**_SIGNS, _MANY: _MANY} if many else _SIGNS
    columns += [f"{sign} of the cycle" for sign in signs.values()]
    rows = [
        [
            scenario + (" *" if _is_best(scenario, prediction) else ""),
            str(found.level),
            percent(found.level_share),
            signs[found.term],
            percent(found.term_share),
            *(percent(found.cycle_shares[term]) for term in signs),
        ]
        for scenario, found in prediction.dominance.items()
    ]
    return report.Table(columns, rows)


def _time(scenario: str, prediction: model.Prediction) -> str:
    seconds = prediction.times[scenario].cycle_seconds
    text = milliseconds(seconds)
    return Written(f"* {text}", seconds * 1e3, "ms") if _is_best(scenario, prediction) else text


def _comparison(predictions: Sequence[model.Prediction]) -> report.Table:
    scenarios = list(predictions[0].times)
    columns = ["mix", "ranks", "hierarchy", "error bar", *scenarios, "best fit", "accuracy"]
    columns += ["its largest level", "its largest term"]
    rows = []
    for prediction in predictions:
        error, best = prediction.estimate_error, prediction.best
        found = prediction.dominance.get(best.scenario) if best else None
        rows.append(
            [
                str(prediction.mix),
                count(prediction.hierarchy.ranks),
                prediction.hierarchy.origin,
                "unknown" if error is None else percent(error),
                *(_time(scenario, prediction) for scenario in scenarios),
                best.scenario if best else "unknown",
                percent(best.accuracy) if best else "",
                f"{found.level}, {found.level_share:.1%}" if found else "",
                f"{_SIGNS.get(found.term, found.term)}, {found.term_share:.1%}" if found else "",
            ]
        )
    return report.Table(columns, rows, least=LEAST)


def _table(prediction: model.Prediction) -> report.Table:
    h, times = prediction.hierarchy, prediction.times.values()
    rows = [
        [str(i), count(float(h.rows[i])), *(milliseconds(t.total[i]) for t in times)]
        for i in range(h.num_levels)
    ]
    rows.append(["cycle", "", *(milliseconds(t.cycle_seconds) for t in times)])
    return report.Table(["level", "rows", *prediction.times], rows)


def _doubts(prediction: model.Prediction) -> list[str]:
    """Return the error of similar estimates; an empty text for a known hierarchy."""
    if not prediction.checks:
        return []
    error = prediction.estimate_error
    bar = "could not be checked" if error is None else f"cycle time ± {error:.1%}"
    lines = [f"an estimate: {bar}"]
    for how, errors in prediction.checks.items():
        found = ", ".join(f"{e:+.1%} at {ranks}" for ranks, e in errors.items())
        lines.append(f"  {how}: {found + ' ranks' if found else 'no case to check it'}")
    return lines
