"""Routing policies by name."""

from __future__ import annotations

from odonata.errors import UserError, near_miss

__all__ = ["ROUTINGS", "routing_policy"]

ROUTINGS = ("minimal", "valiant", "ugal-l", "ugal-g", "par")
"""Routing policies; ``ugal`` is short for ``ugal-l``."""


def routing_policy(name: str) -> str:
    """Return the full name of a routing policy.

    Parameters
    ----------
    name
        One of `ROUTINGS`, or ``ugal``.

    Raises
    ------
    UserError
        There is no such policy.

    Examples
    --------
    >>> routing_policy("ugal")
    'ugal-l'
    """
    if name == "ugal":
        return "ugal-l"
    if name not in ROUTINGS:
        near = near_miss(name, ROUTINGS)
        raise UserError("routing: unknown", value=name, allowed=", ".join(ROUTINGS), near=near)
    return name
