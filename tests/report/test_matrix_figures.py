"""Figures of who sends to whom."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from odonata.errors import UserError
from odonata.report import draw_matrices


def panel(name, level, dense):
    whole = np.array(dense)
    there = whole[whole > 0]
    return SimpleNamespace(
        phase=SimpleNamespace(name=name, level=level),
        messages=there,
        bytes=8 * there,
        dense=lambda what: whole * (8 if what == "bytes" else 1),
    )


def image_of(axes):
    (image,) = axes.get_images()
    return image.get_array()


def test_a_row_of_panels_has_a_phase_and_a_column_a_level():
    panels = [
        panel("setup", 0, [[0, 1], [2, 0]]),
        panel("setup", 2, [[0, 3], [0, 0]]),
        panel("solve", 2, [[0, 0], [7, 0]]),
    ]
    figure = draw_matrices(panels, title="2 ranks: amg")
    shown = {axes.get_title(loc="left"): axes for axes in figure.axes if axes.get_images()}
    assert list(shown) == ["setup, level 0", "setup, level 2", "solve, level 2"]
    above, below = shown["setup, level 2"], shown["solve, level 2"]
    assert above.get_subplotspec().colspan == below.get_subplotspec().colspan
    assert above.get_subplotspec().rowspan.start < below.get_subplotspec().rowspan.start
    assert figure.get_suptitle() == "2 ranks: amg"
    values = image_of(below)
    assert values.tolist() == [[None, None], [7, None]]  # no messages: no colour
    assert below.get_images()[0].norm.vmax == above.get_images()[0].norm.vmax == 7


def test_bytes_are_drawn_where_they_are_wanted():
    axes = draw_matrices([panel("setup", 0, [[0, 1], [2, 0]])], what="bytes").axes[0]
    assert image_of(axes).tolist() == [[None, 8], [16, None]]
    assert axes.get_xlabel() == "to rank\n2 pairs, 24 B"


def test_the_bar_of_colours_has_plain_numbers():
    figure = draw_matrices([panel("setup", 0, [[0, 50_000], [2, 0]])])
    figure.draw_without_rendering()
    labels = [text.get_text() for text in figure.axes[-1].get_yticklabels()]
    assert {"1", "100", "10,000"} <= {*labels}


def test_a_long_title_is_wrapped_and_a_message_to_oneself_is_no_pair():
    figure = draw_matrices([panel("setup", 0, [[5, 1], [0, 0]])], title="word " * 30)
    assert len(figure.get_suptitle().splitlines()) > 2
    assert figure.axes[0].get_xlabel() == "to rank\n1 pairs, 6 msg"


def test_more_ranks_than_a_panel_has_rows_are_added_up():
    axes = draw_matrices([panel("setup", 0, np.ones((1025, 1025), dtype=int))]).axes[0]
    values = image_of(axes)
    assert values.shape == (342, 342)  # three ranks each, and the last two
    assert values[0, 0] == 9
    assert values[-1, -1] == 4
    assert values.sum() == 1025**2


def test_nothing_cannot_be_drawn():
    with pytest.raises(UserError, match="no phases"):
        draw_matrices([])
