"""Schedules that LogGOPSim and LLAMP play: their times and their tolerances of latency."""

from __future__ import annotations

import json

import pytest

SOME = ("bcast of 8 ranks", "alltoall of 9 ranks", "gather of 16 ranks")
WITHOUT_OVERHEAD = (
    *("allreduce of 16 ranks", "scan of 21 ranks"),
    *("random rounds of 7 ranks, seed 1", "random chains of 7 ranks, seed 1"),
)
"""Schedules whose times are equal where overheads are zero."""


@pytest.fixture(scope="module")
def study(load_study):
    return load_study("other-simulators/loggopsim", "schedules", "run", "tolerance", "llamp")


def test_the_times_are_those_of_loggopsim(study, tmp_path):
    known = json.loads((study.folder / "theirs.json").read_text())["times_ns"]
    found = {}
    for title, path, ranks in study.schedules.schedules(tmp_path):
        if title in SOME:
            found[title] = [round(study.run.ours(path, ranks, o)) for o in (0, 1500)]
        elif title in WITHOUT_OVERHEAD:
            found[title] = [round(study.run.ours(path, ranks, 0)), known[title][1]]
    assert found == {title: known[title] for title in (*SOME, *WITHOUT_OVERHEAD)}


def test_the_tolerances_are_those_of_llamp(study, tmp_path):
    known = json.loads((study.folder / "llamp.json").read_text())["tolerances_ns"]
    programs = [title for title in study.tolerance.PROGRAMS if title.endswith("8 ranks")]
    for title, path, ranks in study.tolerance.cases(tmp_path):
        if title in (*SOME, *WITHOUT_OVERHEAD, *programs):
            found = study.tolerance.ours(path, ranks)
            assert found == pytest.approx(known[title], abs=study.tolerance.RESOLUTION_NS), title


def test_llamp_gets_messages_that_are_told_apart(study):
    schedule = """num_ranks 2

rank 0 {
l0: send 4b to 1 tag 7
l1: send 4b to 1 tag 7
l1 requires l0
}

rank 1 {
l0: recv 4b from 0 tag 7
l1: recv 4b from 0 tag 7
}
"""
    first, last = study.llamp.FIRST, study.llamp.LAST
    assert study.llamp.told_apart(schedule).splitlines() == [
        "num_ranks 2",
        "",
        "rank 0 {",
        "l0: send 4b to 1 tag 0",
        "l1: send 4b to 1 tag 1",
        "l1 requires l0",
        f"{first}: calc 0",
        f"{last}: calc 0",
        f"{last} requires {first}",
        f"l0 requires {first}",
        f"{last} requires l1",
        "}",
        "",
        "rank 1 {",
        "l0: recv 4b from 0 tag 0",
        "l1: recv 4b from 0 tag 1",
        f"{first}: calc 0",
        f"{last}: calc 0",
        f"{last} requires {first}",
        f"l0 requires {first}",
        f"l1 requires {first}",
        f"{last} requires l0",
        f"{last} requires l1",
        "}",
    ]
