"""The list of mutants fits the code: each can be made, and has tests that could kill it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = ROOT / "validation" / "mutation" / "mutants.toml"
MUTANTS = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_the_text_that_a_mutant_changes_is_there_once(mutant):
    text = (ROOT / mutant["file"]).read_text(encoding="utf-8")
    assert text.count(mutant["old"]) == 1
    assert mutant["old"] != mutant["new"]
    assert len(mutant["why"].splitlines()) == 1


def test_every_mutant_has_a_name_of_its_own_and_tests_that_there_are():
    assert len({mutant["name"] for mutant in MUTANTS}) == len(MUTANTS) >= 60
    sources = (ROOT / "cpp" / "tests").rglob("*.cpp")
    cpp = re.findall(r'^TEST\("([^"]+)"', "\n".join(p.read_text() for p in sources), re.MULTILINE)
    for test in {test for mutant in MUTANTS for test in mutant["tests"]}:
        prefix = test.removeprefix("cpp:")
        if prefix == test:
            assert (ROOT / test.partition("::")[0]).is_file(), test
        else:
            assert any(name.startswith(prefix) for name in cpp), test


@pytest.mark.parametrize("part", ["odonata/model", "odonata/measure", "libmpi", "odonata/engine"])
def test_every_part_has_mutants(part):
    assert sum(part in mutant["file"] for mutant in MUTANTS) >= 8
