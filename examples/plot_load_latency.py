"""Load a dragonfly with uniform traffic: accepted load and waiting times of packets.

Minimal routing is short and takes nearly all; Valiant's detours double the load on global links,
so half of it is the end; UGAL takes a detour only where one pays.
"""

import sys

from odonata import machine, placement, simulate, workload
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

ROUTINGS = ["minimal", "ugal-l", "valiant"]
LOADS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
SHAPE = {  # (p, a, h) = (2, 4, 2): 9 groups, 72 nodes; all links alike
    "shape.nodes_per_router": 2,
    "shape.routers_per_group": 4,
    "shape.global_links_per_router": 2,
    "shape.groups": 9,
    "links.global.bandwidth": "5.25 GB/s",
}


def main(path):
    df = machine.load("dragonfly-5256", SHAPE)
    everywhere = placement.place(df, df.num_nodes)
    runs = {}
    for routing in ROUTINGS:
        for load in LOADS:
            traffic = workload.Traffic("uniform", load=load, messages_per_rank=300)
            job = simulate.Job(traffic, everywhere)
            result = simulate.simulate(df, [job], routing=routing, seed=1, record_messages=False)
            runs[routing, load] = result.summary
    with house_style():
        figure = new_figure(9.2, 3.6)
        latency, accepted = figure.subplots(1, 2)
        for name, (colour, marker) in series_colours(ROUTINGS).items():
            ys = [1e6 * runs[name, load]["mean_latency_seconds"] for load in LOADS]
            latency.plot(LOADS, ys, color=colour, marker=marker, label=name)
            ys = [runs[name, load]["accepted_load"] for load in LOADS]
            accepted.plot(LOADS, ys, color=colour, marker=marker, label=name)
        bound = df.fluid_bound("valiant", "uniform")
        accepted.axhline(bound, color="grey", linestyle="--", linewidth=1)
        accepted.annotate(
            f"Valiant's bound, {bound:.2f}",
            (0.06, bound),
            (0, 4),
            textcoords="offset points",
            color="grey",
        )
        latency.set(ylim=(0, 5), ylabel="mean latency [µs]", title="Uniform traffic, 1 KiB")
        accepted.set(ylim=(0, 1), ylabel="accepted load", title="Accepted load")
        latency.legend()
        for axes in (latency, accepted):
            axes.set(xlim=(0, 1.02), xlabel="offered load")
            clean(axes)
        save_figure(figure, path)
    reached = runs["valiant", 1.0]["accepted_load"]
    print(f"valiant accepts {reached:.3f} of at most {bound:.3f}")
    assert 0.9 * bound < reached <= bound


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_load_latency.png")
