"""``--quiet``: results and errors alone."""

from __future__ import annotations

import io
import itertools
import sys

import pytest

from odonata.cli import progress
from odonata.quiet import be_quiet

CSV = "source,target,bytes\n0,1,8\n"


@pytest.fixture
def converted(tmp_path):
    """Return a GOAL schedule, whose conversion a replay notes."""
    path = tmp_path / "two.goal"
    ranks = ("send 8b to 1 tag 0", "recv 8b from 0 tag 0")
    blocks = [f"rank {rank} {{\n{line}\n}}\n" for rank, line in enumerate(ranks)]
    path.write_text("num_ranks 2\n" + "".join(blocks))
    return path


@pytest.mark.parametrize("where", ["none", "before", "behind", "short"])
def test_notes_are_printed_unless_nobody_wants_them(run_odonata, converted, where):
    words = ["replay", converted, "--machine", "eos"]
    loud = run_odonata(*words)
    assert "converted from" in loud[2]
    words = {
        "none": words,
        "before": ["--quiet", *words],
        "behind": [*words, "--quiet"],
        "short": ["-q", *words],
    }[where]
    status, out, err = run_odonata(*words)
    assert status == 0
    assert ("converted from" in err) == (where == "none")
    assert out.count("\n") == loud[1].count("\n")


def test_errors_are_printed_however_quiet(run_odonata):
    status, out, err = run_odonata("-q", "simulate", "barrier", "--machine", "eoss", "-q")
    assert (status, out) == (2, "")
    assert "machine: unknown" in err


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("quiet", [False, True])
def test_progress_is_shown_unless_quiet(monkeypatch, quiet):
    monkeypatch.setattr(sys, "stderr", _Terminal())
    ticks = itertools.count(0, 10)
    monkeypatch.setattr(progress, "_seconds", lambda: next(ticks))
    be_quiet(quiet)
    with progress.ProgressBar("a search") as bar:
        bar.note_share(0.5)
        assert bar.shown != quiet
    be_quiet(False)
    assert ("a search" in sys.stderr.getvalue()) != quiet
