"""Differences of explained runs: they add up, and name what differs."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.report.difference import change_table, difference_table, difference_tables
from odonata.units import parse_time

RUN = ["simulate", "allreduce", "--ranks", "16", "--bytes", "4KiB"]
RUN += ["--machine", "theta", "--explain"]


def odonata(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def told(algorithm: str, how: bool | str = True, **numbers: str) -> explain.Explained:
    theta = machine.load("theta").with_values({f"mpi.{key}": text for key, text in numbers.items()})
    work = workload.Collective("allreduce", algorithm)
    job = simulate.Job(work, placement.place(theta, 16))
    return explain.explain(simulate.simulate(theta, [job], explain=how))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    paths = []
    for algorithm in ("ring", "recursive_doubling"):
        paths.append(str(folder / f"{algorithm}.nc"))
        odonata(*RUN, "--algorithm", algorithm, "-o", paths[-1])
    return paths


def test_one_larger_overhead_is_the_whole_difference():
    # A ring of 16 takes 30 steps, and each has one send on the path: 30 times 100 ns.
    found = explain.Difference(told("ring"), told("ring", send_overhead="435 ns"))
    overhead = {change.name: change for change in found.categories}["send_overhead"]
    assert overhead.a_ps == 30 * 335_000
    assert overhead.difference_ps == 30 * 100_000 == found.difference_ps
    assert (overhead.a_mean_ps, overhead.b_mean_ps) == (30 * 335_000, 30 * 435_000)
    assert found.functions[0].difference_ps == 30 * 100_000
    assert found.sentence.startswith("b takes 3 us longer than a (")
    # The second run has 30 sends of 435 ns and 30 receives of 565 ns.
    assert (
        "3 us more overhead of sends and receives (b: 30 us, 30 sends and 30 receives in "
        "allreduce)" in found.sentence
    )


@pytest.mark.parametrize(("receive", "shares"), [("466 ns", []), ("476 ns", ["909 %", "-809 %"])])
def test_shares_of_parts_that_cancel_each_other_are_left_out(receive, shares):
    """100 ns more of 30 sends beside 99 ns, or 89 ns, less of 30 receives."""
    other = told("ring", send_overhead="435 ns", recv_overhead=receive)
    table = difference_table(explain.Difference(told("ring"), other))
    at = table.columns.index("of it")
    assert [row[at] for row in table.rows if row[at] and row[0] != "all"] == shares


def test_the_difference_turns_its_sign_with_the_runs():
    ring, doubling = told("ring"), told("recursive_doubling")
    there = explain.Difference(ring, doubling, ("ring", "doubling"))
    back = explain.Difference(doubling, ring, ("doubling", "ring"))
    assert there.difference_ps == -back.difference_ps < 0
    signs = {change.name: change.difference_ps for change in there.categories}
    assert signs == {change.name: -change.difference_ps for change in back.categories}
    assert there.sentence.startswith("doubling takes ")
    assert back.sentence.startswith("ring takes ")
    reasons = [each.sentence.partition("): ")[2] for each in (there, back)]
    turned = {"more": "less", "less": "more"}
    assert " ".join(turned.get(word, word) for word in reasons[0].split()) == reasons[1]


@pytest.mark.parametrize("order", [1, -1])
def test_the_sentence_has_the_signs_of_the_columns(order):
    names = ("ring", "recursive_doubling")[::order]
    found = explain.Difference(*map(told, names), names)
    head, _, reasons = found.sentence.partition("): ")
    assert (" longer than " in head) == (found.difference_ps > 0)
    assert (" less than " in head) == (found.difference_ps < 0)
    for cause, time in found.causes:
        if which := re.search(rf" (more|less) {re.escape(cause.name)}", reasons):
            assert (which[1] == "more") == (time > 0)


def test_a_place_is_that_of_the_mean_ranks_where_one_run_lacks_its_path():
    quick, slow = "recursive_doubling", "ring"
    first = explain.Difference(told(slow), told(quick, "breakdown"))
    assert first.sentence == explain.Difference(told(slow, "breakdown"), told(quick)).sentence
    assert "(a: 27 us, most of it in allreduce)" in first.sentence  # 30 times 900 ns
    (allreduce,) = first.functions
    assert (allreduce.a_ps, allreduce.b_ps) == (first.a.mean_end_ps, first.b.mean_end_ps)


def test_runs_outside_of_mpi_have_no_table_of_functions():
    def program(time):
        def body(rank):
            yield rank.compute(time)

        theta = machine.load("theta")
        job = simulate.Job(workload.Program(body), placement.place(theta, 2))
        return explain.explain(simulate.simulate(theta, [job], explain=True))

    (table,) = difference_tables(explain.Difference(program("1 us"), program("3 us")))
    assert table.columns[0] == "critical path"


@pytest.mark.parametrize(("overhead", "mentioned"), [(1_500_000, True), (1_400_000, False)])
def test_a_cause_is_mentioned_from_a_share_of_15_percent_on(overhead, mentioned):
    """The difference is 10 us, of which 1.5 us are 15 %; the rest is computing."""

    def run(compute, overhead):
        def body(rank):
            if rank.index == 0:
                yield rank.compute(f"{compute} ps")
                yield rank.send(1, 8)
            else:
                yield rank.recv(0, 8)

        theta = machine.load("theta").with_values({"mpi.send_overhead": f"{overhead} ps"})
        job = simulate.Job(workload.Program(body), placement.place(theta, 2))
        return explain.explain(simulate.simulate(theta, [job], explain=True))

    slow = run(11_000_000 - overhead, 400_000 + overhead)
    found = explain.Difference(run(1_000_000, 400_000), slow)
    assert found.difference_ps == 10_000_000
    assert found.sentence.startswith("b takes 10 us longer than a")
    assert ("1.5 us more overhead" in found.sentence) == mentioned


def test_two_equal_runs_take_the_same():
    found = explain.Difference(told("ring"), told("ring"), ("one", "other"))
    assert found.difference_ps == 0
    assert found.sentence.startswith("one and other both take ")


def test_time_outside_of_mpi_is_called_so():
    def program(time):
        def body(rank):
            yield rank.compute(time)
            yield rank.barrier()

        theta = machine.load("theta")
        job = simulate.Job(workload.Program(body), placement.place(theta, 2))
        return explain.explain(simulate.simulate(theta, [job], explain=True))

    found = explain.Difference(program("1 us"), program("3 us"))
    (row, *_) = change_table(found, "functions").rows
    assert row[:4] == ["outside of MPI", "1 us", "3 us", "+2 us"]


def test_where_no_cause_dominates_none_is_named(monkeypatch):
    monkeypatch.setattr("odonata.explain.difference.DOMINATES", 1.5)
    found = explain.Difference(told("ring"), told("recursive_doubling"), ("ring", "doubling"))
    assert "; no single cause has 150 % of the difference." in found.sentence
    assert "more" not in found.sentence


@pytest.mark.parametrize("other", ["recursive_doubling", "reduce_scatter_allgather"])
def test_the_times_in_the_sentence_add_up(monkeypatch, other):
    monkeypatch.setattr("odonata.explain.difference.MENTIONED", 0.0)
    monkeypatch.setattr("odonata.explain.difference.MOST_MENTIONED", 1)
    found = explain.Difference(told("ring"), told(other), ("ring", "other"))
    said = re.findall(r"([\d.]+ [pnum]?s) (more|less) (?!than)", found.sentence)
    assert len(said) == 3
    assert " of all else" in found.sentence
    total = sum(parse_time(time) * (1 if which == "more" else -1) for time, which in said)
    assert total == pytest.approx(found.difference_ps, rel=0.02)


def test_json_of_compare_adds_up(files):
    found = json.loads(odonata("compare", *files, "--json"))
    assert found["difference_ps"] == found["b"]["time_ps"] - found["a"]["time_ps"] < 0
    for what in ("categories", "functions"):
        changes = found[what]
        assert sum(change["difference_ps"] for change in changes) == found["difference_ps"]
        assert sum(change["a_ps"] for change in changes) == found["a"]["time_ps"]
    waits = sum(change["b_ps"] for change in found["links"])
    assert waits == sum(change["b_ps"] for change in found["link_classes"])
    assert found["sentence"].endswith(".")


def test_the_tables_of_compare_end_with_the_sentence(files):
    printed = odonata("compare", *files)
    assert printed.splitlines()[:2] == [
        "ring.nc: allreduce/ring on theta, 16 ranks, 4 KiB",
        "recursive_doubling.nc: allreduce/recursive_doubling on theta, 16 ranks, 4 KiB",
    ]
    assert "Where the difference comes from" in printed
    assert printed.rstrip().splitlines()[-1].startswith("recursive_doubling.nc takes ")


def test_a_comparison_that_is_explained_says_why(files):
    words = [*RUN, "--algorithm", "ring,recursive_doubling"]
    printed = odonata(*words)
    assert "Where the difference comes from" in printed
    last = printed.rstrip().splitlines()[-1]
    assert last.startswith("ring takes ")
    assert "longer than recursive_doubling" in last
    (difference,) = json.loads(odonata(*words, "--json"))["differences"]
    assert difference["a"]["name"] == "recursive_doubling"
    saved = json.loads(odonata("compare", *reversed(files), "--json"))
    assert difference["categories"] == saved["categories"]


def test_of_several_runs_each_is_compared_with_the_shortest_of_its_size():
    words = [*RUN, "--algorithm", "ring,recursive_doubling", "--bytes", "1KiB,4KiB"]
    printed = odonata(*words)
    assert "| critical path" in printed
    sentences = printed.rstrip().splitlines()[-2:]
    for sentence, size in zip(sentences, ("1 KiB", "4 KiB"), strict=True):
        assert sentence.startswith(f"ring, {size} takes ")
        assert f"longer than recursive_doubling, {size} (" in sentence


def test_a_comparison_that_is_not_explained_has_no_differences():
    words = [word for word in RUN if word != "--explain"]
    words += ["--algorithm", "ring,recursive_doubling"]
    assert "differences" not in json.loads(odonata(*words, "--json"))


def test_a_result_without_the_record_is_not_compared(files, tmp_path):
    path = str(tmp_path / "plain.nc")
    words = [word for word in RUN if word != "--explain"]
    odonata(*words, "-o", path)
    with pytest.raises(UserError, match="run it again with --explain"):
        odonata("compare", files[0], path)


def test_functions_of_groups_side_by_side_are_one_row(tmp_path):
    path = str(tmp_path / "groups.nc")
    colours = tmp_path / "colours.txt"
    colours.write_text("0\n" * 8 + "1\n" * 8)
    odonata(*RUN, "--groups", str(colours), "-o", path)
    found = explain.load(path)
    assert len(found.run.jobs) == 2
    assert [(part.job, part.name) for part in found.functions] == [(None, "allreduce")]
    assert len(found.phases) == 1
    assert found.functions[0].total_ps == sum(rank.end_ps for rank in found.ranks)
    assert {part.job for part in found.communicators} == {0, 1}
    assert "of job 1" in odonata("explain", path)
