"""Names of the nodes of a machine: hosts, or NIDs with cnames or xnames.

A machine has names if its file has a table ``[names]``, which says how the places of nodes are
numbered; a *NID* counts all places of the machine, a node's number counts compute nodes alone.

>>> from odonata.machine import load
>>> darter = Names(load("darter"))
>>> darter.of(0), darter.node("c3-0c1s7n2")
({'nid': 'nid00012', 'cname': 'c0-0c0s3n0'}, 650)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from weakref import WeakKeyDictionary

from odonata.errors import UserError
from odonata.machine.cray import ExLayout, Layout, XcLayout, parse_nid
from odonata.machine.machine import Machine, has_names

__all__ = ["Names", "nids"]

# Distances of many jobs number the nodes of one machine, which takes 9 ms on a large one.
_KNOWN: WeakKeyDictionary[Machine, Sequence[int]] = WeakKeyDictionary()


class Names:
    """Names of the nodes of a machine.

    Parameters
    ----------
    machine
        The machine.

    Raises
    ------
    UserError
        Its file has no names, or they do not fit the machine.

    Notes
    -----
    On a Cray XC (``names.scheme = "cray-xc"``) the router of slot l in chassis k of the c-th
    cabinet is router ``l + S (k + C c)`` of the machine. The cabinets are counted row by row,
    without ``names.absent_cabinets``. A blade without compute nodes has its NIDs all the same. On
    an HPE Cray EX (``cray-ex``) node n is the n-th place in the order of xnames, without
    ``shape.absent_nodes``; NIDs count all places, or with ``names.nids = "nodes"`` the nodes.
    Other machines (``hosts``) list the hosts of their nodes in order, and have no names of places.
    NIDs begin with ``names.host_prefix``, ``nid`` unless a site has another word.
    """

    def __init__(self, machine: Machine) -> None:
        scheme = _value(machine, "scheme", "")
        if not scheme:
            raise UserError(
                f"names: {machine.name} has no names of nodes",
                allowed=f"node numbers, 0 to {machine.num_nodes - 1}; or names.scheme in its file",
            )
        self._machine = machine
        self._scheme: _Cray | _Hosts = (
            _Hosts(machine) if scheme == "hosts" else _Cray(machine, str(scheme))
        )
        self._node_of = {nid: node for node, nid in enumerate(self._scheme.nids)}

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of names: ``nid``, and ``cname`` or ``xname``; or ``host`` alone."""
        return self._scheme.kinds

    @property
    def nids(self) -> Sequence[int]:
        """NID of each node, as a number."""
        return self._scheme.nids

    def nid(self, node: int) -> int:
        """Return the NID of a node, as a number.

        Parameters
        ----------
        node
            Number of the node.
        """
        return self._scheme.nids[node]

    @property
    def host_form(self) -> tuple[str, int]:
        """Beginning of the names of hosts, and digits of the numbers in them at least."""
        return self._scheme.host_form

    def host(self, node: int) -> str:
        """Return the host name of a node; of a Cray its NID, as it is written.

        Parameters
        ----------
        node
            Number of the node.
        """
        return self._scheme.host(node)

    def of(self, node: int) -> dict[str, str]:
        """Return the names of a node, by their kinds.

        Parameters
        ----------
        node
            Number of the node.
        """
        return self._scheme.of(node)

    def node(self, name: str, *, where: str | None = None) -> int:
        """Return the number of a named node.

        Parameters
        ----------
        name
            A name of one of the `kinds`.
        where
            ``file:line`` of the name.

        Raises
        ------
        UserError
            It is no name, or no compute node of the machine has it.
        """
        nid = self._scheme.nid(name, where)
        if nid not in self._node_of:
            raise UserError(
                f"node: no compute node of {self._machine.name} has this name",
                value=name,
                allowed=self._range(self._scheme.kind_of(name)),
                where=where,
            )
        return self._node_of[nid]

    def _range(self, kind: str) -> str:
        """Return the first and the last name of a kind, and whether there are gaps between."""
        first, last = (self.of(node)[kind] for node in (0, self._machine.num_nodes - 1))
        nids = self._scheme.nids
        whole = nids[-1] - nids[0] == len(nids) - 1
        return f"{first} to {last}" + ("" if whole else ", where a blade has compute nodes")


class _Cray:
    """NIDs, and the names of places."""

    def __init__(self, machine: Machine, scheme: str) -> None:
        self._prefix = str(_value(machine, "host_prefix", "nid"))
        self._layout, self.nids = _SCHEMES[scheme](machine)
        self.kinds = ("nid", self._layout.kind)
        self.host_form = (self._prefix, self._layout.digits)

    def host(self, node: int) -> str:
        return f"{self._prefix}{self.nids[node]:0{self._layout.digits}d}"

    def of(self, node: int) -> dict[str, str]:
        return {"nid": self.host(node), self._layout.kind: self._layout.name(self.nids[node])}

    def kind_of(self, name: str) -> str:
        return self._layout.kind if parse_nid(name, self._prefix) is None else "nid"

    def nid(self, name: str, where: str | None) -> int:
        """Return the NID that a name says, which no node may have."""
        given = parse_nid(name, self._prefix)
        if given is not None:
            return given
        if not self._layout.form.fullmatch(name):
            raise _no_name(name, " or ".join(self.of(0).values()), where)
        try:
            return self._layout.nid(name)
        except UserError as error:
            raise UserError(error.what, value=name, allowed=error.allowed, where=where) from None


class _Hosts:
    """Hosts that the machine file lists; NIDs are their numbers, if these alone tell them apart."""

    kinds: tuple[str, ...] = ("host",)

    def __init__(self, machine: Machine) -> None:
        self._hosts = _listed_hosts(machine)
        self._number_of = {host: number for number, host in enumerate(self._hosts)}
        self.nids: Sequence[int] = range(len(self._hosts))
        self.host_form = ("nid", 5)
        numbered = re.fullmatch(r"([A-Za-z]{1,32})([0-9]{1,9})", self._hosts[0])
        if numbered is None:
            return
        prefix, digits = numbered[1], len(numbered[2])
        numbers = [parse_nid(host, prefix) for host in self._hosts]
        if [f"{prefix}{number or 0:0{digits}d}" for number in numbers] == list(self._hosts):
            self.nids = [number for number in numbers if number is not None]
            self.host_form = (prefix, digits)

    def host(self, node: int) -> str:
        return self._hosts[node]

    def of(self, node: int) -> dict[str, str]:
        return {"host": self._hosts[node]}

    def kind_of(self, name: str) -> str:
        return "host"

    def nid(self, name: str, where: str | None) -> int:
        if name not in self._number_of:
            prefix, _ = self.host_form
            given = parse_nid(name, prefix)
            if given is not None and given not in self.nids:
                return given
            raise _no_name(name, self._hosts[0], where)
        return self.nids[self._number_of[name]]


def _no_name(name: str, such: str, where: str | None) -> UserError:
    allowed = f"a number, or a name such as {such}"
    return UserError("node: not a name of a node", value=name, allowed=allowed, where=where)


def _listed_hosts(machine: Machine) -> Sequence[str]:
    """Return the hosts of the nodes, in order."""
    from odonata.machine.hostlist import each_of  # few machines have lists of hosts

    if "names.hosts" not in machine.numbers and "shape.fabric" in machine.numbers:
        from odonata.machine.fabric.fabric import read_fabric  # few machines have fabrics

        return read_fabric(machine.file.path(str(machine.value("shape.fabric")))).hosts()
    if "names.hosts" not in machine.numbers:
        raise UserError("names.hosts: missing", where=machine.numbers["names.scheme"].where)
    number = machine.numbers["names.hosts"]
    each = each_of(str(number.value), what="names.hosts", where=number.where)
    hosts = list(islice(each, machine.num_nodes + 1))
    if len(set(hosts)) != machine.num_nodes or len(hosts) != machine.num_nodes:
        raise UserError(
            "names.hosts: not one host for each node",
            value=number.text,
            allowed=f"{machine.num_nodes} different hosts",
            where=number.where,
        )
    return hosts


def nids(machine: Machine) -> Sequence[int] | None:
    """Return the NID of each node; None if the file of the machine has no names.

    Parameters
    ----------
    machine
        The machine.

    Raises
    ------
    UserError
        Its names do not fit it.
    """
    if not has_names(machine):
        return None
    if machine not in _KNOWN:
        _KNOWN[machine] = Names(machine).nids
    return _KNOWN[machine]


def _xc(machine: Machine) -> tuple[Layout, Sequence[int]]:
    """Return the numbering of a Cray XC, and the NID of each node."""
    if machine.family != "aries":
        where = machine.numbers["names.scheme"].where
        raise UserError(
            "names.scheme: not of this family", value="cray-xc", allowed="aries", where=where
        )
    _check_rows(machine)
    layout = XcLayout(
        cabinets=_required(machine, "cabinets_per_row"),
        chassis=_number(machine, "chassis_per_cabinet", 3),
        slots=int(str(machine.value("shape.columns"))),
        nodes=int(str(machine.value("shape.nodes_per_router"))),
        digits=_number(machine, "nid_digits", 5),
    )
    chassis = machine.num_routers // layout.slots
    cabinets = _cabinets(machine, -(-chassis // layout.chassis))
    nids, last, position = [], -1, 0
    for router in machine.core.node_router:
        position = position + 1 if router == last else 0
        last = router
        rest, slot = divmod(router, layout.slots)
        cabinet, chassis = divmod(rest, layout.chassis)
        blade = slot + layout.slots * (chassis + layout.chassis * cabinets[cabinet])
        nids.append(position + layout.nodes * blade)
    return layout, nids


def _check_rows(machine: Machine) -> None:
    """Refuse rows in which a group of the machine does not stand whole, as the file has it."""
    if any(key.startswith("shape.") for key in machine.changes):
        return
    chassis = _number(machine, "chassis_per_cabinet", 3)
    rows = int(str(machine.value("shape.rows")))
    cabinets = -(-rows // chassis)
    if rows % chassis or _required(machine, "cabinets_per_row") % cabinets:
        number = machine.numbers["names.cabinets_per_row"]
        raise UserError(
            "names.cabinets_per_row: a row has no whole groups",
            value=number.value,
            allowed=f"multiples of {cabinets}: a group has {rows} chassis, a cabinet {chassis}",
            where=number.where,
        )


def _cabinets(machine: Machine, count: int) -> list[int]:
    """Return the places of the cabinets that are there, in order."""
    absent = _value(machine, "absent_cabinets", ())
    gone = set(absent) if isinstance(absent, tuple) else set()
    return [place for place in range(count + len(gone)) if place not in gone][:count]


def _ex(machine: Machine) -> tuple[Layout, Sequence[int]]:
    """Return the numbering of an HPE Cray EX, and the NID of each node."""
    absent = sorted(set(_listed(machine, "shape.absent_nodes")))
    counts_nodes = _value(machine, "nids", "places") == "nodes"
    places = sorted(set(range(machine.num_nodes + len(absent))) - set(absent))
    usual = ExLayout(cabinets=())
    layout = ExLayout(
        cabinets=_listed(machine, "names.cabinets") or _cabinets_from(machine, len(places)),
        first_nid=_number(machine, "first_nid", usual.first_nid),
        chassis=_number(machine, "chassis_per_cabinet", usual.chassis),
        slots=_number(machine, "slots_per_chassis", usual.slots),
        boards=_number(machine, "boards_per_slot", usual.boards),
        nodes=_number(machine, "nodes_per_board", usual.nodes),
        digits=_number(machine, "nid_digits", usual.digits),
        uncounted=absent if counts_nodes else (),
    )
    _check_cabinets(machine, layout, places[-1])
    counted = range(machine.num_nodes) if counts_nodes else places
    return layout, [layout.first_nid + number for number in counted]


def _cabinets_from(machine: Machine, most: int) -> range:
    """Return the numbers of cabinets that follow each other."""
    first = _number(machine, "first_cabinet", 1000)
    return range(first, first + most)


def _check_cabinets(machine: Machine, layout: ExLayout, last: int) -> None:
    """Refuse a list of cabinets that has no place for the last node."""
    room = layout.chassis * layout.slots * layout.boards * layout.nodes
    if last < room * len(layout.cabinets):
        return
    number = machine.numbers["names.cabinets"]
    raise UserError(
        "names.cabinets: too few",
        value=len(layout.cabinets),
        allowed=f"{last // room + 1} or more, each with {room} places",
        where=number.where,
    )


def _listed(machine: Machine, key: str) -> Sequence[int]:
    number = machine.numbers.get(key)
    given = number.value if number is not None else ()
    return [int(str(entry)) for entry in given] if isinstance(given, tuple) else []


_SCHEMES: Mapping[str, Callable[[Machine], tuple[Layout, Sequence[int]]]] = {
    "cray-xc": _xc,
    "cray-ex": _ex,
}


def _value(machine: Machine, key: str, default: object) -> object:
    number = machine.numbers.get(f"names.{key}")
    return default if number is None else number.value


def _number(machine: Machine, key: str, default: int) -> int:
    return int(str(_value(machine, key, default)))


def _required(machine: Machine, key: str) -> int:
    if f"names.{key}" not in machine.numbers:
        where = machine.numbers["names.scheme"].where
        raise UserError(f"names.{key}: missing", where=where)
    return _number(machine, key, 0)
