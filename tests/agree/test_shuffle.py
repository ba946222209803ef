"""Same inputs, same bytes: whatever the order of insertion, the process and its hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import _core
from odonata.machine import routings

from .cases import (
    ALGORITHMS,
    Options,
    crowded_machine,
    examples,
    placements,
    worlds,
)
from .compare import Job, run_fast


def everything(simulation: _core.Simulation, num_jobs: int) -> dict[str, object]:
    """Return all that a simulation measured, arrays as lists."""
    found = {
        "digest": simulation.digest,
        "events": simulation.num_events,
        "end": simulation.end,
        "log": simulation.log(),
        "links": simulation.links(),
        "buffers": simulation.buffers(),
        "samples": [array.tolist() for array in simulation.samples()],
    }
    for number in range(num_jobs):
        found[f"job {number}"] = simulation.job(number)
        found[f"messages {number}"] = simulation.messages(number)
        found[f"latencies {number}"] = simulation.latencies(number)
    return {name: plain(value) for name, value in found.items()}


def plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value.tolist() if isinstance(value, np.ndarray) else value


def crowded_jobs(machine: _core.Machine, num_messages: int) -> list[Job]:
    """Return an allgather in traffic that the machine can't keep up with."""
    pattern = _core.PatternOptions()
    nodes = list(range(machine.num_nodes))
    traffic = _core.traffic(machine, nodes, pattern, 2.0, 512, num_messages, True, 3)
    collective = _core.repeat_algorithm("allgather", "bruck", 100, 0, 2)
    return [Job(nodes, traffic, None), Job(nodes[::3], collective, None)]


def crowded_run(policy: str, shuffle: int, num_messages: int = 60) -> dict[str, object]:
    machine = crowded_machine()
    mpi = {"send_overhead": 1000, "recv_overhead": 1000, "eager_threshold": 400}
    options = Options({"packet_bytes": 128}, policy, 7, 0, mpi, 5, shuffle)
    return everything(run_fast(machine, options, crowded_jobs(machine, num_messages)), 2)


@pytest.mark.parametrize("policy", routings("dragonfly"))
def test_order_of_insertion_changes_nothing_under_heavy_load(policy):
    expected = crowded_run(policy, shuffle=0)
    assert max(expected["links"]["stalled"]) > 0
    for seed in [1, 2**63]:
        assert crowded_run(policy, shuffle=seed) == expected


@examples(40)
@given(worlds(), st.integers(1, 2**64 - 1), st.data())
def test_order_of_insertion_changes_nothing(world, seed, data):
    machine, options = world
    operation, name = data.draw(st.sampled_from(ALGORITHMS))
    size = data.draw(st.integers(0, 4 * options.network["packet_bytes"]))
    program = _core.repeat_algorithm(operation, name, size, 0, 2)
    job = Job(data.draw(placements(machine)), program, None)
    expected = everything(run_fast(machine, options, [job]), 1)
    options.shuffle = seed
    assert everything(run_fast(machine, options, [job]), 1) == expected


def test_digest_is_that_of_the_whole_log():
    def digest(num_messages: int) -> object:
        return crowded_run("minimal", 0, num_messages)["digest"]

    assert digest(2) == digest(2)
    assert digest(2) != digest(3)


ONE_RUN = """
from odonata import _core
from odonata.machine import routings

basics = _core.Basics("star", 1, 1000, 1000, 10**9)
link = _core.LinkClass("?", 10**9, 1000, 4096, 1000)
options = _core.SimulationOptions()
options.digest = True
machine = _core.make_machine("star", basics, {"nodes": 16}, [link] * 2)
simulation = _core.Simulation(machine, options)
program = _core.repeat_algorithm("allgather", "ring", 1024, 0, 1)
simulation.add(list(range(16)), program, False, False)
simulation.run(None)
print(simulation.digest)
"""


def test_digest_is_the_same_in_every_process():
    def run(hash_seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", ONE_RUN]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout

    first, second = run("1"), run("2")
    assert int(first) != 0
    assert first == second
