"""The time that a simulation is expected to take, before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from odonata.machine import Machine
from odonata.simulate.job import Job
from odonata.simulate.options import Options
from odonata.workload import Replay
from odonata.workload.build import build

__all__ = ["expected_seconds"]

START_SECONDS = 0.01
"""Time of a run without messages [s]."""

MESSAGE_SECONDS = 1e-6
"""Time of a message in the MPI layer [s]."""

PACKET_SECONDS = 1.2e-6
"""Time of a packet on its whole way [s]."""

CALL_BYTES = 8
"""Bytes of a call in a trace."""


def expected_seconds(machine: Machine, jobs: Sequence[Job], options: Options) -> float:
    """Return about how long a run takes [s].

    The factors are measured on one computer (rings of 1,024 ranks and uniform traffic on
    `dragonfly-5256`): they say which of several runs is longer, and by about how much.

    Parameters
    ----------
    machine, jobs, options
        Of the run.
    """
    payload = machine.value("nic.packet_bytes")
    assert isinstance(payload, int)
    total = START_SECONDS
    for job in jobs:
        if isinstance(job.workload, Replay):
            with suppress(OSError):  # the run will say so
                total += job.workload.path.stat().st_size / CALL_BYTES * MESSAGE_SECONDS
            continue
        built = build(job.workload, job.placement, seed=options.seed)
        packets = built.packets(payload) if options.engine == "packet" else 0
        total += (built.messages or 0) * MESSAGE_SECONDS + packets * PACKET_SECONDS
    return total
