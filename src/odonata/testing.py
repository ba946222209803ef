"""Hypothesis strategies for machines, placements and workloads, for tests of code that uses them.

Needs hypothesis, which the extra ``test`` installs.

>>> from hypothesis import given
>>> from odonata.testing import jobs
>>> @given(jobs())
... def test_nothing_is_lost(job):
...     ...
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from hypothesis import assume, reject
from hypothesis import strategies as st

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine, routings
from odonata.machine.families import FAMILIES
from odonata.machine.files import describe, parse
from odonata.machine.template import template
from odonata.placement import Placement, place
from odonata.simulate import Job
from odonata.workload import Collective, Traffic, algorithms
from odonata.workload.names import rooted

__all__ = ["collectives", "jobs", "machines", "placements", "traffic", "usable_routings"]


MOST_NODES = 48
"""Nodes of the largest machine that is drawn."""


@st.composite
def machines(draw: st.DrawFn, *, families: Sequence[str] = tuple(FAMILIES)) -> Machine:
    """Draw a small machine of some family: any shape, any rates, delays and buffers.

    Parameters
    ----------
    families
        Names of families to draw from.
    """
    family = draw(st.sampled_from(families))
    rate = st.sampled_from(("1 GB/s", "4.7 GB/s", "5.25 GB/s", "16 GB/s"))
    buffer = st.sampled_from(("1 KiB", "4 KiB", "16 KiB"))
    delay = st.sampled_from(("0 ns", "1 ns", "100 ns"))
    changes: dict[str, object] = {"router.delay": draw(delay), "node.cores": 2}
    changes |= {"nic.packet_bytes": "1 KiB", "nic.header_bytes": "0 B"}
    (declared,) = (each for each in _core.families() if each.name == family)
    for parameter in declared.parameters:
        drawn = draw(_small(parameter))
        changes |= {} if drawn is None else {f"shape.{parameter.name}": drawn}
    for kind in FAMILIES[family].class_names + FAMILIES[family].own_classes:
        changes[f"links.{kind}.bandwidth"] = draw(rate)
        changes[f"links.{kind}.latency"] = draw(delay)
        if kind != "ejection":
            changes[f"links.{kind}.buffer"] = draw(buffer)
            changes[f"links.{kind}.credit_delay"] = draw(delay)
    changes |= draw(_ports())
    new = parse(template(family), "new")
    try:
        machine = Machine(describe(new, Path(), changes), changes)
    except UserError:  # the parameters don't fit each other
        reject()
    assume(machine.num_nodes <= MOST_NODES)
    return machine


def usable_routings(machine: _core.Machine, cut_ports: Sequence[int] = ()) -> tuple[str, ...]:
    """Return the routing policies by which a machine runs: without cycles, to every port.

    Parameters
    ----------
    machine
        The machine as the engines see it.
    cut_ports
        Ports of nodes that faults have cut off, see `odonata.machine.Machine.cut_ports`.
    """
    found = []
    for policy in routings(machine.family):
        try:
            routing = _core.make_routing(machine, policy, 0, 0)
        except UserError:  # such as an engine for trees alone
            continue
        counts = routing.count_routes()
        locks = routing.may_lock and not _core.check_deadlock(machine, routing).deadlock_free
        flows = counts and _core.count_all_flows(machine, routing, list(cut_ports)).unreachable
        cut, ports = len(cut_ports), machine.num_ports
        if not locks and (flows is None or flows == cut * (2 * ports - cut - 1)):
            found.append(policy)
    return tuple(found)


@st.composite
def _ports(draw: st.DrawFn) -> dict[str, object]:
    """Draw the ports of nodes: one on most machines."""
    if draw(st.integers(0, 3)) > 0:
        return {}
    ports = draw(st.integers(1, 4))
    changes: dict[str, object] = {
        "nic.ports": ports,
        "nic.routers": draw(st.sampled_from((1, ports))),
    }
    changes["nic.binding"] = draw(st.sampled_from(("blocks", "round-robin", "first")))
    stripe = draw(st.sampled_from((None, "1 B", "700 B", "2 KiB")))
    return changes if stripe is None else changes | {"nic.stripe_from": stripe}


def _small(parameter: _core.Parameter) -> st.SearchStrategy[object]:
    """Return small values of a parameter; None leaves it as a new file has it."""
    few = st.integers(parameter.low, min(parameter.high, parameter.low + 3))
    listed = parameter.kind == "counts" and parameter.start
    if not (parameter.required or listed) or parameter.kind not in ("count", "choice", "counts"):
        return st.none()
    if parameter.kind == "choice":
        return st.sampled_from(parameter.choices)
    if parameter.kind == "count":
        return few
    return st.tuples(*[few for _ in json.loads(parameter.start)]).map(list)


@st.composite
def placements(draw: st.DrawFn, machine: Machine, *, least_ranks: int = 1) -> Placement:
    """Draw a placement of some ranks on a machine.

    Parameters
    ----------
    machine
        The machine; it has room for `least_ranks`, one a node.
    least_ranks
        Ranks of the smallest placement.
    """
    return place(
        machine,
        draw(st.integers(least_ranks, machine.num_nodes)),
        allocation=draw(
            st.sampled_from(("contiguous", "random", "random-routers", "random-groups"))
        ),
        mapping=draw(st.sampled_from(("block", "cyclic", "random"))),
        seed=draw(st.integers(0, 2**32)),
    )


@st.composite
def collectives(draw: st.DrawFn, *, ranks: int, most_bytes: int = 5000) -> Collective:
    """Draw a collective with any registered algorithm, size and root.

    Parameters
    ----------
    ranks
        Ranks that will call it.
    most_bytes
        Bytes of the largest block [B].
    """
    known = algorithms()
    paired = ranks % 2 == 0  # a pingpong has partners
    operation = draw(st.sampled_from(sorted(key for key in known if paired or key != "pingpong")))
    return Collective(
        operation,
        draw(st.sampled_from(sorted(known[operation]))),
        bytes=draw(st.integers(0, most_bytes)),
        root=draw(st.integers(0, ranks - 1)) if rooted(operation) else 0,
    )


@st.composite
def traffic(draw: st.DrawFn) -> Traffic:
    """Draw synthetic traffic of a few messages a rank, for two or more ranks."""
    return Traffic(
        draw(st.sampled_from(("uniform", "permutation", "hotspot"))),
        load=draw(st.floats(0.05, 1)),
        bytes=draw(st.integers(1, 3000)),
        messages_per_rank=draw(st.integers(1, 20)),
        periodic=draw(st.booleans()),
    )


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    """Draw a collective or traffic on a machine of its own."""
    machine = draw(machines())
    if machine.num_nodes > 1 and draw(st.booleans()):
        return Job(draw(traffic()), draw(placements(machine, least_ranks=2)))
    placement = draw(placements(machine))
    return Job(draw(collectives(ranks=placement.ranks)), placement)
