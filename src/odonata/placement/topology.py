"""A machine's switches as Slurm's ``topology.conf`` lists them, for its plugin ``topology/tree``.

Each router with several nodes is a switch; above them stand the machine's levels of locality, and
one switch that joins everything:

>>> from odonata import machine
>>> print(text_of(switches_of(machine.load("eos"))[-4:]), end="")
SwitchName=chassis11 Switches=router[176-191]
SwitchName=group0 Switches=chassis[0-5]
SwitchName=group1 Switches=chassis[6-11]
SwitchName=eos Switches=group[0-1]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_text, write_whole
from odonata.machine import Machine
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.hostlist import MOST_HOSTS, check_host, compress, expand

__all__ = [
    "Switch",
    "nodes_below",
    "read_switches",
    "switches_in",
    "switches_of",
    "text_of",
    "write_switches",
]

MOST_BYTES = 2**26
"""Largest ``topology.conf`` [B]."""

_KEYS = ("switchname", "nodes", "switches", "linkspeed")
_WORD = re.compile(r"([A-Za-z]{1,32})=(\S+)")


@dataclass(frozen=True)
class Switch:
    """A switch of a tree.

    Parameters
    ----------
    name
        Name of the switch.
    nodes
        Host names of its nodes, if it is a leaf.
    switches
        Names of the switches below it, if it isn't.
    """

    name: str
    nodes: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()


def switches_of(machine: Machine, host_of: Callable[[int], str] | None = None) -> list[Switch]:
    """Return the tree of a machine, leaves first.

    Parameters
    ----------
    machine
        The machine.
    host_of
        Host name of a node; None: ``node`` and its number.

    Returns
    -------
    list of Switch
        A switch for each router with nodes, for each block with nodes of every level of locality,
        from near to far, and for the machine. Routers with one node each, and levels whose blocks
        have one switch each, are left out. Switches of a fabric that was imported have its names.
    """
    named = host_of or "node{}".format
    below: dict[int, list[str]] = {}  # of each router with nodes: its nodes, then the switch above
    for node, router in enumerate(machine.core.node_router):
        below.setdefault(int(router), []).append(named(node))
    found: list[Switch] = []
    for name_of, block_of in _levels(machine):
        inside: dict[int, dict[str, None]] = {}
        for router in sorted(below):
            inside.setdefault(int(block_of[router]), {}).update(dict.fromkeys(below[router]))
        if len(inside) < sum(map(len, inside.values())):
            leaves = not found
            found += [_switch(name_of(at), inside[at], leaf=leaves) for at in sorted(inside)]
            below = {router: [name_of(int(block_of[router]))] for router in below}
    top = dict.fromkeys(child for router in sorted(below) for child in below[router])
    name = machine.name
    while any(switch.name == name for switch in found):
        name += "-all"
    return [*found, _switch(name, top, leaf=not found)]


def _levels(machine: Machine) -> Iterator[tuple[Callable[[int], str], Sequence[int]]]:
    """Yield the names of the blocks of each level, routers first, and the block of each router."""
    name_of: Callable[[int], str] = "router{}".format
    if "shape.fabric" in machine.numbers:
        name_of = [switch.name for switch in fabric_of(machine).switches].__getitem__
    yield name_of, range(machine.num_routers)
    for level in machine.core.levels:
        yield f"{level.name}{{}}".format, level.of_router


def _switch(name: str, children: Iterable[str], *, leaf: bool) -> Switch:
    names = tuple(children)
    return Switch(name, nodes=names) if leaf else Switch(name, switches=names)


def nodes_below(switches: Iterable[Switch]) -> dict[str, frozenset[str]]:
    r"""Return the host names of the nodes below each switch, by the switch's name.

    Two trees are the same to Slurm if these sets are, whatever the switches are called.

    Parameters
    ----------
    switches
        The switches of a tree, in any order.

    Examples
    --------
    >>> tree = switches_in("SwitchName=a Nodes=n[0-1]\nSwitchName=b Switches=a")
    >>> sorted(nodes_below(tree)["b"])
    ['n0', 'n1']
    """
    named = {switch.name: switch for switch in switches}
    found: dict[str, frozenset[str]] = {}
    for name in named:
        pending = [name]
        while pending:
            switch = named[pending[-1]]
            missing = [child for child in switch.switches if child not in found]
            if missing:
                pending += missing
                continue
            pending.pop()
            parts = [found[child] for child in switch.switches]
            found[switch.name] = frozenset(switch.nodes).union(*parts)
    return found


def text_of(switches: Iterable[Switch]) -> str:
    """Return the text of a ``topology.conf``.

    Parameters
    ----------
    switches
        The switches.

    Raises
    ------
    UserError
        A name is no host name.
    """
    return "".join(f"{_line(switch)}\n" for switch in switches)


def write_switches(path: str | Path, switches: Iterable[Switch]) -> None:
    """Write a ``topology.conf``.

    Parameters
    ----------
    path
        The file.
    switches
        The switches.
    """
    write_whole(path, text_of(switches).encode())


def read_switches(path: str | Path) -> list[Switch]:
    """Return the switches of a ``topology.conf``.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        The file cannot be read or is too long, a line is not understood, or the switches are no
        tree; says where.
    """
    return switches_in(read_text(path, MOST_BYTES, what="topology"), where=str(path))


def switches_in(text: str, *, where: str = "") -> list[Switch]:
    """Return the switches of the text of a ``topology.conf``; errors as for `read_switches`.

    Parameters
    ----------
    text
        The text.
    where
        Name of the file in errors.

    Examples
    --------
    >>> switches_in("SwitchName=s0 Nodes=n[0-1]")
    [Switch(name='s0', nodes=('n0', 'n1'), switches=())]
    """
    found: dict[str, Switch] = {}
    lines: dict[str, str] = {}
    children = 0
    for at, line in enumerate(StringIO(text), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        switch = _parsed(content, f"{where}:{at}")
        children += len(switch.nodes) + len(switch.switches)
        if switch.name in found or children > MOST_HOSTS:
            raise UserError(
                "topology: switch listed twice, or too many nodes and switches",
                value=switch.name,
                allowed=f"each once, at most {MOST_HOSTS}",
                where=f"{where}:{at}",
            )
        found[switch.name] = switch
        lines[switch.name] = f"{where}:{at}"
    if not found:
        raise UserError("topology: no switches in the file", where=where)
    _check_tree(found, lines)
    return list(found.values())


def _line(switch: Switch) -> str:
    kind, names = ("Nodes", switch.nodes) if switch.nodes else ("Switches", switch.switches)
    return f"SwitchName={check_host(switch.name, what='switch')} {kind}={compress(names)}"


def _parsed(content: str, where: str) -> Switch:
    """Return the switch of a line."""
    given: dict[str, str] = {}
    for word in content.split():
        match = _WORD.fullmatch(word)
        key = match[1].lower() if match else ""
        if match is None or key not in _KEYS or key in given:
            allowed = "SwitchName=NAME, Nodes=LIST or Switches=LIST, LinkSpeed=NUMBER, each once"
            raise UserError("topology: not understood", value=word, allowed=allowed, where=where)
        given[key] = match[2]
    if "switchname" not in given or ("nodes" in given) == ("switches" in given):
        allowed = "SwitchName=NAME and either Nodes=LIST or Switches=LIST"
        raise UserError("topology: incomplete line", value=content, allowed=allowed, where=where)
    below = "nodes" if "nodes" in given else "switches"
    children = tuple(expand(given[below], what=f"topology, {below}", where=where))
    name = check_host(given["switchname"], what="switch", where=where)
    return Switch(name, children) if below == "nodes" else Switch(name, switches=children)


def _check_tree(found: dict[str, Switch], lines: dict[str, str]) -> None:
    """Refuse a child of two switches, a switch that is not there, and a circle."""
    parent: dict[tuple[str, str], str] = {}
    for switch in found.values():
        where = lines[switch.name]
        for kind, names in (("node", switch.nodes), ("switch", switch.switches)):
            for name in names:
                if kind == "switch" and name not in found:
                    raise UserError("topology: no such switch", value=name, where=where)
                if (kind, name) in parent:
                    above = f"{parent[kind, name]} and {switch.name}"
                    what = f"topology: {kind} below two switches, {above}"
                    raise UserError(what, value=name, where=where)
                parent[kind, name] = switch.name
    _check_no_circle(found, parent, lines)


def _check_no_circle(
    found: dict[str, Switch], parent: dict[tuple[str, str], str], lines: dict[str, str]
) -> None:
    """Refuse switches that stand below themselves; each has at most one parent."""
    done: set[str] = set()
    for name in found:
        way: dict[str, None] = {}
        at: str | None = name
        while at is not None and at not in done:
            if at in way:
                raise UserError("topology: switch below itself", value=at, where=lines[at])
            way[at] = None
            at = parent.get(("switch", at))
        done.update(way)
