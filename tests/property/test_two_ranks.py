"""Two ranks on an idle machine take the same time in both engines, and sentences know why."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from odonata.machine import load, names
from odonata.placement import place
from odonata.simulate import Job, Options, run
from odonata.testing import machines, usable_routings
from odonata.workload import PointToPoint

drawn = settings(
    max_examples=80,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
SIZES = st.one_of(
    st.integers(0, 5000), st.integers(0, 200_000), st.sampled_from([2**20, 3_000_000])
)


def both(machine, seed, size, routing, operation="pingpong"):
    where = place(machine, 2, allocation="random", seed=seed)
    job = Job(PointToPoint(operation, bytes=size), where)
    return [
        run(machine, [job], Options(engine=engine, routing=routing, explain=True))
        for engine in ("analytic", "packet")
    ]


def packet_ps(machine):
    """Time of a packet on the slowest link."""
    packet = machine.value("nic.packet_bytes") + machine.value("nic.header_bytes")
    return packet * 10**12 / min(c.bandwidth for c in machine.core.classes) + 1


def check(machine, data):
    """Draw two nodes, a size and a routing, and compare."""
    size, seed = data.draw(SIZES), data.draw(st.integers(0, 999))
    routing = data.draw(st.sampled_from(usable_routings(machine.core)))
    analytic, packet = both(machine, seed, size, routing)
    ends = [int(done.jobs[0].finished.max()) for done in (analytic, packet)]
    assert ends[0] - ends[1] <= packet_ps(machine)
    if size < machine.core.ports.stripe_from:  # parts of a message may share links
        assert ends[1] - ends[0] <= packet_ps(machine)
    for key in ("messages", "packets"):
        assert analytic.jobs[0].totals[key] == packet.jobs[0].totals[key]


@drawn
@given(data=st.data())
def test_on_any_machine(data):
    check(data.draw(machines().filter(lambda machine: machine.num_nodes > 1)), data)


@settings(drawn, max_examples=40)  # large machines take a second each
@given(data=st.data())
def test_on_the_machines_that_are_shipped(data):
    check(load(data.draw(st.sampled_from(sorted(names())))), data)


@pytest.mark.parametrize("name", ["blue-waters", "eos", "jupiter-fdr", "lumi-g", "theta"])
def test_long_messages_go_on_at_the_rate_of_their_first_packets(name):
    """46,875 packets, of which the analytic engine follows 16,384: within three thousandths."""
    machine = load(name).with_values({"nic.packet_bytes": "64 B"})
    for seed in (1, 2):
        ends = [
            int(done.jobs[0].finished.max()) for done in both(machine, seed, 3_000_000, "minimal")
        ]
        assert ends[0] == pytest.approx(ends[1], rel=3e-3)
