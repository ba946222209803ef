"""How busy links were, computed by hand on a machine of four routers in two groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.result import (
    Result,
    busiest_links,
    class_loads,
    group_loads,
    latency_quantiles,
    router_loads,
    utilisations,
)
from odonata.result.latencies import bin_widths
from odonata.result.loads import num_groups, num_routers


@pytest.fixture
def result(run):
    """Routers 0, 1 in group 0, 2, 3 in group 1; node n at router n; the run lasts 100 ps."""
    columns = {
        #             injection   ejection    local       global
        "from":       [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 1, 2],
        "to":         [0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 3, 2, 2, 1],
        "class":      [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3],
        "group_from": [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1],
        "group_to":   [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0],
        "bytes":      [9, 0, 0, 0, 0, 0, 0, 9, 9, 0, 9, 0, 9, 0],
        "busy":       [9, 0, 0, 0, 0, 0, 0, 9, 20, 0, 40, 0, 90, 0],
        "stalled":    [0, 0, 0, 0, 0, 0, 0, 0, 50, 0, 0, 0, 0, 0],
    }  # fmt: skip
    links = {key: np.array(values) for key, values in columns.items()}
    buffers = {
        "link": np.array([8, 9, 12, 13]),
        "vc": np.zeros(4, dtype=np.int32),
        "capacity": np.array([10, 10, 20, 20]),
        "peak": np.array([10, 0, 5, 0]),
        "refused": np.array([1, 2, 0, 0]),
    }
    return Result(
        replace(
            run,
            links={**links, "peak_waiting": links["bytes"]},
            link_classes=("injection", "ejection", "local", "global"),
            buffers=buffers,
            end=100,
        )
    )


def test_utilisation_is_time_sending_over_the_run(result):
    assert utilisations(result)[[0, 12]].tolist() == [0.09, 0.9]


def test_a_run_without_time_used_nothing(result):
    empty = Result(replace(result.run, end=0))
    assert not utilisations(empty).any()


def test_classes(result):
    injection, ejection, local, world = class_loads(result)
    assert [load.name for load in class_loads(result)] == list(result.run.link_classes)
    assert (local.num_links, local.num_used, local.num_bytes) == (4, 2, 18)
    assert (local.mean_utilisation, local.max_utilisation) == pytest.approx((0.3, 0.4))
    assert (local.stalled_ps, local.max_stalled) == (50, 0.5)
    assert (local.num_buffers, local.num_filled, local.max_filling) == (2, 2, 1.0)
    assert (world.num_buffers, world.num_filled, world.max_filling) == (2, 0, 0.25)
    assert (injection.num_buffers, ejection.num_buffers) == (0, 0)


def test_busiest_links_come_first_and_say_where_they_are(result):
    first, second, *_ = found = busiest_links(result, 3)
    assert [load.link for load in found] == [12, 10, 8]
    assert (first.class_name, first.source, first.target) == ("global", 1, 2)
    assert (first.group_from, first.group_to, first.utilisation) == (0, 1, 0.9)
    assert second.utilisation == 0.4
    assert len(busiest_links(result, 99)) == 5
    assert busiest_links(result, 0) == busiest_links(result, -1) == []


def test_groups_and_routers(result):
    assert (num_groups(result), num_routers(result)) == (2, 4)
    assert group_loads(result) == pytest.approx(np.array([[0.1, 0.9], [0.0, 0.2]]))
    between = router_loads(result)
    assert between.shape == (4, 4)
    assert (between[0, 1], between[1, 2], between[2, 3]) == (0.2, 0.9, 0.4)
    assert np.isnan(between[0, 3])


def engine_bin(latency: int) -> int:
    """Return the lower edge of a latency's bin as the engine finds it."""
    shift = max(0, latency.bit_length() - 5)
    return latency >> shift << shift


@given(st.integers(0, 2**62))
def test_bins_are_those_of_the_engine(latency):
    edge = engine_bin(latency)
    width = int(bin_widths(np.array([edge]))[0])
    assert edge <= latency < edge + width
    assert engine_bin(edge + width - 1) == edge
    assert engine_bin(edge + width) == edge + width


@given(
    st.lists(st.integers(0, 2**40), min_size=1, max_size=60),
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
)
def test_quantiles_are_right_to_the_width_of_a_bin(make_run, latencies, shares):
    """The quantiles must be near the sorted latencies."""
    edges, counts = np.unique([engine_bin(latency) for latency in latencies], return_counts=True)
    job = next(job for job in make_run(1).jobs + make_run(2).jobs + make_run(3).jobs)
    job = replace(
        job,
        latencies={"latency": edges, "count": counts},
        totals={**job.totals, "latency_max": max(latencies)},
    )
    found = latency_quantiles(job, np.array(shares))
    exact = np.quantile(latencies, shares, method="inverted_cdf")
    assert np.all(found <= exact + bin_widths(exact.astype(np.int64)))
    assert np.all(found >= exact - bin_widths(exact.astype(np.int64)))
    assert np.all(found <= max(latencies))


def test_no_message_has_no_quantile(run):
    empty = {"latency": np.array([], dtype=np.int64), "count": np.array([], dtype=np.int64)}
    job = replace(run.jobs[0], latencies=empty)
    assert np.isnan(latency_quantiles(job, np.array([0.5]))).all()
