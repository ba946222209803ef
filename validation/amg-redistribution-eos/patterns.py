"""Figure 9: who talks to whom on each level, in setup and in solve, of 128 ranks."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from odonata.report import plot_matrices
from odonata.trace import Matrix, matrices, select

POINTS, RANKS, DRAWN = "50x50x25", 128, (4, 5)
SWITCHES = ("never", "5:2")
"""The paper's problem, without a switch and with the one that the model wants without a cache."""

COLUMNS = ("phase", "level", "messages", "bytes", "pairs", "ranks", "mean_partners",
           "most_partners")  # fmt: skip
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
        found = select(matrices(trace), phases=["setup", "solve"])
    title = f"{RANKS} ranks on eos: {' '.join(command(switch)[command(switch).index('--') + 1 :])}"
    plot_matrices(select(found, levels=DRAWN), figure, title=title)
    return {"phases": [row(matrix) for matrix in found if matrix.phase.level is not None]}


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
