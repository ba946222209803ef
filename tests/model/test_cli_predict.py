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


def test_numbers_that_the_file_lacks_come_from_its_links():
    asked = ["--machine", "titan", "--set", "model.t=1.6ns", "--scenario", "distance"]
    document = json.loads(run(*asked, "--json"))
    assert document["changes"] == {"model.t": "1.6ns"}
    added = document["from_links"]
    assert list(added) == ["model.alpha", "model.beta", "model.gamma"]
    text = run(*asked)
    assert "From the links of titan, by ping-pongs on the idle machine: α 1.4 us, β" in text
    given = [word for key, value in added.items() for word in ("--set", f"{key}={value}")]
    same = json.loads(run(*asked, *given, "--json"))
    assert same["from_links"] == {}
    assert same["cycle_seconds"] == document["cycle_seconds"]
    assert "From the links" not in run(*asked, *given)


def test_a_changed_number_changes_the_cycle():
    plain, changed = (
        json.loads(run("--scenario", "distance", *more, "--json"))["cycle_seconds"]["distance"]
        for more in ([], ["--set", "model.alpha=1 ms"])
    )
    assert changed > 10 * plain


def test_the_best_fit_of_the_machine_is_marked_with_how_good_it_is():
    text = run("--mix", "8x2")
    assert "* best fit of eos for 8x2: distance, accuracy 91.3% on 1,024 cores (published: " in text
    assert [line.split()[1] for line in text.splitlines() if " * " in line[2:]] == ["distance"]
    # the fit of the nearest number of cores, in log P: 8,192 from 2,897 on
    assert "accuracy 91.3% on 1,024 cores" in run("--mix", "8x2", "--cores", "2896")
    assert "accuracy 92.8% on 8,192 cores" in run("--mix", "8x2", "--cores", "2898")
    best = json.loads(run("--json"))["best_fit"]
    assert (best["mix"], best["scenario"], best["cores"]) == ("16x1", "distance", 1024)
    assert (best["accuracy"], best["status"], best["warning"]) == (0.86, "published", None)
    assert "Table 3" in best["source"]


def test_a_mix_without_a_best_fit_says_so():
    text = run("--mix", "3x1")
    assert "best fit: the file of eos has none for 3x1; odonata fit amg finds it" in text
    assert "*" not in text
    assert json.loads(run("--mix", "3x1", "--json"))["best_fit"] is None


def test_the_dominating_level_and_term_are_named():
    found = json.loads(run("--json"))
    total = [level["seconds"]["gamma"]["total"] for level in found["levels"]]
    dominance = found["dominance"]
    assert list(dominance) == SCENARIOS
    assert (dominance["gamma"]["level"], dominance["gamma"]["term"]) == (5, "gamma")
    assert dominance["gamma"]["level_share"] == pytest.approx(max(total) / sum(total))
    assert (dominance["distance"]["level"], dominance["distance"]["term"]) == (0, "flops")
    assert sum(dominance["alpha"]["cycle_shares"].values()) == pytest.approx(1)
    lines = [[cell.strip() for cell in line.split("|")[1:6]] for line in run().splitlines()]
    assert ["distance *", "0", "44.3%", "flops", "97.4%"] in lines
    assert ["gamma", "5", "30.5%", "γ", "97.1%"] in lines


def test_several_mixes_are_rows_of_one_table_and_documents_of_one_json(tmp_path):
    figure = tmp_path / "levels.svg"
    text = run("--mix", "16x1,8x2", "--plot", str(figure))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()[-4:]]
    head, _, many, few = rows
    assert head[4:10] == SCENARIOS
    assert (many[0], many[5], many[10:13]) == (
        "16x1", "* 9.718", ["distance", "86.0%", "0, 44.3%"]
    )  # fmt: skip
    assert (few[0], few[1], few[5], few[11]) == ("8x2", "512", "* 15.243", "91.3%")
    assert text.count("Eos paper") == 1
    assert b"<svg" in figure.read_bytes()
    document = json.loads(run("--mix", "16x1,8x2", "--json"))
    assert document["machine"] == "eos"
    for mix, found in zip(("16x1", "8x2"), document["mixes"], strict=True):
        alone = json.loads(run("--mix", mix, "--json"))
        assert found == {key: alone[key] for key in found}
        assert set(alone) - set(found) == {
            "machine",
            "changes",
            "from_links",
            "restrict_rows",
            "coarsest",
            "relaxation_order",
        }
    with_none = run("--mix", "16x1,3x1")
    assert "has none for 3x1" in with_none
    assert "unknown" in with_none.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cores", "20000"], "more than machine eos has.*1 to 11904"),
        (["--mix", "16x2"], "more than the cores of a node"),
        (["--mix", "16"], "mix"),
        (["--mix", "0x1"], "mix"),
        (["--mix", "16x1,"], "mix: not a list"),
        (["--mix", "16x1,8x"], "mix: not ranks a node"),
        (["--mix", "8x2,8X2"], "mix: given twice"),
        (["--mix", "8x2", "--cores", "7"], "multiple"),
        (["--points", "50x50"], "three sides"),
        (["--points", "50x50x0"], "side is 0"),
        (["--links", "x"], "links: unknown"),
        (["--scenario", "x"], "scenario: unknown.*allowed: all, baseline"),
        (["--scenario", "distence"], "did you mean 'distance'"),
        (["--cores", "0"], "cores: out of range"),
        (["--machine", "darter"], "model.t: missing.*--set model.t=VALUE"),
        (["--set", "model.t"], "--set: not KEY=VALUE"),
        (["--set", "model.t=fast"], r"model.t\[0\]: "),
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
