"""``odonata place write``, ``convert`` and ``topology``: files that launchers read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from odonata import cli, placement, report
from odonata import machine as machines
from odonata.cli import options
from odonata.cli.failures import ExitStatus
from odonata.errors import UserError
from odonata.files import write_whole
from odonata.machine.hostlist import expand
from odonata.machine.machine import has_names
from odonata.placement import topology as topologies
from odonata.placement.launchers import FORMATS, read_hosts, text_of
from odonata.placement.launchers.files import lost_in
from odonata.placement.launchers.formats import format_named
from odonata.placement.launchers.slots import Slots
from odonata.placement.topology import nodes_below, read_switches, switches_of
from odonata.quiet import note
from odonata.report.printing import print_table
from odonata.text import for_terminal

__all__ = ["convert", "formats", "topology", "write"]

_Hosts = Annotated[
    str | None,
    typer.Option(
        help="Host names of the job's nodes in the order of their numbers, such as "
        "'nid[00012-00015]'.",
        show_default="the machine's NIDs",
    ),
]
_Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File to write.", show_default="standard output"),
]
_SHOWN = 8  # names of switches in a line
_FORMAT = "Format of the file; odonata place formats lists them."


def formats() -> None:
    """Print the formats of files for launchers."""
    rows = [[form.name, form.meaning, form.use] for form in FORMATS.values()]
    print_table(report.Table(["format", "contents", "use"], rows, left=3))


def write(
    format: Annotated[str, typer.Option(help=_FORMAT, show_default=False)],
    machine: options.Machine,
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Number of ranks.")],
    allocation: options.Allocation = "contiguous",
    mapping: options.Mapping = "block",
    ranks_per_node: options.RanksPerNode = 1,
    seed: options.Seed = 0,
    reorder: options.Reorder = None,
    hosts: _Hosts = None,
    changes: options.Changes = None,
    fail: options.Fail = None,
    output: _Output = None,
) -> None:
    """Write a file that makes a launcher place ranks as a simulation did.

    Options of the placement are the same as for odonata simulate, mpirun and replay.
    """
    format_named(format)
    faults = cli.changes.parse_faults(fail, None, seed)
    loaded = machines.load(machine, cli.changes.parse_changes(changes or ()) | faults)
    placed = cli.setting.place_as_told(
        loaded,
        ranks,
        allocation=allocation or "contiguous",
        mapping=mapping or "block",
        ranks_per_node=ranks_per_node or 1,
        seed=seed,
    )
    if reorder is not None:
        placed = placed.reordered(placement.read_order(reorder, [ranks]))
    _deliver(text_of(format, _names(placed, hosts, format)), output)


def _names(placed: placement.Placement, hosts: str | None, format: str) -> list[str]:
    """Return the host of each rank, by its number where the format wants numbers."""
    lists_ranks = format in ("mpich-order", "order")
    unnamed = lists_ranks and hosts is None and not has_names(placed.machine)
    if format == "nodes" or unnamed:
        return [str(node) for node in placed.node_of]
    return placement.hosts_of(placed, None if hosts is None else expand(hosts))


def convert(
    source: Annotated[Path, typer.Argument(help="File to read.")],
    target: Annotated[Path, typer.Argument(help="File to write.")],
    read_as: Annotated[str, typer.Option("--from", help=_FORMAT, show_default=False)],
    write_as: Annotated[str, typer.Option("--to", help=_FORMAT, show_default=False)],
    hosts: Annotated[
        str | None,
        typer.Option(
            help="Hosts in the order in which the launcher fills them, for mpich-order and order."
        ),
    ] = None,
    ranks_per_node: Annotated[
        int,
        typer.Option(
            "-N", "--ranks-per-node", help="Ranks that the launcher puts on each of these hosts."
        ),
    ] = 1,
    machine: Annotated[
        str | None,
        typer.Option(
            help="A machine, whose nodes the hosts must be; needed between numbers and names.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Convert a file for one launcher into a file for another."""
    form = format_named(write_as)
    slots = None if hosts is None else Slots(tuple(expand(hosts)), ranks_per_node)
    read = read_hosts(source, read_as, slots)
    if lost := lost_in(source, read_as):
        note(f"{source}: {lost}")
    if machine is not None:
        read = _on_machine(machine, read, numbers=write_as == "nodes")
    _deliver(text_of(write_as, read, slots if form.slots else None), target)


def topology(
    machine: options.Machine,
    hosts: Annotated[
        str | None,
        typer.Option(
            help="Host names of all nodes of the machine, in the order of their numbers.",
            show_default="the machine's NIDs, or node0, node1, ...",
        ),
    ] = None,
    changes: options.Changes = None,
    check: Annotated[
        Path | None,
        typer.Option(help="File to compare with the machine instead of writing one."),
    ] = None,
    output: _Output = None,
) -> None:
    """Write the topology.conf of a machine, for Slurm's plugin topology/tree.

    Each router with several nodes is a switch; above stand the machine's levels of locality. A
    switch of an imported fabric keeps its name.
    --check compares trees of nodes: names of switches and the order of lines do not count.
    """
    loaded = machines.load(machine, cli.changes.parse_changes(changes or ()))
    tree = switches_of(loaded, _host_names(loaded, hosts))
    if check is None:
        _deliver(topologies.text_of(tree), output)
        return
    mine, there = nodes_below(tree), nodes_below(read_switches(check))
    missing = _names_of_others(mine, there)
    other = _names_of_others(there, mine)
    typer.echo(f"{len(mine) - len(missing)} of {len(mine)} switches of {loaded.name} are the same")
    if missing or other:
        for what, names in (("missing or different", missing), ("not the machine's", other)):
            shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
            typer.echo(for_terminal(f"{what}: {shown or 'none'}"))
        raise typer.Exit(ExitStatus.CHECK_FAILED)


def _names_of_others(
    tree: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]
) -> list[str]:
    """Return the switches of a tree that have no counterpart with the same nodes in another."""
    there = set(other.values())
    return [name for name, nodes in tree.items() if nodes not in there]


def _host_names(machine: machines.Machine, hosts: str | None) -> Callable[[int], str] | None:
    """Return the host name of a node by its number; None: the machine has no names."""
    if hosts is None:
        return machines.Names(machine).host if has_names(machine) else None
    names = expand(hosts)
    if len(names) != machine.num_nodes or len(set(names)) != len(names):
        allowed = f"{machine.num_nodes} different names, one for each node"
        raise UserError("hosts: not the machine's", value=len(names), allowed=allowed)
    return names.__getitem__


def _on_machine(name: str, hosts: Sequence[str], *, numbers: bool) -> list[str]:
    """Return hosts as numbers or names of a machine's nodes, which must have room for the ranks."""
    machine = machines.load(name)
    placed = placement.Placement(machine, placement.nodes_named(machine, hosts, twice=True))
    host_of = str if numbers else machines.Names(machine).host
    return [host_of(node) for node in placed.node_of]


def _deliver(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
