"""Critical paths of several explained runs as stacked bars, side by side.

python validation/dragonfly-collectives/explained.py ring-4096.nc tar-4096.nc -o paths.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

from odonata import explain
from odonata.explain import words_of
from odonata.report.style import SERIES, clean, house_style, new_figure, save_figure

SHOWN = len(SERIES) - 1
"""Categories with a colour of their own; the others share the last one."""


def main() -> None:
    """Draw the runs that are given, each with the name of its file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("runs", type=Path, nargs="+", help="results of explained runs")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the figure")
    given = parser.parse_args()
    draw({run.stem: explain.load(run).path_ps for run in given.runs}, given.output)


def draw(paths: dict[str, dict[str, int]], output: Path) -> None:
    """Save a bar for each run: shares of the categories of its critical path."""
    lengths = {run: sum(path.values()) for run, path in paths.items()}
    names = sorted({name for path in paths.values() for name in path})
    order = sorted(
        names, key=lambda name: -sum(paths[run].get(name, 0) / lengths[run] for run in paths)
    )
    parts = [[name] for name in order[:SHOWN]] + [order[SHOWN:]]
    with house_style():
        figure = new_figure(9.0, 4.6)
        axes = figure.subplots()
        below = [0.0] * len(paths)
        for colour, part in zip(SERIES, parts, strict=True):
            shares = [
                100 * sum(paths[run].get(name, 0) for name in part) / lengths[run] for run in paths
            ]
            label = words_of(part[0]) if len(part) == 1 else "other"
            axes.bar(list(paths), shares, 0.7, below, color=colour, label=label, linewidth=0)
            below = [low + high for low, high in zip(below, shares, strict=True)]
        for at, length in enumerate(lengths.values()):
            axes.text(at, 101, f"{length / 1e6:,.0f} us", ha="center", fontsize=8)
        axes.set_ylabel("critical path [%]")
        clean(axes)
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    save_figure(figure, output)


if __name__ == "__main__":
    main()
