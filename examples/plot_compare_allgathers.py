"""Compare allgathers on a random allocation, and see how much of their time is contention.

Ring, Bruck and the topology-aware ring on a dragonfly, with the packet engine (solid) and without
contention (dashed): where the two part, messages are in each other's way.
"""

import sys

from odonata import machine, placement, simulate, workload
from odonata.report.style import (
    clean,
    decades,
    house_style,
    new_figure,
    save_figure,
    series_colours,
)

ALGORITHMS = ["ring", "bruck", "tar"]
RANKS = [16, 32, 64, 128, 256, 512]


def run(algorithm, ranks, engine):
    df = machine.load("dragonfly-5256")
    where = placement.place(df, ranks, allocation="random", seed=7)
    job = simulate.Job(workload.Collective("allgather", algorithm, bytes="1 KiB"), where)
    return simulate.simulate(df, [job], engine=engine, seed=7, record_messages=False).summary


def main(path):
    runs = {
        (algorithm, engine): [run(algorithm, ranks, engine) for ranks in RANKS]
        for algorithm in ALGORITHMS
        for engine in ("packet", "analytic")
    }
    with house_style():
        figure = new_figure(9.2, 3.6)
        times, hops = figure.subplots(1, 2, width_ratios=[1.6, 1])
        for name, (colour, marker) in series_colours(ALGORITHMS).items():
            us = [1e6 * s["time_seconds"] for s in runs[name, "packet"]]
            alone = [1e6 * s["time_seconds"] for s in runs[name, "analytic"]]
            times.loglog(RANKS, us, color=colour, marker=marker, label=name)
            times.loglog(RANKS, alone, "--", color=colour, linewidth=1)
            routers = [s["mean_routers"] for s in runs[name, "packet"]]
            hops.semilogx(RANKS, routers, color=colour, marker=marker)
        times.plot([], [], "--", color="grey", linewidth=1, label="no contention")
        times.set(xlabel="ranks", ylabel="time [µs]", title="Allgather, 1 KiB a rank")
        hops.set(xlabel="ranks", ylabel="routers per packet", title="How far packets go")
        hops.set(ylim=(0, 4.5))
        times.legend()
        for axes in (times, hops):
            axes.set_xticks(RANKS, [str(ranks) for ranks in RANKS])
            axes.minorticks_off()
            clean(axes)
        decades(times.yaxis)
        save_figure(figure, path)
    ring, tar = (runs[name, "packet"][-1]["time_seconds"] for name in ("ring", "tar"))
    print(f"512 ranks: tar is {ring / tar:.2f} times as fast as ring")
    assert 1.4 < ring / tar < 2


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_compare_allgathers.png")
