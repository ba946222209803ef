"""``odonata predict amg``."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from odonata.cli import app
from odonata.errors import UserError

from .documents import LEVEL

SCENARIOS = ["baseline", "distance", "bandwidth", "alpha", "gamma", "alpha_gamma"]


def run(*options):
    result = CliRunner().invoke(app, ["predict", "amg", "--machine", "eos", *options])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


def test_json_has_the_cycle_by_scenario_and_the_levels():
    asked = ["--problem", "laplace", "--points", "50x50x25", "--cores", "1024", "--mix", "16x1"]
    document = json.loads(run(*asked, "--json"))
    assert list(document["cycle_seconds"]) == SCENARIOS
    assert document["cycle_seconds"]["distance"] == pytest.approx(9.718e-3, abs=1e-6)
    assert len(document["levels"]) == 8
    total = sum(level["seconds"]["distance"]["total"] for level in document["levels"])
    assert total == pytest.approx(document["cycle_seconds"]["distance"])


def test_the_table_says_when_it_is_an_estimate():
    assert "an estimate" not in run()
    text = run("--cores", "200", "--scenario", "distance")
    assert "interpolated:" in text
    assert "% at 16" in text
    text = run("--cores", "8192", "--mix", "4x4")
    assert "an estimate: cycle time ±" in text
    assert "extrapolated:" in text
    assert "regrouped:" in text


def test_json_has_the_error_of_an_estimate():
    assert json.loads(run("--json"))["estimate_error"] == 0
    document = json.loads(run("--cores", "8192", "--json"))
    errors = document["estimate_checks"]["extrapolated"]
    assert document["estimate_error"] == max(map(abs, errors.values())) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cores", "20000"], "more than machine eos has.*1 to 11904"),
        (["--mix", "16x2"], "more than the cores of a node"),
        (["--mix", "16"], "mix"),
        (["--mix", "0x1"], "mix"),
        (["--mix", "8x2", "--cores", "7"], "multiple"),
        (["--points", "50x50"], "three sides"),
        (["--points", "50x50x0"], "side is 0"),
        (["--links", "x"], "links: unknown"),
        (["--scenario", "x"], "scenario: unknown.*allowed: all, baseline"),
        (["--scenario", "distence"], "did you mean 'distance'"),
        (["--cores", "0"], "cores: out of range"),
        (["--machine", "theta"], "model.alpha: missing"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(UserError, match=message):
        run(*options)


def test_the_levels_are_drawn(tmp_path):
    figure = tmp_path / "levels.svg"
    run("--cores", "64", "--plot", str(figure))
    assert b"<svg" in figure.read_bytes()
    with pytest.raises(UserError, match="no such format"):
        run("--plot", "levels.txt")


def test_a_hierarchy_file_is_used(tmp_path):
    path = tmp_path / "run.json"
    run_ = {"ranks": 2, "points_per_rank": [10, 10, 10], "levels": [LEVEL]}
    path.write_text(json.dumps(run_))
    text = run("--hierarchy", str(path), "--cores", "2", "--points", "10x10x10")
    assert "hierarchy file" in text
