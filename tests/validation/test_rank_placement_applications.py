"""The real applications of the rank placement study: right, and equal to their rank programs.

A solver runs on simulated ranks under a trace. Replayed, it must send message for message what the
rank program sends, and its collectives must have the communicators and sizes that are claimed.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from odonata import machine, mpirun, reference, replay
from odonata.placement import place
from odonata.simulate import Job, simulate
from odonata.trace import Reader
from odonata.workload import Collective, Fft, Sedov

PROGRAMS = Path(__file__).parents[2] / "validation/rank-placement-xc30/applications"
DARTER = machine.load("darter")


def run(program, ranks, *arguments, trace=None):
    """Run a program on simulated ranks, four a node."""
    command = [sys.executable, PROGRAMS / program, *arguments]
    where = place(DARTER, ranks, ranks_per_node=4)
    words = [str(word) for word in command]
    mpirun(words, ranks, DARTER, placement=where, compute="none", record=trace)


def run_alone(program, *arguments):
    """Run a program on one rank, by the MPI library that mpi4py finds."""
    words = [str(word) for word in (sys.executable, PROGRAMS / program, *arguments)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)


def messages(result):
    got = result.main_job.messages
    return Counter(zip(*(got[key].tolist() for key in ("source", "target", "bytes")), strict=True))


def modelled(workload, ranks):
    return simulate(
        DARTER, [Job(workload, place(DARTER, ranks, ranks_per_node=4))], record_messages=True
    )


def collectives(trace):
    """Return the collectives of each rank in turn: operation, ranks of the world, bytes."""
    found, members = {}, {}
    with Reader(trace) as reader:
        size = reader.header.ranks
        for block in reader.blocks():
            for call in block.each(reader.header.functions):
                if call.operation == "communicator":
                    members[call.rank, call.comm] = tuple(call.words)
                elif call.operation == "collective":
                    there = members.get((call.rank, call.comm), tuple(range(size)))
                    one = (call.view.operation, there, call.view.bytes)
                    found.setdefault(call.rank, []).append(one)
    return found


# ---- the blast wave


@pytest.fixture(scope="module")
def blasts(tmp_path_factory):
    """Run some steps on 1 and 16 ranks; states, and the trace of the latter."""
    folder = tmp_path_factory.mktemp("sedov")
    how = ("--cells", "32x32", "--steps", "6")
    run_alone("sedov.py", *how, "--sides", "1x1", "-o", folder / "1")
    run("sedov.py", 16, *how, "--sides", "4x4", "-o", folder / "16", trace=folder / "16.trace")
    one, sixteen = (np.fromfile(folder / name).reshape(5, 32, 32) for name in ("1", "16"))
    return one, sixteen, folder / "16.trace"


def test_a_blast_is_the_same_on_any_number_of_ranks(blasts):
    one, sixteen, _ = blasts
    assert np.array_equal(one, sixteen)


def test_a_blast_keeps_mass_and_energy_and_goes_out_alike(blasts):
    density, x, y, z, energy = blasts[0]
    assert density.mean() == pytest.approx(1, abs=1e-13)
    assert energy.mean() == pytest.approx(1 + 1e-3, rel=1e-7)  # the corners cut the Gaussian off
    assert abs(x.mean()) + abs(y.mean()) < 1e-13
    assert not z.any()
    # Turned and mirrored it is the same; there is less in the middle, and a ring around.
    assert np.array_equal(density, density.T)
    assert np.array_equal(x, y.T)
    np.testing.assert_allclose(energy, energy[::-1], rtol=1e-9)
    np.testing.assert_allclose(x, -x[::-1], atol=1e-9)
    assert density[15:17, 15:17].max() < 0.9
    assert density.max() > 1.05


def test_a_blast_sends_what_its_rank_program_sends(blasts):
    model = Sedov("32x32", sides="4x4", repetitions=6, cell_time="0 ns", pack="0 ps/B")
    played, simulated = replay(blasts[2], record_messages=True), modelled(model, 16)
    assert messages(played) == messages(simulated)
    assert sum(messages(played).values()) == 6 * 16 * (2 * 4 + 4)
    # Its calls come in the same order as well: it takes the same time to the picosecond.
    assert played.summary["time_seconds"] == simulated.summary["time_seconds"]
    everybody = ("allreduce", tuple(range(16)), 8)
    assert collectives(blasts[2]) == {rank: [everybody] * 6 for rank in range(16)}


# ---- the Poisson solver


def source_and_distance(points, radius=0.3):
    x = (np.arange(points) + 0.5) / points - 0.5
    distance = np.sqrt(x[:, None, None] ** 2 + x[:, None] ** 2 + x**2)
    return (distance < radius).astype(float), distance


def sum_over_pairs(source, at):
    """Return the potential at a point: the sum over all, which are at least a step away."""
    points = len(source)
    apart = [(np.arange(points) - i) ** 2 for i in at]
    squares = apart[0][:, None, None] + apart[1][:, None] + apart[2]
    distance = np.sqrt(np.maximum(squares, 1)) / points
    return -(source / (4 * np.pi * distance)).sum() / points**3


def test_a_potential_on_one_rank_is_that_of_a_sphere(tmp_path):
    run_alone("fft.py", "--points", 48, "-o", tmp_path / "potential")
    found = np.fromfile(tmp_path / "potential").reshape(48, 48, 48)
    source, distance = source_and_distance(48)
    inside = -(0.3**2 - distance**2 / 3) / 2
    exact = np.where(distance < 0.3, inside, -(0.3**3) / (3 * distance))
    excess = source.mean() / (4 / 3 * np.pi * 0.3**3)  # of the volume of all cubes around points
    assert excess == pytest.approx(1.005, abs=0.001)
    assert np.abs(found / excess - exact).max() < 0.005 * np.abs(exact).max()


@pytest.fixture(scope="module")
def potential(tmp_path_factory):
    """Solve on 8 ranks; the potential and the trace."""
    folder = tmp_path_factory.mktemp("fft")
    how = ("--points", 16, "--solves", 2, "-o", folder / "8")
    run("fft.py", 8, *how, trace=folder / "8.trace")
    return np.fromfile(folder / "8").reshape(16, 16, 16), folder / "8.trace"


def test_a_potential_on_eight_ranks_is_the_sum_over_all_pairs(potential):
    source, _ = source_and_distance(16)
    for at in [(0, 0, 0), (8, 8, 8), (3, 9, 12), (15, 1, 7), (7, 14, 2), (12, 5, 15)]:
        assert potential[0][at] == pytest.approx(sum_over_pairs(source, at), rel=1e-12)


def test_a_solve_sends_what_its_rank_program_sends(potential):
    model = Fft(16, ranks=8, repetitions=2, flop_time="0 ns", pack="0 ps/B")
    # The three communicators are made by splits, in which everybody gathers 8 B of everybody.
    split = Collective("allgather", bytes=8, repetitions=3)
    expected = messages(modelled(model, 8)) + messages(modelled(split, 8))
    assert messages(replay(potential[1], record_messages=True)) == expected
    there = [
        [("alltoall", tuple(reference.communicator(rank, 2, axis)), model.block_bytes[axis])
         for axis in range(3)]
        for rank in range(8)
    ]  # fmt: skip
    made = [("allgather", tuple(range(8)), 8)] * 3
    found = collectives(potential[1])
    assert found == {rank: made + 2 * (there[rank] + there[rank][::-1]) for rank in range(8)}
