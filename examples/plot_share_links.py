"""Share links: a parking lot, where flows join a road one after the other.

A, B and C come from three routers in a row and share the last link; D shares the first one with
A. Max-min shares: a third each for A, B and C, and for D the two thirds that A leaves it.
Oldest-first arbitration gives them when a node has a window, but for what a long way costs: A, with
three links to cross, gets a little less than C. Without a window, those with more buffers on their
way get more; taking turns at each router would give C half, and A and B a quarter.
"""

import sys
from pathlib import Path

import numpy as np

from odonata import machine, placement, simulate, workload
from odonata.report.style import INK, clean, house_style, new_figure, save_figure, series_colours

LOT = Path(__file__).with_name("parking-lot.toml")
FLOWS = {"A": (0, 5), "B": (2, 6), "C": (4, 7), "D": (1, 3)}  # from node to node
FAIR = {"A": 1 / 3, "B": 1 / 3, "C": 1 / 3, "D": 2 / 3}
WINDOWS = {"no window": "0 B", "window of 32 KiB": "32 KiB", "window of 8 KiB": "8 KiB"}


def shares(window):
    lot = machine.load(LOT, {"nic.window": window})
    targets = [-1] * lot.num_nodes
    for start, end in FLOWS.values():
        targets[start] = end
    traffic = workload.Traffic("pairs", load=1.0, messages_per_rank=4000, targets=tuple(targets))
    job = simulate.Job(traffic, placement.place(lot, lot.num_nodes))
    messages = simulate.simulate(lot, [job], seed=1, record_messages=True).jobs[0].messages
    end = 1024e12 / 4e9 * 4000  # [ps] when the senders' last messages are due
    counted = (messages["delivered"] > 0.25 * end) & (messages["delivered"] < 0.75 * end)
    count = np.bincount(messages["source"][counted], minlength=lot.num_nodes)
    return {name: count[start] / (0.5 * 4000) for name, (start, _) in FLOWS.items()}


def main(path):
    got = {name: shares(window) for name, window in WINDOWS.items()}
    with house_style():
        figure = new_figure(6.4, 3.4)
        axes = figure.subplots()
        for i, (name, (colour, _)) in enumerate(series_colours(list(got)).items()):
            at = np.arange(len(FLOWS)) + 0.26 * (i - 1)
            axes.bar(at, got[name].values(), 0.24, color=colour, label=name)
        for i, share in enumerate(FAIR.values()):
            axes.plot([i - 0.42, i + 0.42], [share] * 2, color=INK, label="" if i else "max-min")
        axes.set_xticks(range(len(FLOWS)), [f"flow {name}" for name in FLOWS])
        axes.set(
            ylabel="share of a link",
            ylim=(0, 1.0),
            title="Two full links, four flows: the parking lot",
        )
        axes.legend(ncols=2, loc="upper left")
        clean(axes)
        save_figure(figure, path)
    worst = min(got["window of 8 KiB"][name] / FAIR[name] for name in FLOWS)
    print(f"with a window of 8 KiB every flow gets at least {worst:.3f} of its max-min share")
    assert worst > 0.95


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_share_links.png")
