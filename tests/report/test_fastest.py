"""Sentences on the fastest run of a comparison, from times that are put in by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from odonata import machine, placement, simulate, workload
from odonata.report.fastest import fastest_sentence
from odonata.result import Result


def timed(algorithm: str, seconds: float, **more: object) -> Result:
    """Return a run of an allgather that is said to have taken so long."""
    theta = machine.load("theta")
    work = workload.Collective("allgather", algorithm, bytes=str(more.pop("bytes", "1 KiB")))
    job = simulate.Job(work, placement.place(theta, int(more.pop("ranks", 4))))
    run = simulate.simulate(theta, [job], engine="analytic", seed=int(more.pop("seed", 0))).run
    return Result(replace(run, summary={**run.summary, "time_seconds": seconds, **more}))


def test_of_two_runs_the_slower_one_is_compared_with_the_faster_one():
    assert fastest_sentence([timed("ring", 6e-6), timed("bruck", 2e-6)]) == (
        "bruck is the fastest; ring takes 3 times as long (6 us against 2 us)."
    )
    assert fastest_sentence([timed("ring", 2e-6), timed("bruck", 3e-6)]) == (
        "ring is the fastest; bruck takes 50 % longer (3 us against 2 us)."
    )


def test_of_three_runs_the_fastest_and_the_slowest_are_named():
    runs = [timed("ring", 4e-6), timed("bruck", 9e-6), timed("tar", 5e-6)]
    assert fastest_sentence(runs) == (
        "ring is the fastest; bruck takes longest, 2.25 times as long (9 us against 4 us)."
    )


def test_seeds_count_by_their_median():
    runs = [timed("ring", time, seed=seed) for seed, time in enumerate((9e-6, 3e-6, 1e-6))]
    runs += [timed("bruck", time, seed=seed) for seed, time in enumerate((2e-6, 2e-6, 99e-6))]
    assert fastest_sentence(runs) == (
        "bruck is the fastest; ring takes 50 % longer (3 us against 2 us)."
    )


def test_only_runs_of_one_size_are_compared():
    runs = [
        timed("ring", 2e-6),
        timed("bruck", 1e-6),
        timed("ring", 1e-6, ranks=8),
        timed("bruck", 4e-6, ranks=8),
        timed("ring", 1e-9, ranks=16),
    ]
    assert fastest_sentence(runs).splitlines() == [
        "4 ranks: bruck is the fastest; ring takes 2 times as long (2 us against 1 us).",
        "8 ranks: ring is the fastest; bruck takes 4 times as long (4 us against 1 us).",
        "Which is the fastest depends on the ranks: bruck with 4 ranks, ring with 8 ranks.",
    ]


@pytest.mark.parametrize(("sizes", "told"), [((4, 8), "both"), ((4, 8, 16), "all 3")])
def test_the_choice_that_is_the_fastest_everywhere_is_said_once(sizes, told):
    runs = [timed(name, time, ranks=ranks) for ranks in sizes
            for name, time in (("ring", 2e-6), ("bruck", 1e-6))]  # fmt: skip
    assert fastest_sentence(runs).splitlines()[-1] == f"The fastest is bruck in {told} groups."


def test_sizes_are_named_by_what_differs():
    sizes = ("1 KiB", "2 KiB")
    runs = [timed(name, 1e-6, bytes=size) for size in sizes for name in ("ring", "bruck")]
    assert fastest_sentence(runs).splitlines() == [
        "1 KiB: both take 1 us.",
        "2 KiB: both take 1 us.",
    ]


def test_of_many_sizes_it_is_counted_how_often_each_is_the_fastest():
    runs = [
        timed(name, time * (at + 1), ranks=4 + at)
        for name, time in (("ring", 2e-6), ("bruck", 3e-6))
        for at in range(5)
    ]
    runs[-1] = timed("bruck", 1e-9, ranks=8)
    assert fastest_sentence(runs) == (
        "Which is the fastest depends on the ranks: ring with 4 ranks to 7 ranks, "
        "bruck with 8 ranks."
    )
    runs.append(timed("bruck", 1e-9, ranks=4, bytes="2 KiB"))
    runs.append(timed("ring", 1e-8, ranks=4, bytes="2 KiB"))
    runs += [
        timed("bruck", 1e-8, ranks=8, bytes="2 KiB"),
        timed("ring", 1e-9, ranks=8, bytes="2 KiB"),
    ]
    assert fastest_sentence(runs) == (
        "Which is the fastest depends on the group: ring in 5, bruck in 2 of 7."
    )


def test_what_is_met_is_not_judged(run_odonata):
    """The same choice on a busy machine is no slower choice."""
    words = ["simulate", "allgather", "--machine", "theta", "--ranks", "8", "--bytes", "64KiB"]
    words += ["--algorithm", "ring,bruck", "--busy", "0%,20%"]
    told = run_odonata(*words)[1].splitlines()
    assert sum(line.startswith(("busy 0 %: ", "busy 20 %: ")) for line in told) == 2
    alone = run_odonata(*[word.replace("ring,bruck", "ring") for word in words])[1]
    assert "fastest" not in alone


@pytest.mark.parametrize(
    "met",
    [{"ranks": 8}, {"bytes": "2 KiB"}, {"engine": "packet"}, {"seed": 3}, {"offered_load": 0.2}],
    ids=str,
)
def test_runs_that_have_met_something_else_are_not_compared(met):
    assert fastest_sentence([timed("ring", 2e-6), timed("ring", 1e-6, **met)]) == ""
    assert fastest_sentence([timed("ring", 2e-6), timed("bruck", 1e-6, **met)]) == (
        ""
        if "seed" not in met
        else "bruck is the fastest; ring takes 2 times as long (2 us against 1 us)."
    )


def test_operations_are_never_compared():
    theta = machine.load("theta")
    jobs = [
        simulate.Job(workload.Collective(operation, bytes="1 KiB"), placement.place(theta, 4))
        for operation in ("allgather", "alltoall")
    ]
    runs = [Result(simulate.simulate(theta, [job], engine="analytic").run) for job in jobs]
    assert fastest_sentence(runs) == ""


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        ((1e-6, 1e-6, 2e-6), "ring and bruck are the fastest; tar takes longest, 2 times as long"),
        ((1e-6, 1e-6, 1e-6), "all take 1 us."),
    ],
)
def test_the_same_time_makes_several_the_fastest(seconds, told):
    runs = [timed(name, time) for name, time in zip(("ring", "bruck", "tar"), seconds, strict=True)]
    assert fastest_sentence(runs).startswith(told)


@pytest.mark.parametrize(
    "runs",
    [
        [("ring", 1e-6, {})],
        [("ring", 1e-6, {"seed": 1}), ("ring", 2e-6, {"seed": 2})],
        [("ring", 1e-6, {"offered_load": 0.1}), ("bruck", 2e-6, {"offered_load": 0.1})],
    ],
    ids=["one run", "seeds alone", "traffic"],
)
def test_where_nothing_is_compared_nothing_is_said(runs):
    assert fastest_sentence([timed(name, time, **more) for name, time, more in runs]) == ""


def test_a_run_that_takes_no_time_is_no_divisor():
    assert fastest_sentence([timed("ring", 0.0), timed("bruck", 1e-6)]) == (
        "ring is the fastest; bruck takes longer (1 us against 0 ps)."
    )


def test_a_comparison_ends_with_it_and_says_how_to_learn_more(run_odonata):
    words = ["simulate", "allgather", "--algorithm", "ring,bruck", "--machine", "theta"]
    words += ["--ranks", "8"]
    last = run_odonata(*words)[1].splitlines()[-1]
    assert " is the fastest; " in last
    assert last.endswith(" A run with --explain says why.")
    assert "is the fastest" not in run_odonata(*words, "--explain")[1]
