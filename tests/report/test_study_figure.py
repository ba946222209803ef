"""Figures of studies."""

from __future__ import annotations

import pytest

from odonata.report.study_figure import Line, Panel, draw_study


def draw(panels, x="ranks", y="time_seconds"):
    return draw_study(panels, x=x, y=y, title="odonata simulate")


def test_a_band_goes_from_the_least_to_the_most():
    line = Line("ring", [64.0, 128.0], [2e-6, 4e-6], [1e-6, 4e-6], [3e-6, 5e-6])
    (axes,) = draw([Panel("eos", [line])]).axes
    (curve,) = axes.lines
    assert list(curve.get_ydata()) == pytest.approx([2.0, 4.0])
    assert axes.get_ylabel() == "time [µs]"
    (band,) = axes.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == pytest.approx((1.0, 5.0))


def test_texts_stand_side_by_side_with_bars_and_no_line():
    line = Line("", ["tree", "torus"], [3.0, 2.0], [1.0, 2.0], [4.0, 2.0])
    (axes,) = draw([Panel("", [line])], x="machine", y="packets").axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["tree", "torus"]
    assert axes.get_ylabel() == "packets"
    assert not any(len(each.get_xdata()) > 1 and each.get_linestyle() == "-" for each in axes.lines)


def test_sizes_are_written_with_their_unit():
    line = Line("", [1024.0, 2.0**20], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0])
    (axes,) = draw([Panel("", [line])], x="bytes", y="packets").axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1 KiB", "1 MiB"]
    assert axes.get_xscale() == "log"


def test_the_best_points_are_joined_and_machines_named():
    line = Line("64 B", [10.0, 20.0, 30.0], [3.0, 4.0, 2.0], [2.0] * 3, [5.0] * 3, best=[0, 2])
    panel = Panel("", [line], {"tree": 10.0, "torus": 20.0, "hyperx": 30.0})
    (axes,) = draw([panel], x="price [EUR]", y="packets").axes
    joined = [each for each in axes.lines if len(each.get_xdata()) == 2]
    assert list(joined[0].get_xdata()) == [10.0, 30.0]
    (above,) = axes.child_axes
    assert [text.get_text() for text in above.get_xticklabels()] == ["tree", "torus", "hyperx"]
