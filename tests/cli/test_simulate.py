"""``odonata simulate``: the contract of its options, its output, and how it fails."""

from __future__ import annotations

import itertools
import json
import os
import pty
import subprocess
import sys
from functools import partial

import pytest

from odonata.cli import perform
from odonata.result import Result
from odonata.simulate import Progress
from odonata.workload import operations

KEYS = (
    "time_seconds messages bytes packets packet_hops mean_routers mean_latency_seconds events "
    "cpu_seconds peak_memory_bytes digest"
)
SMALL = [  # 72 nodes of 4 cores
    *("--machine", "dragonfly-5256", "--set", "shape.nodes_per_router=2"),
    *("--set", "shape.routers_per_group=4", "--set", "shape.global_links_per_router=2"),
    *("--set", "shape.groups=9", "--set", "node.cores=4"),
]
BIG = ["--machine", "dragonfly-5256"]


@pytest.fixture
def odonata(run_odonata):
    """Run ``odonata simulate``; status, stdout, stderr."""
    return partial(run_odonata, "simulate")


@pytest.fixture
def document(odonata):
    """Run ``odonata simulate ... --json``; the document."""

    def call(*arguments):
        status, out, err = odonata(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return call


# ---- the contract


def test_the_command_of_the_contract(document):
    one = ["--bytes", "1KiB", *BIG, "--allocation", "random", "--routing", "minimal"]
    got = document(
        *("allgather", "--algorithm", "ring", "--ranks", 128, *one),
        *("--engine", "packet", "--seed", 7, "--background", "uniform:0.3", "--digest"),
    )
    assert set(KEYS.split()) <= set(got)
    assert (got["messages"], got["bytes"]) == (128 * 127, 128 * 127 * 1024)
    assert got["packet_hops"] == pytest.approx(got["mean_routers"] * got["packets"])
    assert len(got["digest"]) == 16


def test_a_comparison_has_a_row_each(document, odonata):
    several = ["allgather", "--algorithm", "ring,bruck", "--ranks", "8,16", *SMALL]
    runs = document(*several)["runs"]
    assert [(run["algorithm"], run["ranks"]) for run in runs] == [
        *(("ring", 8), ("ring", 16), ("bruck", 8), ("bruck", 16))
    ]
    _, out, _ = odonata(*several)
    assert [row[0] for row in rows_of(out)] == ["ring", "ring", "bruck", "bruck"]


def rows_of(out):
    """Return the cells of each row of a table."""
    lines = [line for line in out.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_list_is_a_dimension_of_the_comparison(document):
    runs = document(
        *("allgather", "--algorithm", "ring", *SMALL, "--ranks", 4),
        *("--bytes", "1KiB,2KiB", "--routing", "minimal,valiant", "--seed", "3,5"),
        *("--allocation", "random,0-2,7,contiguous:8;8,10-12", "--machine", "dragonfly-5256"),
    )["runs"]
    keys = ("allocation", "routing", "block_bytes", "seed")
    assert [tuple(run[key] for key in keys) for run in runs] == list(
        itertools.product(
            ["random", "0-2,7", "contiguous:8", "8,10-12"],
            ["minimal", "valiant"],
            [1024, 2048],
            [3, 5],
        )
    )
    assert {run["bytes"] // run["block_bytes"] for run in runs} == {4 * 3}
    assert len({run["time_seconds"] for run in runs}) > 8


def test_machines_are_compared(document):
    runs = document("barrier", "--machine", "dragonfly-5256,theta", "--ranks", 4)["runs"]
    assert [run["machine"] for run in runs] == ["dragonfly-5256", "theta"]
    alone = document("barrier", "--machine", "theta", "--ranks", 4)
    assert runs[1]["time_seconds"] == alone["time_seconds"]
    assert runs[0]["time_seconds"] != alone["time_seconds"]


def test_a_run_carries_what_makes_it(document):
    got = document(
        *("bcast", "--ranks", 6, "--root", 2, "--repetitions", 3, "--bytes", "3KiB", *SMALL),
        *("--ranks-per-node", 2, "--mapping", "cyclic", "--allocation", "4-6", "--bias", "1KiB"),
        *("--seed", 9, "--set", "mpi.send_overhead=1 us", "--packet-bytes", 512),
    )
    wanted = {
        "requested_algorithm": "auto",
        "algorithm": "binomial",
        "block_bytes": 3072,
        "root": 2,
        "repetitions": 3,
        "allocation": "4-6",
        "mapping": "cyclic",
        "ranks_per_node": 2,
        "seed": 9,
        "bias_bytes": 1024,
        "packet_bytes": 512,
    }
    assert {key: got[key] for key in wanted} == wanted
    assert "mpi.send_overhead=1 us" in got["changes"]


def test_several_seeds_are_a_row_with_the_median_and_the_range(document, odonata):
    several = ["allgather", "--algorithm", "ring", "--ranks", 16, *SMALL, "--seed", "1,2,3"]
    several += ["--allocation", "random", "--routing", "valiant"]
    times = sorted(run["time_seconds"] for run in document(*several)["runs"])
    assert len(set(times)) == 3
    _, out, _ = odonata(*several)
    (row,) = rows_of(out)
    least, median, most = (f"{time * 1e6:.3g} us" for time in times)
    assert row[:5] == ["ring", "16", "3", median, f"{least} to {most}"]
    assert out.splitlines()[0].endswith("random, block  ·  16 ranks  ·  3 seeds")


def test_the_header_has_what_is_common_and_the_rows_what_differs(odonata):
    _, out, _ = odonata(
        *("allgather", "--algorithm", "ring,auto", "--ranks", 4, "--ranks-per-node", 2, *SMALL),
        *("--set", "mpi.send_overhead=1 us", "--seed", 4),
    )
    head = out.splitlines()[0]
    for word in ("allgather", "2 ranks a node", "1 KiB", "contiguous, block", "seed 4"):
        assert word in head
    assert "mpi.send_overhead=1 us" in head
    assert [row[0] for row in rows_of(out)] == ["ring", "recursive_doubling (auto)"]


def test_the_traffic_of_the_contract(document):
    got = document(
        *("traffic", "--pattern", "uniform", "--load", 0.2, "--packet-bytes", 512),
        *("--packets-per-node", 50, *SMALL, "--routing", "minimal", "--seed", 7),
    )
    assert (got["messages"], got["bytes"]) == (72 * 50, 72 * 50 * 512)
    assert got["offered_load"] == 0.2
    assert got["accepted_load"] == pytest.approx(0.2, rel=0.1)


def test_same_seed_same_digest_and_only_when_asked_for(document):
    ring = ["allgather", "--ranks", 16, *SMALL, "--allocation", "random"]
    first, again = (document(*ring, "--seed", 1, "--digest")["digest"] for _ in range(2))
    assert first == again
    assert document(*ring, "--seed", 2, "--digest")["digest"] != first
    assert document(*ring, "--seed", 1)["digest"] is None


def test_the_table_says_what_was_run(odonata):
    status, out, _ = odonata("scatter", "--ranks", 8, "--root", 3, *SMALL, "--algorithm", "llf")
    assert status == 0
    assert "scatter/llf" in out
    assert "\x1b" not in out


def test_every_operation_runs(document):
    for operation in operations():
        assert document(operation, "--ranks", 6, *SMALL)["operation"] == operation


def test_placement_options_count(document):
    def routers(*options):
        return document("allgather", "--algorithm", "ring", *SMALL, *options)["mean_routers"]

    assert routers("--ranks", 2) == 1  # nodes 0 and 1 are on one router
    assert routers("--ranks", 2, "--allocation", "contiguous:1") == 2  # 1 and 2 are not
    assert routers("--allocation", "0,2") == 2
    assert routers("--ranks", 4, "--ranks-per-node", 4) == 0  # all on one node
    assert routers("--ranks", 4, "--ranks-per-node", 2, "--mapping", "cyclic") == 1


def test_packets_bias_and_samples_are_taken(document):
    got = document(
        *("allgather", "--ranks", 16, *SMALL, "--routing", "ugal-l", "--bias", "4KiB"),
        *("--packet-bytes", "256", "--samples", 50, "--repetitions", 2),
    )
    assert got["packets"] == got["bytes"] // 256


def test_a_result_can_be_loaded_again(odonata, tmp_path):
    from odonata.result import Result

    path = tmp_path / "run.nc"
    status, _, _ = odonata("allgather", "--ranks", 8, *SMALL, "-o", path)
    assert status == 0
    assert Result.load(path).summary["messages"] == 24  # 8 log2 8, by recursive doubling


def test_a_comparison_writes_a_file_each(odonata, tmp_path):
    odonata("allgather", "--algorithm", "ring,bruck", "--ranks", 8, *SMALL, "-o", tmp_path / "x.nc")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x-bruck-8.nc", "x-ring-8.nc"]


def test_files_of_a_comparison_tell_in_what_runs_differ(odonata, tmp_path):
    odonata(
        *("allgather", "--algorithm", "auto,recursive_doubling", "--ranks", 8, *SMALL),
        *("--seed", "1,2", "--bytes", "1KiB,8", "-o", tmp_path / "x.nc"),
    )
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        f"x-{auto}recursive_doubling-8-{size}B-seed-{seed}.nc"
        for auto in ("auto-", "")
        for size in (8, 1024)
        for seed in (1, 2)
    )


def test_several_loads_are_a_comparison(document, tmp_path, odonata):
    traffic = ["traffic", "--load", "0.1,0.2", "--packets-per-node", 20, *SMALL]
    assert [run["offered_load"] for run in document(*traffic)["runs"]] == [0.1, 0.2]
    odonata(*traffic, "-o", tmp_path / "x.nc")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x-load-0.1-72.nc", "x-load-0.2-72.nc"]


@pytest.mark.parametrize("algorithms", ["ring", "ring,bruck"])
def test_a_run_and_a_comparison_have_a_figure(odonata, tmp_path, algorithms):
    path = tmp_path / "figure.svg"
    ranks = ["--ranks", "8,16" if "," in algorithms else "8"]
    status, _, _ = odonata("allgather", "--algorithm", algorithms, *ranks, *SMALL, "--plot", path)
    assert status == 0
    assert "<svg" in path.read_text()


def test_the_list_names_algorithms_and_patterns(odonata):
    status, out, _ = odonata("--list")
    assert status == 0
    assert "what each rank contributes" in out
    assert "neighbor_exchange" in out
    assert "adversarial+h" in out


# ---- errors are one line, with status 2

WRONG = {
    "operation": (["allgathr", *BIG], "did you mean 'allgather'"),
    "machine": (["allgather", "--machine", "eoss"], "did you mean 'eos'"),
    "no machine": (["allgather"], "--machine"),
    "algorithm": (["allgather", *BIG, "--algorithm", "ring,brukc"], "did you mean 'bruck'"),
    "key": (["allgather", *BIG, "--set", "links.local.bufer=1 KiB"], "'links.local.buffer'"),
    "no value": (["allgather", *BIG, "--set", "links.local.buffer"], "KEY=VALUE"),
    "no unit": (["allgather", *BIG, "--set", "links.local.bandwidth=5"], "without a unit"),
    "option": (["allgather", *BIG, "--algoritm", "ring"], "--algorithm"),
    "routing": (["allgather", *BIG, "--routing", "ugl"], "did you mean 'ugal-l'"),
    "engine": (["allgather", *BIG, "--engine", "analitic"], "did you mean 'analytic'"),
    "allocation": (["allgather", *BIG, "--allocation", "randm"], "did you mean 'random'"),
    "first": (["allgather", *BIG, "--allocation", "random:3"], "contiguous:FIRST"),
    "nodes": (["allgather", *BIG, "--allocation", "0-3,4x"], "as in 0-15,32"),
    "node twice": (["allgather", *BIG, "--allocation", "0-3,2-4"], "node 2 is taken twice"),
    "mapping": (["allgather", *BIG, "--mapping", "cyclical"], "did you mean 'cyclic'"),
    "too many ranks": (["allgather", *BIG, "--ranks", "5257"], "1 to 5256"),
    "no ranks": (["allgather", *BIG, "--ranks", "0"], "1 to 5256"),
    "negative ranks": (["allgather", *BIG, "--ranks", "8,-8"], "1 to 5256"),
    "words for ranks": (["allgather", *BIG, "--ranks", "8,many"], "not a number: 'many'"),
    "ranks twice": (["allgather", *BIG, "--ranks", "8,8"], "ranks: not a list"),
    "cores": (["allgather", *BIG, "--ranks-per-node", "2"], "1 to 1, the cores"),
    "negative bytes": (["allgather", *BIG, "--bytes", "-1"], "0 B to 1 TiB"),
    "absurd bytes": (["allgather", *BIG, "--bytes", "1EiB"], "unknown unit 'EiB'"),
    "huge bytes": (["allgather", *BIG, "--bytes", "1TiB"], "too large to simulate"),
    "root": (["bcast", *BIG, "--ranks", "4", "--root", "4"], "0 to 3"),
    "no repetitions": (["bcast", *BIG, "--repetitions", "0"], "1 to"),
    "no load": (["traffic", *BIG, "--load", "0"], "above 0 to 1"),
    "negative load": (["traffic", *BIG, "--load", "-0.5"], "above 0 to 1"),
    "absurd load": (["traffic", *BIG, "--load", "1.5"], "above 0 to 1"),
    "words for loads": (["traffic", *BIG, "--load", "0.5,half"], "not a number: 'half'"),
    "pattern": (["traffic", *BIG, "--pattern", "unifrm"], "did you mean 'uniform'"),
    "no packets": (["traffic", *BIG, "--packets-per-node", "0"], "1 to"),
    "traffic's algorithm": (["traffic", *BIG, "--algorithm", "ring"], "not for traffic"),
    "traffic's bytes": (["traffic", *BIG, "--bytes", "1KiB"], "see --packet-bytes"),
    "allgather's load": (["allgather", *BIG, "--load", "0.5"], "not for allgather"),
    "one rank": (["traffic", *BIG, "--ranks", "1"], "2 or more"),
    "background": (["allgather", *BIG, "--background", "uniform=0.3"], "PATTERN:LOAD"),
    "full machine": (["allgather", *BIG, "--background", "uniform:0.3"], "2 or more"),
    "packets": (["allgather", *BIG, "--packet-bytes", "0"], "nic.packet_bytes"),
    "large packets": (["allgather", *BIG, "--packet-bytes", "1MiB"], "smaller than a packet"),
    "seed": (["allgather", *BIG, "--seed", "-1"], "seed: out of range: -1"),
    "words for seeds": (["allgather", *BIG, "--seed", "1,many"], "seed: not a number: 'many'"),
    "bytes twice": (["allgather", *BIG, "--bytes", "8,8"], "bytes: not a list"),
    "routing in a list": (["allgather", *BIG, "--routing", "par,ugl"], "did you mean 'ugal-l'"),
    "machine in a list": (["allgather", "--machine", "eos,eoss"], "did you mean 'eos'"),
    "allocation in a list": (["barrier", *BIG, "--allocation", "0-3,randm"], "did you mean 'rand"),
    "allocations twice": (["barrier", *BIG, "--allocation", "0-3;0-3"], "allocation: not a list"),
    "an empty allocation": (["barrier", *BIG, "--allocation", "0-3,"], "allocation: not a list"),
    "figure": (["allgather", *BIG, "--plot", "run.txt"], ".pdf, .png, .svg"),
    "no groups": (["allgather", *BIG, "--set", "shape.groups=0"], "shape.groups"),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG)
def test_wrong_input_is_one_line_and_status_2(odonata, arguments, said):
    status, out, err = odonata(*arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err


def test_a_comparison_is_checked_before_its_first_run(odonata, monkeypatch):
    monkeypatch.setattr(perform, "run", None)
    status, _, _ = odonata("allgather", "--ranks", "8,6000", *BIG)
    assert status == 2


# ---- small sizes are legal


@pytest.mark.parametrize(
    ("changes", "ranks"),
    [
        (["shape.nodes_per_router=1", "shape.routers_per_group=1", "shape.groups=1"], 1),
        (["shape.routers_per_group=1", "shape.groups=3"], 6),
        ([], 1),
    ],
    ids=["a machine of one node", "groups of one router", "one rank"],
)
def test_small_is_legal(document, changes, ranks):
    settings = [word for change in changes for word in ("--set", change)]
    got = document("allgather", "--algorithm", "ring", "--ranks", ranks, *SMALL, *settings)
    assert got["messages"] == ranks * (ranks - 1)
    assert (got["time_seconds"] == 0) == (ranks == 1)


# ---- full disks


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_told(odonata):
    status, _, err = odonata("allgather", "--ranks", 8, *SMALL, "-o", "/dev/full")
    assert status == 74
    assert "No space left" in err
    assert os.path.exists("/dev/full")


def test_a_disk_that_fills_while_writing_leaves_the_old_file(odonata, monkeypatch, tmp_path):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "run.nc"
    path.write_text("older")
    monkeypatch.setattr(os, "fsync", full)
    status, _, err = odonata("allgather", "--ranks", 8, *SMALL, "-o", path)
    assert (status, path.read_text()) == (74, "older")
    assert "No space left" in err
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


@pytest.fixture(params=["buffered", "unbuffered"])
def write_to(request, monkeypatch):
    """Write the document of a run to a file or pipe, as Python does by itself or when told."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if request.param == "buffered" else "1")

    def call(output):
        words = [sys.executable, "-c", "import odonata.cli as c; c.main()", "simulate", "barrier"]
        return subprocess.run(
            [*words, *BIG, "--ranks", "4", "--json"],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_behind_the_output_is_told(write_to):
    with open("/dev/full", "w") as full:
        done = write_to(full)
    assert done.returncode == 74
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_gone_ends_it_without_a_word(write_to):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as gone:
        done = write_to(gone)
    assert (done.returncode, done.stderr) == (141, "")


def test_what_cannot_be_written_is_told_before_the_run(odonata, monkeypatch, tmp_path):
    monkeypatch.setattr(perform, "run", None)
    path = tmp_path / "nowhere" / "run.nc"
    status, _, err = odonata("allgather", "--ranks", 8, *SMALL, "-o", path)
    assert (status, "No such file" in err) == (74, True)


# ---- progress


def test_a_bar_comes_after_two_seconds(monkeypatch):
    from odonata.cli import progress

    now = iter([0.0, 1.9, 2.1, 2.1])
    monkeypatch.setattr(progress, "_seconds", lambda: next(now))
    monkeypatch.setattr(progress, "_is_terminal", lambda: True)
    with progress.ProgressBar("a long run") as bar:
        bar(Progress(1, 1, 100, 1e-6))
        assert not bar.shown
        bar(Progress(2, 50, 100, 2e-6))
        assert bar.shown


def test_a_terminal_shows_the_bar_with_an_estimate():
    script = (
        "import sys, odonata.cli as c, odonata.cli.progress as p; p.PATIENCE_SECONDS = 0\n"
        "sys.argv = ['odonata', *sys.argv[1:]]; c.main()"
    )
    run = ["simulate", "allgather", "--algorithm", "ring", "--ranks", "512", *BIG, "--json"]
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script, *run],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "allgather/ring 1 KiB on 512 ranks" in shown
    assert "%" in shown
    assert "simulated" in shown
    assert json.loads(done.stdout)["ranks"] == 512


def test_no_bar_when_stderr_is_a_file(monkeypatch, capsys):
    from odonata.cli import progress

    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    with progress.ProgressBar("a long run") as bar:
        bar(Progress(1, 1, None, 1e-6))
        assert not bar.shown
    assert capsys.readouterr().err == ""


def test_nothing_slow_is_imported_without_a_file_or_figure():
    script = (
        "import sys, odonata.cli as c; sys.argv = ['odonata', *sys.argv[1:]]\n"
        "try: c.main()\n"
        "except SystemExit: print(*{'xarray', 'matplotlib', 'h5py'} & set(sys.modules))"
    )
    words = [sys.executable, "-c", script, "simulate", "barrier", *BIG, "--ranks", "4"]
    out = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert out.splitlines()[-1] == ""


# ---- applications


def test_steps_of_a_blast_wave(document):
    got = document(
        *("sedov", "--cells", "64x64", "--ranks", "16", "--machine", "darter"),
        *("--ranks-per-node", "4", "--repetitions", "2", "--cell-time", "1us"),
    )
    # 16 ranks swap four faces twice, and reduce in four steps of recursive doubling.
    assert got["messages"] == 2 * 16 * (2 * 4 + 4)
    assert got["bytes"] == 2 * 16 * (2 * 4 * 16 * 2 * 40 + 4 * 8)
    assert got["time_seconds"] > 2 * 256e-6
    assert (got["ranks"], got["algorithm"]) == (16, "recursive_doubling")


def test_poisson_solves_and_a_comparison_of_them(document):
    got = document(
        *("fft", "--points", "16,32", "--ranks", "8", "--machine", "darter"),
        *("--algorithm", "auto,pairwise", "--engine", "analytic"),
    )
    assert [run["messages"] for run in got["runs"]] == [80] * 4
    assert got["runs"][1]["bytes"] == 8 * got["runs"][0]["bytes"]
    assert got["runs"][0]["requested_algorithm"] == "auto"


def test_a_process_grid_gives_the_number_of_ranks(document):
    options = ["--cells", "64x64", "--machine", "darter", "--engine", "analytic"]
    assert document("sedov", "--sides", "4x2", *options)["ranks"] == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sedov"], "cells: sedov needs them; allowed: --cells 8192x8192"),
        (["sedov", "--cells", "64x64"], "ranks: sedov needs them; allowed: --ranks 4096, or"),
        (["fft", "--ranks", "8"], "points: fft needs them; allowed: --points 768"),
        (["fft", "--points", "16"], "ranks: not a cube: 748"),
        (["fft", "--points", "16", "--ranks", "9"], "ranks: not a cube: 9; allowed: cubes: ..., 8"),
        (["fft", "--points", "16", "--cells", "8"], "--cells: is not for fft"),
        (["sedov", "--cells", "8", "--points", "8"], "--points: is not for sedov"),
        (["halo", "--sides", "2x2", "--ghosts", "2"], "--ghosts: is not for halo"),
        (["allgather", "--flop-time", "1ns"], "--flop-time: is not for allgather"),
    ],
)
def test_applications_need_what_they_need(odonata, arguments, message):
    status, out, err = odonata(*arguments, "--machine", "darter")
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())


def test_more_messages_than_usual_are_kept_where_it_is_asked(odonata, tmp_path, monkeypatch):
    monkeypatch.setattr("odonata.simulate.simulation.RECORDED_UNASKED", 15)
    path = tmp_path / "run.nc"
    sixteen = ["exchange", "--ranks", "8", "--engine", "analytic", *SMALL]
    recorded = []
    for options in ([], ["--record-messages"]):
        assert odonata(*sixteen, *options, "-o", path)[0] == 0
        recorded.append(Result.load(path).main_job.messages is not None)
    assert recorded == [False, True]
    status, _, err = odonata(*sixteen, "--record-messages")
    assert status == 2
    assert "--record-messages: there is no file for them; allowed: -o run.nc" in err
