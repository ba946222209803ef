"""Figure 9: who talks to whom on each level, in setup and in solve, of 128 ranks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from odonata.report import plot_matrices
from odonata.trace import Matrix, RunPhase, matrices, select

POINTS, RANKS, DRAWN = "50x50x25", 128, (4, 5)
SWITCHES = ("never", "5:2")
"""The paper's problem, without a switch and with the model's switch without a cache."""

COLUMNS = ("phase", "level", "messages", "bytes", "pairs", "ranks", "mean_partners",
           "most_partners")  # fmt: skip
OF_THE_SOLVE = ("solve", "gather", "scatter")
"""Phases that are the solve of a level here."""

CYCLES = 2
"""Cycles of one iteration: the residual is preconditioned before it and after it."""


def command(switch: str, trace: Path | str = "amg.trace") -> list[str]:
    """Return the command that records a setup and one iteration."""
    return ["odonata", "mpirun", "-n", str(RANKS), "--machine", "eos", "--ranks-per-node", "16",
            "--engine", "analytic", "--compute", "none", "--fibers", "--stack", "1MiB",
            "--record", str(trace), "--", "odonata-amg", "--points", POINTS, "--redistribute",
            switch, "--phases", "yes", "--max-iterations", "1"]  # fmt: skip


def measure(switch: str, figure: Path) -> dict[str, object]:
    """Record a run, draw the two busiest levels, and return a row for each phase and level."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "amg.trace"
        program = [sys.executable, "-c", "from odonata.cli import main; main()"]
        whole = [*program, *command(switch, trace)[1:]]
        done = subprocess.run(whole, capture_output=True, text=True, check=False)
        # One iteration is not enough to converge, which odonata-amg reports by its status.
        if not trace.exists():
            raise SystemExit(f"{switch}: {done.stderr}")
        found = select(by_level(matrices(trace)), phases=["setup", "solve"])
    title = f"{RANKS} ranks on eos: {' '.join(command(switch)[command(switch).index('--') + 1 :])}"
    plot_matrices(select(found, levels=DRAWN), figure, title=title)
    return {"phases": [row(matrix) for matrix in found]}


def by_level(found: Sequence[Matrix]) -> list[Matrix]:
    """Return the matrices of levels; the solve has the gathers and scatters of a switch."""
    parts: dict[RunPhase, list[Matrix]] = defaultdict(list)
    for matrix in found:
        is_solve = matrix.phase.name in OF_THE_SOLVE
        if matrix.phase.level is not None:
            parts[replace(matrix.phase, name="solve") if is_solve else matrix.phase].append(matrix)
    return [_together(phase, parts[phase]) for phase in sorted(parts)]


def _together(phase: RunPhase, parts: Sequence[Matrix]) -> Matrix:
    messages = sum((part.dense("messages") for part in parts), start=np.int64(0))
    size = sum((part.dense("bytes") for part in parts), start=np.int64(0))
    source, target = pairs = np.nonzero(messages)
    columns = {"messages": messages[pairs], "bytes": size[pairs]}
    return replace(parts[0], phase=phase, source=source, target=target, **columns)


def row(matrix: Matrix) -> list[object]:
    """Return the values of `COLUMNS`."""
    partners = matrix.partners
    active = partners[partners > 0]
    return [
        matrix.phase.name,
        matrix.phase.level,
        int(matrix.messages.sum()),
        int(matrix.bytes.sum()),
        int(partners.sum()),
        len(active),
        round(float(np.mean(active)), 1) if len(active) else 0,
        int(partners.max()),
    ]
