"""Compare placements: the cost of scattering a job over the machine.

The same allgathers on nodes side by side, in random groups, on random routers, on random nodes,
each with three seeds (ticks); behind them uniform traffic on all other nodes. Rings gain from
neighbours. Bruck loses: 96 neighbours fill one group and a third of the next, and two fifths of
their bytes want the six cables between the two.
"""

import sys

import numpy as np

from odonata import machine, placement, simulate, workload
from odonata.report.style import INK, clean, house_style, new_figure, save_figure, series_colours

ALLOCATIONS = ["contiguous", "random-groups", "random-routers", "random"]
ALGORITHMS = ["ring", "bruck", "tar"]
SEEDS = [1, 2, 3]


def seconds(df, algorithm, allocation, seed):
    where = placement.place(df, 96, allocation=allocation, seed=seed)
    job = simulate.Job(workload.Collective("allgather", algorithm, bytes="1 KiB"), where)
    behind = simulate.background(df, workload.Traffic("uniform", load=0.2), beside=[where])
    result = simulate.simulate(df, [job, behind], seed=seed, record_messages=False)
    return result.summary["time_seconds"]


def main(path):
    df = machine.load("dragonfly-5256", {"shape.groups": 13})
    times = {
        (name, allocation): 1e6 * np.array([seconds(df, name, allocation, s) for s in SEEDS])
        for name in ALGORITHMS
        for allocation in ALLOCATIONS
    }
    with house_style():
        figure = new_figure(7.2, 3.6)
        axes = figure.subplots()
        for i, (name, (colour, _)) in enumerate(series_colours(ALGORITHMS).items()):
            at = np.arange(len(ALLOCATIONS)) + 0.26 * (i - 1)
            means = [times[name, allocation].mean() for allocation in ALLOCATIONS]
            axes.bar(at, means, 0.24, color=colour, label=name)
            for x, allocation in zip(at, ALLOCATIONS, strict=True):
                axes.plot([x] * len(SEEDS), times[name, allocation], "_", color=INK, markersize=7)
        axes.set_xticks(range(len(ALLOCATIONS)), ALLOCATIONS)
        axes.set_ylabel("time [µs]")
        axes.set_title("Allgather of 1 KiB over 96 ranks, beside uniform traffic at load 0.2")
        axes.legend(ncols=3)
        clean(axes)
        save_figure(figure, path)
    ratio = times["ring", "random"].mean() / times["ring", "contiguous"].mean()
    print(f"ring takes {ratio:.2f} times as long on random nodes as on neighbours")
    assert 1.5 < ratio < 4


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_compare_placements.png")
