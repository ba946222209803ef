"""``odonata machines``: the table of machines, ``show`` and ``check``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from odonata import machine, report
from odonata.cli.changes import note_routes, parse_changes, parse_faults
from odonata.cli.commands import Numeric, NumericTables, Tables, TablesGroup
from odonata.cli.failures import ExitStatus
from odonata.cli.machines_cost import cost
from odonata.cli.machines_draw import draw
from odonata.cli.machines_edit import edit
from odonata.cli.machines_graph import graph
from odonata.cli.machines_rank import rank_links
from odonata.cli.machines_route import route
from odonata.cli.machines_write import write
from odonata.cli.options import Fail, FaultSeed, Json, MachineChanges, MachineName, Slow
from odonata.errors import UserError, near_file, near_miss
from odonata.machine.cycles import cycle_text
from odonata.machine.families import FAMILIES
from odonata.machine.machine import has_names
from odonata.machine.template import copied, template
from odonata.report.printing import form_of_tables, print_line, print_list
from odonata.text import for_table, json_document

__all__ = ["app"]

MOST_OF_A_NUMBER = 40
"""Characters of a number of a machine that are shown in a table that is not wide."""

app = typer.Typer(cls=TablesGroup, add_completion=False, help="Show and check machines.")


@app.callback(invoke_without_command=True)
def _list(context: typer.Context, as_json: Json = False) -> None:
    if context.invoked_subcommand is not None:
        return

    machines = [machine.load(name) for name in machine.names()]
    if as_json:
        _print_json([_summary(m) for m in machines])
        return

    head = ["machine", "family", "nodes", "cores", "routers", "groups", "what"]
    rows = [
        [
            m.name,
            m.family,
            str(m.num_nodes),
            str(m.num_nodes * m.cores_per_node),
            str(m.num_routers - m.num_adapters),
            str(m.num_groups or "-"),
            m.description.partition(":")[0].partition(";")[0].rstrip("."),
        ]
        for m in machines
    ]
    print_list(report.Table(head, rows, left=(0, 1, 6)))


@app.command(cls=Numeric, no_args_is_help=True)
def new(
    family: Annotated[
        str | None, typer.Option(help="Family; odonata machines families lists them.")
    ] = None,
    like: Annotated[
        str | None, typer.Option(help="Machine whose file to start from, such as eos.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the machine. [default: mine, or the name of --like]")
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help="Number in the place of a default or of a number of --like, such as "
            'shape.groups=9 or links.global.bandwidth="25 GB/s"; may be repeated.',
        ),
    ] = None,
) -> None:
    """Print a new machine file: a family's every key, or the file of another machine.

    The keys of a family have their meaning, range, and a default marked assumed. The file loads
    without changes: odonata machines new --family dragonfly > mine.toml.
    """
    if (family is None) == (like is None):
        which = "neither" if family is None else "both"
        raise UserError("machines new: which file", value=which, allowed="--family or --like")
    changed = parse_changes(changes or ())
    if like is not None:
        text = copied(like, name, changed)
    else:
        text = template(str(family), name or "mine", changed)
    typer.echo(text, nl=False)


@app.command(cls=Tables)
def families(as_json: Json = False) -> None:
    """Print the machine families: keys of their files, classes of links, routing policies."""
    if as_json:
        _print_json([family.to_dict() for family in FAMILIES.values()])
        return

    columns = ["key", "allowed", "meaning"]
    everything = []
    for at, family in enumerate(FAMILIES.values()):
        rows = [
            [f"shape.{key}{'' if kind.required else '?'}", kind.allowed, kind.meaning]
            for key, kind in family.shape.items()
        ]
        rows += [[f"links.{c.name}", "", c.meaning] for c in family.link_classes]
        if family.own_classes:
            rows.append(["links.<class>", "", "Classes of the file's own"])
        rows += [[f"--routing {p.name}", "", p.meaning] for p in family.policies]
        everything += [[family.name, *row] for row in rows]
        if form_of_tables() != "csv":
            print_line(("\n" if at else "") + f"{family.name}: {family.summary}")
            print_list(report.Table(columns, rows, left=3), indent=2, head=False)
    if form_of_tables() == "csv":
        print_list(report.Table(["family", *columns], everything, left=4))
    print_line("\n? may be left out")


@app.command(cls=NumericTables)
def show(
    name: MachineName,
    sources: Annotated[
        bool, typer.Option("--sources", help="Print the source of every number, not its meaning.")
    ] = False,
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Print a machine: counts, links, and every number."""
    loaded = machine.load(name, parse_changes(set_ or ()))
    if as_json:
        numbers = {
            key: {
                "value": n.value,
                "text": n.text,
                "source": n.source,
                "status": n.status,
                "meaning": n.meaning,
            }
            for key, n in loaded.numbers.items()
        }
        _print_json(_summary(loaded) | {"numbers": numbers})
        return

    print_line(f"{loaded!r}\n{for_table(loaded.description)}\n")
    written = _short if form_of_tables() == "usual" else str
    rows = [
        [key, written(number.text), number.status, number.source if sources else number.meaning]
        for key, number in loaded.numbers.items()
    ]
    head = ["number", "value", "status", "source" if sources else "meaning"]
    print_list(report.Table(head, rows, left=4))


@app.command(cls=NumericTables)
def check(
    name: MachineName,
    routing: Annotated[
        str, typer.Option(help="Routing, as odonata machines families lists it.")
    ] = "minimal",
    wiring: Annotated[
        Path | None,
        typer.Option(help="Published wiring that the links are compared with.", dir_okay=False),
    ] = None,
    set_: MachineChanges = None,
    fail: Fail = None,
    slow: Slow = None,
    seed: FaultSeed = 0,
    as_json: Json = False,
) -> None:
    """Check a machine: deadlock freedom, connectivity, diameter, bisection, wiring."""
    loaded = machine.load(name, parse_changes(set_ or ()) | parse_faults(fail, slow, seed))
    note_routes(loaded, routing)
    found = loaded.check(routing)
    compared = _compare(loaded, wiring) if wiring is not None else {}
    if as_json:
        document = {"machine": loaded.name, **found.to_dict(), "passed": found.passed}
        if loaded.faults is not None:
            document |= {"faults": loaded.faults.text, "cut_nodes": list(loaded.cut_nodes)}
        if wiring is not None:
            document["wiring"] = {
                source: {c: d.differing for c, d in classes.items()}
                for source, classes in compared.items()
            }
        _print_json(document)
    else:
        _print_check(loaded, found)
        _print_wiring(compared)
    if not found.passed:
        raise typer.Exit(ExitStatus.CHECK_FAILED)


@app.command("import", cls=NumericTables)
def import_(
    source: Annotated[
        Path,
        typer.Argument(
            help="Output of ibnetdiscover, Slurm's topology.conf or topology.yaml, or a table of "
            "links (a,b,rate,count,latency); may be compressed by gzip.",
            dir_okay=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="NAME.toml",
            help="Machine file to write; NAME.fabric and NAME.routes are beside it.",
        ),
    ],
    lfts: Annotated[
        Path | None,
        typer.Option(
            help="Forwarding tables: output of dump_lfts or dump_fts, or opensm-lfts.dump.",
            dir_okay=False,
        ),
    ] = None,
    sl2vl: Annotated[
        Path | None,
        typer.Option(
            help="Virtual lanes of service levels: opensm-sl2vl.dump.",
            dir_okay=False,
        ),
    ] = None,
    service_levels: Annotated[
        Path | None,
        typer.Option(
            help="Service levels of paths: a table slid,dlid,sl.",
            dir_okay=False,
        ),
    ] = None,
    from_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Format of the fabric: ibnetdiscover, slurm-conf, slurm-yaml or links-csv.",
            show_default="by its beginning",
        ),
    ] = None,
    rate: Annotated[
        str, typer.Option(help="Rate of links of which the file has none, which is assumed.")
    ] = "25 GB/s",
    links: Annotated[
        int,
        typer.Option(
            help="Links of each pair of switches that Slurm's files join, which is assumed.",
            min=1,
            max=1024,
        ),
    ] = 1,
    port: Annotated[
        int | None,
        typer.Option(
            help="Adapter of each host that is kept, from 1 on.", show_default="all", min=1, max=64
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the machine.", show_default="as the file")
    ] = None,
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Make a machine file of a cluster's own fabric, with the routes that it has.

    Prints what whoever runs the fabric wants to know: leaves with fewer uplinks than most, slow
    cables, parts that are cut off, names that are given twice.
    """
    from odonata.cli.fabric import Imported, import_fabric, print_findings  # for fabrics alone
    from odonata.machine.fabric.importing import FORMATS, Assumed  # for fabrics alone
    from odonata.units import parse_rate  # for fabrics alone

    if from_format is not None and from_format not in FORMATS:
        near, allowed = near_miss(from_format, FORMATS), ", ".join(FORMATS)
        raise UserError("--from: unknown", value=from_format, allowed=allowed, near=near)
    parse_rate(rate, what="--rate")
    files = Imported(source, from_format, lfts, sl2vl, service_levels)
    assumed = Assumed(rate, links, port)
    loaded, found, tables = import_fabric(files, output, name, assumed, parse_changes(set_ or ()))
    if as_json:
        routes = (
            None
            if tables is None
            else {
                "addresses": tables.paths,
                "missing_switches": list(tables.missing_switches),
                "missing_adapters": list(tables.missing_adapters),
                "missing_levels": tables.missing_levels,
            }
        )
        _print_json({"machine": loaded.name, **found.to_dict(), "routes": routes})
        return
    print_findings(found, tables)
    print_line(f"\n{output}: {loaded.num_nodes} nodes; next: odonata machines check {output}")


@app.command(cls=NumericTables)
def congestion(
    name: MachineName,
    pattern: Annotated[
        str,
        typer.Option(
            help="shift:K, bisect, alltoall, or a file with a pair of adapters in each line."
        ),
    ],
    routing: Annotated[
        str, typer.Option(help="Routing, as odonata machines families lists it.")
    ] = "minimal",
    samples: Annotated[int, typer.Option(help="Random bisections.")] = 100,
    seed: Annotated[
        int, typer.Option(help="Seed of bisections, drawn routes and faults.", min=0)
    ] = 0,
    set_: MachineChanges = None,
    fail: Fail = None,
    slow: Slow = None,
    as_json: Json = False,
) -> None:
    """Count the flows of a pattern on the links between switches, without simulation.

    Adapters are numbered in the order of the machine; of an imported fabric by their descriptions.
    """
    from odonata.cli.fabric import print_congestion  # for fabrics alone
    from odonata.machine.congestion import congestion as count  # imports NumPy

    loaded = machine.load(name, parse_changes(set_ or ()) | parse_faults(fail, slow, seed))
    note_routes(loaded, routing)
    found = count(loaded, pattern, routing=routing, samples=samples, seed=seed)
    if as_json:
        _print_json(found.to_dict())
    else:
        print_congestion(found)


app.command(cls=NumericTables, no_args_is_help=True)(graph)
app.command(cls=NumericTables, no_args_is_help=True)(write)
app.command(cls=NumericTables, no_args_is_help=True)(draw)
app.command(cls=NumericTables, no_args_is_help=True)(cost)
app.command(cls=NumericTables, no_args_is_help=True)(route)
app.command(cls=NumericTables, no_args_is_help=True)(edit)
app.command(cls=NumericTables, no_args_is_help=True)(rank_links)


@app.command(cls=Tables)
def where(
    name: MachineName,
    nodes: Annotated[
        list[int], typer.Option("--node", help="Number of a node; may be repeated.", min=0)
    ],
    set_: MachineChanges = None,
    as_json: Json = False,
) -> None:
    """Print where nodes are: names, routers, coordinates, and blocks of each level."""
    loaded = machine.load(name, parse_changes(set_ or ()))
    names = machine.Names(loaded) if has_names(loaded) else None
    found = [_where(loaded.place(node), names.of(node) if names else {}, node) for node in nodes]
    if as_json:
        _print_json({"machine": loaded.name, "nodes": found})
        return
    levels = [level for level in loaded.levels if level not in loaded.axes]

    rows = [
        [
            str(at["node"]),
            *at["names"].values(),
            str(at["router"]),
            str(at["position"]),
            *(str(at["coordinates"][axis]) for axis in loaded.axes),
            *(str(at["blocks"].get(level, "-")) for level in levels),
        ]
        for at in found
    ]
    kinds = names.kinds if names else ()
    columns = ["node", *kinds, "router", "position", *loaded.axes, *levels]
    print_list(report.Table(columns, rows, left=0))


def _where(place: machine.Place, names: Mapping[str, str], node: int) -> dict[str, Any]:
    return {
        "node": node,
        "names": dict(names),
        "router": place.router,
        "position": place.position,
        "coordinates": dict(place.coordinates),
        "blocks": dict(place.blocks),
    }


def _compare(loaded: machine.Machine, wiring: Path) -> dict[str, dict[str, machine.LinkDifference]]:
    """Compare the file with the links by rule, and with those read from it."""
    if not wiring.is_file():
        raise UserError("--wiring: no such file", value=str(wiring), near=near_file(wiring))
    published = machine.read_wiring(wiring)
    by_rule = machine.compare_wiring(loaded.core, published)
    read = loaded.with_values({"shape.blue_wiring": str(wiring.resolve())})
    return {
        "by rule": dict(by_rule),
        "from file": dict(machine.compare_wiring(read.core, published)),
    }


def _print_check(loaded: machine.Machine, found: machine.Check) -> None:
    yes = {True: "yes", False: "NO"}
    bisection = found.bisection_bytes_per_second / 1e9
    exact = "" if found.bisection_exact else ", at most: found by search"
    few, many = found.bisection_halves
    lines = [
        ("machine", loaded.name),
        *_faults_of(loaded),
        ("routing", found.policy),
        (
            "deadlock-free",
            f"{yes[found.deadlock_free]} ({found.used_channels} of {found.channels} channels used, "
            f"{found.states} states, {found.transitions} hops)",
        ),
        ("connected", yes[found.connected]),
        *_routes_of(found),
        ("diameter", f"{found.diameter} links between routers, {found.diameter + 2} with nodes'"),
        ("mean distance", f"{found.mean_distance:.3f} links between routers"),
        (
            "bisection",
            f"{bisection:.6g} GB/s a direction, {found.bisection_links} links, "
            f"between halves of {found.bisection_parts} ({few} and {many}){exact}",
        ),
    ]
    print_list(report.Table(["check", "found"], lines, left=2), head=False)
    if found.cycle:
        cycle = cycle_text(loaded, found.cycle)
        print_line(f"cycle of {len(found.cycle)} channels: {cycle}")
    print_line()
    rows = [[c.name, str(c.links), str(c.vcs), str(c.channels)] for c in found.classes]
    print_list(report.Table(["links", "number", "vcs", "channels"], rows))


def _faults_of(loaded: machine.Machine) -> list[tuple[str, str]]:
    """Return the rows on faults, if there are any."""
    if loaded.faults is None:
        return []
    return [("faults", loaded.faults.text), ("nodes cut off", str(len(loaded.cut_nodes)))]


def _routes_of(found: machine.Check) -> list[tuple[str, str]]:
    """Return the rows on the routes of pairs of adapters, where each pair has a single route."""
    if found.switches_per_route is None:
        return []
    pairs = ", ".join(f"{n} by {switches}" for switches, n in found.switches_per_route.items())
    return [
        ("adapters", f"{found.adapters}, {found.unreachable_pairs} pairs without a route"),
        ("switches", f"{found.switches}, {found.switch_links} cables between them"),
        ("routes", f"pairs by switches: {pairs}"),
        ("in cycles", f"{found.channels_in_cycles} channels"),
    ]


def _print_wiring(compared: dict[str, dict[str, machine.LinkDifference]]) -> None:
    if not compared:
        return

    print_line()
    rows = [
        [f"{name} {source}", str(d.common), str(d.only_machine), str(d.only_wiring)]
        for source, classes in compared.items()
        for name, d in classes.items()
    ]
    print_list(report.Table(["directed links", "in both", "machine only", "wiring only"], rows))


def _summary(loaded: machine.Machine) -> dict[str, Any]:
    return {
        "name": loaded.name,
        "family": loaded.family,
        "description": loaded.description,
        "nodes": loaded.num_nodes,
        "cores_per_node": loaded.cores_per_node,
        "routers": loaded.num_routers,
        "adapters": loaded.num_adapters,
        "ports": loaded.num_ports,
        "groups": loaded.num_groups,
        "links": loaded.num_links,
        "changes": dict(loaded.changes),
    }


def _short(text: str) -> str:
    """Return a list without the elements at its end."""
    return text if len(text) <= MOST_OF_A_NUMBER else text[:36].rpartition(", ")[0] + ", ..."


def _print_json(document: object) -> None:
    typer.echo(json_document(document, indent=2))
