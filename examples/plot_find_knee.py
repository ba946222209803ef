"""Find the knees of a latency curve: where messages change their protocol.

odonata measure, the benchmark, runs on two nodes of a simulated eos, as it would on a cluster. It
fits straight pieces to the times of 35 sizes, and halves the range of the jump between them until
it knows it to a byte: 1 KiB, the largest message of a mailbox in eos's machine file, and on near
nodes 8 KiB, beyond which messages go by rendezvous. Between far nodes that is a bend.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from odonata import machine, mpirun, placement
from odonata.measure import fit_pieces
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

MEASURE = [sys.executable, "-c", "from odonata.cli import main; main()", "measure"]
FEW = ["--json", "--rings", "1", "--samples", "5"]


def measure(model, nodes):
    """Return the latency curve between two nodes, as odonata measure reports it."""
    where = placement.Placement(model, nodes)
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.json"
        mpirun([*MEASURE, *FEW], 2, model, placement=where, compute="none", program_output=said)
        return json.loads(said.read_text())["network"]["curves"][0]


def draw(axes, label, curve, colour):
    """Draw points, the pieces that fit them, and a line at each jump."""
    sizes, seconds = np.array(curve["bytes"]), np.array(curve["seconds"])
    axes.loglog(sizes, 1e6 * seconds, "o", color=colour, markersize=3, label=label)
    for piece in fit_pieces(sizes.tolist(), seconds):
        ends = np.geomspace(piece.first, piece.last, 50)
        axes.loglog(ends, 1e6 * piece.seconds(ends), color=colour, linewidth=1)
    for knee in curve["knees"]:
        if knee["kind"] == "jump":
            axes.axvline(knee["low"], color=colour, linewidth=0.6, linestyle=":")


def main(path):
    eos = machine.load("eos")
    curves = {
        "two nodes of a router": measure(eos, [0, 1]),
        "first node and last": measure(eos, [0, 743]),
    }
    with house_style():
        figure = new_figure(6.4, 3.8)
        axes = figure.subplots()
        for label, (colour, _) in series_colours(list(curves)).items():
            draw(axes, label, curves[label], colour)
        axes.set(xlabel="message [B]", ylabel="time one way [µs]")
        axes.set_title("Latency curves of eos, and where they jump")
        axes.legend()
        clean(axes)
        save_figure(figure, path)
    thresholds = [eos.value("mpi.short_threshold"), eos.value("mpi.eager_threshold")]
    found = [[knee["low"] for knee in curve["knees"]] for curve in curves.values()]
    print(f"knees at {found} B; eos's file says {thresholds}")
    assert all(knees[:2] == thresholds for knees in found)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_find_knee.png")
