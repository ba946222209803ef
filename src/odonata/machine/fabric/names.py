"""Names of hosts, adapters and switches from the descriptions that discovery finds."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["host_and_label", "plain", "switch_name", "told_apart"]

_DEVICE = re.compile(
    r"(?P<host>[A-Za-z0-9][A-Za-z0-9._-]*) +(?P<device>HCA-\d+|"
    r"(?:mlx[45]|mthca|qib|hfi1|ib|ibp|rxe|siw|bnxt_re|irdma|opa)[\w.-]*)"
)
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_MELLANOX = re.compile(r"MF0;(?P<name>[^:;]+):(?P<rest>.*)")


def plain(text: str) -> str:
    """Return a text as a word: other characters than of names become underscores.

    Parameters
    ----------
    text
        Any text.

    Examples
    --------
    >>> plain("MF0;leaf 1:MQM/U1")
    'MF0_leaf_1_MQM_U1'
    """
    word = re.sub(r"[^A-Za-z0-9._-]+", "_", text).strip("_")[:100]
    return word if _HOST.fullmatch(word) else f"x{word}" if word else ""


def host_and_label(description: str, guid: int) -> tuple[str, str]:
    """Return the host of an adapter and the adapter's label.

    Parameters
    ----------
    description
        The node description, such as ``node17 HCA-1`` or ``node17 mlx5_2``; a single word is a
        host, and all else names no host.
    guid
        The GUID of the adapter, its host's name where none is known.

    Examples
    --------
    >>> host_and_label("node17 mlx5_2", 1), host_and_label("MT4129 ConnectX7   Mellanox", 0xA1)
    (('node17', 'mlx5_2'), ('guid-00000000000000a1', 'MT4129_ConnectX7_Mellanox'))
    """
    found = _DEVICE.fullmatch(description.strip())
    if found:
        return found["host"][:100], found["device"][:100]
    if _HOST.fullmatch(description) and len(description) <= 100:
        return description, "adapter"
    return f"guid-{guid:016x}", plain(description) or "adapter"


def switch_name(description: str, guid: int) -> str:
    """Return the name of a switch.

    Parameters
    ----------
    description
        Its node description; ``MF0;NAME:MODEL/U1`` has the name in the middle.
    guid
        Its GUID, which is its name if it has no description.

    Examples
    --------
    >>> switch_name("MF0;IBSPINE-01:MQM9701/U1", 1), switch_name("", 255)
    ('IBSPINE-01', 'guid-00000000000000ff')
    """
    found = _MELLANOX.fullmatch(description)
    unit = re.search(r"/([A-Z]\d+(?:/[A-Z]\d+)*)$", found["rest"]) if found else None
    name = plain(found["name"] if found else description)
    if unit and unit[1] != "U1":
        name += f"_{plain(unit[1])}"
    return name or f"guid-{guid:016x}"


def told_apart(names: Iterable[tuple[str, int]]) -> list[str]:
    """Return names that are all different: equal ones have their GUID behind them.

    Parameters
    ----------
    names
        Names and GUIDs.

    Examples
    --------
    >>> told_apart([("a", 1), ("b", 2), ("a", 3)])
    ['a-0000000000000001', 'b', 'a-0000000000000003']
    """
    given = list(names)
    count: dict[str, int] = {}
    for name, _ in given:
        count[name] = count.get(name, 0) + 1
    return [name if count[name] == 1 else f"{name}-{guid:016x}" for name, guid in given]
