"""Hypothesis strategies for machines, placements and workloads, for tests of what uses them.

Needs hypothesis, which the extra ``test`` installs.

>>> from hypothesis import given
>>> from odonata.testing import jobs
>>> @given(jobs())
... def test_nothing_is_lost(job):
...     ...
"""

from __future__ import annotations

from hypothesis import strategies as st

from odonata.machine import Machine, load
from odonata.placement import Placement, place
from odonata.simulate import Job
from odonata.workload import Collective, Traffic, algorithms
from odonata.workload.names import ROOTED

__all__ = ["collectives", "jobs", "machines", "placements", "traffic"]


@st.composite
def machines(draw: st.DrawFn, *, most_groups: int = 5) -> Machine:
    """Draw a small dragonfly: any shape that connects its groups, any arrangement, rates, buffers.

    Parameters
    ----------
    most_groups
        Groups of the largest.
    """
    groups = draw(st.integers(1, most_groups))
    routers = draw(st.integers(1, 4))
    fewest = max(1, -(-(groups - 1) // routers))
    rate = st.sampled_from(("1 GB/s", "4.7 GB/s", "5.25 GB/s", "16 GB/s"))
    buffer = st.sampled_from(("1 KiB", "4 KiB", "16 KiB"))
    delay = st.sampled_from(("0 ns", "1 ns", "100 ns"))
    changes: dict[str, int | str] = {
        "shape.nodes_per_router": draw(st.integers(1, 3)),
        "shape.routers_per_group": routers,
        "shape.global_links_per_router": draw(st.integers(fewest, fewest + 2)),
        "shape.groups": groups,
        "shape.arrangement": draw(st.sampled_from(("absolute", "relative", "circulant"))),
        "router.delay": draw(delay),
        "node.cores": 2,
    }
    for kind in ("injection", "local", "global"):
        changes[f"links.{kind}.bandwidth"] = draw(rate)
        changes[f"links.{kind}.latency"] = draw(delay)
        changes[f"links.{kind}.buffer"] = draw(buffer)
        changes[f"links.{kind}.credit_delay"] = draw(delay)
    return load("dragonfly-5256", changes)


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
        root=draw(st.integers(0, ranks - 1)) if operation in ROOTED else 0,
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
