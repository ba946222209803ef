"""``odonata machines rank-links``: links by what their loss costs a job or a pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes, parse_faults
from odonata.cli.fabric import listed
from odonata.cli.machines_route import LIMIT_SECONDS, Limit
from odonata.cli.options import Fail, Json, MachineChanges, MachineName, Slow
from odonata.cli.progress import ProgressBar
from odonata.errors import UserError
from odonata.quiet import note
from odonata.report.printing import print_line, print_list
from odonata.result.overview import seconds
from odonata.text import for_table, json_document
from odonata.units import parse_bytes

if TYPE_CHECKING:
    from odonata.decide.links import ComputeRoutes, LinkCost, LinkRanking, Simulate  # types alone
    from odonata.machine.fabric.as_graph import Routes  # types alone
    from odonata.machine.fabric.fabric import Fabric  # types alone

__all__ = ["rank_links"]

MINIMAL = "minimal"


def rank_links(
    name: MachineName,
    pattern: Annotated[
        str | None,
        typer.Option(
            help="A message from adapter to adapter: shift:K, bisect, alltoall, or a file with a "
            "pair of adapters in each line."
        ),
    ] = None,
    size: Annotated[
        str, typer.Option("--bytes", help="Size of each message of the pattern.")
    ] = "1MiB",
    job: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN.nc",
            help="Result file of a run, which is made again on this machine.",
            dir_okay=False,
        ),
    ] = None,
    routing: Annotated[
        str | None,
        typer.Option(
            help="Routing, as odonata machines families lists graphs'.",
            show_default="minimal, or the routing of the job",
        ),
    ] = None,
    opensm: Annotated[
        str | None,
        typer.Option(
            metavar="ENGINE",
            help="Routing engine of OpenSM, which computes tables without each link.",
            show_default="the engine of the machine's tables, if OpenSM computed them",
        ),
    ] = None,
    limit: Limit = LIMIT_SECONDS,
    top: Annotated[
        int | None, typer.Option(help="Links that are printed.", show_default="all", min=1)
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="Links that are drawn.", show_default="all", min=1)
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            help="Seed of drawn links, of shares of --fail, and of all random choices.", min=0
        ),
    ] = 0,
    workers: Annotated[
        int | None,
        typer.Option(
            "-j", "--workers", min=1, help="Runs at a time.", show_default="one for each processor"
        ),
    ] = None,
    set_: MachineChanges = None,
    fail: Fail = None,
    slow: Slow = None,
    as_json: Json = False,
) -> None:
    """Rank the links between switches by what the loss of a cable costs a job or a pattern.

    The run is made once with all cables, and once without one cable of each link, by routes that
    are computed again. Links whose loss cuts hosts off come first. Faults are there in every run.
    """
    from odonata.decide import links  # imports NumPy
    from odonata.machine.fabric.as_graph import require_one_rail  # for fabrics alone

    if (pattern is None) == (job is None):
        given = "neither" if pattern is None else "both"
        allowed = "--pattern or --job"
        raise UserError("machines rank-links: of which run", value=given, allowed=allowed)
    loaded = machine.load(name, parse_changes(set_ or ()) | parse_faults(fail, slow, seed))
    require_one_rail(loaded)
    if job is not None:
        simulate, routing = _of_job(job, routing)
    else:
        routing = routing or MINIMAL
        simulate = _of_pattern(loaded, str(pattern), size, routing, seed)
    routes = _routes(loaded, routing, opensm, limit)
    with ProgressBar("links") as bar:
        try:
            found = links.rank_links(
                loaded,
                simulate,
                routes=routes,
                sample=sample,
                seed=seed,
                workers=workers,
                report=bar.note_share,
            )
        except KeyboardInterrupt as stopped:
            partial = stopped.args[0] if stopped.args else None
            if isinstance(partial, links.LinkRanking) and partial.links:
                _print(partial, top, loaded.faults is not None, as_json)
            raise
    _print(found, top, loaded.faults is not None, as_json)


def _of_job(path: Path, routing: str | None) -> tuple[Simulate, str]:
    """Return the function that makes the run of a result file on another machine, and its routing.

    A routing that graphs have not becomes minimal.
    """
    from odonata import result, simulate  # imports NumPy
    from odonata.machine.families import FAMILIES  # for fabrics alone

    recipe = simulate.Recipe.of_run(result.Result.load(path).run, str(path))
    if routing is None:
        routing = str(recipe.options["routing"])
        known = [n for policy in FAMILIES["graph"].policies for n in (policy.name, *policy.aliases)]
        if routing not in known:
            note(f"graphs have no routing {routing}: {MINIMAL} is in its place (--routing)")
            routing = MINIMAL
    recipe = recipe.with_options(routing=routing)

    def make(
        made: machine.Machine, check: Callable[[simulate.Progress], None] | None
    ) -> result.Run:
        return replace(recipe, machine=made.document(), changes={}).run(progress=check)

    return make, routing


def _of_pattern(
    loaded: machine.Machine, pattern: str, size: str, routing: str, seed: int
) -> Simulate:
    """Return the function that sends the messages of a pattern, one rank for each adapter."""
    from odonata import result, simulate, workload  # imports NumPy
    from odonata.machine.congestion import pairs_of  # imports NumPy
    from odonata.placement import Placement  # imports NumPy

    length = parse_bytes(size, bare=True, what="--bytes")
    count = loaded.num_node_ports
    firsts = [loaded.first_port(node) for node in range(loaded.num_nodes)]
    ports = [b - a for a, b in zip(firsts, [*firsts[1:], count], strict=True)]
    nodes = [node for node, number in enumerate(ports) for _ in range(number)]
    to: list[list[int]] = [[] for _ in range(count)]
    of: list[list[int]] = [[] for _ in range(count)]
    for a, b in pairs_of(loaded, pattern, seed):
        to[a].append(b)
        of[b].append(a)

    def messages(rank):  # type: ignore[no-untyped-def]
        requests = [rank.irecv(other, length) for other in of[rank.index]]
        requests += [rank.isend(other, length) for other in to[rank.index]]
        for request in requests:
            yield rank.wait(request)

    program = workload.Program(messages, name=pattern)
    options = simulate.Options(routing=routing, seed=seed)

    def make(
        made: machine.Machine, check: Callable[[simulate.Progress], None] | None
    ) -> result.Run:
        if max(ports) > 1:
            made = made.with_values({"nic.binding": "round-robin"})  # a rank for each adapter
        jobs = [simulate.Job(program, Placement(made, nodes))]
        return simulate.run(made, jobs, options, progress=check)

    return make


def _routes(
    loaded: machine.Machine, routing: str, opensm: str | None, limit: float
) -> ComputeRoutes | None:
    """Return the function that computes tables by OpenSM; None: the routing needs none."""
    from odonata.machine.fabric.as_graph import engine_of  # for fabrics alone

    if routing != MINIMAL:
        if opensm is not None:
            raise UserError("--opensm: its tables are routing minimal's", value=routing)
        return None
    engine = opensm or engine_of(loaded)
    if engine is None:
        if "shape.routes" in loaded.numbers:
            raise UserError(
                f"{loaded.name}: its tables are of a file, and cannot be computed again",
                allowed="--opensm ENGINE, or --routing minhop, updown, dmodk or sssp",
            )
        return None

    def compute(fabric: Fabric, go_on: Callable[[float], None]) -> Routes:
        from odonata.machine.fabric.opensm import opensm_routes  # imports NumPy

        return opensm_routes(fabric, engine, limit_seconds=limit, report=go_on)

    return compute


def _print(found: LinkRanking, top: int | None, broken: bool, as_json: bool) -> None:
    shown = replace(found, links=found.links[:top])
    if as_json:
        document = shown.document() | {"complete": len(found.links) == found.planned}
        return typer.echo(json_document(document, indent=2))
    rows = [_row(link) for link in shown.links]
    print_line(f"with all {'other ' if broken else ''}cables: {seconds(found.time_ps / 1e12)}")
    print_list(report.Table(["link", "class", "cables", "without one", "ratio"], rows, left=2))
    if len(shown.links) < len(found.links):
        print_line(f"and {len(found.links) - len(shown.links)} more links")
    if len(found.links) < found.planned:
        print_line(f"{len(found.links)} of {found.planned} links: the list is not complete.")
    return None


def _row(link: LinkCost) -> list[str]:
    between = [for_table(f"{link.a} - {link.b}"), link.link_class, str(link.cables)]
    if link.cut_off:
        return [*between, f"cuts off {listed(list(link.cut_off))}", "-"]
    if link.time_ps is None or link.ratio is None:
        return [*between, for_table(link.error), "-"]
    return [*between, seconds(link.time_ps / 1e12), f"{link.ratio:.3f}"]
