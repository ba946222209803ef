"""``odonata fit``: models and numbers of machines that explain measurements, and how well."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from odonata import machine as machines
from odonata import model, report
from odonata.cli.amg import (
    CoarsestOption,
    LinksOption,
    PlotOption,
    RelaxationOrderOption,
    RestrictRowsOption,
    milliseconds,
    percent,
)
from odonata.cli.commands import NumericTables
from odonata.cli.fit_machine import machine
from odonata.cli.options import Json, Machine
from odonata.errors import UserError
from odonata.report.printing import print_line, print_table
from odonata.report.style import require_figure
from odonata.result.overview import count
from odonata.text import json_document

__all__ = ["app"]

app = typer.Typer(
    add_completion=False, help="Fit models and machines to measurements.", no_args_is_help=True
)


app.command(cls=NumericTables)(machine)


@app.callback()
def _group() -> None:
    """Fit models and machines to measurements."""


@app.command(cls=NumericTables)
def amg(
    measured: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE:MIX...",
            help="Documents of odonata-amg, each with ranks per node x threads per rank: "
            "amg.json:16x1.",
        ),
    ],
    machine: Machine,
    problem: Annotated[
        str | None, typer.Option(help="Problem; default: the first document's.")
    ] = None,
    times: Annotated[
        str, typer.Option(help="Time of a level among the ranks: largest, mean.")
    ] = "largest",
    flops: Annotated[
        str,
        typer.Option(
            help="Time of a floating-point operation: machine (from its file), measured (from the "
            "documents), falling (measured, until it rises), none (only messages were timed)."
        ),
    ] = "machine",
    links: LinksOption = None,
    restrict_rows: RestrictRowsOption = "paper",
    coarsest: CoarsestOption = "interp",
    relaxation_order: RelaxationOrderOption = "lexicographic",
    plot: PlotOption = None,
    as_json: Json = False,
) -> None:
    """Find the scenario of the model that explains measured AMG cycles best.

    Print the best of the six scenarios for each mix, its accuracy, and the gain of each penalty.
    A mix with fewer ranks per node may not need more penalties than one with more.
    """
    if plot is not None:
        require_figure(plot)
    runs = []
    for text in measured:
        path, mix = _parse_measured(text)
        runs.append(model.read_measured(path, mix, problem=problem, which=times))
        problem = runs[0].hierarchy.problem
    fit = model.fit_cycle(
        machines.load(machine),
        runs,
        links=links,
        restrict_rows=restrict_rows,
        coarsest=coarsest,
        relaxation_order=relaxation_order,
        flops=flops,
    )
    if plot is not None:
        report.plot_levels(fit.panels(), plot)
    if as_json:
        typer.echo(json_document({"times": times} | fit.to_dict(), indent=2))
        return
    options = ", ".join(f"{name} {value}" for name, value in fit.options.items())
    print_line(f"machine {fit.machine}, {options}")
    for mix, warning in fit.warnings.items():
        print_line(f"warning: {mix}: {warning}")
    for table in (_cycles(fit), _penalties(fit), *_extensions(fit), *_levels(fit)):
        print_line()
        print_table(table)
    line = _for_the_machine_file(fit)
    if line:
        print_line("\nFor [model] of the machine file, which odonata predict amg reads:")
        print_line(line, folded=False)


def _parse_measured(text: str) -> tuple[str, model.Mix]:
    """Read ``amg.json:16x1``."""
    path, _, mix = text.rpartition(":")
    if not path:
        raise UserError("measured: not a file and its mix", value=text, allowed="amg.json:16x1")
    return path, model.Mix.parse(mix)


def _for_the_machine_file(fit: model.Fit) -> str:
    """Return the key that says which scenarios fit well; nothing if none was measured or fits."""
    value = [
        [str(of_mix.mix), of_mix.best, run.measured.hierarchy.ranks * of_mix.mix.threads,
         round(run.accuracy[of_mix.best], 3)]
        for of_mix in fit.mixes
        for run in of_mix.runs
        if of_mix.warning is None and run.accuracy[of_mix.best] > 0 and not run.measured.simulated
    ]  # fmt: skip
    fields = f'value = {json.dumps(value)}, source = "odonata fit amg", status = "measured"'
    return f"best_fit = {{ {fields} }}" if value else ""


def _cycles(fit: model.Fit) -> report.Table:
    columns = ["mix", "cores", "best fit", "accuracy", _measured_as(fit), *model.SCENARIOS]
    rows = [
        [
            str(of_mix.mix),
            count(run.measured.hierarchy.ranks * of_mix.mix.threads),
            _name_best(of_mix),
            percent(run.accuracy[of_mix.best]),
            milliseconds(run.measured.times.cycle_seconds),
            *(milliseconds(run.times[name].cycle_seconds) for name in model.SCENARIOS),
        ]
        for of_mix in fit.mixes
        for run in of_mix.runs
    ]
    return report.Table(
        columns, rows, left=3, title="Time of a cycle [ms], the direct solve left out"
    )


def _measured_as(fit: model.Fit) -> str:
    return " or ".join(sorted({panel.measured_as for panel in fit.panels()}))


def _name_best(fit: model.FitOfMix) -> str:
    free = fit.nearest
    if fit.warning:
        return f"none ({fit.best} is nearest)"
    return fit.best if free == fit.best else f"{fit.best} ({free} without the rule on mixes)"


def _penalties(fit: model.Fit) -> report.Table:
    columns = ["mix", "penalty", "earns its place", "alone", "best fit with it", "without it"]
    rows = [
        [
            str(of_mix.mix),
            name,
            "-" if of_mix.warning else "yes" if weight.earns_its_place else "no",
            *(percent(error) for error in (weight.alone, weight.best_with, weight.best_without)),
        ]
        for of_mix in fit.mixes
        for name, weight in of_mix.weights.items()
    ]
    rows += [[str(m.mix), "none", "", percent(m.errors["baseline"]), "", ""] for m in fit.mixes]
    title = "Gain of each penalty: error over the levels, Σ |modelled - measured| / Σ measured"
    return report.Table(columns, rows, left=3, title=title)


def _extensions(fit: model.Fit) -> list[report.Table]:
    """Return the errors with costs of many small messages, if the machine has any."""
    rows = [
        [str(m.mix), *(percent(error) for error in (m.errors["distance"], *m.extensions.values()))]
        for m in fit.mixes
        if m.extensions
    ]
    title = "With costs of many small messages: error over the levels"
    columns = ["mix", "distance", *model.EXTENSIONS]
    return [report.Table(columns, rows, title=title)] if rows else []


def _levels(fit: model.Fit) -> list[report.Table]:
    tables = []
    for panel in fit.panels():
        columns = ["level", panel.measured_as, *panel.modelled]
        series = [panel.measured or [], *panel.modelled.values()]
        rows = [
            [str(i), *(milliseconds(s) for s in level)]
            for i, level in enumerate(zip(*series, strict=True))
        ]
        best = f"best fit {panel.best}" if panel.best else "no good fit"
        title = f"{panel.title}: time of each level [ms], {best}"
        tables.append(report.Table(columns, rows, title=title))
    return tables
