"""Groups of options that several commands have, and the decorator that makes options of them.

A command takes a group as one argument; on the command line each field of it is an option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from odonata import cli
from odonata.cli import options
from odonata.errors import UserError

__all__ = [
    "Application",
    "Network",
    "Others",
    "Outcome",
    "Stencil",
    "Where",
    "Wheres",
    "expanded",
    "showing",
]


@dataclass(frozen=True, kw_only=True)
class _Placed:
    """Options of all placements; None: not said."""

    allocation: options.Allocation = None
    mapping: options.Mapping = None

    @property
    def said(self) -> bool:
        """Whether any of them was given."""
        return any(value is not None for value in vars(self).values())

    def chosen(self) -> dict[str, Any]:
        """Return the given values, and the usual ones for the rest."""
        usual = {"allocation": "contiguous", "mapping": "block", "ranks_per_node": 1}
        return usual | {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Where(_Placed):
    """Options of a placement; None: not said."""

    ranks_per_node: options.RanksPerNode = None


@dataclass(frozen=True, kw_only=True)
class Wheres(_Placed):
    """Options of the placements of a comparison; None: not said."""

    ranks_per_node: options.RanksPerNodes = None

    def chosen(self) -> dict[str, Any]:
        """Return the given values, and the usual ones for the rest; ranks a node are a list."""
        numbers = self.ranks_per_node or "1"
        return super().chosen() | {"ranks_per_node": 1, "ranks_per_nodes": numbers}


@dataclass(frozen=True, kw_only=True)
class Network:
    """Options of the engine and of the machine's numbers."""

    engine: options.Engine = "packet"
    routing: options.Routing = "minimal"
    bias: options.Bias = "0"
    allow_cycles: options.AllowCycles = False
    packet_bytes: options.PacketBytes = None
    changes: options.Changes = None
    fail: options.Fail = None
    slow: options.Slow = None


@dataclass(frozen=True, kw_only=True)
class Others:
    """Options of the other jobs of the machine."""

    background: options.Background = None
    busy: options.Busy = None
    busy_with: options.BusyWith = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Options of the output, beside the result file."""

    samples: options.Samples = None
    plot: options.Plot = None
    explain: options.Explain = False
    breakdown: options.Breakdown = False
    what_if: options.WhatIf = False
    interval: options.Interval = None
    digest: options.Digest = False
    json: options.Json = False

    def kept(self, result: Path | None) -> dict[str, Any]:
        """Return what a run has to keep for the output, and for its file if there is one."""
        if self.explain and self.breakdown:
            raise UserError(
                "--breakdown: it is --explain without the critical path; give one of the two"
            )
        return {
            "samples": self.samples,
            "digest": self.digest,
            "explain": self.explain or ("breakdown" if self.breakdown else False),
            "kept": result is not None or self.plot is not None,
        }

    def outputs(self, result: Path | None, *, beside: bool = False) -> cli.outputs.Outputs:
        """Return where results go; `beside`: standard output belongs to the program."""
        return cli.outputs.Outputs(
            json=self.json,
            output=result,
            plot=self.plot,
            what_if=self.what_if,
            coverage=cli.intervals.coverage(self.interval) if self.interval else None,
            beside=beside,
        )


@dataclass(frozen=True, kw_only=True)
class Stencil:
    """Options of a halo exchange, some of which an application has, too; None: not said."""

    sides: Annotated[
        str | None,
        typer.Option(
            help="Process grids such as 4x4x4, separated by commas; the squarest one of --ranks if "
            "left out.",
            show_default=False,
            rich_help_panel=options.HALO,
        ),
    ] = None
    distribution: Annotated[
        str | None,
        typer.Option(
            help="Places of the ranks in the grid: plain, cart or custom, separated by commas.",
            show_default="plain",
            rich_help_panel=options.HALO,
        ),
    ] = None
    cells: Annotated[
        str | None,
        typer.Option(
            help="Cells of a rank along each side, such as 64 or 64x64x32; sedov: of the whole "
            "grid, such as 8192x8192.",
            show_default="halo: 64",
            rich_help_panel=options.HALO,
        ),
    ] = None
    cell_bytes: Annotated[
        str | None,
        typer.Option(
            help="Size of a cell.",
            show_default="halo: 8 B, sedov: 40 B",
            rich_help_panel=options.HALO,
        ),
    ] = None
    pack: Annotated[
        str | None,
        typer.Option(
            help="Time to pack or unpack a byte of a face, such as 0.1ns/B, or one for each "
            "side: 0.4ns/B,0.4ns/B,0.1ns/B; fft: of an alltoall.",
            show_default="the machine's mpi.copy_per_byte",
            rich_help_panel=options.HALO,
        ),
    ] = None
    periodic: Annotated[
        bool | None,
        typer.Option(
            "--periodic/--no-periodic",
            help="Whether the last rank of a line is a neighbour of the first.",
            show_default="periodic",
            rich_help_panel=options.HALO,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Application:
    """Options of the applications sedov and fft; None: not said."""

    ghosts: Annotated[
        str | None,
        typer.Option(
            help="Layers of ghost cells of sedov.",
            show_default="2",
            rich_help_panel=options.APPLICATION,
        ),
    ] = None
    exchanges: Annotated[
        str | None,
        typer.Option(
            help="Ghost exchanges in a step of sedov.",
            show_default="2",
            rich_help_panel=options.APPLICATION,
        ),
    ] = None
    cell_time: Annotated[
        str | None,
        typer.Option(
            help="Time that sedov computes for a cell in a step.",
            show_default="6.98us, of the Darter study",
            rich_help_panel=options.APPLICATION,
        ),
    ] = None
    points: Annotated[
        str | None,
        typer.Option(
            help="Points of fft along x, y, z, such as 768 or 768x768x384, separated by commas.",
            show_default=False,
            rich_help_panel=options.APPLICATION,
        ),
    ] = None
    flop_time: Annotated[
        str | None,
        typer.Option(
            help="Time of a floating-point operation of fft.",
            show_default="1.7ns, assumed",
            rich_help_panel=options.APPLICATION,
        ),
    ] = None


def expanded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with an option for each field of the groups that it takes.

    Parameters
    ----------
    command
        A function whose parameters are annotated for typer, or with a dataclass whose fields are.

    Examples
    --------
    >>> def place(where: Where, ranks: int = 1): ...
    >>> list(inspect.signature(expanded(place)).parameters)
    ['allocation', 'mapping', 'ranks_per_node', 'ranks']
    """
    signature = inspect.signature(command, eval_str=True)
    taken = signature.parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in taken if is_dataclass(one.annotation)
    }

    @wraps(command)
    def call(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return command(**given)

    parameters = [
        parameter
        for one in taken
        for parameter in (
            _of_fields(groups[one.name])
            if one.name in groups
            else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        )
    ]
    # typer makes the options of the signature, and reads their types from the annotations.
    vars(call)["__signature__"] = signature.replace(parameters=parameters)
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def showing(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that shows other defaults in the help of an expanded command.

    Parameters
    ----------
    **defaults
        Text for the options of these names.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command)
        parameters = [
            one.replace(annotation=_showing(one.annotation, defaults[one.name]))
            if one.name in defaults
            else one
            for one in signature.parameters.values()
        ]
        vars(command)["__signature__"] = signature.replace(parameters=parameters)
        command.__annotations__ |= {one.name: one.annotation for one in parameters}
        return command

    return decorate


def _showing(annotation: Any, text: str) -> Any:
    kind, option = get_args(annotation)
    option = copy(option)  # other commands have the same object
    option.show_default = text
    return Annotated[kind, option]


def _of_fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
