"""Who sends to whom in solver 1: the figure and the table of the page.

`python partners.py` runs solver 1 with 12³ points a rank on 64 and on 256 ranks, with traces.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from odonata.report import Table
from odonata.report.matrix_figures import LABELS, draw_panel
from odonata.report.style import decades, house_style, letter, new_figure, save_figure
from odonata.trace import Matrix, matrices

HERE = Path(__file__).parent
RANKS = (64, 256)
GRIDS = {64: (4, 4, 4), 256: (8, 8, 4)}
"""Process grids; ranks run along the first side fastest."""


def command(ranks: int, trace: Path) -> list[str]:
    """Return the words of a run."""
    return [
        *("mpirun", "-n", str(ranks), "--machine", "jupiter-fdr", "--ranks-per-node", "16"),
        *("--fibers", "--stack", "1MiB", "--record", str(trace), "--", "odonata-amg"),
        *("--points", "12x12x12", "--solver", "pcg", "--preconditioner", "diagonal"),
        *("--cycles", "0", "--tolerance", "1e-6", "--max-iterations", "20"),
    ]


def matrix(ranks: int) -> Matrix:
    """Return the messages of a run of solver 1."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "amg.trace"
        words = [sys.executable, "-m", "odonata", *command(ranks, trace)]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        if "not converged in" not in done.stderr:  # so end all runs of 20 iterations
            raise SystemExit(f"{ranks} ranks: {done.stderr}")
        (found,) = matrices(trace)
    return found


def distances(found: Matrix) -> dict[int, int]:
    """Return the bytes by distance between the numbers of sender and receiver [B]."""
    away = np.abs(found.target - found.source)
    return {
        int(distance): int(found.bytes[away == distance].sum())
        for distance in np.unique(away[found.bytes > 0])
    }


def row(found: Matrix) -> list[str]:
    """Return the row of a run in the table."""
    pairs = int(np.count_nonzero(found.bytes))
    told = " × ".join(map(str, GRIDS[found.ranks]))
    away = ", ".join(map(str, distances(found)))
    share = 100 * pairs / (found.ranks * (found.ranks - 1))
    return [
        str(found.ranks),
        told,
        f"{pairs:,}",
        f"{share:.1f} %",
        away,
        f"{found.bytes.sum() / 1e6:.2f} MB",
    ]


def table(found: list[Matrix]) -> Table:
    """Return the table of the page."""
    columns = ["processes", "grid", "pairs with data", "of all pairs", "distances", "data"]
    return Table(columns, [row(each) for each in found], left=2)


def draw(found: list[Matrix], path: Path) -> None:
    """Save the figure."""
    most = max(int(each.bytes.max()) for each in found)
    with house_style():
        figure = new_figure(7.0, 3.2)
        panels = figure.subplots(1, len(found))
        for at, (axes, each) in enumerate(zip(panels, found, strict=True)):
            image = draw_panel(axes, each, "bytes", most, left=at == 0)
            axes.set_title("")
            letter(axes, "ab"[at], f"{each.ranks} processes")
        bar = figure.colorbar(image, ax=panels, label=LABELS["bytes"], fraction=0.03, pad=0.01)
        decades(bar.ax.yaxis)
        save_figure(figure, path)


if __name__ == "__main__":
    made = [matrix(ranks) for ranks in RANKS]
    print(table(made))
    draw(made, HERE / "partners.png")
