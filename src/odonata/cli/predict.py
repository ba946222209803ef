"""``odonata predict amg``: the time of a cycle of algebraic multigrid, by the model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata.errors import UserError

if TYPE_CHECKING:
    from odonata.model import LevelTimes, Prediction

__all__ = ["app"]

app = typer.Typer(help="Predict times with closed-form models.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Predict times with closed-form models."""


@app.command()
def amg(
    machine: Annotated[str, typer.Option(help="Name of a machine, or path of a .toml file.")],
    problem: Annotated[str, typer.Option(help="laplace.")] = "laplace",
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
    links: Annotated[str, typer.Option(help="Links of the contention: paper, wiring.")] = "paper",
    restrict_rows: Annotated[
        str, typer.Option(help="Rows that restriction works on: paper, operator.")
    ] = "paper",
    coarsest: Annotated[
        str, typer.Option(help="Interpolation from the coarsest level: interp, none.")
    ] = "interp",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Predict the time of a V-cycle of BoomerAMG, by level and scenario."""
    from odonata import machine as machines
    from odonata import model

    prediction = model.predict_cycle(
        machines.load(machine),
        problem,
        _points(points),
        cores,
        model.Mix.parse(mix),
        scenarios=model.SCENARIOS if scenario == "all" else (scenario,),
        hierarchy_file=hierarchy,
        links=links,
        restrict_rows=restrict_rows,
        coarsest=coarsest,
    )
    if as_json:
        options = {
            "machine": machine,
            "links": links,
            "restrict_rows": restrict_rows,
            "coarsest": coarsest,
        }
        typer.echo(json.dumps(options | prediction.to_dict(), indent=2, ensure_ascii=False))
        return
    _print(prediction)


def _print(prediction: Prediction) -> None:
    h = prediction.hierarchy
    typer.echo(f"{h.problem}, {h.ranks} ranks, {prediction.mix}: seconds of a cycle, modelled")
    typer.echo(f"hierarchy {h.origin}: {h.source}")
    for line in _doubts(prediction):
        typer.echo(line)
    typer.echo("")
    head = ["level", "rows", *prediction.times]
    rows = [
        [str(i), f"{h.rows[i]:.0f}", *(f"{t.total[i] * 1e3:.3f} ms" for t in _times(prediction))]
        for i in range(h.num_levels)
    ]
    rows.append(["cycle", "", *(f"{t.cycle_seconds * 1e3:.3f} ms" for t in _times(prediction))])
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    for row in table:
        typer.echo("  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)).rstrip())


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


def _times(prediction: Prediction) -> list[LevelTimes]:
    return list(prediction.times.values())


def _points(text: str) -> tuple[int, int, int]:
    """Read ``50x50x25``."""
    sides = text.strip().lower().split("x")
    if len(sides) != 3 or not all(s.isascii() and s.isdigit() and 0 < len(s) < 7 for s in sides):
        raise UserError("points: not three sides", value=text, allowed="50x50x25")
    x, y, z = (int(side) for side in sides)
    if 0 in (x, y, z):
        raise UserError("points: a side is 0", value=text, allowed="1 or more")
    return x, y, z
