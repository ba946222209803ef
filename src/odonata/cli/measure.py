"""``odonata measure``: microbenchmarks of the machine at hand, and a machine file of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeVar

import typer

from odonata import machine as machines
from odonata import measure as measurements
from odonata import model
from odonata import report as reports
from odonata.cli.commands import Tables
from odonata.cli.failures import ExitStatus, report
from odonata.cli.options import OUT, Json
from odonata.files import require_writable, write_whole
from odonata.machine import files
from odonata.quiet import is_quiet, note
from odonata.report.printing import print_line, print_table
from odonata.text import json_document
from odonata.units import Written

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["OneVoice", "app", "measure"]

app = typer.Typer(add_completion=False)

T = TypeVar("T")

_WHAT = "Measurements"
_READ = "Interpretation"


class OneVoice(Tables):
    """A command that all ranks are given: only the first rank reports wrong options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the options; only the first rank of a launcher says why they can't be."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            _speak_once(error)


def _speak_once(error: Exception) -> NoReturn:
    if isinstance(error, typer.Exit) or measurements.launched_rank() == 0:
        raise error
    raise typer.Exit(ExitStatus.WRONG_INPUT) from error


@app.command(cls=OneVoice)
def measure(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Machine file to write, .toml.", rich_help_panel=OUT),
    ] = None,
    json: Json = False,
    machine: Annotated[
        str | None,
        typer.Option(
            help="Machine with this topology: distances D for gamma, links, unmeasured numbers.",
            show_default="a star",
        ),
    ] = None,
    hierarchy: Annotated[
        Path | None,
        typer.Option(
            help="Document of odonata-amg with flop times, or with sizes of operators.",
            show_default="a 7-point Laplacian's",
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--from",
            metavar="FILE",
            help="Read hpccoutf.txt, or output of IMB-MPI1 PingPong, osu_latency or osu_bw, "
            "instead of measuring; may be repeated.",
        ),
    ] = None,
    network: Annotated[
        bool, typer.Option(help="Measure ping-pongs, rings and overheads.", rich_help_panel=_WHAT)
    ] = True,
    compute: Annotated[
        bool, typer.Option(help="Measure flops and memory bandwidth.", rich_help_panel=_WHAT)
    ] = True,
    pairs: Annotated[
        int, typer.Option(help="Largest number of pairs of ranks.", rich_help_panel=_WHAT)
    ] = 64,
    rings: Annotated[int, typer.Option(help="Number of random rings.", rich_help_panel=_WHAT)] = 10,
    samples: Annotated[
        int,
        typer.Option(help="Samples of a latency; long messages have fewer.", rich_help_panel=_WHAT),
    ] = 30,
    seed: Annotated[
        int, typer.Option(help="Seed of pairs and random rings.", rich_help_panel=_WHAT)
    ] = 0,
    alpha: Annotated[
        str,
        typer.Option(
            help="Source of alpha: best (the fastest pair), or network (the fastest on two nodes).",
            rich_help_panel=_READ,
        ),
    ] = "best",
    largest: Annotated[
        str,
        typer.Option(help="Source of alpha(D): pairs, or all (rings too).", rich_help_panel=_READ),
    ] = "pairs",
    distances: Annotated[
        str,
        typer.Option(
            help="Distances: assumed (farthest pair is D links apart), or names (NIDs of nodes).",
            rich_help_panel=_READ,
        ),
    ] = "assumed",
) -> None:
    """Measure the machine at hand: mpiexec -n 8 odonata measure -o here.toml.

    It measures latency, bandwidth, the time of a hop, the eager threshold, overheads, the time of
    a flop and the bandwidth of memory: the numbers that odonata predict amg needs, each with its
    source and an interval.
    """
    options = _Options(output, json, machine, hierarchy, tuple(files or ()))

    def wanted() -> measurements.Wanted:
        thoroughness = measurements.Thoroughness(pairs, rings, measurements.Effort(samples), seed)
        return options.wanted(
            network=network,
            compute=compute,
            thoroughness=thoroughness,
            alpha=alpha,
            largest=largest,
            distances=distances,
        )

    if options.files:
        plan = wanted()
        options.check()
        options.deliver(measurements.read_files(options.files, plan))
        return
    # All ranks take part in each step, since one that stops alone leaves the others waiting.
    try:
        world = measurements.World()
    except Exception as error:
        _speak_once(error)
    _together(world, lambda: options.check() if world.rank == 0 else None)
    plan = _together(world, wanted)
    _together(world, lambda: measurements.check_here(world, plan))
    measured = _measure(world, plan)
    _together(world, lambda: options.deliver(measured) if world.rank == 0 else None)


@dataclass(frozen=True)
class _Options:
    """Sources and destinations of a measurement."""

    output: Path | None
    json: bool
    machine: str | None
    hierarchy: Path | None
    files: tuple[Path, ...]

    def check(self) -> None:
        """Fail now if the file could not be written later."""
        if self.output is not None:
            require_writable(self.output)

    def wanted(
        self, *, alpha: str, largest: str, distances: str, **what: Any
    ) -> measurements.Wanted:
        """Return the measurements to make."""
        known: machines.Machine | None = (
            None if self.machine is None else machines.load(self.machine)
        )
        reading = measurements.Reading(
            alpha,
            largest,
            distances,
            None if known is None else model.diameter_of(known),
            model.NEAREST,
        )
        levels = None if self.hierarchy is None else measurements.read_levels(self.hierarchy)
        return measurements.Wanted(reading=reading, machine=known, levels=levels, **what)

    def deliver(self, measured: measurements.Measurement) -> None:
        """Write the machine file, then print the findings."""
        name = "here" if self.output is None else self.output.stem
        base = None if self.machine is None else files.read(files.find(self.machine))
        text = measured.to_toml(base, name)
        if self.output is not None:
            write_whole(self.output, text.encode())
        if self.json:
            typer.echo(json_document(measured.to_dict(), indent=2))
        else:
            _print(measured)


def _together(world: measurements.World, action: Callable[[], T]) -> T:
    """Do an action; if it fails on any rank, all leave, and the lowest failing rank says why."""
    import numpy as np

    done, error = _attempt(action)
    failed = -float(world.size if error is None else world.rank)
    speaker = int(-world.most(np.array([failed]))[0])
    if speaker == world.size:
        assert done is not None
        return done[0]
    status = np.zeros(1)
    if error is not None and speaker == world.rank:
        status[0] = report(error)
    raise typer.Exit(int(world.share(status, speaker)[0]))


def _attempt(action: Callable[[], T]) -> tuple[tuple[T] | None, Exception | None]:
    try:
        return (action(),), None
    except Exception as error:
        return None, error


def _measure(world: measurements.World, plan: measurements.Wanted) -> measurements.Measurement:
    """Measure; a rank that fails on the way ends all, for the others wait for it."""
    try:
        with _Status(world.rank == 0 and sys.stderr.isatty() and not is_quiet()) as status:
            return measurements.measure_here(world, plan, status.tell)
    except BaseException as error:
        world.comm.Abort(report(error))
        raise


class _Status:
    """Shows the current measurement on a terminal."""

    def __init__(self, shown: bool) -> None:
        self._status: Status | None = None
        if shown:
            from rich.console import Console
            from rich.status import Status

            self._status = Status("starting", console=Console(stderr=True))

    def __enter__(self) -> _Status:
        if self._status is not None:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def tell(self, what: str) -> None:
        if self._status is not None:
            self._status.update(what)


def _print(measured: measurements.Measurement) -> None:
    """Print a table of the findings, and on standard error the warnings."""
    found = measured.findings
    rows = [_row(finding.key, finding) for finding in found.found.values()]
    if found.far is not None:
        rows.insert(1, _row("alpha(D)", found.far))
    columns = ["parameter", "value", "95 % interval"]
    print_table(reports.Table(columns, rows, title=measured.origin))
    for key, reason in sorted(found.unknown.items()):
        print_line(f"{key}: unknown: {reason}")
    for warning in found.all_warnings():
        note(f"warning: {warning}")


def _row(name: str, finding: measurements.Finding) -> list[str]:
    unit = measurements.unit_of(finding.key)
    short = unit.short
    values = ", ".join(short(estimate.value) for estimate in finding.estimates)
    if len(finding.estimates) == 1:
        values = Written(values, finding.estimates[0].value, unit.name)
    ends = (f"{short(estimate.low)} to {short(estimate.high)}" for estimate in finding.estimates)
    return [name, values, ", ".join(ends)]
