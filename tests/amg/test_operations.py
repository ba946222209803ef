"""Marks of the operations of a cycle: in the order of a V-cycle, and without any message."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from odonata import explain
from odonata.trace.phases import RunPhase

FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))
pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")


def run(folder, phases):
    """Run a cycle on 4 ranks; return its explanation and its levels."""
    result, document = folder / f"{phases}.nc", folder / f"{phases}.json"
    words = (
        f"-m odonata mpirun -n 4 --machine eos --compute none --explain -o {result} -- {PROGRAM} "
        f"--points 4x4x4 --solver none --cycles 1 --flop-seconds 1ns "
        f"--phases {phases} -o {document}"
    )
    subprocess.run([sys.executable, *words.split()], check=True, capture_output=True, timeout=120)
    levels = json.loads(document.read_text(encoding="utf-8"))["levels"]
    return explain.load(result), len(levels)


def v_cycle(levels):
    coarsest = levels - 1
    for level in range(coarsest):
        yield from ((step, level) for step in ("smoothing down", "residual", "restriction"))
    yield "coarsest solve", coarsest
    for level in reversed(range(coarsest)):
        yield "interpolation", level + 1
        yield "smoothing up", level


def test_every_rank_goes_through_the_operations_of_a_v_cycle(tmp_path):
    marked, levels = run(tmp_path, "yes")
    job = marked.run.jobs[0]
    assert levels > 1
    for rank in range(4):
        numbers = job.marks["phase"][job.marks["rank"] == rank]
        phases = [RunPhase.of(int(job.phases[at].removeprefix("phase "))) for at in numbers]
        steps = [(each.name, each.level) for each in phases]
        first = steps.index(("smoothing down", 0))
        cycle = list(v_cycle(levels))
        assert [step for step, _ in groupby(steps[first:])][: len(cycle)] == cycle


def test_marks_send_no_message(tmp_path):
    marked, _ = run(tmp_path, "yes")
    plain, _ = run(tmp_path, "no")
    for key in ("messages", "bytes"):
        assert marked.run.summary[key] == plain.run.summary[key]
    assert plain.phases == [] or all(part.name is None for part in plain.phases)
