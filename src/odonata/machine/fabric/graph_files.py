"""Fabrics as graphs for other programs: GraphML and DOT, with names, rates and latencies.

Hosts are ``h0``, ``h1``, ..., switches ``s0``, ``s1``, ..., each with its name; an edge is a cable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from odonata.machine.fabric.fabric import Fabric
from odonata.text import for_file
from odonata.units import format_rate, format_time, parse_rate, parse_time

__all__ = ["dot_lines", "graphml_lines"]

_KEYS = (
    ("node", "name", "string"),
    ("node", "kind", "string"),
    ("edge", "class", "string"),
    ("edge", "rate_bytes_per_second", "long"),
    ("edge", "latency_ps", "long"),
    ("edge", "source_port", "string"),
    ("edge", "target_port", "string"),
)


class _Edge(NamedTuple):
    """A cable: its ends, the ports there, and its class."""

    source: str
    target: str
    source_port: str
    target_port: str
    kind: str


def graphml_lines(fabric: Fabric, title: str) -> Iterator[str]:
    """Yield the lines of a GraphML file.

    Parameters
    ----------
    fabric
        The fabric.
    title
        A comment.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<!-- {escape(_plain(title)).replace('--', '- -')} -->"
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for of, name, kind in _KEYS:
        yield f'  <key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph edgedefault="undirected">'
    for node, name, kind in _nodes(fabric):
        data = _data("name", name) + _data("kind", kind)
        yield f"    <node id={quoteattr(node)}>{data}</node>"
    speeds = _speeds(fabric)
    for edge in _edges(fabric):
        rate, latency = speeds[edge.kind]
        data = _data("class", edge.kind) + _data("rate_bytes_per_second", str(rate))
        data += _data("latency_ps", str(latency))
        data += _data("source_port", edge.source_port) + _data("target_port", edge.target_port)
        yield f'    <edge source="{edge.source}" target="{edge.target}">{data}</edge>'
    yield "  </graph>"
    yield "</graphml>"


def dot_lines(fabric: Fabric, title: str) -> Iterator[str]:
    """Yield the lines of a DOT file for Graphviz.

    Parameters
    ----------
    fabric
        The fabric.
    title
        Title of the graph.
    """
    yield f"graph {_quoted(title)} {{"
    yield "  node [shape=box];"
    for node, name, kind in _nodes(fabric):
        shape = ", shape=ellipse" if kind == "host" else ""
        yield f"  {node} [label={_quoted(name)}, kind={kind}{shape}];"
    speeds = _speeds(fabric)
    for edge in _edges(fabric):
        rate, latency = speeds[edge.kind]
        shown = f"rate={_quoted(format_rate(rate))}, latency={_quoted(format_time(latency))}"
        ports = f"taillabel={_quoted(edge.source_port)}, headlabel={_quoted(edge.target_port)}"
        yield f"  {edge.source} -- {edge.target} [class={_quoted(edge.kind)}, {shown}, {ports}];"
    yield "}"


def _nodes(fabric: Fabric) -> Iterator[tuple[str, str, str]]:
    """Yield identifier, name and kind of switches, then of hosts."""
    for number, switch in enumerate(fabric.switches):
        yield f"s{number}", switch.name, "switch"
    for number, host in enumerate(fabric.hosts()):
        yield f"h{number}", host, "host"


def _edges(fabric: Fabric) -> Iterator[_Edge]:
    """Yield the cables of adapters, then between switches."""
    numbers = {host: number for number, host in enumerate(fabric.hosts())}
    for a in fabric.adapters:
        yield _Edge(f"h{numbers[a.host]}", f"s{a.switch}", a.label, str(a.port), a.kind)
    for c in fabric.cables:
        yield _Edge(f"s{c.a}", f"s{c.b}", str(c.a_port), str(c.b_port), c.kind)


def _speeds(fabric: Fabric) -> dict[str, tuple[int, int]]:
    """Return rate [B/s] and latency [ps] of each class."""
    kinds = fabric.kinds.items()
    return {name: (parse_rate(kind.rate), parse_time(kind.latency)) for name, kind in kinds}


def _data(key: str, value: str) -> str:
    return f'<data key="{key}">{escape(_plain(value))}</data>'


def _plain(text: str) -> str:
    """Return one line without control characters."""
    return for_file(text).replace("\n", " ")


def _quoted(text: str) -> str:
    """Return a text as DOT has it."""
    escaped = _plain(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
