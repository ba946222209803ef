"""Every example draws its figure, and gets the number that it asserts."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))
MOST_LINES = 80


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example_draws_its_figure(script, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [script.name])
    spec = importlib.util.spec_from_file_location(script.stem, script)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    figure = tmp_path / "figure.png"
    example.main(str(figure))
    assert figure.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_example_is_short_and_asserts_a_number(script):
    text = script.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(re.findall(r"^    assert ", text, re.MULTILINE)) == 1


def test_there_are_examples():
    assert len(SCRIPTS) >= 6
