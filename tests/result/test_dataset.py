"""The dataset: its labels, its units, and its recipe."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.result import Result
from odonata.result import variables as variables_module
from odonata.result.variables import variables

DIMENSIONS = {
    "job",
    "rank",
    "mark",
    "phase",
    "latency_bin",
    "message",
    "link",
    "link_class",
    "buffer",
    "time",
    "event",
}
SLOW = ["h5netcdf", "h5py", "matplotlib", "msgspec", "pandas", "rich", "xarray"]


@pytest.fixture
def dataset(run):
    return Result(run).dataset


def test_every_variable_has_units_and_a_name_for_people(dataset):
    unlabelled = [
        name
        for name, variable in dataset.variables.items()
        if not (variable.attrs["units"] and variable.attrs["long_name"])
    ]
    assert unlabelled == []


def test_dimensions_are_those_of_the_page(dataset):
    assert set(dataset.dims) == DIMENSIONS


def test_times_are_whole_picoseconds(dataset):
    times = {name: v for name, v in dataset.variables.items() if v.attrs["units"] == "ps"}
    assert len(times) > 12
    assert {str(v.dtype) for v in times.values()} == {"int64"}


def test_attributes_hold_what_runs_it_again(run, dataset):
    assert json.loads(dataset.attrs["machine"]) == run.machine
    assert json.loads(dataset.attrs["options"]) == run.options
    assert json.loads(dataset.attrs["provenance"])["version"] == "0.1.0"
    assert [job["workload"] for job in json.loads(dataset.attrs["jobs"])] == [
        job.workload for job in run.jobs
    ]


def test_jobs_stand_one_behind_the_other(run, dataset):
    for number, job in enumerate(run.jobs):
        mine = dataset.where(dataset.rank_job == number, drop=True)
        assert mine.rank_node.values.tolist() == job.nodes.tolist()
        assert mine["rank"].values.tolist() == list(range(len(job.nodes)))


def test_a_phase_lasts_until_the_next_of_its_rank_or_the_rank_ends(run):
    job = replace(
        run.jobs[0],
        nodes=np.array([4, 5], dtype=np.int32),
        finished=np.array([100, 70]),
        phases=("up", "down"),
        marks={
            "rank": np.array([0, 1, 0, 0]),
            "phase": np.array([0, 1, 1, 0]),
            "begin": np.array([10, 20, 40, 90]),
        },
        messages=None,
    )
    made = Result(replace(run, jobs=(job,))).dataset
    assert made.phase_time.sel(phase="up").values.tolist() == [30 + 10, 0]
    assert made.phase_time.sel(phase="down").values.tolist() == [50, 50]


def test_phases_of_the_same_name_share_a_column(run):
    jobs = tuple(
        replace(
            run.jobs[0],
            nodes=np.array([number], dtype=np.int32),
            finished=np.array([50]),
            phases=names,
            marks={"rank": np.array([0]), "phase": np.array([0]), "begin": np.array([number])},
            messages=None,
        )
        for number, names in enumerate([("a", "b"), ("b",)])
    )
    made = Result(replace(run, jobs=jobs)).dataset
    assert made["phase"].values.tolist() == ["a", "b"]
    assert made.phase_time.values.tolist() == [[50, 0], [0, 49]]


def test_too_many_phases_are_left_to_the_marks(run, monkeypatch):
    monkeypatch.setattr(variables_module, "MOST_PHASE_TIMES", 1)
    job = replace(run.jobs[0], phases=("up", "down"))
    assert "phase_time" not in variables(replace(run, jobs=(job,)))


@given(st.integers(0, 10_000))
def test_histograms_of_all_jobs_share_bins(make_run, seed):
    run = make_run(seed)
    counts = variables(run)["latency_count"].values
    assert counts.sum(axis=1).tolist() == [int(job.latencies["count"].sum()) for job in run.jobs]


def test_small_tables_for_terminals_and_notebooks(run):
    run = replace(run, summary={**run.summary, "ranks": 1024, "mean_routers": 3.8})
    result = Result(run)
    assert "ranks" in repr(result)
    assert "1,024" in repr(result)
    assert len(repr(result).splitlines()) < 12
    hostile = replace(run, jobs=(replace(run.jobs[0], name="<script>"),))
    assert "<script>" not in Result(hostile)._repr_html_()


def test_what_is_slow_is_imported_when_needed():
    check = f"import sys, odonata.result, odonata.report; print({SLOW!r} & sys.modules.keys())"
    check = check.replace(repr(SLOW), repr(set(SLOW)))
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_the_page_names_every_variable(run):
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "result.md").read_text()
    named = set(re.findall(r"`(\w+)`", page))
    assert set(variables(run)) <= named
