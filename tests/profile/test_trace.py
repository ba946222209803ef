"""Traces of real runs: the calls of the same program in a simulated run, views, replays."""

import json
from pathlib import Path

import numpy as np

from odonata.interchange import convert
from odonata.profile import Views, compare_views, read
from odonata.trace import Reader, summarize
from odonata.trace.calls import HEAD

PROGRAMS = Path(__file__).parent / "programs"

TIMES = ("compute",)
"""Fields of a call that are times."""


def calls_of(path, ranks):
    """Return all that a trace says of the calls of each rank, times and order of messages aside."""
    found = {rank: [] for rank in range(ranks)}
    with Reader(path) as reader:
        names = reader.header.functions
        matches = sorted(map(tuple, reader.matches().tolist()))
        for block in reader.blocks():
            for call in block.each(names):
                own = {name: getattr(call, name) for name in HEAD if hasattr(call, name)}
                own = {name: value for name, value in own.items() if name not in TIMES}
                outcomes = [
                    (one.index, one.source, one.tag, one.bytes, one.cancelled)
                    for one in call.outcomes
                ]
                found[call.rank].append((own, call.view, call.words, call.flag, outcomes))
    return found, matches


def assert_same_calls(real, simulated, ranks):
    (ours, our_matches), (theirs, their_matches) = (
        calls_of(real, ranks),
        calls_of(simulated, ranks),
    )
    for rank in range(ranks):
        for at, (one, other) in enumerate(zip(ours[rank], theirs[rank], strict=False)):
            assert one == other, (rank, at)
        assert len(ours[rank]) == len(theirs[rank])
    assert our_matches == their_matches


def test_a_real_run_records_the_calls_of_a_simulated_one(mpi, build, odonata, tmp_path):
    program = build(mpi.cc, "calls.c")
    run, simulated = tmp_path / "run", tmp_path / "simulated"
    odonata("profile", "--depth", "trace", "-o", run, "--", *mpi.launcher, "-n", 4, program)
    assert sorted(path.suffix for path in run.iterdir()) == ["", ""] + [".odp"] * 4
    command = ("mpirun", "-n", 4, "--machine", "eos", "--compute", "none")
    odonata(*command, "--record", simulated, "--", program)
    assert_same_calls(run, simulated, 4)
    # The counters of the recorder, and of its trace, equal the counters of the simulated run.
    assert compare_views(Views(read(run)), Views(read(simulated)))["same"]
    assert compare_views(Views(read(run / "trace")), Views(read(simulated)))["same"]
    # Times of the trace agree with the counters: both were read from one clock.
    counted, traced = Views(read(run)), Views(read(run / "trace"))
    assert np.allclose(counted.mpi_seconds, traced.mpi_seconds, rtol=1e-3)
    # A rank may lose its core between two readings of the clock.
    assert np.allclose(counted.wall_seconds, traced.wall_seconds, rtol=1e-2, atol=0.05)

    one = json.loads(odonata("replay", run, "--machine", "eos", "--json").stdout)
    other = json.loads(odonata("replay", simulated, "--compute", "none", "--json").stdout)
    dropped = json.loads(
        odonata("replay", run, "--machine", "eos", "--compute", "none", "--json").stdout
    )
    assert dropped["time_seconds"] == other["time_seconds"] < one["time_seconds"]


def test_accounts_and_tables_of_a_trace_agree_with_its_profile(mpi, build, odonata, tmp_path):
    """Some calls have several records, and blocks of alltoallv are of many sizes."""
    trace = tmp_path / "run.trace"
    command = ("mpirun", "-n", 4, "--machine", "eos", "--compute", "none")
    odonata(*command, "--record", trace, "--", build(mpi.cc, "calls.c"))
    summary = summarize(trace)
    calls = Views(read(trace)).calls
    assert {name: (one.calls, one.bytes) for name, one in summary.functions.items()} == {
        name: (view.count, view.bytes) for name, view in calls.items()
    }
    assert summary.functions["MPI_Alltoallv"].bytes > 0
    assert convert(trace, tmp_path / "copy.trace").calls == summary.calls
