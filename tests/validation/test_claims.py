"""The list of published claims: counts, links, and numbers that a command gives in seconds."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from odonata.cli import app

PAGE = Path(__file__).parents[2] / "validation" / "claims.md"
TEXT = PAGE.read_text(encoding="utf-8")
VERDICTS = [
    "reproduced",
    "differs, with a reason",
    "differs, reason is weak",
    "not attempted",
    "cannot be",
]
CLAIMS = {
    name: dict(zip(("claim", "where", "result", "verdict"), cells.split(" | "), strict=True))
    for name, cells in re.findall(r"^\| ([ABCGP]\d+) \| (.*) \|$", TEXT, re.MULTILINE)
}


def test_every_claim_is_there_once_and_has_a_verdict():
    numbers = Counter(name[0] for name in CLAIMS)
    assert numbers == {"A": 57, "B": 31, "P": 15, "G": 20, "C": 16}
    assert len(re.findall(r"^\| [ABCGP]\d+ \|", TEXT, re.MULTILINE)) == len(CLAIMS)
    assert {claim["verdict"] for claim in CLAIMS.values()} == set(VERDICTS)


def test_the_counts_are_those_of_the_rows():
    table = TEXT.split("<!-- counts -->")[1].split("<!-- end -->")[0].strip().splitlines()
    printed = [[int(cell) for cell in line.split("|")[2:-1]] for line in table[2:]]
    counts = []
    for letter in "ABPGC":
        own = Counter(claim["verdict"] for name, claim in CLAIMS.items() if name[0] == letter)
        counts.append([*(own[verdict] for verdict in VERDICTS), own.total()])
    assert printed == [*counts, [sum(column) for column in zip(*counts, strict=True)]]


def test_links_lead_to_pages():
    links = set(re.findall(r"\]\(([^)]+)\)", TEXT))
    assert len(links) > 5
    assert all((PAGE.parent / link).is_file() for link in links)


def command(words: str) -> dict[str, object]:
    done = CliRunner().invoke(app, [*shlex.split(words), "--json"], catch_exceptions=False)
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "cores", "order", "printed"),
    [
        ("A17", 1024, "lexicographic", "9.72"),
        ("A18", 8192, "lexicographic", "11.61"),
        ("A29", 1024, "cf", "11.80"),
        ("A29", 8192, "cf", "14.61"),
        ("A30", 1024, "lexicographic", "5.77"),
    ],
)
def test_modelled_cycles_take_what_is_printed(name, cores, order, printed):
    scenario = "baseline" if name == "A30" else "distance"
    words = f"predict amg --machine eos --cores {cores} --scenario {scenario}"
    found = command(f"{words} --relaxation-order {order}")
    assert f"{found['cycle_seconds'][scenario] * 1e3:.2f}" == printed
    assert printed in CLAIMS[name]["result"]


def test_the_decision_on_eos_gains_what_is_printed():
    levels = command("predict amg --machine eos --redistribute --scenario distance")
    gains = [f"{100 * level['gain']:.1f}" for level in levels["redistribution"]["levels"][4:6]]
    assert gains == ["3.1", "13.9"]
    assert "level 4 gains 3.1, level 5 13.9 %" in CLAIMS["A40"]["result"]


def test_the_node_of_a_name_is_that_of_the_formula():
    (found,) = command("place where --machine darter c3-0c1s7n2")["nodes"]
    assert found["nid"] == "nid00670"
    assert "c3-0c1s7n2 = 670" in CLAIMS["B2"]["result"]
