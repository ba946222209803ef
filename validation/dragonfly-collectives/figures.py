"""The figures of the page."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import cases
from rows import Rows, ratio, values

from odonata.report.style import GREY, clean, house_style, letter, new_figure, save_figure

COLOURS = {
    "ring": "#0072B2",
    "bruck": "#E69F00",
    "tar": "#009E73",
    "linear": "#0072B2",
    "binomial": "#D55E00",
    "glf": "#CC79A7",
    "llf": "#6F6F6F",
}
NAMES = {"binomial": "TREE", "linear": "LIN"}
WHY = {
    ("study", ""): "as the study prints it",
    ("bandwidth", "5.25 GB/s everywhere"): "global links as fast as local ones",
    ("packet", "64 B"): "packets of 64 B",
    ("buffer", "2 KiB"): "buffers of 2 KiB",
    ("allocation", "contiguous"): "contiguous nodes",
    ("protocol", "rendezvous"): "rendezvous",
    ("terminal links", "8.0 GB/s"): "terminal links 8 GB/s",
    ("terminal links", "10.5 GB/s"): "terminal links 10.5 GB/s",
    ("ports pay", "50 ns per 1024 B"): "ports pay 50 ns a KiB",
    ("ports pay", "50 ns per 512 B"): "ports pay 50 ns per 512 B",
    ("ports pay", "50 ns per 256 B"): "ports pay 50 ns per 256 B",
}


def draw(rows: Rows, folder: Path) -> None:
    """Write every figure."""
    with house_style():
        save_figure(_study(rows), folder / "study.png")
        save_figure(_scatter(rows), folder / "scatter.png")


def _study(rows: Rows):
    figure = new_figure(7.0, 5.2)
    axes = figure.subplots(2, 2)
    _times(axes[0, 0], rows, cases.ALLGATHER)
    letter(axes[0, 0], "a", "Allgather, 1 KiB a rank")
    _ratios(axes[0, 1], rows, [("ring", "tar"), ("bruck", "tar")], "allgather")
    axes[0, 1].plot([128, 4096], [1.1, 2.0], "x", color=GREY, label="RING / TAR, published")
    axes[0, 1].axhline(1, color=GREY, linewidth=0.6)
    letter(axes[0, 1], "b", "Time over that of TAR")
    _times(axes[1, 0], rows, cases.SCATTER)
    letter(axes[1, 0], "c", "Scatter, 1 KiB a rank")
    pairs = [(name, "linear") for name in ("binomial", "glf", "llf")]
    _ratios(axes[1, 1], rows, pairs, "scatter")
    axes[1, 1].set_ylim(0.9, 2.35)
    axes[1, 1].axhspan(1.5, 2.0, color="#E4E4E4", label="published", linewidth=0)
    letter(axes[1, 1], "d", "Time over that of LIN")
    for panel in axes.flat:
        clean(panel, grid="both")
        panel.set_xscale("log", base=2)
        panel.set_xticks(cases.RANKS, [f"{ranks:,}" for ranks in cases.RANKS])
        panel.minorticks_off()
        panel.legend(fontsize=6.5)
    for panel in axes[1]:
        panel.set_xlabel("ranks")
    return figure


def _times(axes, rows: Rows, workloads: tuple[str, ...]) -> None:
    for workload in workloads:
        name = workload.partition("/")[2]
        for behind, line in (("", "-"), (cases.BACKGROUND, ":")):
            found = _series(
                lambda n, b=behind, w=workload: values(rows, "study", b, w, n, "time_ps")
            )
            label = None if behind else NAMES.get(name, name.upper())
            means = [spread.mean / 1e6 for spread in found.values()]
            below = [(spread.mean - spread.low) / 1e6 for spread in found.values()]
            above = [(spread.high - spread.mean) / 1e6 for spread in found.values()]
            style = {"linestyle": line, "color": COLOURS[name], "capsize": 2, "label": label}
            axes.errorbar([*found], means, [below, above], **style)
    axes.plot([], [], ":", color=GREY, label="beside uniform traffic at 0.3")
    axes.set_yscale("log")
    axes.set_ylabel("time [µs]")


def _ratios(axes, rows: Rows, pairs: list[tuple[str, str]], operation: str) -> None:
    for slow, fast in pairs:
        both = (f"{operation}/{slow}", f"{operation}/{fast}")
        found = _series(partial(ratio, rows, "study", "", *both))
        means = [spread.mean for spread in found.values()]
        below = [spread.mean - spread.low for spread in found.values()]
        above = [spread.high - spread.mean for spread in found.values()]
        label = " / ".join(NAMES.get(name, name.upper()) for name in (slow, fast))
        style = {"color": COLOURS[slow], "marker": "o", "markersize": 3, "capsize": 2}
        axes.errorbar([*found], means, [below, above], label=label, **style)
    axes.set_ylabel("ratio of times")


def _series(ask, *more) -> dict:
    found = {ranks: ask(ranks, *more) for ranks in cases.RANKS}
    return {ranks: spread for ranks, spread in found.items() if spread}


def _scatter(rows: Rows):
    figure = new_figure(7.0, 3.2)
    why, overhead = figure.subplots(1, 2, width_ratios=[1.25, 1])
    why.axvspan(1.5, 2.0, color="#E4E4E4", label="published", linewidth=0)
    for at, (study, setting) in enumerate(WHY):
        for name in ("binomial", "glf", "llf"):
            found = ratio(rows, study, setting, f"scatter/{name}", "scatter/linear", 4096)
            if found:
                label = NAMES.get(name, name.upper()) if at == 0 else None
                why.plot(found.mean, at, "o", color=COLOURS[name], label=label, markersize=4)
    why.set_yticks(range(len(WHY)), WHY.values())
    why.set_ylim(len(WHY) - 0.5, -0.5)
    why.set_xlabel("time over that of LIN, 4,096 ranks")
    why.legend(fontsize=6.5, loc="upper right")
    letter(why, "a", "Reasons for the lead of LIN")
    why.set_title(why.get_title(loc="left"), loc="left", y=1.0)
    clean(why, grid="both")
    for ranks, colour in ((128, "#56B4E9"), (1024, "#0072B2"), (4096, "#5B4B8A")):
        found = {}
        for setting in cases.SETTINGS["overhead"]:
            spread = ratio(rows, "overhead", setting, "scatter/linear", "scatter/binomial", ranks)
            if spread:
                found[float(setting.split()[0]) / 1000] = spread.mean
        label = f"{ranks:,} ranks"
        overhead.plot([*found], [*found.values()], "o-", ms=3, color=colour, label=label)
    overhead.axhline(1, color=GREY, linewidth=0.6)
    overhead.set_yscale("log")
    overhead.set_yticks([1, 2, 5, 10], ["1", "2", "5", "10"])
    overhead.set_xlabel("software per send and receive [µs]")
    overhead.set_ylabel("LIN over TREE")
    overhead.legend(fontsize=6.5)
    letter(overhead, "b", "Overheads against it")
    clean(overhead, grid="both")
    return figure
