"""Fabrics as ``ibnetdiscover`` prints them, and as the simulator ``ibsim`` reads them.

GUIDs and addresses follow from the order of switches and adapters, so that the same machine gives
the same text. The ports of an adapter whose labels differ in the number behind a slash are ports of
one node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from odonata.errors import UserError
from odonata.machine.fabric.fabric import Adapter, Fabric
from odonata.machine.fabric.names import host_and_label, switch_name
from odonata.machine.fabric.rates import SPEEDS, kind_of, nearest, rate_of
from odonata.units import format_rate, parse_rate

__all__ = [
    "IBSIM_SPEEDS",
    "IbsimFile",
    "Written",
    "ibnetdiscover_lines",
    "ibsim_file",
    "ibsim_lines",
    "speeds_of",
]

MOST_LID = 0xBFFF
"""Largest unicast address of a subnet."""

MOST_PORT = 254
"""Largest port of a switch of InfiniBand."""

MOST_DESCRIPTION = 64
"""Bytes of a node description."""

IBSIM_SPEEDS = tuple(speed for speed in SPEEDS if speed not in ("FDR10", "XDR"))
"""Speeds that ibsim reads and a subnet manager sees."""

SWITCH_GUIDS = 0x0200_0D00_0000_0000
ADAPTER_GUIDS = 0x0200_0D01_0000_0000
_GUID_HOST = re.compile("guid-([0-9a-f]{16})")
GUIDS_EACH = 0x100  # an adapter has one more for each port


@dataclass(frozen=True)
class Written:
    """Width and speed by which a class of links is written.

    Parameters
    ----------
    link_class
        Name of the class.
    rate
        Its data rate [B/s].
    name
        Width and speed.
    written_rate
        Their data rate [B/s].
    """

    link_class: str
    rate: int
    name: str
    written_rate: int

    @property
    def exact(self) -> bool:
        """Whether both rates are the same."""
        return self.rate == self.written_rate

    def __str__(self) -> str:
        if self.exact:
            return f"links.{self.link_class}: {self.name}"
        rates = format_rate(self.rate), format_rate(self.written_rate)
        return f"links.{self.link_class}: {rates[0]} is written as {self.name}, {rates[1]}"


@dataclass(frozen=True)
class _End:
    """A port of an adapter: the node that it belongs to, and its number there."""

    node: int
    description: str
    guid: int
    port: int
    adapter: Adapter


def speeds_of(fabric: Fabric, speeds: Sequence[str] = SPEEDS) -> list[Written]:
    """Return the width and speed of each class of links that a fabric has.

    Parameters
    ----------
    fabric
        The fabric.
    speeds
        Speeds to choose from.
    """
    used = dict.fromkeys(adapter.kind for adapter in fabric.adapters)
    used |= dict.fromkeys(cable.kind for cable in fabric.cables)
    found = []
    for kind in used:
        rate = parse_rate(fabric.kinds[kind].rate)
        name = nearest(rate, speeds)
        found.append(Written(kind, rate, name, rate_of(kind_of(name))))
    return found


def ibnetdiscover_lines(fabric: Fabric, title: str) -> Iterator[str]:
    """Yield the lines that ``ibnetdiscover`` prints of a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    title
        First line, which is a comment.

    Raises
    ------
    UserError
        InfiniBand cannot have such a fabric: names, ports or addresses are out of range.
    """
    yield from _Text(fabric, SPEEDS, with_addresses=True).lines(title)


def ibsim_lines(fabric: Fabric, title: str) -> Iterator[str]:
    """Yield the lines that ``ibsim`` reads: addresses are left to the subnet manager.

    Parameters
    ----------
    fabric, title
        The same as for `ibnetdiscover_lines`. Comments behind the title say which limits ibsim is
        to be started with.

    Raises
    ------
    UserError
        The same as for `ibnetdiscover_lines`.
    """
    yield from _Text(fabric, IBSIM_SPEEDS, with_addresses=False).lines(title)


@dataclass(frozen=True)
class IbsimFile:
    """A fabric as ``ibsim`` reads it.

    Parameters
    ----------
    lines
        Lines of the file.
    limits
        Options of ibsim for a fabric of this size.
    first
        Node of the first adapter, at which a subnet manager starts, as ``H-<GUID>``.
    fabric
        The fabric, with the GUIDs of the file.
    """

    lines: Iterator[str]
    limits: Sequence[str]
    first: str
    fabric: Fabric


def ibsim_file(fabric: Fabric, title: str) -> IbsimFile:
    """Return a fabric as ``ibsim`` reads it, with its GUIDs.

    Parameters
    ----------
    fabric, title
        The same as for `ibnetdiscover_lines`.

    Raises
    ------
    UserError
        The same as for `ibnetdiscover_lines`.
    """
    text = _Text(fabric, IBSIM_SPEEDS, with_addresses=False)
    named = replace(
        fabric,
        switches=tuple(replace(s, guid=_switch_guid(n)) for n, s in enumerate(fabric.switches)),
        adapters=tuple(replace(end.adapter, guid=end.guid + end.port) for end in text.ends),
    )
    return IbsimFile(text.lines(title), text.limits(), f"H-{text.ends[0].guid:016x}", named)


class _Text:
    """Parts of the text of a fabric."""

    def __init__(self, fabric: Fabric, speeds: Sequence[str], *, with_addresses: bool) -> None:
        self.fabric = fabric
        self.with_addresses = with_addresses
        self.written = speeds_of(fabric, speeds)
        self.speed = {each.link_class: each.name for each in self.written}
        self.ends = list(_ends(fabric.adapters))
        self.nodes = [list(ends) for _, ends in groupby(self.ends, key=lambda end: end.node)]
        self._check()

    def lines(self, title: str) -> Iterator[str]:
        """Yield all lines; the adapters are first where a subnet manager starts at the first."""
        yield f"# {title}"
        for each in self.written:
            yield f"# {each}"
        parts = [self._switches, self._adapters]
        if not self.with_addresses:
            parts.reverse()
            yield f"# ibsim -s {' '.join(self.limits())} FILE"
        for part in parts:
            yield from part()

    def limits(self) -> list[str]:
        """Return ibsim's options for fabrics of this size: nodes, switches and ports."""
        switches, nodes = len(self.fabric.switches), len(self.nodes)
        ports = sum(self._sizes()) + switches + len(self.ends) + nodes
        most = {"-N": switches + nodes, "-S": switches, "-P": ports}
        return [word for option, number in most.items() for word in (option, str(number + 1))]

    def _sizes(self) -> list[int]:
        """Return the largest port of each switch."""
        sizes = [1] * len(self.fabric.switches)
        for adapter in self.fabric.adapters:
            sizes[adapter.switch] = max(sizes[adapter.switch], adapter.port)
        for switch, port, *_ in self.fabric.ends():
            sizes[switch] = max(sizes[switch], port)
        return sizes

    def _check(self) -> None:
        """Refuse fabrics that InfiniBand cannot have."""
        most = max(self._sizes())
        if most > MOST_PORT:
            allowed = f"up to {MOST_PORT}"
            raise UserError("InfiniBand: too many ports of a switch", value=most, allowed=allowed)
        addresses = len(self.fabric.switches) + len(self.ends)
        if addresses > MOST_LID:
            allowed = f"up to {MOST_LID} switches and adapters"
            raise UserError("InfiniBand: too large a subnet", value=addresses, allowed=allowed)
        for number, switch in enumerate(self.fabric.switches):
            _check_description(switch.name, switch_name(switch.name, _switch_guid(number)))
        for end in self.ends:
            _check_description(end.adapter.host, host_and_label(end.description, end.guid)[0])
            _check_description(end.description, end.description)

    def _switch_lid(self, number: int) -> int:
        return number + 1 if self.with_addresses else 0

    def _switches(self) -> Iterator[str]:
        lines: list[list[tuple[int, str]]] = [[] for _ in self.fabric.switches]
        for address, end in enumerate(self.ends, len(self.fabric.switches) + 1):
            lid = address if self.with_addresses else 0
            peer = f'"H-{end.guid:016x}"[{end.port}]({end.guid + end.port:x})'
            about = f'"{end.description}" lid {lid} {self.speed[end.adapter.kind]}'
            lines[end.adapter.switch].append((end.adapter.port, f"{peer} \t\t# {about}"))
        for a, port, b, b_port, kind in self.fabric.ends():
            peer = f'"S-{_switch_guid(b):016x}"[{b_port}]'
            about = f'"{self.fabric.switches[b].name}" lid {self._switch_lid(b)} {self.speed[kind]}'
            lines[a].append((port, f"{peer}\t\t# {about}"))
        for number, (size, ports) in enumerate(zip(self._sizes(), lines, strict=True)):
            guid = _switch_guid(number)
            yield from _head("switchguid", guid, f"({guid:x})")
            about = f'"{self.fabric.switches[number].name}" enhanced port 0'
            own = f"lid {self._switch_lid(number)} lmc 0"
            yield f'Switch\t{size} "S-{guid:016x}"\t\t# {about} {own}'
            yield from (f"[{port}]\t{line}" for port, line in sorted(ports))

    def _adapters(self) -> Iterator[str]:
        address = len(self.fabric.switches)
        for ends in self.nodes:
            guid = ends[0].guid
            yield from _head("caguid", guid)
            yield f'Ca\t{max(e.port for e in ends)} "H-{guid:016x}"\t\t# "{ends[0].description}"'
            for end in ends:
                address += 1
                to = end.adapter.switch
                peer = f'"S-{_switch_guid(to):016x}"[{end.adapter.port}]'
                own = f"lid {address if self.with_addresses else 0} lmc 0"
                there = f'"{self.fabric.switches[to].name}" lid {self._switch_lid(to)}'
                about = f"{own} {there} {self.speed[end.adapter.kind]}"
                yield f"[{end.port}]({guid + end.port:x}) \t{peer}\t\t# {about}"


def _head(key: str, guid: int, more: str = "") -> Iterator[str]:
    yield from ("", "vendid=0x0", "devid=0x0", f"sysimgguid={guid:#x}", f"{key}={guid:#x}{more}")


def _switch_guid(number: int) -> int:
    return SWITCH_GUIDS + (number + 1) * GUIDS_EACH


def _check_description(name: str, read: str) -> None:
    if name != read or len(name) > MOST_DESCRIPTION:
        allowed = f"letters, digits, '.', '_' and '-', up to {MOST_DESCRIPTION}"
        raise UserError("InfiniBand: not a description of a node", value=name, allowed=allowed)


def _ends(adapters: Sequence[Adapter]) -> Iterator[_End]:
    """Yield the ports of the adapters with the nodes of InfiniBand that have them, in order."""
    node = -1
    for host, its in groupby(adapters, key=lambda adapter: adapter.host):
        ports = list(its)
        numbered = {adapter: number for number, adapter in enumerate(ports, 1)}
        digits = len(str(len(ports)))
        for stem, parts in groupby(ports, key=lambda adapter: _stem(adapter.label)[0]):
            group = list(parts)
            numbers = [_stem(adapter.label)[1] for adapter in group]
            is_shared = len(group) > 1 and len(set(numbers) - {0}) == len(group)
            for adapter, number in zip(group, numbers, strict=True):
                if adapter is group[0] or not is_shared:
                    node += 1
                    label, other = stem if is_shared else adapter.label, numbered[adapter]
                    guid = ADAPTER_GUIDS + (node + 1) * GUIDS_EACH
                    plain = f"{host} HCA-{other:0{digits}d}", guid
                    described, guid = _kept(host, label, guid) or plain
                yield _End(node, described, guid, number if is_shared else 1, adapter)


def _stem(label: str) -> tuple[str, int]:
    """Return a label without its port, and the port; 0: it has none."""
    stem, slash, port = label.rpartition("/")
    is_port = slash and port.isdecimal() and len(port) < 3
    return (stem, int(port)) if is_port else (label, 0)


def _kept(host: str, label: str, guid: int) -> tuple[str, int] | None:
    """Return description and GUID of a node in which a reader finds host and label again."""
    named = _GUID_HOST.fullmatch(host)
    likely = [(f"{host} {label}", guid), (host, guid)]
    if named:  # the description names no host: its words, or nothing
        likely = [(words, int(named[1], 16)) for words in (label.replace("_", " "), "")]
    return next((each for each in likely if host_and_label(*each) == (host, label)), None)
