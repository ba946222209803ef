"""Events on one part of a machine depend on no event on another part."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import _core
from odonata.machine import routings

from .cases import Options, examples
from .compare import LOG, Job, run_fast

ROW = 12  # nodes


def rows(count: int) -> _core.Machine:
    """Return a HyperX whose rows of four routers share nothing as long as each keeps to itself."""
    basics = _core.Basics("rows", 3, 2_000, 1_000, 10**9)
    names = ["injection", "ejection", "x", "y"]
    links = [_core.LinkClass(name, 10**9, 1000, 700, 1000) for name in names]
    shape = {"sizes": [4, count], "nodes_per_router": 3}
    return _core.make_machine("hyperx", basics, shape, links)


def job(row: int, algorithm: str, size: int) -> Job:
    """Return an alltoall among the nodes of one row, two ranks each."""
    nodes = [node for node in range(ROW * row, ROW * (row + 1)) for _ in range(2)]
    return Job(nodes, _core.repeat_algorithm("alltoall", algorithm, size, 0, 2), None)


def run(policy: str, engine: str, jobs: list[Job]) -> _core.Simulation:
    network = {"engine": engine, "packet_bytes": 128, "header_bytes": 8}
    options = Options(network, policy, 7, 0, {"eager_threshold": 200, "control_bytes": 16}, 5)
    return run_fast(rows(3), options, jobs)


def log_of(simulation: _core.Simulation, row: int) -> set[tuple[int, ...]]:
    """Return what happened to the packets of a row."""
    log = simulation.log()
    entries = zip(*(log[name].tolist() for name in LOG), strict=True)
    place = LOG.index("source")
    return {entry for entry in entries if entry[place] // ROW == row}


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("policy", routings("hyperx"))
@examples(6)
@given(
    st.lists(st.integers(0, 700), min_size=2, max_size=2),
    st.sampled_from(["pairwise", "scattered", "bruck"]),
)
def test_another_job_elsewhere_changes_no_event(policy, engine, sizes, algorithm):
    first, other = (job(row, algorithm, size) for row, size in zip([1, 0], sizes, strict=True))
    alone, neighbour = run(policy, engine, [first]), run(policy, engine, [other])
    both = run(policy, engine, [other, first])
    assert log_of(both, 1) == log_of(alone, 1)
    assert both.job(1)["finished"].tolist() == alone.job(0)["finished"].tolist()
    assert both.digest == (alone.digest + neighbour.digest) % 2**64


def test_packets_are_numbered_at_their_source():
    numbers: dict[int, set[int]] = {}
    for entry in log_of(run("minimal", "packet", [job(1, "pairwise", 300)]), 1):
        numbers.setdefault(entry[3], set()).add(entry[4])
    assert set(numbers) == set(range(ROW, 2 * ROW))
    assert all(found == set(range(len(found))) for found in numbers.values())
