"""Runs a case on both engines and shows the first event in which they differ."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from odonata import _core, reference

from .cases import Options

LOG = ["time", "link", "vc", "source", "packet"]
Entry = tuple[int, int, int, int, int]


@dataclass
class Job:
    """A job for both engines."""

    nodes: list[int]
    fast: Any  # _core.Program
    slow: Callable[[Any], Any]


def run_fast(machine: _core.Machine, options: Options, jobs: list[Job]) -> _core.Simulation:
    simulation = _core.Simulation(machine, options.fast())
    for job in jobs:
        simulation.add(job.nodes, job.fast, False, True)
    assert simulation.run(None)
    return simulation


def fast_log(simulation: _core.Simulation) -> list[Entry]:
    log = simulation.log()
    return list(zip(*(log[name].tolist() for name in LOG), strict=True))


def assert_agree(machine: _core.Machine, options: Options, jobs: list[Job]) -> None:
    """Fail with the first event in which the engines differ."""
    slow = options.slow(reference.copy_machine(machine))
    ranks = [slow.add(job.nodes, job.slow) for job in jobs]
    slow.run()
    fast = run_fast(machine, options, jobs)
    difference = first_difference(fast_log(fast), slow.log, machine)
    assert difference is None, difference
    for number, job in enumerate(ranks):
        assert fast.job(number)["finished"].tolist() == [rank.finished for rank in job]
    assert_same_links(fast, slow)


def assert_same_links(fast: _core.Simulation, slow: reference.Simulation) -> None:
    links, outputs = fast.links(), slow.network.outputs
    assert links["bytes"].tolist() == [output.sent for output in outputs]
    assert links["busy"].tolist() == [output.busy for output in outputs]
    assert links["stalled"].tolist() == [output.stalled for output in outputs]
    buffers = fast.buffers()
    rows = zip(buffers["link"].tolist(), buffers["vc"].tolist(), strict=True)
    peaks = [outputs[link].buffer(vc).peak for link, vc in rows]
    assert buffers["peak"].tolist() == peaks


def first_difference(fast: list[Entry], slow: list[Entry], machine: _core.Machine) -> str | None:
    """Return what both did last, and then each; None if they did the same."""
    for i, (a, b) in enumerate(zip_longest(fast, slow)):
        if a == b:
            continue
        both = [f"  both  {describe(entry, machine)}" for entry in fast[max(0, i - 5) : i]]
        here = [f"  fast  {describe(a, machine)}", f"  slow  {describe(b, machine)}"]
        return "\n".join([f"event {i} of {len(fast)} and {len(slow)} differs", *both, *here])
    return None


def describe(entry: Entry | None, machine: _core.Machine) -> str:
    if entry is None:
        return "nothing more"
    time, link, vc, source, number = entry
    packet = f"packet {number} of node {source}"
    if link < 0:
        return f"{time:12} ps  {packet} delivered to node {vc}"
    source, target, _ = machine.links[link].tolist()
    ends = [f"router {source}", f"router {target}"]
    if link < 2 * machine.num_nodes:
        ends[link >= machine.num_nodes] = f"node {link % machine.num_nodes}"
    return f"{time:12} ps  {packet} starts from {ends[0]} to {ends[1]}, link {link} vc {vc}"
