"""``odonata machines route``: routes of a machine by OpenSM."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes
from odonata.cli.fabric import listed
from odonata.cli.options import Json, MachineChanges, MachineName
from odonata.cli.progress import ProgressBar
from odonata.files import require_writable
from odonata.machine.cycles import cycle_text
from odonata.report.printing import print_line, print_list
from odonata.text import json_document

if TYPE_CHECKING:
    from odonata.machine.fabric.as_graph import Routes  # types alone
    from odonata.machine.fabric.fabric import Fabric  # types alone

__all__ = ["check_of", "check_rows", "print_cycle", "route", "routes_by_opensm"]

LIMIT_SECONDS = 3600.0

Limit = Annotated[
    float, typer.Option("--limit", help="Seconds after which OpenSM is ended.", min=0.1)
]


def route(
    name: MachineName,
    opensm: Annotated[
        str,
        typer.Option(
            metavar="ENGINE", help="Routing engine of OpenSM: minhop, updn, ftree, dfsssp, ..."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="NAME.toml",
            help="Machine file to write; NAME.fabric and NAME.routes are beside it.",
            show_default="<machine>-<engine>.toml",
        ),
    ] = None,
    limit: Limit = LIMIT_SECONDS,
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Let the real OpenSM route any machine, and write the machine with these tables.

    OpenSM runs over ibsim, a simulator of InfiniBand fabrics; both are programs of this computer
    (Debian's packages opensm and ibsim-utils). Routing minimal of the new machine follows the
    tables, lanes included.
    """
    from odonata.machine.fabric import as_graph  # for fabrics alone
    from odonata.machine.fabric.of_machine import fabric_of  # for fabrics alone

    loaded = machine.load(name, parse_changes(set_ or ()))
    as_graph.require_one_rail(loaded)
    target = output or Path(f"{loaded.name}-{opensm}.toml")
    as_graph.check_output(target)
    require_writable(target)
    fabric = fabric_of(loaded)
    routes = routes_by_opensm(fabric, opensm, limit)
    told = f"{loaded.name}, with routes {routes.source}."
    as_graph.write_graph(target, loaded, fabric, description=told, routes=routes)
    made = machine.load(target)
    found = made.check("minimal")
    if as_json:
        document = {"machine": made.name, "opensm": routes.version, "engine": opensm}
        typer.echo(json_document({**document, **gaps_of(routes), **check_of(found)}, indent=2))
        return
    rows = [("routes", routes.source), *check_rows(found), *_gap_rows(routes)]
    print_list(report.Table(["what", "found"], rows, left=2), head=False)
    print_cycle(made, found)
    print_line(f"\n{target}: {made.num_nodes} nodes; next: odonata machines congestion {target}")


def routes_by_opensm(fabric: Fabric, engine: str, limit: float) -> Routes:
    """Return the routes of a fabric by OpenSM, with a bar while it works.

    Parameters
    ----------
    fabric
        The fabric.
    engine
        Routing engine of OpenSM.
    limit
        Time after which it is ended [s].
    """
    from odonata.machine.fabric.opensm import opensm_routes  # imports NumPy

    title = f"OpenSM, {engine}: {len(fabric.switches)} switches"
    with ProgressBar(title) as bar:
        return opensm_routes(fabric, engine, limit_seconds=limit, report=bar.note_share)


def gaps_of(routes: Routes) -> dict[str, Any]:
    """Return what tables leave out, as plain data.

    Parameters
    ----------
    routes
        The tables.
    """
    tables = routes.tables
    return {
        "missing_switches": list(tables.missing_switches),
        "missing_adapters": list(tables.missing_adapters),
        "missing_levels": tables.missing_levels,
    }


def check_of(found: machine.Check) -> dict[str, Any]:
    """Return the parts of a check that routes change, as plain data.

    Parameters
    ----------
    found
        The check.
    """
    parts = (
        *("adapters", "switches", "switch_links", "unreachable_pairs", "switches_per_route"),
        *("deadlock_free", "channels_in_cycles"),
    )
    document = found.to_dict()
    return {"lanes": _lanes(found), **{part: document[part] for part in parts}}


def check_rows(found: machine.Check) -> list[tuple[str, str]]:
    """Return the rows of a table with the parts of a check that routes change.

    Parameters
    ----------
    found
        The check.
    """
    pairs = found.unreachable_pairs or 0
    routes = found.switches_per_route or {}
    rows = [
        ("adapters", f"{found.adapters}, {pairs} pairs without a route"),
        ("switches", f"{found.switches}, {found.switch_links} cables between them"),
        ("lanes", str(_lanes(found))),
        ("deadlock-free", "yes" if found.deadlock_free else "NO: it needs --allow-cycles"),
    ]
    if found.switches_per_route:
        shown = ", ".join(f"{n} by {switches}" for switches, n in routes.items())
        rows.insert(2, ("pairs by switches", shown))
    if found.channels_in_cycles:
        rows.append(("in cycles", f"{found.channels_in_cycles} channels"))
    return rows


def print_cycle(made: machine.Machine, found: machine.Check) -> None:
    """Print the cycle of a check, if there is one.

    Parameters
    ----------
    made
        The machine.
    found
        The check.
    """
    if found.cycle:
        shown = cycle_text(made, found.cycle)
        print_line(f"cycle of {len(found.cycle)} channels: {shown}")


def _gap_rows(routes: Routes) -> list[tuple[str, str]]:
    tables = routes.tables
    rows = [
        ("switches without table", list(tables.missing_switches)),
        ("adapters without address", list(tables.missing_adapters)),
    ]
    gaps = [(what, listed(names)) for what, names in rows if names]
    if tables.missing_levels:
        gaps.append(("pairs without service level", str(tables.missing_levels)))
    return gaps


def _lanes(found: machine.Check) -> int:
    """Return the virtual lanes of links between switches."""
    of_nodes = ("injection", "ejection")
    return max(
        (each.vcs for each in found.classes if each.name.partition("-")[0] not in of_nodes),
        default=1,
    )
