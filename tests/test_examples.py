"""Every example draws its figure and gets the number that it asserts; every page's code runs."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from odonata import machine, mpirun, placement, simulate, workload

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SCRIPTS = sorted(EXAMPLES.glob("plot_*.py"))
MOST_LINES = 80
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


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


def save_a_run(path: Path) -> None:
    """Write what ``odonata simulate ... -o run.nc`` would, for pages that read it."""
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    simulate.simulate(eos, [job]).save(path)


def record_a_run(path: Path) -> None:
    """Write what ``odonata mpirun --record run.trace ...`` would, for pages that play it."""
    program = "from mpi4py import MPI; MPI.COMM_WORLD.Barrier()"
    mpirun([sys.executable, "-c", program], 4, "eos", compute="none", record=path)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    if "run.nc" in text:
        save_a_run(tmp_path / "run.nc")
    if '"run.trace"' in text:
        record_a_run(tmp_path / "run.trace")
    known: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.M | re.S):
        if ">>>" not in block:
            exec(compile(block, page.name, "exec"), known)
            continue
        test = doctest.DocTestParser().get_doctest(block, known, page.name, name(page), 0)
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
