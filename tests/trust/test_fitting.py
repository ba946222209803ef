"""Numbers of a machine are found again in the times that it would have measured."""

import json

import pytest
from typer.testing import CliRunner

from odonata import machine, measure, trust
from odonata.cli import app
from odonata.errors import UserError

from .tables import machine_with, write

TRUE = {
    "mpi.send_overhead": "1.7 us",
    "mpi.recv_overhead": "1.7 us",
    "links.injection.latency": "0.4 us",
    "links.ejection.latency": "0.4 us",
    "mpi.rendezvous_overhead": "2.5 us",
    "links.injection.bandwidth": "3.1 GB/s",
    "links.ejection.bandwidth": "3.1 GB/s",
    "mpi.reduce_per_byte": "350 ps/B",
    "mpi.copy_per_byte": "60 ps/B",
}
KEYS = {
    "mpi.send_overhead": 1_700_000,
    "links.injection.latency": 400_000,
    "links.injection.bandwidth": 3_100_000_000,
    "mpi.reduce_per_byte": 350,
    "mpi.copy_per_byte": 60,
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return write(tmp_path_factory.mktemp("tables"), machine.load("jupiter-fdr", TRUE))


@pytest.fixture(scope="module")
def found(tables):
    base = machine_with()
    return measure.fit_machine(base, trust.read_cases(*tables, base).known, leave_out=True)


def test_numbers_are_found_again(found):
    for key, value in KEYS.items():
        assert found.machine.value(key) == pytest.approx(value, rel=0.05), key
    assert found.after.spread.error < 0.01 < found.before.spread.error
    for number in found.numbers:
        assert number.low <= number.value <= number.high


def test_each_run_is_predicted_without_its_rows(found):
    assert [one.run for one in found.left_out] == ["first", "second"]
    assert all(one.predicted.spread.error < 0.1 for one in found.left_out)


def test_a_run_that_is_left_out_does_not_pull_its_own_prediction(tmp_path):
    """All times of the second run are half as long again: each run is predicted like the other."""
    base = machine.load("jupiter-fdr")
    measured, nodes = write(tmp_path, base)
    head, *rows = measured.read_text().splitlines()
    cells = [row.split(",") for row in rows]
    for row in cells:
        row[8] = str(float(row[8]) * (1.5 if row[0] == "second" else 1))
    measured.write_text("\n".join([head, *map(",".join, cells)]) + "\n")
    cases = trust.read_cases(measured, nodes, base).known
    found = measure.fit_machine(base, cases, leave_out=True)
    median = {one.run: one.predicted.spread.median for one in found.left_out}
    assert median["first"] < 0.8
    assert median["second"] > 1.25
    rows = {row.run: row.ratio for row in found.checked()}
    assert rows["first"] < 1 < rows["second"]


def test_the_file_has_intervals_and_says_fitted(found, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(found.to_toml("mine", "a table of ours"))
    again = machine.load(path)
    number = again.numbers["mpi.send_overhead"]
    assert number.status == "fitted"
    assert "32 rows of 2 runs: a table of ours" in number.source
    assert number.interval[0] <= number.value <= number.interval[1]
    assert again.value("mpi.send_overhead") == found.machine.value("mpi.send_overhead")


def test_the_packet_engine_ends_it(found, tables):
    """Nothing but the ports of nodes is full on one switch: both engines are near."""
    few = found.without_packets()
    assert found.packets.spread.cases == few.cases > 20
    assert found.packets.spread.median == pytest.approx(few.median, rel=0.02)
    assert list(found.packets.seconds) != [
        found.after.seconds[found.after.cases.index(case)] for case in found.packets.cases
    ]


def test_a_number_that_is_kept_stays(tables):
    base = machine_with()
    keep = ["links.ejection.bandwidth", "mpi.copy_per_byte"]
    cases = trust.read_cases(*tables, base).known
    found = measure.fit_machine(base, cases, most_cases=16, keep=keep)
    for key in (*keep, "links.injection.bandwidth"):
        assert found.machine.value(key) == base.value(key)
    assert found.machine.value("mpi.send_overhead") != base.value("mpi.send_overhead")


def test_a_number_that_cannot_be_kept_is_told(tables):
    base = machine_with()
    cases = trust.read_cases(*tables, base).known
    with pytest.raises(UserError, match=r"keep: not searched for.*mpi\.send_overhead"):
        measure.fit_machine(base, cases, keep=["mpi.send_overhed"])


def test_too_few_rows_are_refused(tables):
    base = machine_with()
    cases = trust.read_cases(*tables, base).known[:3]
    with pytest.raises(UserError, match="measured: too few rows: 3; allowed: more than"):
        measure.fit_machine(base, cases)


def call(tables, *words):
    measured, nodes = map(str, tables)
    files = ["--measured", measured, "--nodes", nodes]
    done = CliRunner().invoke(app, ["fit", "machine", "--machine", "jupiter-fdr", *files, *words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_the_command_writes_a_machine(tables, tmp_path):
    out = tmp_path / "mine.toml"
    printed = json.loads(call(tables, "-o", str(out), "--json"))
    assert machine.load(out).name == "mine"
    assert printed["fitted"]["error"] < 0.01
    assert printed["packet_engine"]["cases"] == printed["few_packets"]["cases"] > 20
    assert printed["ranking"]["right"] == printed["ranking"]["pairs"] > 0
    assert set(KEYS) <= set(printed["numbers"])


def test_the_tables_have_before_and_after(tables):
    text = call(tables, "--cases", "12")
    assert "Numbers that were found" in text
    assert "the same, packet engine" in text
    assert "links.injection.bandwidth, links.ejection.bandwidth" in text


def test_a_wrong_table_is_refused_before_anything_runs(tables, tmp_path):
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("run,nodes\n")
    with pytest.raises(UserError, match="column ranks_per_node: missing"):
        call((wrong, tables[1]))
