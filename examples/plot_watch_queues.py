"""Watch queues: where messages wait during an allgather, and when.

Bruck's algorithm in eight steps of 1, 2, 4, ... blocks over 256 ranks. Random nodes have the whole
machine's global links between them: each step is a bump. 256 neighbours fill four groups, and a
single cable joins two groups: the messages of all steps wait for it, most of them in front of the
local links that lead there.
"""

import sys

from odonata import machine, placement, simulate, workload
from odonata.report.message_panels import draw_waiting
from odonata.report.style import house_style, new_figure, save_figure
from odonata.units import format_time


def seconds(result):
    return result.summary["time_seconds"]


def main(path):
    df = machine.load("dragonfly-5256")
    results = {}
    for allocation in ("contiguous", "random"):
        where = placement.place(df, 256, allocation=allocation, seed=7)
        job = simulate.Job(workload.Collective("allgather", "bruck", bytes="1 KiB"), where)
        results[allocation] = simulate.simulate(df, [job], seed=7, samples=400)
    with house_style():
        figure = new_figure(9.2, 3.4)
        panels = figure.subplots(1, 2)
        for axes, (allocation, result) in zip(panels, results.items(), strict=True):
            draw_waiting(axes, result)
            axes.set_title(f"{allocation}: {format_time(1e12 * seconds(result))}")
        save_figure(figure, path)
    near, far = (seconds(result) for result in results.values())
    print(f"on random nodes bruck is {near / far:.0f} times as fast")
    assert 25 < near / far < 33


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_watch_queues.png")
