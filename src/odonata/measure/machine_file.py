"""The machine file that is made of measurements."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.machine.files import Description, read
from odonata.machine.schema import keys_of
from odonata.machine.writing import NewNumber, write_text
from odonata.measure.estimate import Estimate
from odonata.measure.findings import Finding, Findings
from odonata.units import format_bytes, format_rate, format_time

__all__ = ["UNITS", "Unit", "compose", "unit_of", "unmeasured"]

MOST_NAME = 64


@dataclass(frozen=True)
class Unit:
    """Format of numbers of a kind.

    Parameters
    ----------
    name
        Name of the base unit.
    exact
        Writes a number for a machine file.
    short
        Writes a number for people.
    """

    name: str
    exact: Callable[[float], str]
    short: Callable[[float], str]


def _nanoseconds(seconds: float) -> str:
    return f"{round(seconds * 1e12) / 1000:.3f}".rstrip("0").rstrip(".") + " ns"


def _seconds(seconds: float) -> str:
    return format_time(seconds * 1e12)


_TIME = Unit("s", _nanoseconds, _seconds)
_RATE = Unit("B/s", lambda rate: f"{rate / 1e6:.6g} MB/s", format_rate)
_SIZE = Unit("B", lambda size: f"{size:.0f} B", format_bytes)
_PER_BYTE = Unit("s/B", lambda each: f"{each * 1e12:.6g} ps/B", lambda e: f"{e * 1e12:.3g} ps/B")

UNITS: Mapping[str, Unit] = {
    "alpha": _TIME,
    "beta": _TIME,
    "gamma": _TIME,
    "t": _TIME,
    "latency": _TIME,
    "send_overhead": _TIME,
    "recv_overhead": _TIME,
    "message_gap": _TIME,
    "search_per_entry": _TIME,
    "wait_per_request": _TIME,
    "bandwidth": _RATE,
    "memory_bandwidth": _RATE,
    "eager_overhead": _TIME,
    "rendezvous_overhead": _TIME,
    "copy_per_byte": _PER_BYTE,
    "eager_overhead_per_byte": _PER_BYTE,
    "long_overhead_per_byte": _PER_BYTE,
    "short_threshold": _SIZE,
    "eager_threshold": _SIZE,
    "long_threshold": _SIZE,
}
"""Formats by the last part of a key."""

_TOGETHER = ("model.alpha", "model.beta", "model.gamma")
_FITTED = ("model.best_fit",)  # to the numbers of the base
_PROTOCOLS = (
    "mpi.short_threshold",
    "mpi.eager_overhead",
    "mpi.eager_overhead_per_byte",
    "mpi.rendezvous_overhead",
    "mpi.long_threshold",
    "mpi.long_overhead_per_byte",
)


def unit_of(key: str) -> Unit:
    """Return the unit of a key that can be found."""
    return UNITS[key.rpartition(".")[2]]


def unmeasured() -> Description:
    """Return the star that stands for a machine known by measurements alone."""
    return read(Path(__file__).parents[1] / "data" / "unmeasured.toml")


def compose(
    findings: Findings,
    base: Description | None,
    counted: Mapping[str, NewNumber],
    *,
    name: str,
    description: str,
) -> str:
    """Return the text of a machine file.

    Parameters
    ----------
    findings
        The findings; a number that no machine file can have becomes a warning.
    base
        The machine that gave the topology: its links stay. None: a star of the nodes that have
        ranks, with links as measured.
    counted
        Numbers of the star that were counted: ``shape.nodes``, ``node.cores``.
    name, description
        Name and description of the machine; a character that can't be in a name becomes a hyphen.
    """
    start = base or unmeasured()
    known = keys_of(start.family, start.link_classes)
    changes = dict(counted) if base is None else {}
    for finding in findings.found.values():
        if base is not None and finding.key.startswith("links."):
            continue
        number = NewNumber(_value(finding), _source(finding))
        try:
            known[finding.key].read(number.value, finding.key, "measured")
        except UserError as error:
            findings.warnings.append(f"left out: {error}")
            continue
        changes[finding.key] = number
    # A gamma beside an alpha from elsewhere would be neither's.
    without = [key for key in (*_TOGETHER, *_FITTED) if key not in changes]
    if "mpi.eager_threshold" in changes:  # costs of the base's protocols begin elsewhere
        without += [key for key in _PROTOCOLS if key not in changes]
    unknown = [f"{key}: unknown: {reason}" for key, reason in sorted(findings.unknown.items())]
    warnings = [f"warning: {warning}" for warning in findings.all_warnings()]
    return write_text(
        start,
        changes,
        name=re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:MOST_NAME] or "measured",
        description=description,
        without=without,
        comments=[*unknown, *warnings],
    )


def _value(finding: Finding) -> object:
    texts = [unit_of(finding.key).exact(estimate.value) for estimate in finding.estimates]
    return texts if finding.listed else texts[0]


def _source(finding: Finding) -> str:
    short = unit_of(finding.key).short
    intervals = [_interval(estimate, short) for estimate in finding.estimates]
    if not any(intervals):
        return finding.how
    return f"{finding.how}; 95 % interval {', '.join(filter(None, intervals))}"


def _interval(estimate: Estimate, short: Callable[[float], str]) -> str:
    if estimate.samples == 1 and estimate.low == estimate.high:
        return ""
    return f"{short(estimate.low)} to {short(estimate.high)}"
