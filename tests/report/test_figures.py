"""Figures: whole pages, the same bytes from the same data, and no trace in matplotlib."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from odonata.errors import UserError, WriteError
from odonata.machine.families import FAMILIES
from odonata.report import draw_comparison, draw_run, plot_comparison, plot_run
from odonata.report.load_panels import _draw_spread
from odonata.report.message_panels import draw_buffers
from odonata.report.style import (
    SERIES,
    class_colours,
    decades,
    figure_legend,
    house_style,
    new_figure,
    require_figure,
    series_colours,
)
from odonata.result import Result
from odonata.result.overview import fixed, seconds

STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


def titles(figure) -> list[str]:
    return [axes.get_title(loc="left") for axes in figure.axes if axes.get_title(loc="left")]


def everything_fits(figure) -> bool:
    """Return whether no text stands out of the page."""
    figure.canvas.draw()
    page = figure.bbox
    for text in (
        figure.texts + [a.title for a in figure.axes] + [a._left_title for a in figure.axes]
    ):
        box = text.get_window_extent()
        if text.get_text() and not (page.x0 <= box.x0 and box.x1 <= page.x1 and box.y1 <= page.y1):
            return False
    return True


@pytest.mark.parametrize("suffix", STARTS)
def test_formats_by_suffix_and_the_same_bytes_twice(allgather, tmp_path, suffix):
    for name in ("one", "two"):
        plot_run(allgather(), tmp_path / f"{name}{suffix}")
    content = (tmp_path / f"one{suffix}").read_bytes()
    assert content.startswith(STARTS[suffix])
    assert content == (tmp_path / f"two{suffix}").read_bytes()
    assert sorted(os.listdir(tmp_path)) == [f"one{suffix}", f"two{suffix}"]


@pytest.mark.parametrize("name", ["run.jpg", "run", "run.pn", ".png", "run.nc"])
def test_other_suffixes_are_refused(allgather, tmp_path, name):
    for attempt in (plot_run, lambda _, path: require_figure(path)):
        with pytest.raises(UserError, match=r"allowed: \.pdf, \.png, \.svg"):
            attempt(allgather(), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_a_suffix_with_a_slip_is_told_the_one_that_is_near():
    with pytest.raises(UserError, match=r"did you mean '\.png'"):
        require_figure("run.pngg")


def test_a_folder_that_is_not_there_is_noticed_before_drawing(allgather, tmp_path):
    with pytest.raises(WriteError, match="No such file"):
        plot_run(allgather(), tmp_path / "none" / "run.png")


def test_nothing_of_matplotlib_is_left_changed(allgather):
    before = dict(matplotlib.rcParams)
    draw_run(allgather())
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in sys.modules or not matplotlib.pyplot.get_fignums()


def test_settings_of_the_user_change_nothing(allgather, tmp_path):
    plot_run(allgather(), tmp_path / "one.png")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        plot_run(allgather(), tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_no_display_and_no_pyplot_are_needed():
    check = "import sys, odonata.report.figures as f, matplotlib; f.house_style(); "
    check += "print('matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_run_has_four_panels_that_fit_the_page(allgather):
    figure = draw_run(allgather(background=0.3))
    assert [title[0] for title in titles(figure)] == ["a", "b", "c", "d"]
    assert everything_fits(figure)


@pytest.mark.parametrize(
    "how",
    [
        {"ranks": 1},
        {"ranks": 2},
        {"engine": "analytic"},
        {"samples": 0},
        {"background": 0.5, "samples": 0},
    ],
    ids=str,
)
def test_small_and_odd_runs(allgather, how):
    assert len(titles(draw_run(allgather(**how)))) == 4


def test_machines_of_one_group_show_their_routers(allgather):
    run = allgather().run
    alone = {"group_from": np.zeros(324, int), "group_to": np.zeros(324, int)}
    figure = draw_run(Result(replace(run, links={**run.links, **alone})))
    assert titles(figure)[0] == "a   Links between routers"


def test_machines_of_one_router_show_their_nodes(allgather):
    run = allgather().run
    links = {key: column[:144] for key, column in run.links.items()}
    buffers = {key: column[:0] for key, column in run.buffers.items()}
    one = {"group_from": np.zeros(144, int), "group_to": np.zeros(144, int)}
    figure = draw_run(Result(replace(run, links={**links, **one}, buffers=buffers)))
    assert titles(figure)[0] == "a   Links of nodes"


def test_panels_show_the_numbers_of_the_run(allgather):
    figure = draw_run(allgather())
    image = next(axes.images[0] for axes in figure.axes if axes.images)
    assert image.get_array().shape == (9, 9)
    assert np.ma.is_masked(image.get_array()) or np.isnan(image.get_array().diagonal()).all()
    curve = next(axes for axes in figure.axes if "Latency" in axes.get_title(loc="left")).lines[0]
    assert curve.get_ydata()[-1] == pytest.approx(100)
    assert np.all(np.diff(curve.get_ydata()) >= 0)


def test_marks_of_latencies_stand_at_the_quantiles_they_name(allgather):
    """Latencies of 100 messages: 50 took 10 ps, 45 took 20 ps, four 25 ps and one 30 ps."""
    result = allgather()
    (job,) = result.run.jobs
    latencies = {"latency": np.array([10, 20, 25, 30]), "count": np.array([50, 45, 4, 1])}
    job = replace(job, latencies=latencies, totals={**job.totals, "latency_max": 30})
    figure = draw_run(Result(replace(result.run, jobs=(job,))))
    axes = next(axes for axes in figure.axes if "Latency" in axes.get_title(loc="left"))
    dots = [line.get_xydata()[0].tolist() for line in axes.lines if line.get_marker() == "o"]
    assert dots == [[pytest.approx(10, abs=1), 50], [pytest.approx(25, abs=1), 99], [30, 100]]
    assert axes.get_xlabel() == "latency [ps]"
    (said,) = [text.get_text() for text in axes.texts if "99 %" in text.get_text()]
    assert [line.split("  ")[0] for line in said.splitlines()] == ["median", "99 %", "longest"]


@pytest.mark.parametrize(("at", "side"), [(0, "right"), (1, "left")])
def test_quantiles_are_written_inside_the_panel_where_no_curve_is(allgather, at, side):
    """99 messages of 100 take the shortest time or the longest, a hundred times as long."""
    result = allgather()
    (job,) = result.run.jobs
    latencies = {"latency": np.array([10, 1000]), "count": np.array([[99, 1], [1, 99]][at])}
    job = replace(job, latencies=latencies, totals={**job.totals, "latency_max": 1000})
    figure = draw_run(Result(replace(result.run, jobs=(job,))))
    axes = next(axes for axes in figure.axes if "Latency" in axes.get_title(loc="left"))
    (said,) = [text for text in axes.texts if "99 %" in text.get_text()]
    figure.canvas.draw()
    panel, box = axes.get_window_extent(), said.get_window_extent()
    assert said.get_horizontalalignment() == side
    assert panel.x0 < box.x0
    assert box.x1 < panel.x1
    assert panel.y0 < box.y0
    assert box.y1 < panel.y1


def test_time_against_ranks(allgather):
    runs = [allgather(name, ranks) for name in ("ring", "bruck", "tar") for ranks in (8, 16, 32)]
    figure = draw_comparison(runs)
    time, ratio = figure.axes[:2]
    assert (time.get_xscale(), time.get_yscale()) == ("log", "log")
    assert [line.get_label() for line in time.lines] == ["ring", "bruck", "tar"]
    assert time.lines[0].get_xdata().tolist() == [8, 16, 32]
    assert min(line.get_ydata().min() for line in ratio.lines) == 1
    assert everything_fits(figure)


def test_a_time_is_compared_with_the_shortest_of_its_size(allgather):
    sizes, names = ("1 B", "64 KiB"), ("ring", "bruck")
    runs = [allgather(name, ranks, size=b) for b in sizes for name in names for ranks in (8, 16)]
    ratios = [line.get_ydata() for line in draw_comparison(runs).axes[1].lines]
    assert len(ratios) == 4
    for pair in (ratios[:2], ratios[2:]):  # two algorithms of one size
        assert np.min(pair, axis=0).tolist() == [1, 1]
        assert np.max(pair) < 4


def test_time_against_bytes_if_only_those_differ(allgather):
    figure = draw_comparison([allgather(size=size) for size in ("1 KiB", "4 KiB")])
    assert figure.axes[0].lines[0].get_xdata().tolist() == [1024, 4096]


def test_seeds_become_a_point_with_its_range(allgather):
    runs = [allgather("ring", ranks, seed=seed) for ranks in (8, 16) for seed in (1, 2, 3)]
    (line,) = draw_comparison(runs).axes[0].lines
    times = sorted(run.summary["time_seconds"] for run in runs[:3])
    ratio = line.get_ydata()[0] / times[1]
    assert line.get_xdata().tolist() == [8, 16]
    assert ratio == pytest.approx(1e6, rel=1e-9)


def test_bars_if_nothing_runs_along_an_axis(allgather):
    runs = [allgather("ring"), allgather("bruck")]
    figure = draw_comparison(runs)
    times, routers = figure.axes
    assert [bar.get_height() for bar in times.patches] == [0.62, 0.62]
    written = [seconds(run.summary["time_seconds"]).replace(" us", " µs") for run in runs]
    assert [text.get_text().strip() for text in times.texts] == written
    assert [text.get_text().strip() for text in routers.texts] == [
        fixed(run.summary["mean_routers"]) for run in runs
    ]


def test_a_bar_of_several_seeds_shows_the_median_and_the_range(allgather):
    runs = [allgather(name, seed=seed) for name in ("ring", "bruck") for seed in (1, 2, 3)]
    times = sorted(1e6 * run.summary["time_seconds"] for run in runs[:3])
    axes = draw_comparison(runs).axes[0]
    assert len(axes.patches) == 2
    assert axes.patches[0].get_width() == pytest.approx(times[1])
    assert axes.lines[0].get_xdata() == pytest.approx([times[0], times[2]])


def test_groups_and_bars_are_counted_in_whole_numbers(allgather):
    figure = draw_run(allgather())
    figure.canvas.draw()
    axes = {axes.get_xlabel(): axes for axes in figure.axes}
    for name in ("to group", "group"):
        ticks = axes[name].get_xticks()
        assert [tick for tick in ticks if tick != round(tick)] == []


def test_what_auto_chose_is_one_series(allgather):
    runs = [allgather("auto", ranks) for ranks in (8, 24)]
    chosen = {run.summary["algorithm"] for run in runs}
    assert len(chosen) == 2
    runs += [allgather("ring", ranks) for ranks in (8, 24)]
    lines = draw_comparison(runs).axes[0].lines
    assert [line.get_label() for line in lines] == ["auto", "ring"]


def test_accepted_against_offered_load(adversarial):
    runs = [
        adversarial(load, routing) for load in (0.05, 0.3) for routing in ("minimal", "valiant")
    ]
    figure = draw_comparison(runs)
    accepted, _latency = figure.axes
    assert [line.get_label() for line in accepted.lines[:2]] == ["minimal", "valiant"]
    assert accepted.lines[0].get_xdata().tolist() == [0.05, 0.3]
    assert accepted.lines[1].get_ydata()[1] > accepted.lines[0].get_ydata()[1]
    assert everything_fits(figure)


def test_what_cannot_be_compared(allgather, adversarial, tmp_path):
    with pytest.raises(UserError, match="no run"):
        plot_comparison([], tmp_path / "a.png")
    with pytest.raises(UserError, match="share no axis"):
        plot_comparison([allgather(), adversarial(0.3)], tmp_path / "a.png")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_classes_have_their_own_colours(family):
    names = [*family.class_names, *family.own_classes]
    colours = class_colours(names)
    assert len(set(colours.values())) == len(names)
    assert class_colours(["blue"])["blue"] == "#0072B2"


def test_classes_that_nobody_knows_have_colours_in_turn():
    """The colours of series come first, paler ones behind them, and then the first one again."""
    names = [f"mine {number}" for number in range(3 * len(SERIES) + 1)]
    colours = list(class_colours(names).values())
    assert colours[: len(SERIES)] == list(SERIES)
    assert len(set(colours[:-1])) == len(names) - 1
    assert colours[-1] == SERIES[0]


def test_series_differ_in_colour_or_marker():
    made = series_colours([str(number) for number in range(3 * len(SERIES))])
    assert len(set(made.values())) == len(made)
    assert len({colour for colour, _ in made.values()}) == len(made), "bars have no markers"


def test_classes_of_a_file_s_own_have_a_colour_each():
    names = ["injection", "ejection", *(f"own{number}" for number in range(12))]
    assert len({*class_colours(names).values()}) == len(names)


def test_the_head_of_traffic_has_its_load_and_that_of_a_collective_has_none(adversarial, allgather):
    heads = [
        [text.get_text() for text in draw_run(result).texts]
        for result in (adversarial(0.3), allgather())
    ]
    assert [any("load 0.3" in text for text in head) for head in heads] == [True, False]
    assert not any("load" in text for text in heads[1])


def test_the_middle_half_of_values_is_as_wide_as_it_is():
    """Nine tenths of 0 to 1 in hundredths are 0.05 to 0.95, and the middle half 0.25 to 0.75."""
    axes = Figure().subplots()
    _draw_spread(axes, 0.0, np.linspace(0, 1, 101), "black", 1.0)
    bars = [(bar.get_x(), bar.get_width()) for bar in axes.patches]
    assert bars == [pytest.approx((0.05, 0.9)), pytest.approx((0.25, 0.5))]


def test_each_class_of_links_has_a_step_for_each_of_its_buffers(allgather):
    run = allgather().run
    axes = Figure().subplots()
    draw_buffers(axes, allgather())
    classes = [run.link_classes[at] for at in run.links["class"][run.buffers["link"]]]
    steps = {line.get_label(): len(line.get_xdata()) for line in axes.lines}
    assert steps == {name: classes.count(name) for name in dict.fromkeys(classes)}
    assert len(steps) > 1
    assert axes.get_xlim() == (0, 100)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (3, 4, ["3", "3.2", "3.4", "3.6", "3.8", "4"]),
        (1, 1.5, ["1", "1.1", "1.2", "1.3", "1.4", "1.5"]),
        (5, 45, ["5", "10", "20"]),
        (2, 3000, ["10", "100", "1,000"]),
        (1e-3, 1, ["0.001", "0.01", "0.1", "1"]),
        (1e-6, 1e-3, ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³"]),
        (1e6, 1e8, ["10⁶", "2·10⁶", "5·10⁶", "10⁷", "2·10⁷", "5·10⁷", "10⁸"]),
        (1, 1e9, [f"10{digit}" for digit in "⁰¹²³⁴⁵⁶⁷⁸⁹"]),
    ],
)
def test_logarithmic_axes_have_plain_numbers_or_powers(low, high, labels):
    with house_style():
        axes = new_figure(4, 3).subplots()
        axes.set_yscale("log")
        axes.set_ylim(low, high)
        decades(axes.yaxis)
        axes.figure.draw_without_rendering()
        ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
        assert [text.get_text() for at, text in ticks if low <= at <= high] == labels


@pytest.mark.parametrize(
    ("number", "characters"), [(1, 1), (1, 400), (5, 12), (5, 400), (17, 12), (17, 46)]
)
def test_legends_stay_on_the_page(number, characters):
    names = [f"{'name ' * (characters // 5)}{at}" for at in range(number)]
    with house_style():
        figure = new_figure(9, 6)
        axes = figure.subplots()
        lines = [axes.plot([0, 1])[0] for _ in names]
        figure_legend(figure, lines, names, loc="outside lower center", most_columns=6)
    assert legends_fit(figure)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == number
    assert [text.get_text().replace("\n", " ") for text in legend.get_texts()] == names


def legends_fit(figure) -> bool:
    """Return whether no legend stands out of the page at its sides."""
    figure.draw_without_rendering()
    boxes = [legend.get_window_extent() for legend in figure.legends]
    return all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)


def test_the_legend_of_a_comparison_with_long_names_is_on_the_page(allgather):
    runs = [
        allgather(name, ranks, background=load)
        for name in ("recursive_doubling", "ring", "bruck")
        for ranks in (8, 16)
        for load in (0.1, 0.2)
    ]
    figure = draw_comparison(runs)
    assert legends_fit(figure)
    assert len(figure.legends[0].get_texts()) == 6
