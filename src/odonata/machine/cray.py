"""Names that Cray and HPE give to the nodes of their machines: NID, cname and xname.

A *cname* says where a node of a Cray XC is: ``c3-0c1s7n2`` is node 2 of the blade in slot 7 of
chassis 1 in cabinet 3 of row 0. An *xname* says it of an HPE Cray EX: ``x1000c0s7b1n0`` is node 0
of the board with controller 1 in slot 7 of chassis 0 of cabinet 1000. A *NID* is a node's number,
``nid00012``, which counts such places.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from odonata.errors import UserError

__all__ = ["Cname", "ExLayout", "Layout", "XcLayout", "Xname", "parse_nid"]

_WHOLE = r"(0|[1-9][0-9]{0,4})"
_CNAME = re.compile(rf"c{_WHOLE}-{_WHOLE}c{_WHOLE}s{_WHOLE}n{_WHOLE}")
_XNAME = re.compile(rf"x{_WHOLE}c{_WHOLE}s{_WHOLE}b{_WHOLE}n{_WHOLE}")


@dataclass(frozen=True)
class Cname:
    """Place of a node of a Cray XC.

    Parameters
    ----------
    cabinet, row
        The cabinet's place in its row, and the row.
    chassis, slot, node
        Chassis of the cabinet, slot of the chassis, node of the blade in that slot.

    Examples
    --------
    >>> Cname.parse("c3-0c1s7n2"), str(Cname(3, 0, 1, 7, 2))
    (Cname(cabinet=3, row=0, chassis=1, slot=7, node=2), 'c3-0c1s7n2')
    """

    cabinet: int
    row: int
    chassis: int
    slot: int
    node: int

    @classmethod
    def parse(cls, text: str) -> Cname:
        """Return the place that a cname says.

        Parameters
        ----------
        text
            The cname.

        Raises
        ------
        UserError
            The text is no cname.
        """
        match = _CNAME.fullmatch(text)
        if match is None:
            raise UserError("cname: not a cname", value=text, allowed="as in c3-0c1s7n2")
        return cls(*map(int, match.groups()))

    def __str__(self) -> str:
        return f"c{self.cabinet}-{self.row}c{self.chassis}s{self.slot}n{self.node}"


@dataclass(frozen=True)
class Xname:
    """Place of a node of an HPE Cray EX.

    Parameters
    ----------
    cabinet
        Number of the cabinet.
    chassis, slot, board, node
        Chassis of the cabinet, slot of the chassis, controller of a board of the blade in that
        slot, node of the board.

    Examples
    --------
    >>> Xname.parse("x1000c0s7b1n0"), str(Xname(1000, 0, 7, 1, 0))
    (Xname(cabinet=1000, chassis=0, slot=7, board=1, node=0), 'x1000c0s7b1n0')
    """

    cabinet: int
    chassis: int
    slot: int
    board: int
    node: int

    @classmethod
    def parse(cls, text: str) -> Xname:
        """Return the place that an xname says.

        Parameters
        ----------
        text
            The xname.

        Raises
        ------
        UserError
            The text is no xname.
        """
        match = _XNAME.fullmatch(text)
        if match is None:
            raise UserError("xname: not an xname", value=text, allowed="as in x1000c0s7b1n0")
        return cls(*map(int, match.groups()))

    def __str__(self) -> str:
        return f"x{self.cabinet}c{self.chassis}s{self.slot}b{self.board}n{self.node}"


class Layout(Protocol):
    """A rule that numbers the places of a machine's nodes."""

    kind: ClassVar[str]
    """Name of the names of places."""
    form: ClassVar[re.Pattern[str]]
    """Form of the names of places."""

    @property
    def digits(self) -> int:
        """Digits of a NID, at least."""

    def nid(self, name: str) -> int:
        """Return the NID of a place."""

    def name(self, nid: int) -> str:
        """Return the name of the place of a NID."""


@dataclass(frozen=True)
class XcLayout:
    """Numbering of the nodes of a Cray XC.

    Parameters
    ----------
    cabinets
        Places for cabinets in a row: X.
    chassis, slots, nodes
        Chassis of a cabinet, C; slots of a chassis, S; nodes of a blade, N.
    digits
        Digits of a NID, at least.

    Notes
    -----
    ``NID = x + N l + N S k + N S C (i + X j)`` for node x in slot l of chassis k of cabinet i of
    row j. Every place counts, whether or not it has a node.

    References
    ----------
    Budiardja, Crosby and You, *Effect of rank placement on Cray XC30 communication cost*, equation
    1.

    Examples
    --------
    >>> XcLayout(cabinets=4).nid("c3-0c1s7n2"), XcLayout(cabinets=8).name(4992)
    (670, 'c2-3c0s0n0')
    """

    kind: ClassVar[str] = "cname"
    form: ClassVar[re.Pattern[str]] = _CNAME

    cabinets: int
    chassis: int = 3
    slots: int = 16
    nodes: int = 4
    digits: int = 5

    def nid(self, name: str) -> int:
        """Return the NID of a place.

        Parameters
        ----------
        name
            Its cname.

        Raises
        ------
        UserError
            It is no cname, or one of its numbers is too large.
        """
        at = Cname.parse(name)
        parts = {
            "cabinet": self.cabinets,
            "chassis": self.chassis,
            "slot": self.slots,
            "node": self.nodes,
        }
        _check("cname", name, parts, (at.cabinet, at.chassis, at.slot, at.node))
        blade = at.slot + self.slots * (at.chassis + self.chassis * self.place(at.cabinet, at.row))
        return at.node + self.nodes * blade

    def name(self, nid: int) -> str:
        """Return the cname of a NID.

        Parameters
        ----------
        nid
            The number.
        """
        rest, node = divmod(nid, self.nodes)
        rest, slot = divmod(rest, self.slots)
        place, chassis = divmod(rest, self.chassis)
        row, cabinet = divmod(place, self.cabinets)
        return str(Cname(cabinet, row, chassis, slot, node))

    def place(self, cabinet: int, row: int) -> int:
        """Return the number of a place for a cabinet, ``i + X j``."""
        return cabinet + self.cabinets * row


@dataclass(frozen=True)
class ExLayout:
    """Numbering of the nodes of an HPE Cray EX: places in the order of their xnames.

    Parameters
    ----------
    cabinets
        Numbers of the cabinets, in the order of the places.
    first_nid
        NID of the first place.
    chassis, slots, boards, nodes
        Chassis of a cabinet, slots of a chassis, boards of a blade, nodes of a board.
    digits
        Digits of a NID, at least.
    uncounted
        Places without a NID, in order.

    Examples
    --------
    >>> layout = ExLayout(cabinets=range(1000, 1010))
    >>> layout.nid("x1000c0s1b0n0"), layout.name(1005)
    (1004, 'x1000c0s1b0n1')
    >>> ExLayout(cabinets=(1100, 1200), uncounted=(0, 1)).name(1000)
    'x1100c0s0b1n0'
    """

    kind: ClassVar[str] = "xname"
    form: ClassVar[re.Pattern[str]] = _XNAME

    cabinets: Sequence[int]
    first_nid: int = 1000
    chassis: int = 8
    slots: int = 8
    boards: int = 2
    nodes: int = 2
    digits: int = 6
    uncounted: Sequence[int] = ()

    def nid(self, name: str) -> int:
        """Return the NID of a place.

        Parameters
        ----------
        name
            Its xname.

        Raises
        ------
        UserError
            It is no xname, one of its numbers is out of range, or the place has no NID.
        """
        at = Xname.parse(name)
        if at.cabinet not in self.cabinets:
            allowed = f"x{self.cabinets[0]} to x{self.cabinets[-1]}"
            raise UserError("xname: no such cabinet", value=name, allowed=allowed)
        numbers = (at.chassis, at.slot, at.board, at.node)
        parts = {
            "chassis": self.chassis,
            "slot": self.slots,
            "board": self.boards,
            "node": self.nodes,
        }
        _check("xname", name, parts, numbers)
        place = self.cabinets.index(at.cabinet)
        for number, count in zip(numbers, parts.values(), strict=True):
            place = place * count + number
        if place in self.uncounted:
            raise UserError("xname: an empty place", value=name, allowed="places with a node")
        return self.first_nid + place - sum(other < place for other in self.uncounted)

    def name(self, nid: int) -> str:
        """Return the xname of a NID.

        Parameters
        ----------
        nid
            The number.
        """
        place = nid - self.first_nid
        for other in self.uncounted:
            place += other <= place
        rest, node = divmod(place, self.nodes)
        rest, board = divmod(rest, self.boards)
        rest, slot = divmod(rest, self.slots)
        cabinet, chassis = divmod(rest, self.chassis)
        return str(Xname(self.cabinets[cabinet], chassis, slot, board, node))


def parse_nid(text: str, prefix: str = "nid") -> int | None:
    """Return the number of a NID such as ``nid00012``, None of another text.

    Parameters
    ----------
    text
        The text.
    prefix
        What a NID begins with.

    Examples
    --------
    >>> parse_nid("nid00012"), parse_nid("n12"), parse_nid("frontier00012", "frontier")
    (12, None, 12)
    """
    match = re.fullmatch(f"{prefix}([0-9]{{1,9}})", text)
    return int(match[1]) if match else None


def _check(kind: str, name: str, parts: Mapping[str, int], numbers: Sequence[int]) -> None:
    """Refuse a name with a number that is not below the count of its part."""
    for (part, count), number in zip(parts.items(), numbers, strict=True):
        if number >= count:
            allowed = f"{part[0]}0" + (f" to {part[0]}{count - 1}" if count > 1 else " alone")
            raise UserError(f"{kind}: no such {part}", value=name, allowed=allowed)
