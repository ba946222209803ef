"""Scatter with overheads: what a message costs the processor decides which algorithm wins.

Without software costs the root's link is all that counts, and a linear scatter sends each block
once. A microsecond a message makes a root of 255 sends slow, and a tree of 8 levels fast.
"""

import sys

import numpy as np

from odonata import machine, placement, simulate, workload
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

OVERHEADS = [
    0,
    50,
    100,
    150,
    200,
    250,
    300,
    400,
    500,
    600,
    800,
    1000,
]  # [ns] to send, and as much to receive
ALGORITHMS = ["linear", "binomial", "glf", "llf"]


def microseconds(algorithm, overhead):
    costs = {"mpi.send_overhead": f"{overhead} ns", "mpi.recv_overhead": f"{overhead} ns"}
    df = machine.load("dragonfly-5256", costs)
    where = placement.place(df, 256, allocation="random", seed=7)
    job = simulate.Job(workload.Collective("scatter", algorithm, bytes="1 KiB"), where)
    return 1e6 * simulate.simulate(df, [job], seed=7).summary["time_seconds"]


def main(path):
    times = {name: [microseconds(name, ns) for ns in OVERHEADS] for name in ALGORITHMS}
    linear, binomial = np.array(times["linear"]), np.array(times["binomial"])
    behind = linear - binomial
    last = int(np.flatnonzero(behind <= 0)[-1])  # the two cross between this overhead and the next
    share = -behind[last] / (behind[last + 1] - behind[last])
    crossing = OVERHEADS[last] + share * (OVERHEADS[last + 1] - OVERHEADS[last])
    with house_style():
        figure = new_figure(6.4, 3.8)
        axes = figure.subplots()
        for name, (colour, marker) in series_colours(ALGORITHMS).items():
            axes.plot(OVERHEADS, times[name], color=colour, marker=marker, label=name)
        axes.axvline(crossing, color="grey", linestyle="--", linewidth=1)
        axes.annotate(f"{crossing:.0f} ns", (crossing, 200), (5, 0), textcoords="offset points",
                      color="grey")  # fmt: skip
        axes.set(xlabel="overhead a message, each side [ns]", ylabel="time [µs]")
        axes.set(xlim=(0, 1020), ylim=(0, None))
        axes.set_title("Scatter of 1 KiB to 256 ranks")
        axes.legend()
        clean(axes)
        save_figure(figure, path)
    print(f"the linear scatter is faster up to an overhead of {crossing:.0f} ns a message")
    assert 190 < crossing < 400


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_scatter_overheads.png")
