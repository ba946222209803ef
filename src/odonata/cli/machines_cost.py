"""``odonata machines cost``: parts of a fabric, their cost and power."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes
from odonata.cli.options import Json, MachineChanges
from odonata.errors import UserError
from odonata.files import write_whole
from odonata.report.printing import print_line, print_list
from odonata.text import json_document

if TYPE_CHECKING:
    from odonata.machine.fabric.cost import Cost  # types alone

__all__ = ["cost"]


def cost(
    name: Annotated[
        str | None, typer.Argument(help="Name of a machine, or path of a .toml file.")
    ] = None,
    prices: Annotated[
        Path | None,
        typer.Option(help="Your prices; without them parts are counted alone.", dir_okay=False),
    ] = None,
    racks: Annotated[
        Path | None,
        typer.Option(
            help="Places of switches, and of hosts, on the floor: lines name,x,y in metres.",
            show_default="by cabinets in the names of nodes, or racks in rows",
            dir_okay=False,
        ),
    ] = None,
    template: Annotated[
        bool, typer.Option("--template", help="Print a price file whose numbers are blank.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="File of the template.", show_default="standard output"
        ),
    ] = None,
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Count switches, ports, adapters and cables by kind and length; add up your prices.

    No price is Odonata's. The length of a cable is the way along and across the rows of racks, and
    slack; numbers of the layout that no file has are printed as assumed.
    """
    from odonata.machine.fabric.cost import cost_of  # for fabrics alone
    from odonata.machine.fabric.prices import TEMPLATE, Prices, read_prices  # for fabrics alone

    if template:
        if output is None:
            typer.echo(TEMPLATE, nl=False)
        else:
            write_whole(output, TEMPLATE.encode())
        return
    if output is not None:
        raise UserError("--output: only with --template", value=str(output))
    if name is None:
        raise UserError("machines cost: no machine", allowed="NAME, or --template")
    wanted = Prices() if prices is None else read_prices(prices)
    found = cost_of(machine.load(name, parse_changes(set_ or ())), wanted, racks)
    if as_json:
        typer.echo(json_document(found.to_dict(), indent=2))
    else:
        _print(found)


def _print(found: Cost) -> None:
    rows = []
    for part in found.parts:
        named = f"{part.name} cable, {part.length:g} m" if part.length else part.name
        rows.append([named, str(part.number), *_money(part.price, part.power)])
    head = ["part", "number"]
    if found.currency:
        head += [f"price [{found.currency}]", "power [W]"]
        rows.append(["all", "", *_money(found.price, found.power)])
    print_list(report.Table(head, rows, left=1))
    print_line(f"\nplaces of racks: {found.rule}")
    if found.links_on_boards:
        print_line(f"links on boards, without a cable: {found.links_on_boards}")
    for key, value in found.assumed.items():
        shown = ", ".join(map(_short, value)) or "none" if isinstance(value, list) else value
        print_line(f"assumed: {key} = {_short(shown)}")


def _money(price: float | None, power: float | None) -> list[str]:
    return [] if price is None or power is None else [f"{price:.2f}", f"{power:.1f}"]


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
