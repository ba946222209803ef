"""``odonata study``: a thousand runs of a command, kept, resumed, on all cores and beyond."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli
from odonata.cli.commands import NumericTables, Tables
from odonata.cli.options import Json
from odonata.errors import UserError
from odonata.files import write_whole
from odonata.quiet import note

__all__ = ["app"]

FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Folder of the study.", show_default=False)
]
Source = Annotated[
    Path,
    typer.Argument(
        metavar="STUDY", help="Study file, or the folder of a study.", show_default=False
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="FOLDER", help="Folder of the study.", show_default="its name"
    ),
]
Anew = Annotated[
    bool, typer.Option("--anew", help="Make the runs of another version of Odonata again.")
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="AXIS=VALUE",
        help="Runs to take: machine=eos, ranks='> 512', bytes='<= 4KiB'; may be repeated.",
    ),
]
By = Annotated[
    str | None,
    typer.Option(
        help="Axes whose values the runs of a row share, separated by commas.",
        show_default="all axes",
    ),
]
Of = Annotated[str, typer.Option(help="Number of the runs, such as time_seconds or packets.")]

app = typer.Typer(
    add_completion=False,
    help="Run a command a thousand times: kept, resumed, on all cores and beyond.",
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Run a command a thousand times: kept, resumed, on all cores and beyond."""


@app.command(cls=Tables)
def new(
    line: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="COMMAND",
            help="Command with several values of its options, as in 'simulate allgather "
            "--algorithm ring,bruck --seed 1,2,3 --machine eos,theta'.",
            show_default="a template",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="Study file to write.")] = Path(
        "study.toml"
    ),
) -> None:
    """Write a study file: a template, or the study that a command with commas stands for."""
    if output.exists():
        raise UserError("study file: it is there already", value=str(output), allowed="a new name")
    write_whole(
        output, (cli.study_file.TEMPLATE if line is None else cli.study_file.of_line(line)).encode()
    )
    note(f"{output}: run it with odonata study run {output} -o FOLDER")


@app.command(cls=Tables)
def check(source: Source, output: Folder = None, anew: Anew = False, as_json: Json = False) -> None:
    """Check every combination of a study, and write its plan: workers may begin."""
    folder = cli.study_run.folder_of(source, output)
    cli.study_run.prepare(source, folder, anew=anew)
    cli.study_tables.print_state(folder, as_json=as_json)


@app.command(cls=Tables)
def run(
    source: Source,
    output: Folder = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "-j", "--workers", min=1, help="Runs at a time.", show_default="one for each processor"
        ),
    ] = None,
    parsl: Annotated[
        Path | None,
        typer.Option(
            metavar="CONFIG.py",
            help="Parsl's configuration of a site: Slurm, PBS, LSF, Kubernetes; the file is Python "
            "and is executed.",
            show_default="this computer",
        ),
    ] = None,
    reuse: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FOLDER", help="Other study, whose runs are taken over; may be repeated."
        ),
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Make failed runs again.")] = False,
    anew: Anew = False,
    as_json: Json = False,
) -> None:
    """Make the runs of a study that are missing.

    After Ctrl-C, a kill or a full disk the same command continues: only runs that were under way
    are made again. Further workers may help at any time: odonata study work FOLDER.
    """
    folder = cli.study_run.folder_of(source, output)
    cli.study_run.prepare(source, folder, anew=anew)
    if retry:
        cli.study_run.retry(folder)
    if reuse:
        cli.study_run.reuse(folder, reuse)
    if parsl is not None:
        cli.study_parsl.run_on_parsl(folder, parsl)
    else:
        cli.study_run.run_here(folder, workers or len(os.sched_getaffinity(0)))
    cli.study_tables.print_state(folder, as_json=as_json)


@app.command(cls=Tables)
def work(
    folder: FolderArgument,
    with_parent: Annotated[bool, typer.Option("--with-parent", hidden=True)] = False,
) -> None:
    """Make runs of a study beside other workers: in a second terminal, by srun, in a job array.

    The folder has a plan by odonata study check or study run. The command ends when all runs have
    ended.
    """
    made = cli.study_run.work_here(folder, with_parent=with_parent)
    note(f"{made} runs made here")


@app.command(cls=NumericTables)
def show(
    folder: FolderArgument,
    where: Where = None,
    by: By = None,
    of: Of = "time_seconds",
    best: Annotated[
        str | None,
        typer.Option(metavar="AXIS", help="Print which value of an axis has the least median."),
    ] = None,
    all_: Annotated[
        bool, typer.Option("--all", help="Print all rows, however many there are.")
    ] = False,
    commands: Annotated[
        bool, typer.Option("--commands", help="Print the command that makes each run again.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print one table of the runs that have ended: median and range of a number."""
    wanted = cli.study_tables.Wanted(where or [], by, of, best, all_, commands)
    cli.study_tables.print_study(folder, wanted, as_json=as_json)


@app.command(cls=NumericTables)
def plot(
    folder: FolderArgument,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Figure: .png, .pdf, .svg.", show_default=False)
    ],
    x: Annotated[
        str | None, typer.Option(help="Axis along the figure.", show_default=False)
    ] = None,
    of: Of = "time_seconds",
    by: Annotated[
        str | None,
        typer.Option(help="Axes whose values make the lines, separated by commas."),
    ] = None,
    panels: Annotated[str | None, typer.Option(help="Axis whose values make the panels.")] = None,
    prices: Annotated[
        Path | None,
        typer.Option(
            help="Price file, see odonata machines cost: draw the number against the price of the "
            "machines, in the place of --x; the best ones are joined.",
            show_default=False,
        ),
    ] = None,
    where: Where = None,
) -> None:
    """Draw a number of the runs along an axis: lines of medians, bands from least to most."""
    asked = cli.study_figure.Asked(x, of, by, panels, prices, where or [])
    cli.study_figure.draw(folder, output, asked)


@app.command(cls=NumericTables)
def export(
    folder: FolderArgument,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            help="Table: .csv, .parquet (needs pyarrow), or .nc, a labelled dataset.",
            show_default=False,
        ),
    ],
    where: Where = None,
) -> None:
    """Write all runs that have ended, in the order of the study, as one table or dataset."""
    cli.study_export.export_study(folder, output, where or [])
