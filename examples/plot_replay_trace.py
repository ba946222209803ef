"""Record a program once, replay it anywhere: a halo exchange on three machines.

An mpi4py program solves nothing, but exchanges halos on an 8 by 4 grid as a solver would, with a
reduction each step. It runs once, on eos, and leaves a trace. The trace is then played on each
machine, with its ranks on neighbouring nodes, on random ones, and eight to a node. Where it was
recorded it takes exactly the time that the program took.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from odonata import machine, mpirun, placement, replay
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

RANKS = 32
MACHINES = ["eos", "edison", "theta"]
PLACEMENTS = {
    "neighbouring nodes": {},
    "random nodes": {"allocation": "random", "seed": 7},
    "eight ranks a node": {"ranks_per_node": 8},
}
PROGRAM = """
from array import array
from mpi4py import MPI

grid = MPI.COMM_WORLD.Create_cart([8, 4], periods=[True, True])
shifts = [grid.Shift(dimension, step) for dimension in (0, 1) for step in (1, -1)]
total = array("d", [1.0])
halo, came = bytearray(16384), [bytearray(16384) for _ in shifts]
for step in range(10):
    requests = [grid.Irecv(came[i], source) for i, (source, _) in enumerate(shifts)]
    requests += [grid.Isend(halo, target) for _, target in shifts]
    MPI.Request.Waitall(requests)
    grid.Allreduce(MPI.IN_PLACE, total)
"""


def microseconds(trace, name, how):
    model = machine.load(name)
    where = placement.place(model, RANKS, **how)
    return 1e6 * replay(trace, model, placement=where).summary["time_seconds"]


def main(path):
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "halo.trace"
        command = [sys.executable, "-c", PROGRAM]
        run = mpirun(command, RANKS, "eos", compute="none", record=trace)
        again = replay(trace)
        times = {
            label: [microseconds(trace, name, how) for name in MACHINES]
            for label, how in PLACEMENTS.items()
        }
    with house_style():
        figure = new_figure(6.4, 3.4)
        axes = figure.subplots()
        for i, (label, (colour, _)) in enumerate(series_colours(list(times)).items()):
            at = np.arange(len(MACHINES)) + 0.26 * (i - 1)
            axes.bar(at, times[label], 0.24, color=colour, label=label)
        axes.set_xticks(range(len(MACHINES)), MACHINES)
        axes.set(ylabel="time of ten steps [µs]", ylim=(0, 1.2 * max(map(max, times.values()))))
        axes.set_title(f"One trace of {RANKS} ranks, played on three machines")
        axes.legend(ncols=3, loc="upper left")
        clean(axes)
        save_figure(figure, path)
    took, takes = run.summary["time_seconds"], again.summary["time_seconds"]
    print(f"the program took {1e6 * took:.3f} us, its replay {1e6 * takes:.3f} us")
    assert took == takes


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_replay_trace.png")
