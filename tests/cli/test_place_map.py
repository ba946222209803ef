"""`odonata place map`: a better order of ranks, its file, and its output."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PAIRS = "source,target,bytes\n" + "".join(f"{r},{(r + 4) % 8},4096\n" for r in range(8))


@pytest.fixture
def job(tmp_path):
    """Return the options of a job of eight ranks, two on each of four nodes."""
    (tmp_path / "pairs.csv").write_text(PAIRS)
    (tmp_path / "nodes.txt").write_text("0-1 # a router\nnid00100,101\n")
    files = ["--matrix", str(tmp_path / "pairs.csv"), "--nodes", str(tmp_path / "nodes.txt")]
    return [*files, "--machine", "edison"]


def test_partners_come_onto_one_node(run_odonata, job, tmp_path):
    order = tmp_path / "order"
    status, out, _ = run_odonata("place", "map", *job, "-o", str(order), "--json")
    assert status == 0
    found = json.loads(out)
    assert found["before"]["hop_bytes"] > found["after"]["hop_bytes"] == 0
    assert found["gain"] == 1
    assert found["after"]["max_link_seconds"] == 0 < found["before"]["max_link_seconds"]
    assert 0 < found["after"]["simulated_seconds"] < found["before"]["simulated_seconds"]
    assert [int(line) for line in order.read_text().split()] == found["order"]
    nodes = [slot // 2 for slot in found["order"]]
    assert nodes[:4] == nodes[4:]
    assert {c["link_class"] for c in found["classes"]} == {
        *("injection", "ejection", "green", "black", "blue")
    }


def test_the_table_ends_with_a_sentence(run_odonata, job):
    status, out, _ = run_odonata("place", "map", *job, "--no-simulate")
    assert status == 0
    assert "saves 100.0 % of hop-bytes" in out.splitlines()[-1]
    assert "not simulated" in out


@pytest.mark.parametrize(
    ("objective", "said"),
    [("max-link", "% of the busiest link's time"), ("simulated", "% of the simulated time")],
)
def test_the_sentence_names_what_is_saved(run_odonata, job, objective, said):
    status, out, _ = run_odonata("place", "map", *job, "--objective", objective)
    assert status == 0
    assert said in out.splitlines()[-1]


def test_a_busiest_link_that_stays_is_told_once(run_odonata, tmp_path):
    """Rank 0 sends 1 MiB to its neighbour in any order; the byte for rank 3 gets a shorter way."""
    pairs = "source,target,bytes\n0,1,1048576\n0,3,1\n2,2,1\n"
    (tmp_path / "pairs.csv").write_text(pairs)
    words = ["--matrix", str(tmp_path / "pairs.csv"), "--machine", "edison"]
    status, out, _ = run_odonata("place", "map", *words, "--allocation", "0,1,4,2000")
    assert status == 0
    last = out.splitlines()[-1]
    assert last.endswith("(injection) as before.")
    assert "where it was" not in last


def test_the_order_is_taken_by_other_commands(run_odonata, job, tmp_path):
    order = tmp_path / "order"
    run_odonata("place", "map", *job, "-o", str(order), "--no-simulate")
    nodes = ["--allocation", f"@{tmp_path / 'nodes.txt'}", "--ranks-per-node", "2"]
    what = ["--machine", "edison", "-n", "8", *nodes, "--reorder", str(order)]
    status, out, _ = run_odonata("place", "write", *what, "--format", "nodes")
    assert status == 0
    placed = out.split()
    assert placed[:4] == placed[4:]
    assert sorted(set(placed), key=int) == ["0", "1", "100", "101"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--objective", "hop-byte"], "objective: unknown: 'hop-byte'; did you mean 'hop-bytes'?"),
        (["--method", "greedi"], "method: unknown: 'greedi'; did you mean 'greedy'?"),
        (["--grid", "2x2"], "grid: processes"),
        (["--grid", "2by4"], "grid: not understood"),
        (["--grid", "0x8"], "grid: out of range: 0"),
        (["--routing", "minimall", "--no-simulate"], "did you mean 'minimal'?"),
        (["--ranks-per-node", "1"], "need 8 nodes"),
        (["-o", "/nowhere/order"], "/nowhere"),
        (["--nodes", "/nowhere"], "/nowhere"),
    ],
)
def test_mistakes_are_one_line(run_odonata, job, more, message):
    status, out, err = run_odonata("place", "map", *job, *more)
    assert out == ""
    assert status == (74 if "-o" in more else 2)
    assert message in err
    assert len(err.splitlines()) == 1


def test_a_matrix_that_is_none(run_odonata, job, tmp_path):
    (tmp_path / "pairs.csv").write_text("source,target,bytes\n0,1,-4\n")
    status, out, err = run_odonata("place", "map", *job)
    assert (status, out) == (2, "")
    assert "pairs.csv:2: matrix: bytes: '-4'; allowed: 0 to 1152921504606846976" in err


def test_a_profile_is_a_matrix(run_odonata, tmp_path):
    """Messages of a simulated run: each of four ranks sends 5 and 6 B to the next but one."""
    program = tmp_path / "pairs.py"
    program.write_text(
        "from mpi4py import MPI\nworld = MPI.COMM_WORLD\nother = (world.rank + 2) % 4\n"
        "for size in (5, 6):\n"
        "    world.Sendrecv(bytes(size), other, 0, bytearray(size), other, 0)\n"
        "world.Barrier()\n"
    )
    folder = tmp_path / "run"
    where = ["--machine", "eos", "--ranks-per-node", "2"]
    command = [sys.executable, "-m", "odonata", "mpirun", "-n", "4", *where, "--profile", folder]
    subprocess.run([*command, "--", sys.executable, program], check=True, capture_output=True)
    status, out, _ = run_odonata("place", "map", "--matrix", str(folder), *where, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["before"]["hop_bytes"] == 2 * 4 * 11
    assert found["after"]["hop_bytes"] == 0


def test_a_folder_without_a_profile(run_odonata, tmp_path):
    (tmp_path / "empty").mkdir()
    words = ["--matrix", str(tmp_path / "empty"), "--machine", "eos"]
    status, out, err = run_odonata("place", "map", *words)
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert "empty" in line
