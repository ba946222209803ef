"""``odonata machines edit``: changes of a fabric, and their effect."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes
from odonata.cli.fabric import listed
from odonata.cli.machines_route import LIMIT_SECONDS, Limit, check_of, print_cycle, routes_by_opensm
from odonata.cli.options import Json, MachineChanges, MachineName
from odonata.errors import UserError
from odonata.files import require_writable
from odonata.quiet import note
from odonata.report.printing import print_line, print_list
from odonata.text import json_document
from odonata.units import format_rate

if TYPE_CHECKING:
    from odonata.machine.fabric.as_graph import Routes  # types alone
    from odonata.machine.fabric.fabric import Fabric  # types alone

__all__ = ["edit", "new_routes", "require_whole"]

NO_ENGINE = "none"
"""Value of --opensm for a machine without tables."""

OpenSm = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        help="Routing engine of OpenSM for new tables; none: no tables.",
        show_default="the engine of the machine's tables, if OpenSM computed them",
    ),
]


def edit(
    name: MachineName,
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="NAME.toml",
            help="Machine file to write; NAME.fabric and NAME.routes are beside it.",
        ),
    ],
    add_switch: Annotated[
        list[str] | None,
        typer.Option("--add-switch", metavar="NAME", help="New switch; may be repeated."),
    ] = None,
    add_spines: Annotated[
        int,
        typer.Option(
            help="New switches, each cabled as a switch of the highest level, one after another.",
            min=0,
        ),
    ] = 0,
    add_link: Annotated[
        list[str] | None,
        typer.Option(
            "--add-link",
            metavar="A:B[=RATE]",
            help="New cable of two switches, such as leaf-1:spine-9=4xNDR, 25 GB/s, or a class of "
            "links; without a rate as most of theirs; may be repeated.",
        ),
    ] = None,
    remove_link: Annotated[
        list[str] | None,
        typer.Option(
            "--remove-link",
            metavar="A:B[=all]",
            help="A cable of two switches that is removed, or all; may be repeated.",
        ),
    ] = None,
    remove_switch: Annotated[
        list[str] | None,
        typer.Option(
            "--remove-switch",
            metavar="NAME",
            help="Switch that is removed, with its cables and adapters; may be repeated.",
        ),
    ] = None,
    taper: Annotated[
        list[str] | None,
        typer.Option(
            "--taper",
            metavar="LEVEL:RATIO",
            help="Cables down for each cable up of a level's switches, such as 0:2 (0: switches "
            "with adapters); the others are removed; may be repeated.",
        ),
    ] = None,
    opensm: OpenSm = None,
    limit: Limit = LIMIT_SECONDS,
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Add and remove switches, spines and cables of any machine, and say what changed.

    The options are carried out in the order in which this text lists them. A machine of another
    family becomes a graph with the same numbers.
    """
    from odonata.machine.fabric import as_graph  # for fabrics alone
    from odonata.machine.fabric.editing import Changes, edited  # for fabrics alone
    from odonata.machine.fabric.of_machine import fabric_of  # for fabrics alone

    loaded = machine.load(name, parse_changes(set_ or ()))
    as_graph.require_one_rail(loaded)
    as_graph.check_output(output)
    require_writable(output)
    before = fabric_of(loaded)
    changes = Changes(
        add_switch or (),
        add_spines,
        add_link or (),
        remove_link or (),
        remove_switch or (),
        taper or (),
    )
    after = edited(before, changes)
    require_whole(after)
    routes = new_routes(loaded, after, opensm, limit)
    told = f"{loaded.name}, edited by odonata machines edit."
    as_graph.write_graph(output, loaded, after, description=told, routes=routes)
    made = machine.load(output)
    found = loaded.check("minimal"), made.check("minimal")
    sides = _side(before, found[0]), _side(after, found[1])
    names = _names_changed(before, after)
    if as_json:
        routing = None if routes is None else routes.source
        document = {"machine": made.name, "before": sides[0], "after": sides[1], **names}
        typer.echo(json_document({**document, "routes": routing}, indent=2))
        return
    rows = [[_ROWS[what], *(_shown(what, side) for side in sides)] for what in _ROWS]
    print_list(report.Table(["what", "before", "after"], rows, left=1))
    print_line()
    for what, changed in names.items():
        if changed:
            print_line(f"{what.replace('_', ' ')}: {listed(changed)}")
    if routes is not None:
        print_line(f"routes: {routes.source}")
    print_cycle(made, found[1])
    print_line(f"{output}: {made.num_nodes} nodes; next: odonata machines check {output}")


def require_whole(fabric: Fabric) -> None:
    """Refuse a fabric with parts that cannot reach each other, and name them.

    Parameters
    ----------
    fabric
        The fabric.

    Raises
    ------
    UserError
        There are several parts.
    """
    from odonata.machine.fabric.editing import parts_with_hosts  # for fabrics alone

    _, *others = parts_with_hosts(fabric)
    if others:
        switches = [name for part in others for name in part[0]]
        hosts = [name for part in others for name in part[1]]
        with_hosts = f" with the hosts {listed(hosts)}" if hosts else ""
        raise UserError(f"machines edit: cut off: {listed(switches)}{with_hosts}")


def new_routes(
    loaded: machine.Machine, fabric: Fabric, opensm: str | None, limit: float
) -> Routes | None:
    """Return tables for a changed fabric, by OpenSM; None: without.

    Parameters
    ----------
    loaded
        The machine before the changes.
    fabric
        The changed fabric.
    opensm
        Engine that is asked for; ``none``: no tables; None: the engine of the machine's tables.
    limit
        Time after which OpenSM is ended [s].
    """
    from odonata.machine.fabric.as_graph import engine_of  # for fabrics alone

    engine = opensm or engine_of(loaded)
    if engine is None and "shape.routes" in loaded.numbers:
        note(
            f"the tables of {loaded.name} are of the fabric before: without tables, routing "
            "minimal is a shortest route (--opensm ENGINE computes tables)"
        )
    return None if engine in (None, NO_ENGINE) else routes_by_opensm(fabric, engine, limit)


_ROWS = {
    "hosts": "hosts",
    "adapters": "adapters",
    "switches": "switches",
    "switch_links": "cables between them",
    "uplinks_of_leaves": "cables of leaves to switches",
    "unreachable_pairs": "pairs without a route",
    "deadlock_free": "deadlock-free",
    "lanes": "lanes",
    "diameter": "diameter",
    "bisection_bytes_per_second": "bisection, a direction",
}
"""Rows of the table."""


def _side(fabric: Fabric, found: machine.Check) -> dict[str, Any]:
    """Return the parts of a fabric and of its check, as plain data."""
    leaves = sorted({adapter.switch for adapter in fabric.adapters})
    cables = Counter(end for cable in fabric.cables for end in (cable.a, cable.b))
    uplinks = Counter(cables[leaf] for leaf in leaves)
    return {
        **check_of(found),
        "hosts": len(fabric.hosts()),
        "uplinks_of_leaves": {str(n): uplinks[n] for n in sorted(uplinks)},
        "diameter": found.diameter,
        "bisection_bytes_per_second": found.bisection_bytes_per_second,
    }


def _shown(what: str, side: dict[str, Any]) -> str:
    value = side[what]
    if what == "uplinks_of_leaves":
        return ", ".join(f"{leaves} with {number}" for number, leaves in value.items())
    if what == "bisection_bytes_per_second":
        return format_rate(value)
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "NO", None: "-"}[value]
    return str(value)


def _names_changed(before: Fabric, after: Fabric) -> dict[str, list[str]]:
    """Return the names of new and removed switches and hosts."""
    sides = [({s.name for s in each.switches}, set(each.hosts())) for each in (before, after)]
    return {
        "switches_added": sorted(sides[1][0] - sides[0][0]),
        "switches_removed": sorted(sides[0][0] - sides[1][0]),
        "hosts_removed": sorted(sides[0][1] - sides[1][1]),
    }
