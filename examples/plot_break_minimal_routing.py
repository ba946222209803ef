"""Break minimal routing: every group sends to the next one.

All traffic of a group wants the only cable between the two: minimal routing gets 1/(a p) of the
load through. Valiant spreads it over the machine, and the adaptive policies find that out by
looking at queues. Dashed: the most that any simulation could accept, by counting.
"""

import sys

from odonata import machine, placement, simulate, workload
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

ROUTINGS = ["minimal", "valiant", "ugal-l", "ugal-g", "par"]
LOADS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7]
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
    accepted = {}
    for routing in ROUTINGS:
        for load in LOADS:
            traffic = workload.Traffic("adversarial+1", load=load, messages_per_rank=300)
            job = simulate.Job(traffic, everywhere)
            result = simulate.simulate(df, [job], routing=routing, seed=1, record_messages=False)
            accepted[routing, load] = result.summary["accepted_load"]
    with house_style():
        figure = new_figure(6.4, 4.0)
        axes = figure.subplots()
        for name, (colour, marker) in series_colours(ROUTINGS).items():
            ys = [accepted[name, load] for load in LOADS]
            axes.plot(LOADS, ys, color=colour, marker=marker, label=name)
            if name in ("minimal", "valiant"):
                bound = df.fluid_bound(name, "adversarial")
                axes.axhline(bound, color=colour, linestyle="--", linewidth=1)
                axes.annotate(
                    f"bound, {name}: {bound:.4f}",
                    (0.76, bound),
                    (0, 4),
                    textcoords="offset points",
                    ha="right",
                    color=colour,
                )
        axes.set(xlim=(0, 0.76), ylim=(0, 0.62), xlabel="offered load", ylabel="accepted load")
        axes.set_title("Every group sends to the next one")
        axes.legend(loc="upper left")
        clean(axes)
        save_figure(figure, path)
    reached, bound = accepted["minimal", 0.7], df.fluid_bound("minimal", "adversarial")
    print(f"minimal routing accepts {reached:.4f} of at most {bound:.4f}")
    assert 0.9 * bound < reached < 1.001 * bound  # counted to a packet at the window's ends


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_break_minimal_routing.png")
