"""Values of axes: lists, ranges, and tests of a value by a constraint."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence

from odonata.errors import UserError
from odonata.units import parse_bytes

__all__ = ["LEFT_OUT", "MOST_VALUES", "Value", "is_met", "listed", "number_of"]

Value = str | bool
"""A value of an option as text; True: the option stands alone; False: it is left out."""

LEFT_OUT = False
"""Value of an option that a run does not have."""

MOST_VALUES = 100_000
"""Values of one axis."""

_RANGE_KEYS = ({"from", "to", "step"}, {"from", "to", "factor"})

_COMPARED = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}

_BINARY = {2**30: "GiB", 2**20: "MiB", 2**10: "KiB"}


def listed(given: object, where: str) -> list[Value]:
    """Return the values of an axis.

    Parameters
    ----------
    given
        A list of texts, numbers, or ``true`` and ``false``; or a range, ``{from, to, step}`` or
        ``{from, to, factor}``, of numbers or of sizes such as ``"4KiB"``.
    where
        ``file:line:key`` of the axis.

    Raises
    ------
    UserError
        It is neither, is empty, or has a value twice.

    Examples
    --------
    >>> listed(["eos", "theta"], "study.toml")
    ['eos', 'theta']
    >>> listed({"from": 16, "to": 100, "factor": 2}, "study.toml")
    ['16', '32', '64']
    >>> listed({"from": "1KiB", "to": "64KiB", "factor": 8}, "study.toml")
    ['1KiB', '8KiB', '64KiB']
    """
    if isinstance(given, Mapping):
        return [*_range(given, where)]
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise UserError("axis: no values", value=given, allowed="a list, or a range", where=where)
    values = [_text(value, where) for value in given]
    for at, value in enumerate(values):
        if value in values[:at]:
            raise UserError("axis: the same value twice", value=value, where=where)
    return values


def _text(value: object, where: str) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, (str, int, float)):
        return str(value)
    raise UserError("axis: not a value", value=value, allowed="texts or numbers", where=where)


def _range(given: Mapping[str, object], where: str) -> Sequence[str]:
    if set(given) not in _RANGE_KEYS:
        allowed = "from, to and step, or from, to and factor"
        raise UserError("range: its keys", value=sorted(given), allowed=allowed, where=where)
    sizes = isinstance(given["from"], str)
    first, last = (_number(given[key], where) for key in ("from", "to"))
    grows = "factor" in given
    by = _number(given["factor" if grows else "step"], where)
    if not (first <= last and (by > 1 and first > 0 if grows else by > 0)):
        allowed = "from 1 up to a larger one, by a step above 0 or a factor above 1"
        raise UserError("range: not a range", value=dict(given), allowed=allowed, where=where)
    values: list[float] = []
    at = first
    while at <= last * (1 + 1e-12):
        values.append(at)
        at = at * by if grows else first + len(values) * by
        if len(values) > MOST_VALUES:
            raise UserError("range: too many values", allowed=f"{MOST_VALUES}", where=where)
    return [_size(value) if sizes else _plain(value) for value in values]


def _number(given: object, where: str) -> float:
    if isinstance(given, str):
        return parse_bytes(given, bare=True, what="range", where=where)
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return given
    raise UserError("range: not a number", value=given, where=where)


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.12g}"


def _size(value: float) -> str:
    whole = round(value)
    for unit, name in _BINARY.items():
        if whole % unit == 0:
            return f"{whole // unit}{name}"
    return f"{whole}B"


def number_of(value: Value) -> float | None:
    """Return the number, or the size in bytes, that a value stands for; None: neither.

    Parameters
    ----------
    value
        A value of an axis.

    Examples
    --------
    >>> number_of("4KiB"), number_of("0.5"), number_of("eos")
    (4096, 0.5, None)
    """
    try:
        return float(value) if not isinstance(value, bool) else None
    except ValueError:
        pass
    try:
        return parse_bytes(value, bare=True)
    except UserError:
        return None


def is_met(value: Value, condition: object) -> bool:
    """Return whether a value is one that a constraint names.

    Parameters
    ----------
    value
        A value of an axis.
    condition
        A value, a list of values, or a comparison such as ``"> 512"`` or ``"<= 64KiB"``.

    Examples
    --------
    >>> is_met("1024", "> 512"), is_met("eos", ["eos", "theta"]), is_met("8KiB", "< 4KiB")
    (True, True, False)
    """
    if isinstance(condition, list):
        return any(is_met(value, one) for one in condition)
    if isinstance(condition, str) and (found := re.match(r"(<=|>=|<|>)\s*(.+)", condition)):
        mine, bound = number_of(value), number_of(found[2])
        return mine is not None and bound is not None and _COMPARED[found[1]](mine, bound)
    return value == (condition if isinstance(condition, bool) else str(condition))
