"""A recorded run, replayed, takes the times of the run itself."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
