"""Routing policies by name: each family declares its own."""

from __future__ import annotations

from collections.abc import Iterable

from odonata.errors import UserError, near_miss
from odonata.machine.families import FAMILIES, Policy

__all__ = ["routing_policy", "routings"]


def routings(family: str) -> tuple[str, ...]:
    """Return the names of a family's routing policies, the plain one first.

    Parameters
    ----------
    family
        Name of the family.

    Examples
    --------
    >>> routings("dragonfly")
    ('minimal', 'valiant', 'ugal-l', 'ugal-g', 'par')
    """
    return tuple(policy.name for policy in FAMILIES[family].policies)


def routing_policy(name: str, family: str | None = None) -> str:
    """Return the full name of a routing policy.

    Parameters
    ----------
    name
        Name or alias. In every family the plain policy has the alias ``minimal``, and the policy
        that looks at waiting bytes ``adaptive``.
    family
        Name of the family that has it; None: any family.

    Raises
    ------
    UserError
        There is no such policy.

    Examples
    --------
    >>> routing_policy("ugal", "dragonfly")
    'ugal-l'
    """
    families = FAMILIES.values() if family is None else [FAMILIES[family]]
    offered = [policy for one in families for policy in one.policies]
    known = list(dict.fromkeys(policy.name for policy in offered))
    if name in known:
        return name
    found = _by_alias(offered, name)
    if found is None:
        of_family = "" if family is None else f" to the family {family}"
        near = near_miss(name, known)
        what = f"routing: unknown{of_family}"
        raise UserError(what, value=name, allowed=", ".join(known), near=near)
    return found


def _by_alias(offered: Iterable[Policy], name: str) -> str | None:
    return next((policy.name for policy in offered if name in policy.aliases), None)
