"""Plans: keys that tell what decides a result, and nothing else."""

from __future__ import annotations

import pytest

from odonata.study.file import parse_study
from odonata.study.plan import Plan, write_plan
from odonata.study.work import MOST_BEGUN, MOST_LOST, Done

TEXT = 'command = "replay {trace} --machine mine.toml --reorder order"'


@pytest.fixture
def inputs(tmp_path):
    """Return a folder with a machine file that names another file, and further inputs."""
    (tmp_path / "mine.toml").write_text('[shape]\nedges = "links.csv"', encoding="utf-8")
    for name in ("links.csv", "order", "run.trace"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "calls").write_text("calls", encoding="utf-8")
    return tmp_path


def key(folder, version="1", trace="run.trace"):
    (folder / "plan").mkdir(exist_ok=True)
    study = parse_study(TEXT.format(trace=trace), "study.toml")
    write_plan(study, folder / "plan", base=folder, version=version, expect=lambda _words: 1.0)
    return Plan(folder / "plan")[0].key


@pytest.mark.parametrize("name", ["mine.toml", "links.csv", "order", "run.trace"])
def test_a_changed_input_makes_another_key(inputs, name):
    before = key(inputs)
    assert key(inputs) == before
    (inputs / name).write_text("# changed\n[shape]\nedges = 'links.csv'", encoding="utf-8")
    assert key(inputs) != before


def test_a_changed_file_of_a_folder_makes_another_key(inputs):
    before = key(inputs, trace="profile")
    (inputs / "profile" / "calls").write_text("others", encoding="utf-8")
    assert key(inputs, trace="profile") != before


def test_another_version_makes_another_key_and_another_folder_does_not(inputs, tmp_path):
    before = key(inputs)
    assert key(inputs, version="2") != before
    (moved := tmp_path / "moved").mkdir()
    for name in ("mine.toml", "links.csv", "order", "run.trace"):
        (inputs / name).rename(moved / name)
    assert key(moved) == before


@pytest.mark.parametrize(("word", "most"), [("lost", MOST_LOST), ("begun", MOST_BEGUN)])
def test_a_run_fails_when_it_has_ended_too_many_workers(tmp_path, word, most):
    (tmp_path / "runs").mkdir()
    study = parse_study('command = "simulate"', "study.toml")
    line = f'{{"{word}":"a","seed":1}}\n'
    for number, expected in ((most - 1, 0), (most, most)):
        (tmp_path / "runs" / "one.jsonl").write_text(line * number, encoding="utf-8")
        assert Done(tmp_path, study).losses("a", 1) == expected
