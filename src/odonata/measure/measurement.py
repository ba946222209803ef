"""A measurement: its raw numbers, its origin, and its findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from odonata.machine.files import Description
from odonata.machine.writing import NewNumber
from odonata.measure.compute import Compute
from odonata.measure.estimate import Estimate
from odonata.measure.findings import Finding, Findings
from odonata.measure.knees import Knee
from odonata.measure.machine_file import compose, unit_of
from odonata.measure.network import Curve, Network, Pair
from odonata.measure.rings import Ring
from odonata.measure.small_messages import SmallMessages

__all__ = ["Measurement"]


@dataclass(frozen=True)
class Measurement:
    """Measurements of a machine.

    Parameters
    ----------
    findings
        Numbers of a machine file.
    origin
        Who measured: ranks, nodes and library, or files.
    counted
        Nodes and cores that were counted, for a machine file without a machine to start from.
    network, compute
        Sources of the numbers; None if it was not measured here.
    """

    findings: Findings
    origin: str
    counted: Mapping[str, NewNumber]
    network: Network | None = None
    compute: Compute | None = None

    def to_toml(self, base: Description | None, name: str) -> str:
        """Return the text of a machine file.

        Parameters
        ----------
        base
            Name of the machine that gave the topology.
        name
            Name of the new machine.
        """
        return compose(
            self.findings,
            base,
            self.counted,
            name=name,
            description=f"Measured by odonata measure: {self.origin}.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; times in seconds, sizes in bytes."""
        found = self.findings
        return {
            "origin": self.origin,
            "parameters": {
                key: _numbers(finding)
                | {"unit": unit_of(key).name, "status": "measured", "how": finding.how}
                for key, finding in found.found.items()
            },
            "alpha_far": None
            if found.far is None
            else _numbers(found.far) | {"unit": "s", "how": found.far.how},
            "unknown": dict(found.unknown),
            "warnings": found.all_warnings(),
            "network": None if self.network is None else _network(self.network),
        }


def _numbers(finding: Finding) -> dict[str, Any]:
    """Return values and intervals: numbers, or lists of them for a key with a list."""
    each = [_one(estimate) for estimate in finding.estimates]
    if not finding.listed:
        return each[0]
    return {name: [numbers[name] for numbers in each] for name in each[0]}


def _one(estimate: Estimate) -> dict[str, Any]:
    """Return a value and its interval."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "samples": estimate.samples,
    }


def _network(network: Network) -> dict[str, Any]:
    rings = network.rings
    return {
        "call_seconds": network.call_seconds,
        "pairs": [_pair(pair) for pair in network.pairs],
        "rings": {
            "orders": rings.orders,
            "natural": _ring(rings.natural),
            "random": _ring(rings.random),
        },
        "curves": [_curve(curve) for curve in network.curves],
        "small_messages": _small_messages(network.small_messages),
    }


def _small_messages(found: SmallMessages) -> dict[str, Any]:
    streams = found.streams
    return {
        "streams": None
        if streams is None
        else {
            "senders": list(streams.senders),
            "seconds": [_one(estimate) for estimate in streams.seconds],
        },
        "posted": _one(found.posted),
        "unexpected": _one(found.unexpected),
        "request": _one(found.request),
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "ranks": list(pair.ranks),
        "same_node": pair.same_node,
        "links": pair.links,
        "latency": _one(pair.latency),
        "bandwidth": _one(pair.bandwidth),
        "rate": _one(pair.rate),
    }


def _ring(ring: Ring) -> dict[str, Any]:
    return {"latency": _one(ring.latency), "bandwidth": _one(ring.bandwidth)}


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "ranks": list(curve.ranks),
        "bytes": list(curve.sizes),
        "seconds": [estimate.value for estimate in curve.seconds],
        "low": [estimate.low for estimate in curve.seconds],
        "high": [estimate.high for estimate in curve.seconds],
        "knees": [_knee(knee) for knee in curve.knees],
    }


def _knee(knee: Knee) -> dict[str, Any]:
    return {"low": knee.low, "high": knee.high, "kind": knee.kind, "seconds": knee.seconds}
