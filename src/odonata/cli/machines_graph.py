"""``odonata machines graph``: machine files of graphs that papers describe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from odonata import machine, report
from odonata.cli.changes import parse_changes
from odonata.cli.options import Json
from odonata.errors import UserError, near_miss
from odonata.files import require_writable, write_whole
from odonata.report.printing import print_line, print_list
from odonata.text import json_document
from odonata.units import parse_rate

if TYPE_CHECKING:
    from odonata.machine.fabric.fabric import Fabric  # types alone

__all__ = ["graph"]


@dataclass(frozen=True)
class _Graph:
    """A graph: options that it needs, options that it may have, its source, and its maker."""

    needs: tuple[str, ...]
    may_have: tuple[str, ...]
    source: str
    make: Callable[[Mapping[str, Any]], Fabric]


def graph(
    kind: Annotated[
        str, typer.Argument(metavar="GRAPH", help="slim-fly, jellyfish, or tree (with tapers).")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="NAME.toml",
            help="Machine file to write; NAME.fabric is beside it.",
        ),
    ],
    q: Annotated[
        int | None,
        typer.Option("--q", help="slim-fly: power of a prime, 3 to 97.", show_default=False),
    ] = None,
    switches: Annotated[
        int | None, typer.Option(help="jellyfish: switches.", show_default=False)
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(
            help="jellyfish: links of a switch to other switches.",
            show_default=False,
        ),
    ] = None,
    hosts: Annotated[
        int | None,
        typer.Option(
            help="slim-fly and jellyfish: hosts of each switch.",
            show_default="slim-fly: half of the links to switches, rounded up",
        ),
    ] = None,
    down: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="tree: hosts of a leaf, then children of a switch for each level above.",
            show_default=False,
        ),
    ] = None,
    taper: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,...",
            help="tree: links down for each link up, for each level but the highest.",
            show_default="1 each",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="jellyfish: seed of the draws.", show_default="0", min=0)
    ] = None,
    rate: Annotated[str, typer.Option(help="Rate of all links, which is assumed.")] = "25 GB/s",
    name: Annotated[
        str | None, typer.Option(help="Name of the machine.", show_default="as the file")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Number in the place of a default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a machine file of a graph of a paper: Slim Fly, Jellyfish, or a tree with tapers.

    Routing minimal draws one of the shortest routes for each packet, valiant a detour; a packet
    that has taken k links between switches is in virtual channel k, so none wait in a cycle.
    """
    from odonata.machine.fabric.importing import Assumed, machine_text  # for fabrics alone
    from odonata.machine.fabric.names import plain  # for fabrics alone

    if output.suffix != ".toml":
        raise UserError("--output: not a machine file", value=str(output), allowed="NAME.toml")
    given = {"q": q, "switches": switches, "degree": degree, "hosts": hosts, "down": down}
    given |= {"taper": taper, "seed": seed}
    said = {key: value for key, value in given.items() if value is not None}
    wanted = _checked(kind, said)
    parse_rate(rate, what="--rate")
    require_writable(output)
    assumed = Assumed(rate)
    fabric = wanted.make(said)
    kinds = {cable.kind: assumed.kind for cable in fabric.cables}
    text, fabric_text = machine_text(
        replace(fabric, kinds=kinds),
        name=name or plain(output.stem)[:64] or kind,
        source=f"{wanted.source}: {_told(said)}",
        assumed=assumed,
        files={"shape.fabric": output.with_suffix(".fabric").name},
        changes=parse_changes(set_ or ()),
    )
    write_whole(output.with_suffix(".fabric"), fabric_text.encode("ascii"))
    write_whole(output, text.encode())
    made = machine.load(output)
    document = {"machine": made.name, "graph": kind, **said, **_counts(made, fabric)}
    if as_json:
        typer.echo(json_document(document, indent=2))
        return
    rows = [
        [what.replace("_", " "), f"{value:.6g}" if isinstance(value, float) else str(value)]
        for what, value in document.items()
    ]
    print_list(report.Table(["what", "value"], rows, left=1), head=False)
    print_line(f"\n{output}: {made.num_nodes} nodes; next: odonata machines check {output}")


def _checked(kind: str, said: Mapping[str, object]) -> _Graph:
    """Return the graph of a kind, for which the options are right."""
    if kind not in _GRAPHS:
        near, allowed = near_miss(kind, _GRAPHS), ", ".join(_GRAPHS)
        raise UserError("graph: unknown", value=kind, allowed=allowed, near=near)
    wanted = _GRAPHS[kind]
    allowed = ", ".join(f"--{option}" for option in (*wanted.needs, *wanted.may_have))
    for option, value in said.items():
        if option not in (*wanted.needs, *wanted.may_have):
            raise UserError(f"--{option}: is not for {kind}", value=value, allowed=allowed)
    for option in wanted.needs:
        if option not in said:
            raise UserError(f"--{option}: {kind} needs it", allowed=allowed)
    return wanted


def _slim_fly(said: Mapping[str, Any]) -> Fabric:
    from odonata.machine.fabric.paper_graphs import slim_fly  # for such graphs alone

    return slim_fly(said["q"], said.get("hosts"))


def _jellyfish(said: Mapping[str, Any]) -> Fabric:
    from odonata.machine.fabric.paper_graphs import jellyfish  # for such graphs alone

    return jellyfish(said["switches"], said["degree"], said["hosts"], said.get("seed", 0))


def _tree(said: Mapping[str, Any]) -> Fabric:
    from odonata.machine.fabric.paper_graphs import tree  # for such graphs alone

    return tree(_numbers("down", said["down"]), _numbers("taper", said.get("taper", "")))


def _numbers(option: str, text: str) -> list[int]:
    words = text.split(",") if text else []
    if len(words) > 16 or not all(word.isdecimal() and len(word) < 7 for word in words):
        allowed = "whole numbers with commas between them, as in 4,4,4"
        raise UserError(f"--{option}: not a list", value=text, allowed=allowed)
    return [int(word) for word in words]


_GRAPHS: Mapping[str, _Graph] = {
    "slim-fly": _Graph(("q",), ("hosts",), "Slim Fly (Besta and Hoefler, SC14)", _slim_fly),
    "jellyfish": _Graph(
        ("switches", "degree", "hosts"),
        ("seed",),
        "Jellyfish (Singla et al., NSDI 2012)",
        _jellyfish,
    ),
    "tree": _Graph(("down",), ("taper",), "a complete tree", _tree),
}


def _told(said: Mapping[str, object]) -> str:
    return ", ".join(f"{option} {value}" for option, value in said.items())


def _counts(made: machine.Machine, fabric: Fabric) -> dict[str, int | float]:
    degrees = [0] * len(fabric.switches)
    for cable in fabric.cables:
        degrees[cable.a] += 1
        degrees[cable.b] += 1
    routing = made.routing("minimal")
    first = [routing.distance(0, to) for to in range(made.num_routers)]
    return {
        "hosts": made.num_nodes,
        "switches": len(fabric.switches),
        "switch_links": len(fabric.cables),
        "least_degree": min(degrees),
        "most_degree": max(degrees),
        "farthest_from_first": max(first),
    }
