"""Figures of cycles by level."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from odonata.errors import UserError
from odonata.report import draw_levels, plot_levels


def panel(best=None, measured=None, title="16x1"):
    modelled = {"baseline": [4e-3, 1e-3, 0.0], "distance": [5e-3, 2e-3, 1e-3]}
    named = {"title": title, "modelled": modelled, "measured": measured, "best": best}
    return SimpleNamespace(**named, measured_as="measured")


def lines_of(axes):
    return {line.get_label(): line for line in axes.lines}


def test_a_panel_has_a_line_a_scenario_and_the_measurement():
    figure = draw_levels([panel("distance", [5e-3, 3e-3, 1e-3])])
    lines = lines_of(figure.axes[0])
    assert list(lines) == ["baseline", "distance", "measured"]
    assert list(lines["measured"].get_ydata()) == pytest.approx([5, 3, 1])  # ms
    assert lines["distance"].get_linestyle() == "-"
    assert lines["baseline"].get_linestyle() == ":"
    assert list(lines["baseline"].get_xdata()) == [0, 1]  # level 2 took no time: no logarithm


def test_without_a_fit_every_line_is_solid():
    lines = lines_of(draw_levels([panel()]).axes[0])
    assert "measured" not in lines
    assert {line.get_linestyle() for line in lines.values()} == {"-"}


def test_one_panel_a_run_and_one_legend():
    figure = draw_levels([panel(title=str(i)) for i in range(4)])
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title(loc="left") for axes in shown] == ["0", "1", "2", "3"]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["baseline", "distance"]


def test_the_same_panels_give_the_same_bytes(tmp_path):
    paths = [tmp_path / name for name in ("a.svg", "b.svg")]
    for path in paths:
        plot_levels([panel("distance", [5e-3, 3e-3, 1e-3])], path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(UserError, match="no such format"):
        plot_levels([panel()], tmp_path / "a.txt")
    with pytest.raises(UserError, match="no runs"):
        draw_levels([])
