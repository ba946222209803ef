"""Blast waves and Poisson solves: sizes of the study, times and messages by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.placement import place
from odonata.simulate import Job, simulate
from odonata.workload import Fft, Sedov
from odonata.workload.build import build

STUDY = 5000 * 128 * 128  # steps and cells of a process in the Darter paper


def star(nodes):
    """Return a star without delays, on which a byte takes 1 ns."""
    from odonata.machine.files import describe, parse
    from odonata.machine.template import template

    changes = {"shape.nodes": nodes, "nic.packet_bytes": "1 KiB", "nic.header_bytes": "0 B"}
    for name in ("injection", "ejection"):
        changes |= {f"links.{name}.bandwidth": "1 GB/s", f"links.{name}.latency": "0 ns"}
    for key in ("mpi.send_overhead", "mpi.recv_overhead", "mpi.wait_per_request", "router.delay"):
        changes[key] = "0 ns"
    for key in ("send_overhead_per_byte", "recv_overhead_per_byte", "copy_per_byte"):
        changes[f"mpi.{key}"] = "0 ps/B"
    changes |= {"mpi.reduce_per_byte": "0 ps/B", "mpi.eager_threshold": "1 MiB"}
    return machine.Machine(describe(parse(template("star"), "star"), None, changes), changes)


def run(workload):
    on = star(workload.ranks)
    return simulate(on, [Job(workload, place(on, workload.ranks))]).summary


# ---- the blast wave


def test_a_step_is_an_allreduce_and_two_times_work_and_exchange():
    # Boxes of 4 x 8 cells: 32 cells take 320 ns, and 8 cells x 2 layers x 40 B are 640 B. The
    # allreduce of two ranks is a message of 8 B each way.
    step = Sedov("8x8", sides="2x1", cell_time="10 ns", periodic=False)
    got = run(step)
    assert got["time_seconds"] == pytest.approx((8 + 320 + 2 * 640) * 1e-9, abs=1e-15)
    assert (got["messages"], got["bytes"]) == (2 + 2 * 2, 2 * 8 + 4 * 640)
    assert build(step, place(star(2), 2)).messages == 6


def test_steps_exchanges_layers_and_packing_count():
    some = Sedov(
        "8x8",
        ranks=2,
        sides="2x1",
        exchanges=3,
        ghosts=1,
        cell_bytes=8,
        cell_time="1 ns",
        pack="0.5 ns/B",
        periodic=False,
        repetitions=2,
    )
    # Faces of 64 B are packed in 32 ns, sent in 64 ns and unpacked in 32 ns.
    each = 8 + 32 + 3 * (32 + 64 + 32)
    assert run(some)["time_seconds"] == pytest.approx(2 * each * 1e-9, abs=1e-15)
    assert run(some)["messages"] == 2 * (2 + 3 * 2)


@pytest.mark.parametrize(
    ("cells", "ranks", "sides", "seconds"),
    [(8192, 4096, [64, 64], 578.109), (2048, 256, [16, 16], 571.908)],
)
def test_the_blast_waves_of_the_study(cells, ranks, sides, seconds):
    step = Sedov(cells, ranks=ranks)
    assert step.grid == sides
    assert step.exchange.box == [128, 128]
    assert step.exchange.face_bytes == [2 * 128 * 40] * 2
    assert step.step_ps == 6_980_000 * 128 * 128
    # The published times have communication in them.
    assert step.step_ps / 128**2 / 1e12 <= seconds / STUDY


@pytest.mark.parametrize(
    ("cells", "ranks", "sides"),
    [
        ("64x32", 8, [4, 2]),  # boxes of 16 x 16
        ("64x64", 8, [4, 2]),  # and not 2 x 4
        ("9x64", 8, [1, 8]),  # 9 can't be halved
        ("64x64", 1, [1, 1]),
        ("32x32x32", 64, [4, 4, 4]),
        ("7", 49, [7, 7]),
    ],
)
def test_process_grids_have_small_surfaces(cells, ranks, sides):
    assert Sedov(cells, ranks=ranks, ghosts=1).grid == sides


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cells": "8by8", "ranks": 4}, "cells: not understood: '8by8'"),
        ({"cells": "8x8x8x8", "ranks": 4}, "cells: too many"),
        ({"cells": "8x8"}, "no number of ranks.*process grid such as 64x64"),
        ({"cells": "8x8", "ranks": 0}, "ranks: out of range: 0; allowed: 1 to"),
        ({"cells": "8x8", "ranks": 3}, "no process grid of so many divides 8x8 cells: 3"),
        ({"cells": "8x8", "sides": "2x2x2"}, "sides: another number of them than of cells, 8x8"),
        ({"cells": "8x8", "sides": "3x2"}, "sides: they do not divide the cells, 8x8: '3x2'"),
        ({"cells": "8x8", "sides": "2x2", "ranks": 8}, "another number of ranks than 8: '2x2 = 4'"),
        ({"cells": "8x8", "ranks": 64}, "ghosts: more layers than a rank has cells, 1x1: 2"),
        ({"cells": "8x8", "ranks": 4, "ghosts": 0}, "ghosts: out of range: 0"),
        ({"cells": "8x8", "ranks": 4, "exchanges": 0}, "exchanges: out of range: 0"),
        ({"cells": "8x8", "ranks": 4, "cell_time": "3 m"}, "cell time: unknown unit 'm'"),
        ({"cells": "8x8", "ranks": 4, "algorithm": "rign"}, "algorithm.*did you mean"),
        ({"cells": "8x8", "ranks": 4, "repetitions": 0}, "repetitions: out of range: 0"),
    ],
)
def test_mistakes_of_a_blast_wave_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        Sedov(**arguments)


# ---- the Poisson solver


def test_a_solve_is_six_transposes_and_six_transforms():
    # Bricks of 2 x 2 x 2 points on 2 x 2 x 2 ranks. Blocks: 8/2 real numbers are 32 B; 2 of the 8
    # points of each of 2 lines along x, complex, 64 B to each of 4; 4 of the 8 points of each of 4
    # lines along y, 256 B to each of 2. Lines along z are 8.
    solve = Fft(4, ranks=8, flop_time="1 ns", algorithm="pairwise")
    assert solve.block_bytes == [32, 64, 256]
    line = 5 * 8 * 3
    assert solve.flops == [2 * line, 4 * line, 8 * line, 8 * 8 * 6]
    got = run(solve)
    there = 32 + 3 * 64 + 256 + 14 * line
    assert got["time_seconds"] == pytest.approx((2 * there + 384) * 1e-9, abs=1e-15)
    assert (got["messages"], got["bytes"]) == (2 * 8 * 5, 2 * 8 * (32 + 3 * 64 + 256))
    assert build(solve, place(star(8), 8)).messages == 80


def test_copies_for_the_alltoalls_count_on_both_sides():
    # A rank copies 2 x 32 B, 4 x 64 B and 2 x 256 B, for sent and received blocks, twice.
    bare, packed = (
        run(Fft(4, ranks=8, flop_time="0 ns", pack=pack, repetitions=2))["time_seconds"]
        for pack in ("0 ps/B", "1 ns/B")
    )
    assert packed - bare == pytest.approx(2 * 2 * 2 * (64 + 256 + 512) * 1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("points", "ranks", "sizes", "blocks"),
    [
        (768, 4096, [16, 256, 16], [55_296, 13_824, 442_368]),
        (384, 512, [8, 64, 8], [110_592, 55_296, 884_736]),
    ],
)
def test_the_solves_of_the_study(points, ranks, sizes, blocks):
    solve = Fft(points, ranks=ranks)
    assert (solve.brick, solve.sizes, solve.block_bytes) == ([48] * 3, sizes, blocks)


@given(st.integers(1, 3), st.lists(st.integers(1, 4), min_size=3, max_size=3))
def test_an_alltoall_moves_all_data_of_a_rank(side, times):
    points = [side**2 * n for n in times]
    solve = Fft(points, ranks=side**3)
    moved = [n * size for n, size in zip(solve.sizes, solve.block_bytes, strict=True)]
    everything = math.prod(points)  # is padded along x, then along y, and becomes complex
    of_all = [everything * 8, 2 * everything * 16, 4 * everything * 16]
    assert [side**3 * size for size in moved] == of_all
    transformed = [
        side**3 * count / (5 * math.log2(2 * n))
        for count, n in zip(solve.flops[:3], points, strict=True)
    ]
    assert transformed == pytest.approx([2 * everything, 4 * everything, 8 * everything])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"points": 768, "ranks": 4095}, "ranks: not a cube: 4095; allowed: .*4096"),
        ({"points": 768, "ranks": 0}, "ranks: not a cube: 0; allowed: .*1, 8"),
        ({"points": 750, "ranks": 4096}, "do not divide them: '750x750x750'; .*multiples of 256"),
        ({"points": "64x64", "ranks": 8}, "points: not three: '64x64'"),
        ({"points": "many", "ranks": 8}, "points: not understood: 'many'"),
        ({"points": 8, "ranks": 8, "flop_time": "fast"}, "flop time"),
        ({"points": 8, "ranks": 8, "pack": "3 ns"}, "pack: unknown unit 'ns'"),
        ({"points": 8, "ranks": 8, "algorithm": "ring"}, "algorithm"),
        ({"points": 8, "ranks": 8, "repetitions": 0}, "repetitions: out of range: 0"),
    ],
)
def test_mistakes_of_a_poisson_solve_are_told(arguments, message):
    with pytest.raises(UserError, match=message):
        Fft(**arguments)


@pytest.mark.parametrize("workload", [Sedov("8x8", ranks=4), Fft(8, ranks=8)])
def test_ranks_of_a_job_and_of_an_application_agree(workload):
    with pytest.raises(UserError, match="another number of ranks than the job has"):
        build(workload, place(star(16), 16))
