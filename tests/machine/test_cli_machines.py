"""``odonata machines``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from odonata import machine
from odonata.cli import app
from odonata.errors import UserError


def run(*words: object):
    return CliRunner().invoke(app, ["machines", *map(str, words)], catch_exceptions=True)


def printed(*words: object) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.exception
    return result.output


def test_table_has_every_machine():
    lines = printed().splitlines()
    assert [line.split()[0] for line in lines[1:]] == machine.names()


def test_table_as_json():
    machines = json.loads(printed("--json"))
    assert {m["name"]: m["nodes"] for m in machines}["dragonfly-5256"] == 5256


def test_show_with_sources():
    text = printed("show", "eos", "--sources")
    assert "744 nodes of 16 cores" in text
    line = next(line for line in text.splitlines() if line.startswith("model.alpha"))
    assert "0.238 us" in line
    assert "published" in line
    assert "Table 1" in line
    assert "Table 1" not in printed("show", "eos")


def test_show_as_json():
    document = json.loads(printed("show", "eos", "--json", "--set", "node.cores=8"))
    assert document["cores_per_node"] == 8
    assert document["changes"] == {"node.cores": 8}
    number = document["numbers"]["links.green.bandwidth"]
    assert number["value"] == 4_000_000_000
    assert number["status"] == "assumed"


def test_check_says_that_it_is_free_of_deadlock():
    text = printed("check", "eos", "--routing", "ugal")
    assert "routing        ugal-l" in text
    assert "deadlock-free  yes" in text
    assert "connected      yes" in text
    assert "240 links, between halves of groups (1 and 1)" in text


def test_nine_groups_are_cut_four_against_five():
    # Theta: 48 blue cables join each pair of groups, and 4 x 5 pairs are cut
    text = printed("check", "theta", "--routing", "minimal")
    assert f"{48 * 20} links, between halves of groups (4 and 5)" in text


def test_check_as_json():
    document = json.loads(printed("check", "dragonfly-5256", "--routing", "par", "--json"))
    assert document["deadlock_free"]
    assert document["passed"]
    assert document["diameter"] == 3
    assert document["bisection_links"] == 36 * 37
    assert document["bisection_halves"] == [36, 37]
    assert document["bisection_exact"]


def test_check_against_the_published_wiring(edison_path):
    words = ("check", "edison", "--routing", "minimal", "--wiring", edison_path)
    assert json.loads(printed(*words, "--json"))["wiring"] == {
        "by rule": {"green": 0, "black": 0, "blue": 0},
        "from file": {"green": 0, "black": 0, "blue": 0},
    }


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("show", "eoss"), "did you mean 'eos'"),
        (("check", "eos", "--routing", "ugall"), "ugall"),
        (("show", "eos", "--set", "node.cores"), "not KEY=VALUE"),
        (("show", "eos", "--set", "node.core=3"), "did you mean 'node.cores'"),
        (("show", "eos", "--set", "router.delay=100"), "without a unit"),
        (("check", "eos", "--wiring", "nowhere.txt"), "no such file"),
    ],
)
def test_wrong_words_are_refused(words, problem):
    error = run(*words).exception
    assert isinstance(error, UserError)
    assert problem in str(error)


def test_adapters_cables_and_ports_are_counted_apart_from_routers():
    """Summit has two trees, each of 256 leaves, 288 routers above them and 324 at the top."""
    lines = printed("show", "summit").splitlines()
    assert lines[1] == (
        "4608 nodes of 42 cores, 1736 routers of up to 36 ports, 4608 adapters, 16 groups"
    )
    cables = {line.split()[0]: line.split()[1:3] for line in lines[3:8]}
    assert cables["injection"] == ["4608", "4608"]
    assert cables["ejection"] == ["4608", "-"]
    assert cables["rail"] == ["18432", "9216"]  # of each adapter to both trees
    document = json.loads(printed("show", "summit", "--json"))
    assert (document["routers"], document["adapters"], document["ports"]) == (6344, 4608, 36)
