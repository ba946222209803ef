"""Small sums of profiles, by hand: classes of sizes, times outside of MPI, phases that last."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from odonata.profile.counters import Cells, _Rows, _with_last
from odonata.profile.tables import NO_CLASS, class_of, upper_bound
from odonata.profile.views import ROUNDING, Views, _class_bin


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 63, 64, 65, 1024, 1025, 2**20])
def test_bins_of_size_classes_meet_and_hold_their_sizes(size):
    which = class_of(size)
    found = _class_bin(which, 3, 7)
    assert found.least <= size <= found.most
    assert (found.messages, found.bytes) == (3, 7)
    assert found.least == (upper_bound(which - 1) + 1 if which else 0)
    assert class_of(found.least) == class_of(found.most) == which


def test_messages_without_a_class_have_no_bounds():
    found = _class_bin(NO_CLASS, 3, 7)
    assert (found.least, found.most) == (None, None)


def test_time_outside_of_mpi_is_zero_where_it_is_rounding():
    wall = np.array([1.0, 1.0, 1.0, 2.0])
    inside = np.array([1.0 - ROUNDING / 2, 1.0 - 4 * ROUNDING, 1.0 + ROUNDING, 0.5])
    views = SimpleNamespace(wall_seconds=wall, mpi_seconds=inside)
    found = Views.outside_seconds.func(views)
    assert found.tolist() == [0.0, pytest.approx(4 * ROUNDING), 0.0, 1.5]


def test_a_phase_that_still_lasts_has_its_time():
    """Rank 0 has left phase 5 after 3 ticks, and is in phase 8 for 7 ticks of 2 s."""
    cells = Cells(
        rank=0,
        phases=np.array([5, 8]),
        cells=np.empty((0, 4), dtype=np.uint64),
        seconds_per_tick=2.0,
        wall_ticks=10,
        phase=1,
        phase_ticks=7,
        ended=False,
    )
    left = np.array([[0, 1, 0, 3]], dtype=np.uint64)
    rows = _Rows(np.array([0]), np.array([5]), np.array([2.0]), left)
    found = _with_last(rows, [cells])
    assert found[["rank", "phase", "count", "seconds"]].tolist() == [
        (0, 5, 1, 6.0),
        (0, 8, 0, 14.0),
    ]
