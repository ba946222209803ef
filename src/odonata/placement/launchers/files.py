"""Files for launchers, written from the host of each rank and read back to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from odonata.errors import UserError
from odonata.files import read_text, write_whole
from odonata.machine.hostlist import MOST_HOSTS, check_host
from odonata.placement.launchers.formats import format_named
from odonata.placement.launchers.lines import lines_of
from odonata.placement.launchers.slots import Slots

__all__ = ["hosts_in", "lost_in", "read_hosts", "text_of", "write_hosts"]

MOST_BYTES = 2**26
"""Largest file for a launcher [B]."""


def write_hosts(
    path: str | Path, format: str, hosts: Sequence[str], slots: Slots | None = None
) -> None:
    """Write a file for a launcher.

    Parameters
    ----------
    path
        The file.
    format
        Name of its format, one of `FORMATS`.
    hosts
        Host of each rank.
    slots
        Places that the launcher fills; None: as many on each host as the fullest has, hosts by
        their numbers.

    Raises
    ------
    UserError
        The format is unknown, a host is no host name, or the launcher could not place ranks so.
    """
    write_whole(path, text_of(format, hosts, slots).encode())


def text_of(format: str, hosts: Sequence[str], slots: Slots | None = None) -> str:
    """Return the text of a file for a launcher; parameters and errors as for `write_hosts`."""
    form = format_named(format)
    if not hosts:
        raise UserError("hosts: no ranks")
    for host in hosts:
        check_host(host)
    return "".join(f"{line}\n" for line in form.write(hosts, slots))


def read_hosts(path: str | Path, format: str, slots: Slots | None = None) -> list[str]:
    """Return the host of each rank from a file for a launcher.

    Parameters
    ----------
    path
        The file.
    format
        Name of its format, one of `FORMATS`.
    slots
        Places that the launcher fills; needed where the format lists ranks.

    Raises
    ------
    UserError
        The file cannot be read or is too long, a line is not understood, or a rank is missing or
        listed twice; says where.
    """
    return hosts_in(format, _text(path, format), slots, where=str(path))


def lost_in(path: str | Path, format: str) -> str | None:
    """Return a sentence on losses of `read_hosts` in a file; None: it keeps all.

    Parameters
    ----------
    path
        A file that `read_hosts` reads.
    format
        Name of its format, one of `FORMATS`.
    """
    return format_named(format).lost(list(lines_of(_text(path, format), str(path))))


def _text(path: str | Path, format: str) -> str:
    return read_text(path, MOST_BYTES, what=format)


def hosts_in(format: str, text: str, slots: Slots | None = None, *, where: str = "") -> list[str]:
    """Return the host of each rank from the text of a file; errors as for `read_hosts`.

    Parameters
    ----------
    format
        Name of the format.
    text
        The text.
    slots
        Places that the launcher fills.
    where
        Name of the file in errors.

    Examples
    --------
    >>> hosts_in("mpich-order", "1,0,3,2", Slots(("a", "b"), 2))
    ['a', 'a', 'b', 'b']
    """
    form = format_named(format)
    lines = list(islice(lines_of(text, where), MOST_HOSTS + 1))
    if len(lines) > MOST_HOSTS:
        raise UserError(f"{format}: too many lines", allowed=f"at most {MOST_HOSTS}", where=where)
    if not lines:
        raise UserError(f"{format}: no ranks in the file", where=where)
    if form.slots and slots is None:
        raise UserError(
            f"{format}: lists ranks, not hosts", allowed="a file of this format with its hosts"
        )
    return form.read(lines, slots)
