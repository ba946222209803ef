"""Lists of host names in Slurm's bracket syntax: ``nid[00012-00015,00020]``.

A name may have several brackets. The last one counts fastest, and a number is as wide as the first
of its range is written:

>>> expand("x1000c0s[0-1]b[0-1]n0")
['x1000c0s0b0n0', 'x1000c0s0b1n0', 'x1000c0s1b0n0', 'x1000c0s1b1n0']
>>> compress(["nid00009", "nid00010", "login1"])
'nid[00009-00010],login1'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from odonata.errors import UserError

__all__ = ["HOST_FORM", "MOST_HOSTS", "check_host", "compress", "each_of", "expand", "words_of"]

MOST_HOSTS = 4_194_304
"""Most hosts of a list, and most ranks of a file for launchers."""

MOST_TEXT = 2**24
"""Most characters of a list."""

HOST_FORM = "letters, digits, '.', '_' and '-', at most 253, a letter or a digit first"
"""Form of a host name."""

_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")
_PIECE = re.compile(r"\[([^\[\]]*)\]|([A-Za-z0-9._-]+)")
_ITEM = re.compile(r"(?:[^\[\],]|\[[^\[\]]*\])*")
_WORD = re.compile(r"(?:[^\[\],\s]|\[[^\[\]]*\])+")
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")
_TOKEN = re.compile(r"[0-9]{1,18}|[^0-9]+")


@dataclass(frozen=True, slots=True)
class _Range:
    """A text, or the numbers from one to another, which are written when they are asked for."""

    first: str
    last: str

    def __len__(self) -> int:
        return 1 if self.first == self.last else int(self.last) - int(self.first) + 1

    def __iter__(self) -> Iterator[str]:
        if self.first == self.last:
            return iter((self.first,))
        numbers = range(int(self.first), int(self.last) + 1)
        return (f"{number:0{len(self.first)}d}" for number in numbers)


_Ranges = list[tuple[str, str]]  # first and last number of each, as they are written


def check_host(name: str, *, what: str = "host", where: str | None = None) -> str:
    """Return a host name, which must be harmless in a shell and in a launcher's file.

    Parameters
    ----------
    name
        The name.
    what
        Name of the thing in errors.
    where
        ``file:line`` of the name.

    Raises
    ------
    UserError
        It has other characters than host names have.

    Examples
    --------
    >>> check_host("nid00012")
    'nid00012'
    """
    if not _HOST.fullmatch(name):
        raise UserError(f"{what}: not a host name", value=name, allowed=HOST_FORM, where=where)
    return name


def expand(text: str, *, what: str = "hosts", where: str | None = None) -> list[str]:
    """Return the host names of a list, in its order.

    Parameters
    ----------
    text
        Names and bracket expressions with commas between them.
    what
        Name of the list in errors.
    where
        ``file:line`` of the list.

    Raises
    ------
    UserError
        A bracket, a range or a name is wrong, or there are more than `MOST_HOSTS`.

    Examples
    --------
    >>> expand("nid[00012-00013,00020],nid00001")
    ['nid00012', 'nid00013', 'nid00020', 'nid00001']
    """
    return list(each_of(text, what=what, where=where))


def each_of(text: str, *, what: str = "hosts", where: str | None = None) -> Iterator[str]:
    """Yield the host names of a list one by one, so that a reader may stop at one it refuses.

    Parameters
    ----------
    text, what, where
        As for `expand`.

    Raises
    ------
    UserError
        As for `expand`: the names of a list are counted before they are made.

    Examples
    --------
    >>> next(each_of("nid[00012-09999]"))
    'nid00012'
    """
    if len(text) > MOST_TEXT:
        allowed = f"{MOST_TEXT} characters"
        raise UserError(f"{what}: too long", value=len(text), allowed=allowed, where=where)
    count = 0
    for item in _items(text, what, where):
        pieces = [_choices(piece, item, what, where) for piece in _pieces(item, what, where)]
        count += prod(sum(map(len, ranges)) for ranges in pieces)
        if count > MOST_HOSTS:
            allowed = f"at most {MOST_HOSTS}"
            raise UserError(f"{what}: too many", value=item, allowed=allowed, where=where)
        longest = "".join(max((each.last for each in ranges), key=len) for ranges in pieces)
        check_host(longest, what=what, where=where)
        yield from _combined(pieces)


def _combined(pieces: Sequence[Sequence[_Range]]) -> Iterator[str]:
    """Yield all combinations of choices of the pieces; the last piece counts fastest."""
    if not pieces:
        yield ""
        return
    for before in _combined(pieces[:-1]):
        for ranges in pieces[-1]:
            yield from (before + choice for choice in ranges)


def compress(names: Sequence[str]) -> str:
    """Return host names as a list in brackets, which `expand` turns into the same names.

    Parameters
    ----------
    names
        Host names; their order is kept.

    Raises
    ------
    UserError
        One of them is no host name.

    Examples
    --------
    >>> compress([f"x1000c0s{slot}b0n{node}" for slot in (0, 1) for node in (0, 1)])
    'x1000c0s[0-1]b0n[0-1]'
    """
    rows: list[list[str | _Ranges]] = [
        [[(token, token)] if token.isdecimal() else token for token in _TOKEN.findall(name)]
        for name in map(check_host, names)
    ]
    most = max((sum(isinstance(token, list) for token in row) for row in rows), default=0)
    for nth in range(1, most + 1):
        rows = _merged(rows, nth)
    return ",".join("".join(map(_shown, row)) for row in rows)


def words_of(line: str, *, what: str = "hosts", where: str | None = None) -> list[str]:
    """Return the words between commas and spaces outside of brackets.

    Parameters
    ----------
    line
        A line of a file.
    what, where
        As for `expand`.

    Raises
    ------
    UserError
        A bracket has no partner.

    Examples
    --------
    >>> words_of("nid[00012,00020] nid00030, 5")
    ['nid[00012,00020]', 'nid00030', '5']
    """
    if _WORD.sub("", line).replace(",", "").strip():
        allowed = "brackets in pairs, none inside another"
        raise UserError(f"{what}: a bracket is alone", value=line, allowed=allowed, where=where)
    return _WORD.findall(line)


def _items(text: str, what: str, where: str | None) -> Iterator[str]:
    """Yield the parts between commas outside of brackets."""
    at = 0
    while True:
        match = _ITEM.match(text, at)
        end = match.end() if match else at
        item = text[at:end].strip()
        if end < len(text) and text[end] != ",":
            allowed = "brackets in pairs, none inside another"
            raise UserError(f"{what}: a bracket is alone", value=text, allowed=allowed, where=where)
        if not item:
            allowed = "host names with commas between them, as in nid[00012-00015,00020]"
            raise UserError(f"{what}: a name is missing", value=text, allowed=allowed, where=where)
        yield item
        if end == len(text):
            return
        at = end + 1


def _pieces(item: str, what: str, where: str | None) -> list[str]:
    """Return the texts and the brackets that an expression consists of."""
    pieces = [match[0] for match in _PIECE.finditer(item)]
    if "".join(pieces) != item:
        raise UserError(f"{what}: not a host name", value=item, allowed=HOST_FORM, where=where)
    return pieces


def _choices(piece: str, item: str, what: str, where: str | None) -> list[_Range]:
    """Return the choices of a text or a bracket."""
    if not piece.startswith("["):
        return [_Range(piece, piece)]
    ranges: list[_Range] = []
    for part in piece[1:-1].split(","):
        match = _RANGE.fullmatch(part.strip())
        low, high = (match[1], match[2] or match[1]) if match else ("1", "0")
        if not int(low) <= int(high) or f"{int(high):0{len(low)}d}" != high:
            allowed = "numbers and ranges FIRST-LAST of the same width, as in [00012-00015,00020]"
            raise UserError(f"{what}: not a range", value=item, allowed=allowed, where=where)
        ranges.append(_Range(low, high))
    return ranges


def _merged(rows: list[list[str | _Ranges]], nth: int) -> list[list[str | _Ranges]]:
    """Return the rows with neighbours made one that differ in their `nth` number from behind."""
    merged: list[list[str | _Ranges]] = []
    before: int | None = None
    for row in rows:
        at = _place_of(row, nth)
        last = merged[-1] if merged else []
        if at is not None and at == before and _alike(last, row, at):
            ranges, new = last[at], row[at]
            assert isinstance(ranges, list)
            assert isinstance(new, list)
            _append(ranges, *new)
        else:
            merged.append(row)
        before = at
    return merged


def _place_of(row: list[str | _Ranges], nth: int) -> int | None:
    """Return where the `nth` number from behind is in a row, None if it has fewer."""
    places = [at for at, token in enumerate(row) if isinstance(token, list)]
    return places[-nth] if nth <= len(places) else None


def _alike(one: list[str | _Ranges], other: list[str | _Ranges], at: int) -> bool:
    return one[:at] == other[:at] and one[at + 1 :] == other[at + 1 :]


def _append(ranges: _Ranges, new: tuple[str, str]) -> None:
    """Append a number; it continues the last range if it is the next and as wide."""
    low, high = ranges[-1]
    if f"{int(high) + 1:0{len(low)}d}" == new[0]:
        ranges[-1] = (low, new[1])
    else:
        ranges.append(new)


def _shown(token: str | _Ranges) -> str:
    if isinstance(token, str):
        return token
    if len(token) == 1 and token[0][0] == token[0][1]:
        return token[0][0]
    return "[" + ",".join(a if a == b else f"{a}-{b}" for a, b in token) + "]"
