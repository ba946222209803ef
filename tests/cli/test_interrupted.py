"""Interrupted runs and comparisons: finished parts are printed and written, nothing else left."""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess
import sys

import pytest

from odonata.cli.perform import _settled

BIG = ["--machine", "dragonfly-5256"]

AFTER_A_WHILE = """
import signal, sys
import odonata.cli as cli
number = signal.Signals[sys.argv[1]]
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored by what runs in background
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it
signal.signal(signal.SIGVTALRM, lambda *_: signal.raise_signal(number))
signal.setitimer(signal.ITIMER_VIRTUAL, 3.0)  # of processor time
sys.argv = ["odonata", "simulate", *sys.argv[2:]]
cli.main()
"""


def interrupted(*arguments, by="SIGINT"):
    """Run ``odonata simulate`` and press Ctrl-C after three seconds of processor time."""
    words = [sys.executable, "-c", AFTER_A_WHILE, by, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_run_that_is_interrupted_leaves_nothing(tmp_path):
    long = ["allgather", "--algorithm", "ring", "--ranks", 4096, *BIG, "--seed", 1]
    done = interrupted(*long, "-o", tmp_path / "run.nc", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "odonata: interrupted\n")
    assert list(tmp_path.iterdir()) == []


ENDS = {
    "SIGINT": (130, "odonata: interrupted\n"),
    "SIGTERM": (143, "odonata: ended by SIGTERM\n"),
    "SIGHUP": (129, "odonata: ended by SIGHUP\n"),
}


@pytest.mark.parametrize("by", ENDS)
def test_complete_rows_of_an_interrupted_comparison_are_kept(by, tmp_path):
    words = ["allgather", "--algorithm", "ring", "--ranks", "8,4096", *BIG]
    done = interrupted(*words, "--json", "-o", tmp_path / "run.nc", by=by)
    got = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == ENDS[by]
    assert ([run["ranks"] for run in got["runs"]], got["complete"]) == ([8], False)
    assert [path.name for path in tmp_path.iterdir()] == ["run-ring-8.nc"]


def test_an_unfinished_comparison_gives_no_verdict_on_what_has_not_run():
    words = [
        "allgather",
        *BIG,
        "--ranks",
        "8",
        "--algorithm",
        "bruck,tar,ring",
        "--bytes",
        "8,1GiB",
    ]
    done = interrupted(*words)
    assert re.search("[1-4] of 6 runs: the comparison is not complete", done.stdout)
    assert "fastest" not in done.stdout


@dataclasses.dataclass
class Row:
    algorithm: str
    size: str
    seeds: str = "0"


@pytest.mark.parametrize(
    ("rows", "done", "settled"),
    [
        ([Row("a", "1"), Row("b", "1"), Row("a", "2"), Row("b", "2")], 3, [0, 1]),
        ([Row("a", "1"), Row("a", "2"), Row("b", "1"), Row("b", "2")], 3, [0, 2]),
        ([Row("a", "1"), Row("a", "2"), Row("b", "1"), Row("b", "2")], 2, []),
        ([Row("a", "1", "0"), Row("b", "1", "0"), Row("a", "1", "1")], 2, []),
    ],
)
def test_runs_are_settled_when_none_is_missing_beside_them(rows, done, settled):
    assert _settled(rows, range(done)) == settled


def test_missing_runs_may_be_anywhere():
    rows = [Row("a", "1"), Row("a", "2"), Row("b", "1"), Row("b", "2")]
    assert _settled(rows, [1, 2, 3]) == [0, 2]
