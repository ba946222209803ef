"""``odonata predict amg``: the time of a cycle of algebraic multigrid, by the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.cli.amg import (
    CoarsestOption,
    LinksOption,
    PlotOption,
    RestrictRowsOption,
    milliseconds,
    parse_points,
)
from odonata.cli.commands import Numeric
from odonata.cli.options import Json, Machine
from odonata.errors import UserError, near_miss

if TYPE_CHECKING:
    from odonata.model import Prediction
    from odonata.report import Table

__all__ = ["app"]

app = typer.Typer(
    add_completion=False, help="Predict times with closed-form models.", no_args_is_help=True
)


@app.callback()
def _group() -> None:
    """Predict times with closed-form models."""


@app.command(cls=Numeric)
def amg(
    machine: Machine,
    problem: Annotated[str, typer.Option(help="laplace, laplace27.")] = "laplace",
    points: Annotated[str, typer.Option(help="Grid points of each core.")] = "50x50x25",
    cores: Annotated[int, typer.Option(help="Ranks times threads a rank.")] = 1024,
    mix: Annotated[str, typer.Option(help="Ranks a node x threads a rank.")] = "16x1",
    scenario: Annotated[
        str,
        typer.Option(
            help="baseline, distance, bandwidth, alpha, gamma, alpha_gamma, or all; "
            "only_bandwidth, only_alpha, only_gamma for one penalty by itself."
        ),
    ] = "all",
    hierarchy: Annotated[
        Path | None, typer.Option(help="Hierarchy to use, a .json file.", dir_okay=False)
    ] = None,
    links: LinksOption = None,
    restrict_rows: RestrictRowsOption = "paper",
    coarsest: CoarsestOption = "interp",
    plot: PlotOption = None,
    as_json: Json = False,
) -> None:
    """Predict the time of a V-cycle of BoomerAMG, by level and scenario."""
    from odonata import machine as machines
    from odonata import model, report

    if plot is not None:
        report.require_figure(plot)
    prediction = model.predict_cycle(
        machines.load(machine),
        problem,
        parse_points(points),
        cores,
        model.Mix.parse(mix),
        scenarios=_scenarios(scenario),
        hierarchy_file=hierarchy,
        links=links,
        restrict_rows=restrict_rows,
        coarsest=coarsest,
    )
    if plot is not None:
        report.plot_levels([prediction.panel()], plot)
    if as_json:
        options = {"machine": machine, "restrict_rows": restrict_rows, "coarsest": coarsest}
        typer.echo(json.dumps(options | prediction.to_dict(), indent=2, ensure_ascii=False))
        return
    _print(prediction)


def _scenarios(name: str) -> tuple[str, ...]:
    from odonata import model

    known = ("all", *model.PENALTIES)
    if name not in known:
        near = near_miss(name, known)
        raise UserError("scenario: unknown", value=name, near=near, allowed=", ".join(known))
    return model.SCENARIOS if name == "all" else (name,)


def _print(prediction: Prediction) -> None:
    from odonata.report import print_table

    h = prediction.hierarchy
    typer.echo(f"{h.problem}, {h.ranks} ranks, {prediction.mix}: time of a cycle [ms], modelled")
    typer.echo(f"hierarchy {h.origin}: {h.source}")
    for line in _doubts(prediction):
        typer.echo(line)
    typer.echo("")
    print_table(_table(prediction))


def _table(prediction: Prediction) -> Table:
    from odonata.report import Table

    h, times = prediction.hierarchy, prediction.times.values()
    rows = [
        [str(i), f"{h.rows[i]:,.0f}", *(milliseconds(t.total[i]) for t in times)]
        for i in range(h.num_levels)
    ]
    rows.append(["cycle", "", *(milliseconds(t.cycle_seconds) for t in times)])
    return Table(["level", "rows", *prediction.times], rows)


def _doubts(prediction: Prediction) -> list[str]:
    """Say how wrong estimates like this one were; nothing of what is known."""
    if not prediction.checks:
        return []
    error = prediction.estimate_error
    bar = "could not be checked" if error is None else f"cycle time ± {error:.1%}"
    lines = [f"an estimate: {bar}"]
    for how, errors in prediction.checks.items():
        found = ", ".join(f"{e:+.1%} at {ranks}" for ranks, e in errors.items())
        lines.append(f"  {how}: {found + ' ranks' if found else 'no case to check it'}")
    return lines
