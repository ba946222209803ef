"""Runs of a comparison: small, and the same in tables, sentences, figures and documents."""

from __future__ import annotations

import io
import json
import pickle

import pytest

from odonata import machine as machines
from odonata.cli.outputs import Outputs, _document
from odonata.placement import place
from odonata.report import comparison_table
from odonata.report.comparison_figures import draw_comparison
from odonata.report.fastest import fastest_sentence
from odonata.result import Result, class_loads, comparable
from odonata.simulate import Job, Options, run
from odonata.workload import Collective

MOST = 100_000
"""Bytes of a run of a comparison."""


class _Pickler(pickle.Pickler):
    """Takes views of the engine's memory, too."""

    def reducer_override(self, held):
        return (bytes, (held.tobytes(),)) if isinstance(held, memoryview) else NotImplemented


def size_of(held):
    """Return the bytes that an object takes in a file."""
    file = io.BytesIO()
    _Pickler(file, protocol=5).dump(held)
    return file.tell()


@pytest.fixture(scope="module")
def runs():
    frontier = machines.load("frontier")
    return [
        run(
            frontier,
            [Job(Collective("allgather", name, "1 KiB"), place(frontier, ranks))],
            Options(explain=explain),
        )
        for ranks in (64, 256)
        for name in ("ring", "bruck")
        for explain in (False, True)
    ]


def test_a_run_of_a_comparison_is_small(runs):
    for one in runs:
        assert sum(column.nbytes for column in one.links.values()) > 5_000_000
        limit = MOST if one.explanation is None else 10 * MOST  # times of ranks, and the path
        assert size_of(comparable(one)) < limit


def test_what_a_comparison_prints_is_the_same(runs, tmp_path):
    """Curves over ranks use the loads of the busiest class of links."""
    kept = [comparable(one) for one in runs]
    before, after = ([Result(one) for one in some] for some in (runs, kept))
    assert comparison_table(after) == comparison_table(before)
    assert fastest_sentence(after) == fastest_sentence(before)
    assert [class_loads(one) for one in after] == [class_loads(one) for one in before]
    assert [_document(one) for one in kept] == [_document(one) for one in runs]
    lines = [
        [line.get_xydata().tolist() for axes in draw_comparison(some).axes for line in axes.lines]
        for some in (before, after)
    ]
    assert lines[0] == lines[1]
    assert max(y for _, y in lines[0][-1]) > 0  # of the busiest link


def test_a_comparison_holds_no_other_runs(run_odonata, monkeypatch):
    held = []
    deliver = Outputs.deliver_all

    def deliver_all(self, runs, *arguments, **named):
        held.extend(size_of(one) for one in runs)
        return deliver(self, runs, *arguments, **named)

    monkeypatch.setattr(Outputs, "deliver_all", deliver_all)
    words = "simulate scatter --algorithm linear,binomial --ranks 8,16 --machine frontier --json"
    status, printed, _ = run_odonata(*words.split())
    assert status == 0
    assert len(json.loads(printed)["runs"]) == len(held) == 4
    assert max(held) < MOST


def test_differences_of_explained_runs_are_the_same(runs):
    from odonata.explain import Difference, explain

    told = [one for one in runs if one.explanation is not None][:2]
    documents = [
        Difference(*(explain(Result(one)) for one in some)).document()
        for some in (told, [comparable(one) for one in told])
    ]
    assert documents[0] == documents[1]
