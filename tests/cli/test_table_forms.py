"""Tables of all commands: on a narrow terminal and ``--wide``."""

from __future__ import annotations

import json
import re
import sys

import pytest
from typer.testing import CliRunner

from odonata import model
from odonata.cli import app

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
    """Run a line in the folder with a terminal of 80 columns; what is printed."""
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
