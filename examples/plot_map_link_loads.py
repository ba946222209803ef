"""Map link loads: where the traffic goes when every group sends to the next one.

Minimal routing fills one cable a group and leaves all others idle; Valiant spreads the same
traffic over all of them, twice.
"""

import sys

import numpy as np

from odonata import machine, placement, simulate, workload
from odonata.report.style import house_style, new_figure, save_figure
from odonata.result import group_loads

SHAPE = {"shape.nodes_per_router": 4, "shape.routers_per_group": 8,
         "shape.global_links_per_router": 4, "shape.groups": 33}  # fmt: skip


def main(path):
    df = machine.load("dragonfly-5256", SHAPE)
    everywhere = placement.place(df, df.num_nodes)
    busy = {}
    for routing in ("minimal", "valiant"):
        job = simulate.Job(
            workload.Traffic("adversarial+1", load=0.3, messages_per_rank=40), everywhere
        )
        result = simulate.simulate(df, [job], routing=routing, seed=1, record_messages=False)
        busy[routing] = 100 * group_loads(result)
        np.fill_diagonal(busy[routing], np.nan)  # inside a group
        print(f"{routing}: {result.summary['time_seconds'] * 1e6:.0f} us")
    with house_style():
        figure = new_figure(8.6, 3.9)
        panels = figure.subplots(1, 2, sharey=True)
        for axes, (routing, loads) in zip(panels, busy.items(), strict=True):
            image = axes.imshow(loads, cmap="YlGnBu", vmin=0, vmax=100, interpolation="nearest")
            axes.set_facecolor("#DADADA")
            axes.set(title=f"{routing}: {np.nanmean(loads):.0f} % busy on average")
            axes.set(xlabel="to group")
        panels[0].set_ylabel("from group")
        figure.colorbar(image, ax=panels, label="global link busy [%]", fraction=0.04, pad=0.02)
        save_figure(figure, path)
    used = int(np.nansum(busy["minimal"] > 0))
    print(f"minimal routing uses {used} of {33 * 32} global links")
    assert used == 33


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_map_link_loads.png")
