"""Changes of a machine from ``--set KEY=VALUE`` options."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from odonata.errors import UserError

__all__ = ["parse_changes"]


def parse_changes(settings: Sequence[str]) -> dict[str, object]:
    """Return the changes of a machine that ``--set key=value`` options ask for.

    Parameters
    ----------
    settings
        Each ``key=value``; whole numbers and lists of them are read as such.

    Raises
    ------
    UserError
        There is no ``=``.

    Examples
    --------
    >>> parse_changes(["links.local.buffer=8 KiB", "shape.groups=9"])
    {'links.local.buffer': '8 KiB', 'shape.groups': 9}
    """
    changes: dict[str, object] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise UserError("--set: not KEY=VALUE", value=setting)
        changes[key.strip()] = _typed(text.strip())
    return changes


def _typed(text: str) -> object:
    """Return a whole number or a list as such, anything else as text."""
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, list) else text
