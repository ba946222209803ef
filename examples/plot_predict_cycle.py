"""Predict an AMG cycle: on which level its time goes, and what penalties make of it.

The six scenarios of the model for 16 ranks a node of Eos, level by level. Flops rule the finest
level; from level 3 on it is the number of messages and what each is charged. Without the distance
(baseline) the coarse levels cost next to nothing, and with 16 ranks that share each hop (gamma)
more than all the rest. From 1,024 to 8,192 cores only these levels grow.
"""

import sys

from odonata import machine, model
from odonata.report import plot_levels

CORES = [1024, 8192]


def main(path):
    eos = machine.load("eos")
    cycles = {
        cores: model.predict_cycle(eos, "laplace", (50, 50, 25), cores, model.Mix(16))
        for cores in CORES
    }
    plot_levels([cycle.panel() for cycle in cycles.values()], path)
    for cores, cycle in cycles.items():
        times = cycle.times["distance"]
        coarse = times.total[3:].sum() / times.cycle_seconds
        print(
            f"{cores:,} cores, {cycle.hierarchy.origin} hierarchy: "
            f"{times.cycle_seconds * 1e3:.2f} ms with distance, {coarse:.0%} of it beyond level 2"
        )
    few, many = (cycles[cores].cycle_seconds["distance"] for cores in CORES)
    assert 1.1 < many / few < 1.3


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_predict_cycle.png")
