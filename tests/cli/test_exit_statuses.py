"""Each kind of end has one status: the table of the documentation, the code, and an end of each."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from odonata import cli
from odonata.cli.failures import ExitStatus
from odonata.errors import InternalError
from odonata.machine import Machine
from odonata.trace import Block, Call, Header, Receive, Writer, function_names

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "concepts" / "exit-statuses.md"
GRAPH = ROOT / "examples" / "parking-lot.toml"
ROW = re.compile(r"^\| (\d+) \| `([A-Z_]+)` \|", re.MULTILINE)


@pytest.fixture
def run_failing(run_odonata, monkeypatch):
    """Run an ``odonata`` whose commands fail with an error that no command can be made to give."""

    def call(error):
        def app(**_options):
            raise error

        monkeypatch.setattr(cli.entry, "app", app)
        return run_odonata()[0]

    return call


def write_deadlock(path):
    """Write a trace whose rank 0 waits for a message that rank 1 never sends."""
    calls = [
        Call(0, "MPI_Recv", "recv", Receive(1, bytes=8)),
        Call(1, "MPI_Finalize", "finalize"),
    ]
    with Writer(path, Header(ranks=2)) as writer:
        writer.write(Block.of(calls, function_names()))
    return path


def without_reader(*words):
    """Run ``odonata`` without a reader of its standard output."""
    reader, output = os.pipe()
    os.close(reader)
    script = "from odonata.cli import main; main()"
    with os.fdopen(output, "wb") as gone:
        command = [sys.executable, "-c", script, *words]
        return subprocess.run(command, stdout=gone, stderr=subprocess.PIPE).returncode


ENDS = {
    ExitStatus.DONE: lambda run, fail, folder: run("machines")[0],
    ExitStatus.CHECK_FAILED: lambda run, fail, folder: run("machines", "check", GRAPH)[0],
    ExitStatus.WRONG_INPUT: lambda run, fail, folder: run("machines", "show", "eoss")[0],
    ExitStatus.DEADLOCK: lambda run, fail, folder: run(
        "replay", write_deadlock(folder / "stuck.trace"), "--machine", "dragonfly-5256"
    )[0],
    ExitStatus.NO_MPI: lambda run, fail, folder: run("mpirun", "--machine", "eos", "--", "true")[0],
    ExitStatus.BUG: lambda run, fail, folder: fail(InternalError("credits are missing")),
    ExitStatus.NO_MEMORY: lambda run, fail, folder: fail(MemoryError()),
    ExitStatus.WRITING_FAILED: lambda run, fail, folder: run(
        *("simulate", "barrier", "--machine", "eos", "-o", folder / "missing" / "run.nc")
    )[0],
    ExitStatus.INTERRUPTED: lambda run, fail, folder: fail(KeyboardInterrupt()),
    ExitStatus.READER_GONE: lambda run, fail, folder: without_reader("machines", "--json"),
}


def test_the_documented_table_is_the_codes():
    documented = {name: int(number) for number, name in ROW.findall(PAGE.read_text())}
    assert documented == {status.name: status.value for status in ExitStatus}


@pytest.mark.parametrize("status", ExitStatus, ids=lambda status: status.name)
def test_each_status_is_the_end_of_something(
    status, run_odonata, run_failing, tmp_path, monkeypatch
):
    if status is ExitStatus.CHECK_FAILED:  # every routing of ours is free of deadlock
        passing = Machine.check
        failed = lambda *given: replace(passing(*given), deadlock_free=False)  # noqa: E731
        monkeypatch.setattr(Machine, "check", failed)
    assert ENDS[status](run_odonata, run_failing, tmp_path) == status


# ---- a file that is missing or cannot be read is wrong input, whichever command reads it

EOS = ("--machine", "eos")
READERS = {
    "machines show": ("machines", "show", "FILE.toml"),
    "machines check": ("machines", "check", "FILE.toml"),
    "machines check --wiring": ("machines", "check", "edison", "--wiring", "FILE"),
    "simulate": ("simulate", "barrier", "--machine", "FILE.toml"),
    "replay": ("replay", "FILE"),
    "replay --reorder": ("replay", "TRACE", "--reorder", "FILE"),
    "place where": ("place", "where", *EOS, "--nodes", "FILE"),
    "place write --reorder": (
        *("place", "write", "--format", "slurm", *EOS, "-n", "2", "--reorder", "FILE"),
    ),
    "place convert": ("place", "convert", "FILE", "out", "--from", "slurm", "--to", "openmpi"),
    "place topology --check": ("place", "topology", *EOS, "--check", "FILE"),
    "trace show": ("trace", "show", "FILE"),
    "predict": (
        *("predict", "amg", *EOS, "--problem", "laplace", "--points", "50x50x25"),
        *("--cores", "1024", "--mix", "16x1", "--hierarchy", "FILE"),
    ),
    "fit": ("fit", "amg", *EOS, "FILE:16x1"),
    "measure --from": ("measure", "--from", "FILE"),
    "measure --hierarchy": ("measure", "--hierarchy", "FILE", "--from", "FILE"),
    "mpirun --reorder": ("mpirun", *EOS, "--reorder", "FILE", "--", "true"),
    "mpirun --compute": ("mpirun", *EOS, "--compute", "recorded:FILE", "--", "true"),
    "mpirun": ("mpirun", *EOS, "--", "FILE"),
}


@pytest.mark.parametrize("key", ["edges", "wiring"])
def test_a_list_of_links_that_is_missing_is_wrong_input(run_odonata, tmp_path, key):
    lines = [
        f'{key} = {{ value = "none.txt", source = "a test", status = "assumed" }}'
        if line.startswith("links = ")
        else line
        for line in GRAPH.read_text().splitlines()
    ]
    file = tmp_path / "graph.toml"
    file.write_text("\n".join(lines).replace("node_router =", "nodes_per_router ="))
    file.write_text(file.read_text().replace("[0, 0, 1, 1, 2, 3, 3, 3]", "2"))
    status, _, err = run_odonata("machines", "show", file)
    assert status == ExitStatus.WRONG_INPUT
    assert f"{tmp_path / 'none.txt'}: cannot be read: No such file or directory" in err


@pytest.mark.parametrize("what", ["missing", "folder"])
@pytest.mark.parametrize("words", READERS.values(), ids=READERS)
def test_what_cannot_be_read_is_wrong_input(run_odonata, tmp_path, words, what):
    if what == "folder":
        tmp_path.joinpath("input").mkdir()
        tmp_path.joinpath("input.toml").mkdir()
    if "TRACE" in words:
        write_deadlock(tmp_path / "run.trace")
        words = [*words, "--machine", "eos"]
    named = {"FILE": tmp_path / "input", "TRACE": tmp_path / "run.trace"}
    given = [
        next((word.replace(key, str(path)) for key, path in named.items() if key in word), word)
        for word in map(str, words)
    ]
    status, out, err = run_odonata(*given)
    assert (status, out) == (ExitStatus.WRONG_INPUT, "")
    assert err.startswith("odonata: ")
    assert err.count("\n") == 1
    assert str(tmp_path / "input") in err
