"""Write a rank program in Python: how far one late rank makes others late.

Each step a rank computes and exchanges halos with its two neighbours. In step 2 rank 24 computes
longer. Its neighbours wait for it in that step, theirs in the next: an idle wave runs through the
machine, one rank a step, though no other rank was late.
"""

import sys

import numpy as np

from odonata import machine, placement, simulate, workload
from odonata.report.style import clean, house_style, new_figure, save_figure

RANKS, STEPS, LATE, WHEN = 48, 16, 24, 2


def halo(rank):
    neighbours = [other for other in (rank.index - 1, rank.index + 1) if 0 <= other < rank.size]
    for step in range(STEPS):
        rank.phase(f"compute {step}")
        late = rank.index == LATE and step == WHEN
        yield rank.compute("150 us" if late else "20 us")
        rank.phase(f"exchange {step}")
        requests = [rank.irecv(other, "4 KiB") for other in neighbours]
        requests += [rank.isend(other, "4 KiB") for other in neighbours]
        yield rank.wait_all(requests)


def main(path):
    eos = machine.load("eos")
    job = simulate.Job(workload.Program(halo), placement.place(eos, RANKS, allocation="random"))
    done = simulate.simulate(eos, [job]).jobs[0]
    begins = np.zeros((RANKS, 2 * STEPS + 1))  # of each phase; compute and exchange in turn
    phase = [2 * int(name.split()[1]) + name.startswith("exchange") for name in done.phases]
    begins[done.marks["rank"], np.array(phase)[done.marks["phase"]]] = done.marks["begin"] / 1e6
    begins[:, -1] = done.finished / 1e6
    lengths = np.diff(begins)
    with house_style():
        figure = new_figure(7.6, 4.2)
        axes = figure.subplots()
        for kind, (name, colour) in enumerate({"compute": "#56B4E9", "wait": "#D55E00"}.items()):
            for i in range(kind, 2 * STEPS, 2):
                axes.barh(range(RANKS), lengths[:, i], 1.0, begins[:, i], color=colour,
                          label=name if i < 2 else None)  # fmt: skip
        axes.set(xlabel="time [µs]", ylabel="rank", xlim=(0, begins.max()), ylim=(-0.5, RANKS))
        axes.set_title("One late rank among 48")
        axes.legend(loc="upper left", ncols=2, frameon=True, framealpha=1)
        clean(axes, grid=None)
        save_figure(figure, path)
    waited = lengths[:, 1::2] > 50  # [µs]
    reached = [int(np.flatnonzero(row)[0]) if row.any() else -1 for row in waited]
    print(f"rank {LATE + 8} waits in step {reached[LATE + 8]}")
    assert reached[LATE + 8] == WHEN + 7


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_write_rank_program.png")
