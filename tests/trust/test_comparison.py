"""Ratios of measured to simulated times, and the order of algorithms."""

import math

import numpy as np
import pytest

from odonata import trust
from odonata.trust.comparison import Comparison, Spread

from .tables import machine_with, write


def test_a_machine_agrees_with_its_own_times(tmp_path):
    on = machine_with()
    cases = trust.read_cases(*write(tmp_path, on), on).known
    found = trust.compare(on, cases)
    assert found.ratios == pytest.approx(np.ones(32), rel=5e-3)  # long messages in larger packets
    right, pairs = found.ranking()
    assert right == pairs > 0


def test_sizes_are_whole_results_of_a_collective(tmp_path):
    """A ring on 4 ranks passes blocks of a quarter; an allreduce passes the whole vector."""
    on = machine_with()
    cases = trust.read_cases(*write(tmp_path, on), on).known
    sizes = {
        (case.measured.run, case.workload.operation): case.workload.bytes
        for case in cases
        if case.measured.bytes == 4096
    }
    assert sizes["first", "allgather"] == 1024
    assert sizes["second", "allgather"] == 512
    assert sizes["second", "allreduce"] == 4096


def test_the_order_of_algorithms_counts_where_it_is_clear(tmp_path):
    """Ring and Bruck of one size; the simulated order is turned round."""
    on = machine_with()
    cases = trust.read_cases(*write(tmp_path, on), on).known
    pair = [case for case in cases if case.measured.bytes == 64 and case.measured.run == "second"]
    pair = [case for case in pair if case.workload.algorithm in ("ring", "bruck")]
    times = [case.measured.seconds for case in pair]
    assert max(times) / min(times) > 1.2
    assert Comparison(tuple(pair), np.array(times)).ranking() == (1, 1)
    assert Comparison(tuple(pair), np.array(times[::-1])).ranking() == (0, 1)


def test_a_spread_by_hand():
    """The ratios 1/2, 1, 1, 1, 2 have the median 1; |ln| is ln 2 for two of five."""
    spread = Spread.of([0.5, 1, 1, 1, 2])
    assert (spread.cases, spread.median, spread.error) == (5, 1, 0)
    assert (spread.low, spread.high) == pytest.approx((0.6, 1.8))
    assert spread.factor == pytest.approx(math.exp(math.log(2)))


def test_spreads_by_kind(tmp_path):
    on = machine_with()
    cases = trust.read_cases(*write(tmp_path, on), on).known
    faster = machine_with(mpi__send_overhead="1 ns", mpi__recv_overhead="1 ns")
    spreads = trust.compare(faster, cases).by(lambda case: case.measured.collective)
    assert list(spreads) == ["allgather", "allreduce"]
    assert spreads["allgather"].cases == 24
    assert all(spread.median > 1 for spread in spreads.values())
