"""Estimates of the bytes of a run agree with the schedule that runs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from odonata import _core, machine, placement, simulate, workload
from odonata.errors import UserError
from odonata.testing import jobs
from odonata.workload.build import build

OF_ONE_SIZE = ("linear", "pairwise", "scattered", "ring", "tar")
"""Algorithms whose messages are alike."""


def counted(job):
    """Return messages and packets of a run, without handshakes, and the expected numbers."""
    built = build(job.workload, job.placement, seed=0)
    payload = job.placement.machine.value("nic.packet_bytes")
    totals = simulate.simulate(job.placement.machine, [job]).run.jobs[0].totals
    found = totals["messages"], totals["packets"] - totals["control_messages"]
    return found, (built.messages, built.packets(payload))


@settings(max_examples=150, derandomize=True, suppress_health_check=list(HealthCheck))
@given(job=jobs())
def test_any_job(job):
    (messages, packets), (expected, about) = counted(job)
    assert expected in (None, messages)
    if expected is not None:
        assert packets / 2 <= about
        if 1 < job.placement.ranks == len(set(job.placement.node_of)):  # none inside a node
            assert about <= 4 * packets


@pytest.mark.parametrize("ranks", [2, 7, 16, 33])
@pytest.mark.parametrize("size", [0, 8, 1024, 5000, 65536])
@pytest.mark.parametrize("operation", workload.collectives())
def test_every_algorithm(operation, size, ranks):
    on = machine.load("eos")
    for name in workload.algorithms()[operation]:
        job = simulate.Job(workload.Collective(operation, name, size), placement.place(on, ranks))
        (messages, packets), (expected, about) = counted(job)
        assert messages == expected
        most = 4 if name in ("glf", "llf") else 2
        assert packets / 2 <= about <= most * packets
        if name in OF_ONE_SIZE and (operation, name) not in (
            ("allgatherv", "ring"),  # in chunks
            ("allreduce", "ring"),
        ):
            assert about == packets


def test_applications():
    on = machine.load("eos")
    where = placement.place(on, 27, ranks_per_node=1)
    for given_work in (
        workload.Halo("3x3x3", cells="40x8x200", cell_bytes=8),
        workload.Fft("27x54x81", 27, repetitions=2),
        workload.Sedov("8100x8100", 27),
    ):
        (messages, packets), (expected, about) = counted(simulate.Job(given_work, where))
        assert messages == expected
        assert packets / 2 <= about <= 2 * packets


def test_a_ring_of_small_parts_is_not_too_large():
    """1 MiB in 65,536 parts of 16 B: a packet each, 256 times fewer than for parts of 1 MiB."""
    on = machine.load("frontier")
    where = placement.place(on, 65536, ranks_per_node=8)
    built = build(workload.Collective("bcast", "scatter_allgather", "1 MiB"), where, seed=0)
    assert built.packets(on.value("nic.packet_bytes")) == built.messages == 65536 * 65535 + 65535


@pytest.mark.parametrize("operation", workload.collectives())
def test_estimates_have_room_for_any_size(operation):
    """A block of 1 TiB between all pairs of 100,000 ranks makes more bytes than 63 bits hold."""
    for name in workload.algorithms()[operation]:
        of = [_core.sent_by(operation, name, 100_000, size, 0) for size in (2**20, 2**40)]
        assert of[0][0] <= of[1][0]
        if operation != "barrier":
            assert of[1][1] == pytest.approx(2**20 * of[0][1], rel=0.01)


def test_what_would_never_end_is_refused():
    on = machine.load("frontier")
    where = placement.place(on, 65536, ranks_per_node=8)
    job = simulate.Job(workload.Collective("alltoall", "pairwise", "1 MiB"), where)
    with pytest.raises(UserError, match="too large to simulate packet by packet"):
        simulate.simulate(on, [job])
