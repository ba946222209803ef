"""A category of time has one colour in all figures, and no other has it."""

from __future__ import annotations

import pytest
from matplotlib.colors import to_hex

from odonata import explain, machine, placement, simulate, workload
from odonata.explain.words import CATEGORIES
from odonata.machine.families import FAMILIES
from odonata.report import draw_breakdown
from odonata.report.category_colours import CATEGORY_COLOURS, OTHER, category_colours
from odonata.report.page_data import page_data
from odonata.report.timeline_figure import KIND_COLOURS


def test_every_category_has_a_colour():
    assert list(CATEGORY_COLOURS) == list(CATEGORIES)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_no_colour_stands_for_two_categories(family):
    names = [*family.class_names, *family.own_classes]
    colours = category_colours(names)
    assert len(colours) == len(CATEGORIES) + 2 * len(names)
    assert len({*colours.values(), OTHER}) == len(colours) + 1
    assert category_colours(names[:1])["queueing.injection"] == "#6E0A1E"


def told(algorithm, size):
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("allgather", algorithm, size), placement.place(eos, 16))
    return explain.explain(simulate.simulate(eos, [job], explain=True))


@pytest.fixture(scope="module")
def runs():
    """Return two runs whose longest categories are others."""
    return told("ring", 64), told("bruck", 100_000)


def shown(figure):
    """Return the colour of each category of a figure."""
    handles, labels = figure.axes[0].get_legend_handles_labels()
    return {
        label: to_hex(handle.patches[0].get_facecolor()).upper()
        for label, handle in zip(labels, handles, strict=True)
    }


def test_categories_have_the_same_colour_in_all_figures(runs):
    first, second = (shown(draw_breakdown(run)) for run in runs)
    assert list(first) != list(second)
    both = first.keys() & second.keys()
    assert len(both) > 2
    for label in both:
        assert first[label] == second[label]
    for colours in (first, second):
        assert len({*colours.values()}) == len(colours)


def test_steps_and_the_page_have_the_colours_of_the_figure(runs):
    of_ranks = shown(draw_breakdown(runs[0]))
    of_steps = shown(draw_breakdown(runs[0], by="step"))
    bars = page_data(runs[0])["bars"]
    of_page = dict(zip(bars["labels"], bars["colours"], strict=True))
    for colours in (of_steps, of_page):
        assert all(of_ranks[label] == colours[label] for label in of_ranks.keys() & colours.keys())
    assert KIND_COLOURS[0] == CATEGORY_COLOURS["computing"]
    assert len({*KIND_COLOURS}) == len(KIND_COLOURS)
