"""A recorded run, replayed, takes the times of the run itself."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from odonata.errors import WriteError
from odonata.files import NewFile
from odonata.trace import Reader

PROGRAMS = Path(__file__).parent / "programs"
ODONATA = Path(sys.executable).parent / "odonata"
RANKS = 6


def odonata(*words):
    """Run ``odonata ... --json --digest``; the document."""
    command = [str(word) for word in (ODONATA, words[0], "--json", "--digest", *words[1:])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run(trace, compute, program):
    recording = [] if trace is None else ["--record", trace]
    machine = ["--machine", "eos", "-n", RANKS, "--compute", compute]
    return odonata("mpirun", *machine, *recording, "--", sys.executable, program)


def same(document):
    return {key: document[key] for key in ("time_seconds", "digest", "events", "mpi_calls")}


@pytest.mark.parametrize("compute", ["none", "measured"])
@pytest.mark.parametrize("program", ["point_to_point", "collectives", "communicators"])
def test_a_replay_takes_the_time_of_the_run(program, compute, tmp_path):
    trace = tmp_path / "run.trace"
    live = run(trace, compute, PROGRAMS / f"{program}.py")
    assert same(odonata("replay", trace)) == same(live)
    assert odonata("replay", trace, "--machine", "theta")["mpi_calls"] == live["mpi_calls"]


def test_recorded_compute_times_give_the_same_run(tmp_path):
    trace = tmp_path / "run.trace"
    program = PROGRAMS / "point_to_point.py"
    live = run(trace, "measured", program)
    assert same(run(None, f"recorded:{trace}", program)) == same(live)


@pytest.mark.parametrize("fibers", [False, True])
def test_recorded_compute_times_fit_a_network_where_answers_come_in_another_order(
    compiled, tmp_path, fibers
):
    """On Ethernet a rank has other polls, and gets its own answers at another place."""
    program = compiled("answers", shared=fibers)
    words = ["-n", "12", "--ranks-per-node", "2", *(["--fibers"] if fibers else [])]
    trace = tmp_path / "fdr.trace"
    recording = ["--machine", "jupiter-fdr", "--compute", "measured", "--record", trace]
    fast = odonata("mpirun", *words, *recording, "--", program)
    replaying = ["--machine", "jupiter-1gbe", "--compute", f"recorded:{trace}"]
    slow = odonata("mpirun", *words, *replaying, "--", program)
    assert slow["time_seconds"] > fast["time_seconds"]
    for polls in ("MPI_Iprobe", "MPI_Testall"):
        del fast["mpi_calls"][polls], slow["mpi_calls"][polls]
    assert slow["mpi_calls"] == fast["mpi_calls"]


def test_fibers_with_open_requests_end_with_one_line(compiled, tmp_path):
    """Requests that are left behind belong to ranks that are no more when the process ends."""
    program = compiled("stopped", shared=True)
    command = [ODONATA, "mpirun", "--machine", "eos", "-n", "16", "--fibers", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.stderr == "odonata: rank 1 ended without MPI_Finalize, exit code 3\n"
    assert done.returncode == 3


@pytest.fixture
def older(tmp_path):
    """Give the trace of an earlier run."""
    (tmp_path / "run.trace").write_bytes(b"older")
    return tmp_path / "run.trace"


def test_a_run_that_fails_leaves_the_older_trace_and_says_where_its_own_is(older):
    program = "from mpi4py import MPI; w = MPI.COMM_WORLD; w.Barrier(); w.Abort(9)"
    command = [ODONATA, "mpirun", "--machine", "eos", "-n", "2", "--record", older]
    done = subprocess.run(
        [*command, "--", sys.executable, "-c", program], capture_output=True, text=True, timeout=300
    )
    part = older.with_name("run.trace.part")
    assert done.returncode == 9
    assert f"odonata: the record until then: {part}\n" in done.stderr
    assert older.read_bytes() == b"older"
    assert sorted(older.parent.iterdir()) == [older, part]
    with Reader(part) as reader:
        assert sum(len(block) for block in reader.blocks()) >= 2
        assert reader.totals is None


def test_a_disk_that_fills_during_the_run_leaves_the_older_trace(older, run_odonata, monkeypatch):
    """A block of 65,536 calls is written while the ranks still run."""

    def fill(self, content):
        if content[:4] != b"ODTB":
            return write(self, content)
        self.discard()
        raise WriteError.of(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), older)

    write = NewFile.write
    monkeypatch.setattr(NewFile, "write", fill)
    program = "from mpi4py import MPI\nw = MPI.COMM_WORLD\nfor _ in range(40_000): w.Get_name()"
    options = ["--machine", "eos", "-n", "2", "--compute", "none", "--record", older]
    status, _, said = run_odonata("mpirun", *options, "--", sys.executable, "-c", program)
    assert (status, said) == (74, f"odonata: {older}: No space left on device\n")
    assert older.read_bytes() == b"older"
    assert list(older.parent.iterdir()) == [older]


@pytest.mark.parametrize("strange", ["profile", "trace"])
def test_a_run_that_is_refused_leaves_nothing(strange, tmp_path):
    """One of the two outputs is refused: nothing of the other is left."""
    if strange == "profile":
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "mine").touch()
        trace = tmp_path / "run.trace"
    else:
        trace = tmp_path / "none" / "run.trace"
    words = ["--record", trace, "--profile", tmp_path / "run", "--", "/bin/true"]
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(AssertionError):
        odonata("mpirun", "-n", 2, "--machine", "eos", *words)
    assert sorted(tmp_path.rglob("*")) == before
