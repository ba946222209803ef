"""Intervals of simulated times, and the words about how far a machine was checked."""

import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from odonata import machine
from odonata.cli import app
from odonata.errors import UserError
from odonata.trust import decisions
from odonata.trust.checked import Checked, checked_rows, text_of
from odonata.trust.intervals import Question, like, pool, split_conformal

RUN = ["simulate", "allgather", "--algorithm", "ring", "-n", "16", "--bytes", "1KiB"]


def row(run="a", operation="allgather", size=1024, ratio=1.0):
    return Checked(run, operation, "ring", size, 16, 16, ratio, 2 * ratio, 0.9, 1.2)


def call(*words):
    done = CliRunner().invoke(app, [*RUN, *words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_a_split_conformal_interval_by_hand():
    """Another case is beyond the first of 19 ratios, or the last, in a twentieth of all draws."""
    ratios = [0.1 * number for number in range(1, 20)]
    assert split_conformal(ratios, 0.9) == pytest.approx((0.1, 1.9))
    assert split_conformal(ratios, 0.5) == pytest.approx((0.5, 1.5))


def test_an_interval_contains_the_simulated_time():
    assert split_conformal([1.5, 1.6, 1.7], 0.5) == (1, 1.7)
    assert split_conformal([0.5, 0.6, 0.7], 0.5) == (0.5, 1)


def test_few_ratios_give_all_of_their_range():
    assert split_conformal([0.5, 2], 0.99) == (0.5, 2)


def test_the_closest_cases_are_those_of_the_operation_and_size():
    close = [row(run) for run in "ab" for _ in range(20)]
    others = [row("a", "bcast", ratio=3.0), row("b", size=2**30, ratio=4.0)]
    words, chosen = like(row(), close + others)
    assert words == "allgather of such sizes"
    assert chosen == close


def test_too_few_close_cases_or_one_run_give_way_to_others():
    one_run = [row("a") for _ in range(60)] + [row("b", "bcast") for _ in range(60)]
    assert like(row(), one_run) == ("collectives of such sizes", one_run)
    far = [row("a", "bcast", 2**30)] * 5
    assert like(row(), far) == ("collectives", far)


def test_rows_are_read_as_they_were_written(tmp_path):
    (tmp_path / "mine.checked.csv").write_text(text_of([row(), row("b", ratio=0.5)]))
    text = (machine.load("jupiter-fdr").file.folder / "jupiter-fdr.toml").read_text()
    how = 'source = "ours", status = "measured"'
    text += f"""
[checked]
cases = {{ value = 2, {how} }}
median_error = {{ value = 0.35, {how} }}
factor = {{ value = 2, {how} }}
rows = {{ value = "mine.checked.csv", {how} }}
"""
    (tmp_path / "mine.toml").write_text(text)
    loaded = machine.load(tmp_path / "mine.toml")
    assert checked_rows(loaded) == (row(), row("b", ratio=0.5))
    assert loaded.checked == "2 measured cases, median error 35 %, 90 % within a factor 2"


def test_half_of_a_comparison_is_refused(tmp_path):
    text = (machine.load("jupiter-fdr").file.folder / "jupiter-fdr.toml").read_text()
    text += '\n[checked]\ncases = { value = 2, source = "ours", status = "measured" }\n'
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UserError, match=r"checked.median_error: missing beside checked.cases"):
        machine.load(tmp_path / "mine.toml")


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("ratio,before", "column"),
        (text_of([row()]).replace("1024", "many"), "not a row"),
        (text_of([row(ratio=-1.0)]), "ratio: out of range"),
    ],
)
def test_wrong_rows_are_refused_with_their_place(tmp_path, wrong, says):
    (tmp_path / "rows.csv").write_text(wrong)
    changed = machine.load("lumi-g", {"checked.rows": str(tmp_path / "rows.csv")})
    with pytest.raises(UserError, match=says):
        checked_rows(changed)


def test_a_run_on_a_checked_machine_has_an_interval_of_its_cases():
    found = json.loads(call("--machine", "lumi-g", "--interval", "90%", "--json").stdout)
    low, high = found["interval_seconds"]
    assert low < found["time_seconds"] < high
    assert found["coverage"] == 0.9
    assert found["cases"] >= 40
    assert found["outside"] == []
    parts = found["interval_parts"]
    assert parts["draws"] == [1, 1]  # one route, no other jobs
    assert found["time_seconds"] * parts["model"][0] == pytest.approx(low)


def test_a_machine_that_was_not_checked_says_so_and_has_a_wider_interval():
    ours = json.loads(call("--machine", "lumi-g", "--interval", "90%", "--json").stdout)
    other = json.loads(call("--machine", "eos", "--interval", "90%", "--json").stdout)
    assert other["outside"] == ["no measurement of eos is known"]
    assert other["checked"] == "not checked against measurements"

    def width(found):
        low, high = found["interval_seconds"]
        return math.log(high / low)

    assert width(other) > 1.2 * width(ours)


def test_a_machine_that_was_not_checked_has_errors_of_numbers_that_were_not_fitted():
    question = Question("allreduce", "ring", 2**20, 16)
    _, rows, ratios = pool(question, machine.load("eos"))
    assert ratios == [each.before for each in rows]
    assert ratios != [each.ratio for each in rows]
    _, rows, ratios = pool(question, machine.load("lumi-g"))
    assert ratios == [each.ratio for each in rows]


def test_what_was_not_checked_is_named():
    many = ["--machine", "lumi-g", "-n", "2600", "--engine", "analytic", "--interval", "90%"]
    many += ["--algorithm", "bruck"]  # fewer messages
    text = call(*many, "--set", "mpi.poll=1us").stdout
    assert "outside of the measurements: 2,600 ranks: checked were 4 to 2,048" in text
    assert "lumi-g with other numbers was not checked" in text
    assert "before these changes" in text


def test_an_interval_follows_the_nodes_that_seeds_draw():
    words = ["--machine", "lumi-g", "--allocation", "random", "--interval", "90%", "--json"]
    low, high = json.loads(call(*words).stdout)["interval_parts"]["draws"]
    assert low < 1 or high > 1


def test_a_comparison_has_intervals():
    text = call("--machine", "lumi-g", "--bytes", "1KiB,64KiB", "--interval", "80%").stdout
    assert text.count("(80 %)") == 2


@pytest.mark.parametrize(
    ("given", "says"), [("much", "not a share"), ("90", "out of range"), ("0.999", "out of range")]
)
def test_a_wrong_coverage_is_refused(given, says):
    with pytest.raises(UserError, match=f"--interval: {says}: '{given}'; allowed: 50% to 99%"):
        call("--machine", "eos", "--interval", given)


def test_a_decision_by_hand(monkeypatch):
    """Two of the six pairs of ratios 1, 1 and 4 turn an order round whose times are 1 and 3."""
    rows = [
        replace(row(), algorithm=name, ratio=ratio)
        for name, ratio in (("ring", 1.0), ("bruck", 1.0), ("sparbit", 4.0))
    ]
    monkeypatch.setattr(decisions, "pool", lambda *_: ("", rows, [each.ratio for each in rows]))
    runs = [a_run("ring", 1000), a_run("bruck", 3000)]
    found = decisions.decision(runs, machine.load("eos"))
    assert (found.faster, found.slower, found.pairs, found.holds) == ("ring", "bruck", 6, 4)
    assert "with the errors of 67 of 100 pairs" in found.sentence


def test_a_decision_goes_by_the_median_of_the_seeds():
    """The last seed alone would call bruck the faster one."""
    runs = [a_run("ring", end) for end in (1000, 1000, 9000)]
    runs += [a_run("bruck", end) for end in (3000, 3000, 2000)]
    assert decisions.decision(runs, machine.load("lumi-g")).faster == "ring"


def test_one_algorithm_is_no_decision():
    assert decisions.decision([a_run("ring", 1000)] * 2, machine.load("eos")) is None


def a_run(algorithm, end):
    summary = {"operation": "allgather", "algorithm": algorithm, "block_bytes": 64, "ranks": 16}
    return SimpleNamespace(summary=summary, end=end)


def test_a_comparison_says_how_often_its_order_holds():
    words = ["simulate", "allgather", "-n", "16", "--machine", "lumi-g", "--interval", "90%"]
    text = CliRunner().invoke(app, [*words, "--algorithm", "ring,bruck"]).stdout
    assert re.search(r"bruck is faster than ring, the next, with the errors of \d+ of 100", text)
    told = CliRunner().invoke(app, [*words, "--algorithm", "ring,bruck", "--json"]).stdout
    (found,) = json.loads(told)["decisions"]
    assert found["holds"] / found["pairs"] == found["share"] > 0.5
