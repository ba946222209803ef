"""Operators that are multiplied, times that fall, and a core that is measured."""

from __future__ import annotations

import math
import os
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from odonata import _core
from odonata.measure.compute import LocalOperator, falling, measure_compute, stencil_rows
from odonata.measure.estimate import exactly

ALONE = SimpleNamespace(
    rank=0,
    cores=frozenset(os.sched_getaffinity(0)),
    most=lambda values: values,
    share=lambda values, root: values,
)
"""A world of one rank, without MPI."""


def dense(operator):
    starts, columns, values = stencil_rows(operator)
    A = np.zeros((operator.rows, operator.rows))
    for row in range(operator.rows):
        part = slice(starts[row], starts[row + 1])
        A[row, columns[part]] = values[part]
    return A


def test_seven_nonzeros_a_row_are_a_laplacian():
    """Matrix of 4 x 4 x 4 points: 6 on the diagonal, -1 for each neighbour along an axis."""
    path = 2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1)
    one = np.eye(4)
    laplacian = np.kron(np.kron(path, one), one) + np.kron(np.kron(one, path), one)
    laplacian += np.kron(np.kron(one, one), path)
    assert (dense(LocalOperator(64, 7)) == laplacian).all()


@pytest.mark.parametrize(("rows", "row_nonzeros"), [(1, 1), (2, 9), (100, 1), (61, 7), (343, 80.5)])
def test_any_size_has_its_rows_and_no_more_nonzeros(rows, row_nonzeros):
    starts, columns, values = stencil_rows(LocalOperator(rows, row_nonzeros))
    assert len(starts) == rows + 1
    assert 1 <= len(columns) / rows <= row_nonzeros
    assert len(columns) == len(values)
    in_row = [set(columns[a:b].tolist()) for a, b in pairwise(starts)]
    assert sum(map(len, in_row)) == len(columns)  # no column twice
    assert all(row in found for row, found in enumerate(in_row))


def test_half_a_nonzero_is_in_every_second_row():
    starts, _, _ = stencil_rows(LocalOperator(1000, 1.5))
    assert np.diff(starts).tolist().count(1) > 490  # others end at the box
    assert set(np.diff(starts)[100:200:2]) | set(np.diff(starts)[101:200:2]) == {1, 2}


def test_times_count_until_they_rise():
    times = [exactly(t) for t in (3.0, 2.0, 2.0, 2.5, 1.0)]
    assert falling(times) == tuple(times[:3])
    assert falling(times[:1]) == tuple(times[:1])
    assert falling([]) == ()


def test_twice_the_products_take_about_twice_the_time():
    matrix = stencil_rows(LocalOperator(20_000, 7))
    best = {4: math.inf, 8: math.inf}
    for products in [4, 8] * 20:  # in turn, because other programs come and go
        best[products] = min(best[products], *_core.time_products(*matrix, products, 9))
    assert best[4] < best[8] < 8 * best[4]


def test_a_core_is_measured(monkeypatch):
    monkeypatch.setattr("odonata.measure.compute.MOST_ARRAY_BYTES", 2**20)
    said = []
    found = measure_compute(ALONE, [LocalOperator(1000, 7), LocalOperator(100, 20)], said.append)
    assert 1e-11 < found.flop_seconds[0].value < 1e-6
    assert all(e.low <= e.value <= e.high for e in found.flop_seconds)
    assert len(found.thread_bandwidth) >= 1
    assert all(1e7 < e.value < 1e13 for e in found.thread_bandwidth)
    assert found.array_bytes <= 2**20
    assert "sparse products on level 0" in said
    assert "STREAM Triad on 1 threads" in said


def test_memory_is_measured_with_the_cores_of_all_ranks(monkeypatch):
    """A launcher binds each rank to one of them."""
    monkeypatch.setattr("odonata.measure.compute.MOST_ARRAY_BYTES", 2**20)
    cores = os.sched_getaffinity(0)
    bound = {min(cores)}
    os.sched_setaffinity(0, bound)
    try:
        found = measure_compute(ALONE, [])
        assert os.sched_getaffinity(0) == bound
    finally:
        os.sched_setaffinity(0, cores)
    assert len(found.thread_bandwidth) == len(cores).bit_length()
