"""The study of redistribution on Eos: one small case made anew, its claims in the kept results."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odonata import machine, model
from odonata.model.parameters import cache_of
from odonata.trace import Matrix, RunPhase

FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))


@pytest.fixture(scope="module")
def study(load_study):
    """Return the modules of the folder, with the kept results."""
    names = ("cases", "decisions", "patterns", "tables", "run")
    found = load_study("amg-redistribution-eos", *names)
    found.kept = json.loads((found.folder / "results.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")
@pytest.mark.parametrize("switch", ["model", "never"])
def test_a_case_made_anew_is_the_kept_one(study, switch, monkeypatch):
    monkeypatch.setenv("PATH", os.pathsep.join(FOLDERS))
    case = replace(study.cases.TINY, switch=switch)
    made, kept = study.run.measure(case), study.kept[case.key]
    for phase in ("setup_seconds", "solve_seconds"):
        assert made.pop(phase) == pytest.approx(kept[phase], abs=1e-12)
    assert json.loads(json.dumps(made)) == {k: v for k, v in kept.items() if "seconds" not in k}


@pytest.mark.parametrize("name", ["eos", "edison", "theta"])
def test_machine_files_decide_as_the_programs_options(study, name):
    given, rules, mix = study.decisions.parameters(name)
    found = model.parameters_of(machine.load(name))
    for number in ("alpha", "beta", "gamma", "diameter", "t"):
        assert getattr(found, number) == pytest.approx(getattr(given, number))
    assert cache_of(machine.load(name), mix.tasks) == rules.cache_bytes


def test_no_run_is_of_another_study(study):
    keys = {case.key for case in study.cases.every()}
    keys |= {f"figure 9 | {switch}" for switch in study.patterns.SWITCHES}
    assert set(study.kept) <= keys


def test_the_tables_of_the_page_are_those_of_the_results(study):
    text = (study.folder / "README.md").read_text(encoding="utf-8")
    assert study.tables.with_tables(text, study.kept) == text


def test_a_model_that_refuses_costs_what_the_page_says(study):
    messages = replace(study.cases.SMALL, costs="messages")
    off, never, refused = (
        study.kept[replace(messages, switch=name).key] for name in ("off", "never", "refused")
    )
    assert never["setup_seconds"] / off["setup_seconds"] == pytest.approx(1.009, abs=5e-4)
    assert never["solve_seconds"] == pytest.approx(off["solve_seconds"], abs=1e-12)
    assert refused["solve_seconds"] == pytest.approx(off["solve_seconds"], rel=5e-4)
    assert refused["setup_seconds"] / never["setup_seconds"] == pytest.approx(1.015, abs=5e-4)
    assert refused["level"] is None


@pytest.mark.parametrize(("ranks", "tried", "best"), [(128, 18, "2:8"), (512, 22, "3:8")])
def test_the_models_choice_has_the_best_total_of_all_that_were_tried(study, ranks, tried, best):
    """12 x 12 x 12 points a rank, over levels and powers of two."""
    case = replace(study.cases.SMALL, ranks=ranks)
    totals = {
        key.rsplit(" | ", 1)[1]: row["setup_seconds"] + row["solve_seconds"]
        for key, row in study.kept.items()
        if key.startswith(replace(case, switch="").key) and ":" in key
    }
    assert len(totals) == tried
    chosen = study.kept[replace(case, switch="model").key]
    assert min(totals, key=totals.get) == f"{chosen['level']}:{chosen['groups']}" == best


def test_the_setup_of_figure_9_is_almost_all_to_all_on_levels_4_and_5(study):
    rows = [
        dict(zip(study.patterns.COLUMNS, row, strict=True))
        for row in study.kept["figure 9 | never"]["phases"]
    ]
    pairs = {(row["phase"], row["level"]): row["pairs"] / (128 * 127) for row in rows}
    assert sorted(pairs, key=pairs.get)[-2:] == [("setup", 4), ("setup", 5)]
    assert min(pairs["setup", level] for level in (4, 5)) > 0.85
    assert max(pairs["solve", level] for level in (4, 5)) < 0.28


def test_gathers_and_scatters_of_a_switch_are_in_the_solve_of_figure_9(study):
    def matrix(name, level, *rows):
        columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        return Matrix(RunPhase(name, level), 3, *columns, collectives={})

    found = study.patterns.by_level(
        [
            matrix("gather", 1, (1, 0, 4, 400), (2, 0, 4, 80)),
            matrix("scatter", 1, (0, 1, 2, 200)),
            matrix("setup", 1, (0, 2, 1, 8)),
            matrix("solve", None, (0, 1, 9, 9)),
            matrix("solve", 0, (2, 1, 3, 30)),
            matrix("solve", 1, (1, 0, 1, 7)),
        ]
    )
    assert [study.patterns.row(each) for each in found] == [
        ["setup", 1, 1, 8, 1, 1, 1.0, 1],
        ["solve", 0, 3, 30, 1, 1, 1.0, 1],
        ["solve", 1, 11, 687, 3, 3, 1.0, 1],
    ]
    assert found[2].source.tolist() == [0, 1, 2]
    assert found[2].messages.tolist() == [2, 5, 4]
