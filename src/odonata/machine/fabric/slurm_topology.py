"""Slurm's ``topology.conf`` and ``topology.yaml``: switches, and the nodes on them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.fabric.fabric import USUAL, Adapter, Cable, Fabric, LinkKind, Switch
from odonata.machine.fabric.names import plain
from odonata.machine.fabric.raw_lines import raw_lines
from odonata.machine.hostlist import check_host, each_of

__all__ = ["is_slurm_conf", "is_slurm_yaml", "read_slurm_conf", "read_slurm_yaml"]

MOST_NODES = 1_000_000
"""Most nodes and switches of a file."""

CABLE = "cable"
"""Kind of all links between switches."""

_PAIR = re.compile(r"\s*(\w+)\s*=\s*(\S+)")
_YAML = re.compile(r"(\s*)(- +)?([A-Za-z_]+)\s*:\s*(.*)")
_WORDS = ("switchname", "switches", "nodes", "linkspeed")


@dataclass
class _Line:
    """A switch as a file has it."""

    where: str
    switches: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)


def is_slurm_conf(head: str) -> bool:
    """Return whether the beginning of a file is one of ``topology.conf``."""
    return bool(re.search(r"(?im)^\s*(SwitchName|BlockName)\s*=", head))


def is_slurm_yaml(head: str) -> bool:
    """Return whether the beginning of a file is one of ``topology.yaml``."""
    return bool(re.search(r"(?m)^\s*-?\s*(topology|switches)\s*:", head))


def read_slurm_conf(path: Path, kind: LinkKind, cables: int) -> Fabric:
    """Read ``topology.conf``.

    Parameters
    ----------
    path
        The file.
    kind
        Kind of all links.
    cables
        Cables of each pair of switches that are joined, which the file does not say.

    Raises
    ------
    UserError
        A line is not understood, a switch or node is there twice, or a switch is missing.
    """
    found: dict[str, _Line] = {}
    for where, text in _whole_lines(path):
        pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
        unknown = [key for key in pairs if key not in _WORDS]
        if _PAIR.sub("", text).strip() or unknown or "switchname" not in pairs:
            allowed = "lines 'SwitchName=<name> Switches=<names>' or '... Nodes=<names>' of trees"
            raise UserError(
                "topology.conf: line not understood", value=text, allowed=allowed, where=where
            )
        _add(found, pairs["switchname"], _Line(where), where)
        each = found[pairs["switchname"]]
        each.switches = _names(pairs.get("switches", ""), where)
        each.nodes = _names(pairs.get("nodes", ""), where)
    return _fabric(found, kind, cables, path)


def read_slurm_yaml(path: Path, kind: LinkKind, cables: int) -> Fabric:
    """Read the first tree of ``topology.yaml``; parameters and errors as of `read_slurm_conf`."""
    found: dict[str, _Line] = {}
    now: _Line | None = None
    trees = 0
    for number, text in raw_lines(path, what="topology.yaml"):
        where = f"{path}:{number}"
        content = text.partition("#")[0].rstrip()
        if content.strip() in ("", "---", "..."):
            continue
        match = _YAML.fullmatch(content)
        if match is None:
            raise UserError("topology.yaml: line not understood", value=content, where=where)
        key, value = match[3], match[4].strip().strip("\"'")
        if key == "tree":
            trees += 1
        if key in ("block", "flat") or trees > 1:
            if found:
                break
            allowed = "a topology with a tree of switches first"
            raise UserError("topology.yaml: no tree", value=key, allowed=allowed, where=where)
        if key == "switch":
            now = _Line(where)
            _add(found, value, now, where)
        elif key in ("children", "nodes"):
            if now is None:
                raise UserError(f"topology.yaml: {key} of no switch", value=value, where=where)
            (now.switches if key == "children" else now.nodes).extend(_names(value, where))
    return _fabric(found, kind, cables, path)


def _whole_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield place and text of lines without comments; a backslash at the end continues a line."""
    before, start = "", ""
    for number, text in raw_lines(path, what="topology.conf"):
        start = start or f"{path}:{number}"
        before += text.partition("#")[0].rstrip()
        if before.endswith("\\"):
            before = before[:-1] + " "
            continue
        if before.strip():
            yield start, before
        before, start = "", ""
    if before.strip():
        yield start, before


def _names(text: str, where: str) -> list[str]:
    """Return the names of a list."""
    if not text:
        return []
    names: list[str] = []
    for name in each_of(text, what="topology", where=where):
        if len(names) >= MOST_NODES:
            allowed = f"up to {MOST_NODES}"
            raise UserError("topology: too many names", allowed=allowed, where=where)
        names.append(name)
    return names


def _add(found: dict[str, _Line], name: str, line: _Line, where: str) -> None:
    if name in found:
        before = found[name].where
        raise UserError(f"topology: the switch is in {before}, too", value=name, where=where)
    check_host(name, what="topology: switch", where=where)
    found[name] = line


def _fabric(found: dict[str, _Line], kind: LinkKind, cables: int, path: Path) -> Fabric:
    numbers = {name: number for number, name in enumerate(found)}
    ports = _Ports()
    adapters, made = [], []
    seen: dict[str, str] = {}
    for name, line in found.items():
        for node in line.nodes:
            if node in seen:
                raise UserError(
                    f"topology: the node is in {seen[node]}, too", value=node, where=line.where
                )
            seen[node] = line.where
            here = numbers[name]
            adapters.append(Adapter(node, "adapter", here, ports.next(here), USUAL))
    for name, line in found.items():
        for child in line.switches:
            if child not in numbers:
                raise UserError("topology: no such switch", value=child, where=line.where)
            for _ in range(cables):
                a, b = numbers[name], numbers[child]
                made.append(Cable(a, ports.next(a), b, ports.next(b), CABLE))
    if not adapters:
        raise UserError("topology: no nodes in the file", where=str(path))
    adapters.sort(key=lambda adapter: adapter.host)
    switches = tuple(Switch(plain(name)) for name in found)
    return Fabric(switches, tuple(adapters), tuple(made), {CABLE: kind})


class _Ports:
    """The next port of each switch, which the file does not say."""

    def __init__(self) -> None:
        self._last: dict[int, int] = {}

    def next(self, switch: int) -> int:
        """Return a port of a switch that has no link."""
        self._last[switch] = self._last.get(switch, 0) + 1
        return self._last[switch]
