"""Lists of nodes by number or by name, and the hosts of ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_text
from odonata.machine import Machine, Names
from odonata.machine.hostlist import MOST_HOSTS, MOST_TEXT, check_host, each_of, words_of
from odonata.machine.machine import has_names
from odonata.placement.placement import Placement

__all__ = ["hosts_of", "nodes_named", "read_nodes"]

_NUMBER = re.compile(r"[0-9]{1,9}")
_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def nodes_named(
    machine: Machine, words: Iterable[str], *, twice: bool = False, where: str | None = None
) -> list[int]:
    """Return the nodes of a list, in its order.

    Parameters
    ----------
    machine
        The machine.
    words
        Numbers, ranges of numbers such as ``0-15``, names, and lists of names in brackets.
    twice
        Whether a node may be listed twice.
    where
        ``file:line`` of the words.

    Raises
    ------
    UserError
        A word means no node, or a node is listed twice.

    Examples
    --------
    >>> from odonata import machine
    >>> nodes_named(machine.load("darter"), ["nid[00012-00013]", "c0-0c0s4n0", "8-9"])
    [0, 1, 4, 8, 9]
    """
    return _Finder(machine, twice).find(words, where)


def read_nodes(machine: Machine, path: str | Path, *, twice: bool = False) -> list[int]:
    """Return the nodes that a file lists, in its order.

    Parameters
    ----------
    machine
        The machine.
    path
        The file: words for `nodes_named`, with commas, spaces or line ends between; ``#`` starts a
        comment.
    twice
        Whether a node may be listed twice.

    Raises
    ------
    UserError
        The file cannot be read, lists none, or a word means no node; says in which line.
    """
    finder = _Finder(machine, twice)
    nodes: list[int] = []
    for number, line in enumerate(_lines(path), start=1):
        where = f"{path}:{number}"
        words = words_of(line.partition("#")[0], what="nodes", where=where)
        nodes += finder.find(words, where)
    if not nodes:
        raise UserError("nodes: none listed", where=str(path))
    return nodes


def hosts_of(placement: Placement, hosts: Sequence[str] | None = None) -> list[str]:
    """Return the host name of each rank's node.

    Parameters
    ----------
    placement
        The placement.
    hosts
        Names of the job's nodes, in the order of the nodes' numbers; None: the machine's NIDs.

    Raises
    ------
    UserError
        There are fewer names than nodes, one is listed twice or is no host name, or the machine has
        no names.

    Examples
    --------
    >>> from odonata import machine, placement
    >>> where = placement.place(machine.load("eos"), 3, ranks_per_node=2)
    >>> hosts_of(where, ["a", "b"]), hosts_of(where)
    (['a', 'a', 'b'], ['nid00012', 'nid00012', 'nid00013'])
    """
    used = sorted(set(placement.node_of))
    if hosts is None:
        names = Names(placement.machine)
        host = {node: names.host(node) for node in used}
    else:
        _check_hosts(hosts, len(used))
        host = dict(zip(used, hosts, strict=False))
    return [host[node] for node in placement.node_of]


def _check_hosts(hosts: Sequence[str], wanted: int) -> None:
    if len(hosts) < wanted:
        allowed = f"{wanted} or more, one for each node of the job"
        raise UserError("hosts: too few", value=len(hosts), allowed=allowed)
    seen: set[str] = set()
    for name in hosts:
        if check_host(name) in seen:
            raise UserError("hosts: a host is listed twice", value=name, allowed="each once")
        seen.add(name)


class _Finder:
    """The nodes that words mean, and which of them were found before."""

    def __init__(self, machine: Machine, twice: bool) -> None:
        self._machine = machine
        self._names = Names(machine) if has_names(machine) else None
        self._found: dict[int, str] | None = None if twice else {}
        self._count = 0

    def find(self, words: Iterable[str], where: str | None) -> list[int]:
        """Return the nodes of some words."""
        nodes: list[int] = []
        for word in words:
            for name in self._spelt(word, where):
                node = self._node(name, where)
                self._note(node, name, where)
                nodes.append(node)
        return nodes

    def _spelt(self, word: str, where: str | None) -> Iterable[str]:
        """Return the numbers and names that a word stands for."""
        parts = _RANGE.fullmatch(word)
        if parts is None:
            return each_of(word, what="nodes", where=where)
        first, last = int(parts[1]), int(parts[2])
        if not first <= last < self._machine.num_nodes:
            allowed = f"FIRST-LAST, up to {self._machine.num_nodes - 1}"
            raise UserError("nodes: not a range", value=word, allowed=allowed, where=where)
        return map(str, range(first, last + 1))

    def _node(self, name: str, where: str | None) -> int:
        if not _NUMBER.fullmatch(name):
            return (self._names or Names(self._machine)).node(name, where=where)
        if int(name) >= self._machine.num_nodes:
            allowed = f"0 to {self._machine.num_nodes - 1}"
            raise UserError("node: no such node", value=name, allowed=allowed, where=where)
        return int(name)

    def _note(self, node: int, name: str, where: str | None) -> None:
        self._count += 1
        if self._count > MOST_HOSTS:
            raise UserError("nodes: too many", allowed=f"at most {MOST_HOSTS}", where=where)
        if self._found is None:
            return
        if node in self._found:
            before = self._found[node]
            also = f" (as {before})" if before != name else ""
            raise UserError(
                f"nodes: node {node} is listed twice{also}",
                value=name,
                allowed="each once",
                where=where,
            )
        self._found[node] = name


def _lines(path: str | Path) -> list[str]:
    return read_text(path, MOST_TEXT, what="nodes").splitlines()
