"""Changes of a machine from ``--set KEY=VALUE`` options."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from odonata.cli.axes import NO_FAULT
from odonata.errors import UserError
from odonata.quiet import note

if TYPE_CHECKING:
    from odonata.machine import Machine  # types alone

__all__ = ["note_routes", "parse_changes", "parse_faults"]


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


def parse_faults(
    fail: Sequence[str] | None, slow: Sequence[str] | None, seed: int
) -> dict[str, object]:
    """Return the changes of a machine that ``--fail`` and ``--slow`` options ask for.

    Parameters
    ----------
    fail, slow
        Values of the options; ``none`` is no fault.
    seed
        Seed of the run, by which shares of the links are drawn.

    Examples
    --------
    >>> parse_faults(["link:router-0:router-1", "none"], None, 7)
    {'faults.failed': ['link:router-0:router-1']}
    >>> parse_faults(["1%"], ["1%=0.5"], 7)
    {'faults.failed': ['1%'], 'faults.slowed': ['1%=0.5'], 'faults.seed': 7}
    """
    failed, slowed = ([text for text in texts or () if text != NO_FAULT] for texts in (fail, slow))
    lists: dict[str, object] = {"faults.failed": failed, "faults.slowed": slowed}
    changes = {key: texts for key, texts in lists.items() if texts}
    if any("%" in text for text in (*failed, *slowed)):
        changes["faults.seed"] = seed
    return changes


def note_routes(machine: Machine, routing: str) -> None:
    """Say so if faults set aside the tables that a machine brings.

    Parameters
    ----------
    machine
        The machine.
    routing
        The routing that is asked for.
    """
    if machine.faults is not None and routing == "minimal" and "shape.routes" in machine.numbers:
        engine = machine.policy(routing)
        note(f"{machine.name}: the tables are of the whole fabric; {engine} computes others")


def _typed(text: str) -> object:
    """Return a whole number or a list as such, anything else as text."""
    if re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        return int(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, list) else text
