"""Tables of all commands: on a narrow terminal, ``--wide`` and ``--csv``."""

from __future__ import annotations

import csv
import io
import json
import re
import sys

import pytest
from typer.testing import CliRunner

from odonata import model
from odonata.cli import app
from odonata.report import printing
from odonata.units import Written

from ..model.documents import document

COMMANDS = {
    "machines": "machines",
    "machines show": "machines show eos --sources",
    "machines check": "machines check eos",
    "machines where": "machines where edison --node 4711 --node 0",
    "machines families": "machines families",
    "place where": "place where --machine darter nid00012 c3-0c1s7n2",
    "place groups": "place groups --machine edison --by black",
    "place formats": "place formats",
    "place map": "place map --matrix who.csv --machine eos",
    "predict amg": "predict amg --machine eos",
    "predict amg of mixes": "predict amg --machine eos --mix 16x1,8x2",
    "predict amg --redistribute": "predict amg --machine eos --redistribute",
    "fit amg": "fit amg --machine eos amg-16x1.json:16x1 amg-8x2.json:8x2",
    "simulate": "simulate allgather --ranks 64 --machine eos --explain",
    "simulate --list": "simulate --list",
    "simulate several": "simulate allgather --machine eos,theta --ranks 32,64 --bytes 64,1KiB "
    "--algorithm ring,bruck --mapping block,random --seed 1,2",
    "simulate loads": "simulate traffic --machine small.toml --load 0.2,0.9 "
    "--packets-per-node 9 "
    "--pattern adversarial+1 --routing minimal,valiant",
    "replay": "replay two.trace --machine eos,theta --explain",
    "trace show": "trace show two.trace",
    "trace show --matrix": "trace show two.trace --matrix",
    "trace convert": "trace convert two.goal again.trace",
    "trace formats": "trace formats",
    "profile show": "profile show two.trace",
    "profile compare": "profile compare two.trace other.trace",
    "explain": "explain ring.nc",
    "compare": "compare ring.nc bruck.nc",
    "show": "show ring.nc",
    "show several": "show ring.nc bruck.nc",
    "measure": "measure --from latency.txt",
    "doctor": "doctor",
}
"""A line for each command that prints tables."""

OSU = "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n" + "".join(
    f"{2**k} {1 + 2**k * 1e-4:.4f}\n" for k in range(21)
)

GOAL = """num_ranks 2
rank 0 {{
l1: calc 1234567
l2: send {0}b to 1 tag 0
}}
rank 1 {{
l1: recv {0}b from 0 tag 0
}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make the files that the commands read."""
    made = tmp_path_factory.mktemp("tables")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        (made / "who.csv").write_text("source,target,bytes\n0,3,123456789\n1,2,8\n")
        (made / "latency.txt").write_text(OSU)
        for mix, scenario in (("16x1", "bandwidth"), ("8x2", "distance")):
            written = document(scenario, model.Mix.parse(mix))
            (made / f"amg-{mix}.json").write_text(json.dumps(written))
        for name, size in (("two", 1234567), ("other", 8)):
            (made / f"{name}.goal").write_text(GOAL.format(size))
            run("trace", "convert", f"{name}.goal", f"{name}.trace")
        (made / "small.toml").write_text(run("machines", "new", "--family", "dragonfly"))
        for name in ("ring", "bruck"):
            words = "simulate allgather --ranks 16 --machine eos --explain --algorithm"
            run(*words.split(), name, "-o", f"{name}.nc")
    return made


def run(*words):
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


@pytest.fixture
def on_terminal(run_odonata, folder, monkeypatch):
    """Run a line in the folder with a terminal of 80 columns; give its output."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")

    def call(line):
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        status, out, err = run_odonata(*line.split())
        assert status == 0, err
        return out

    return call


@pytest.mark.parametrize("name", COMMANDS)
def test_no_line_is_longer_than_the_terminal(on_terminal, name):
    out = on_terminal(COMMANDS[name])
    long = [line for line in out.splitlines() if len(line) > 80]
    assert [line for line in long if not line.startswith("best_fit = ")] == []
    assert "…" not in out


def columns_left_out(text):
    return re.search(r"^\d+ columns? left out: ", text, re.MULTILINE) is not None


@pytest.mark.parametrize(
    "name", ["machines", "place groups", "predict amg of mixes", "simulate several", "measure"]
)
def test_wide_tables_have_all_columns(on_terminal, name):
    assert not columns_left_out(on_terminal(f"{COMMANDS[name]} --wide"))


@pytest.fixture
def as_csv(run_odonata, folder, monkeypatch):
    """Run a line with ``--csv`` in the folder; give tables, standard output and error."""
    monkeypatch.chdir(folder)
    tables = []
    write = printing.csv_of
    monkeypatch.setattr(printing, "csv_of", lambda table: tables.append(table) or write(table))

    def call(line):
        status, out, err = run_odonata(*line.split(), "--csv")
        assert status == 0, err
        return tables, out, err

    return call


SCALES = {
    **{"": 1.0, "%": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30},
    **{"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0},
    **{"B/s": 1.0, "MB/s": 1e6, "GB/s": 1e9, "ps/B": 1e-12},
}
QUANTITY = re.compile(r"([<+-]?)(\d[\d,]*)(\.\d+)?(e[+-]\d+)? ?([^\d\s]*)")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_number_rounds_to_that_of_the_table(as_csv, name):
    tables, out, _ = as_csv(COMMANDS[name])
    assert tables
    for table, text in zip(tables, out.split("\n\n"), strict=True):
        head, *rows = csv.reader(io.StringIO(text))
        assert len(head) >= len(table.columns)
        assert len(rows) == len(table.rows)
        for shown, written in zip(table.rows, rows, strict=True):
            for at, cell in enumerate(shown):
                if isinstance(cell, Written):
                    check(cell)
                    assert str(cell.value) in written
                elif not table.is_left(at) and QUANTITY.fullmatch(cell):
                    assert re.fullmatch(r"\d*", cell), "its number is rounded"


def check(cell):
    """Check that the text of a number belongs to its value."""
    sign, digits, decimals, power, unit = QUANTITY.fullmatch(cell.removeprefix("* ")).groups("")
    scale = 1.0 if cell.unit == "ms" else SCALES[unit]  # a table of times in one unit
    scale *= float("1" + power)
    number = float(digits.replace(",", "") + decimals) * scale
    if sign == "<":
        assert 0 < abs(cell.value) < number
        return
    half = 0.5001 * scale * 10.0 ** -max(0, len(decimals) - 1)  # of the last digit
    assert cell.value == pytest.approx(-number if sign == "-" else number, rel=0, abs=half), cell


def test_one_table_is_one_document(as_csv):
    _, out, err = as_csv(COMMANDS["simulate several"])
    head, *rows = csv.reader(io.StringIO(out))
    assert head[:5] == ["algorithm", "machine", "mapping", "bytes [B]", "ranks"]
    assert len(rows) == 32
    assert rows[0][:5] == ["ring", "eos", "block", "64", "32"]
    assert "allgather" in err, "the title is beside the table"


def test_quiet_tables_have_nothing_beside_them(as_csv):
    _, out, err = as_csv(COMMANDS["show"])
    assert "Busiest class: " in err
    _, again, err = as_csv(COMMANDS["show"] + " -q")
    assert (again, err) == (out, "")


@pytest.mark.parametrize(
    "words",
    [
        ["machines", "--csv", "--json"],
        ["simulate", "barrier", "--machine", "eos", "--json", "--csv"],
        ["mpirun", "--csv", "--json", "--machine", "eos", "--", "true"],
        ["measure", "--json", "--csv"],
        ["profile", "show", "two.trace", "--csv", "--json"],
    ],
)
def test_csv_and_json_are_one_too_many(run_odonata, folder, monkeypatch, words):
    monkeypatch.chdir(folder)
    status, out, err = run_odonata(*words)
    assert (status, out) == (2, "")
    assert err == (
        "odonata: --csv and --json: two documents on standard output; give one of them\n"
    )


def test_a_profile_goes_to_a_folder_or_to_standard_output(as_csv, run_odonata, tmp_path):
    tables, out, _ = as_csv(COMMANDS["profile show"])
    assert len(tables) == out.count("\n\n") + 1 > 3
    status, out, _ = run_odonata("profile", "show", "two.trace", "--csv", tmp_path, "--json")
    assert (status, json.loads(out)["ranks"]) == (0, 2)
    assert (tmp_path / "calls.csv").exists()


def test_families_are_one_table(as_csv):
    tables, out, _ = as_csv("machines families")
    assert len(tables) == 1
    assert out.splitlines()[:2] == [
        "family,key,allowed,meaning",
        "dragonfly,shape.nodes_per_router,1 to 4096,Nodes of each router",
    ]
