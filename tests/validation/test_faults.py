"""The tables of validation/faults: a point made anew, and the findings of the page."""

import json
from pathlib import Path
from statistics import median

import pytest

from odonata import machine

FOLDER = Path(__file__).parents[2] / "validation/faults"
KEPT = json.loads((FOLDER / "results.json").read_text())
PAGE = (FOLDER / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that counts."""
    return load_study("faults", "run").run


@pytest.fixture(scope="module")
def program(load_study):
    """Return the script that runs a program."""
    return load_study("faults", "program").program


def middle(name, engine, share, quantity="alltoall"):
    rows = KEPT["flows"][name]
    found = [row[quantity] for row in rows if (row["engine"], row["share"]) == (engine, share)]
    assert len(found) == (5 if share else 1)
    return median(found)


def test_the_tables_of_the_page_are_those_of_the_counts(study):
    for mark, make in study.TABLES.items():
        assert PAGE.partition(f"<!-- {mark} -->\n")[2].startswith(f"{make(KEPT)}\n<!-- end -->")


def test_the_tables_of_the_program_are_those_of_its_runs(program):
    kept = json.loads((FOLDER / "program.json").read_text())
    for mark, make in program.TABLES.items():
        assert PAGE.partition(f"<!-- {mark} -->\n")[2].startswith(f"{make(kept)}\n<!-- end -->")
    amg = [row for row in kept["rows"] if row["job"] == "AMG"]
    assert all(0 < row["less_ps"] - row["whole_ps"] < 3000 for row in amg)
    assert all("queueing.4xNDR" in row["changed_ps"] for row in kept["rows"])
    assert max(row["less_ps"] / row["whole_ps"] for row in kept["rows"]) < 1.0151


def test_commands_of_the_program_have_quiet_before_the_program(program, tmp_path, monkeypatch):
    calls = []

    def run(command, **_):
        calls.append(command[3:])
        return program.subprocess.CompletedProcess(command, 0, stdout="{}")

    monkeypatch.setattr(program.subprocess, "run", run)
    odonata = program.Commands(tmp_path)
    odonata("mpirun", "--", "odonata-amg")
    odonata.document("compare", "a", "b")
    assert calls == [
        ["mpirun", "--quiet", "--", "odonata-amg"],
        ["compare", "a", "b", "--json", "--quiet"],
    ]


def test_a_point_made_anew_is_the_kept_one(study, tmp_path, run_odonata):
    path = tmp_path / "tree.toml"
    words = "machines", "graph", "tree", "--down", "8,8,8", "-o", path, "--quiet"
    assert run_odonata(*words)[0] == 0
    made = [
        study.count(machine.load(path, study.broken(share, 2)), engine, share, 2)
        for share in (0, 4)
        for engine in ("sssp", "dmodk")
    ]
    kept = KEPT["flows"]["tree"]
    assert all(row in kept for row in made if row["share"])
    whole = [{**row, "seed": 1, "bisection": None} for row in made if not row["share"]]
    assert all(row in [{**each, "bisection": None} for each in kept] for row in whole)


def test_every_pair_has_a_route():
    assert all(row["without_route"] == 0 for rows in KEPT["flows"].values() for row in rows)


def test_a_hundredth_of_the_links_costs_fixed_routes_on_the_tree_most():
    for engine in ("sssp", "dmodk"):
        assert middle("tree", engine, 1) <= 0.6 * middle("tree", engine, 0)
    assert middle("tree", "shortest", 1) > 0.92 * middle("tree", "shortest", 0)
    times = {(row["engine"], row["share"]): row["seconds"] for row in KEPT["simulated"]}
    assert times["sssp", 4] / times["sssp", 0] == pytest.approx(1.7, abs=0.06)


def test_minhop_gets_better_on_the_tree_alone():
    for quantity in ("alltoall", "bisection"):
        assert middle("tree", "minhop", 8, quantity) > 2 * middle("tree", "minhop", 0, quantity)
        for name in ("torus", "dragonfly", "GPU cluster"):
            assert middle(name, "minhop", 8, quantity) < middle(name, "minhop", 0, quantity)


def lost(name):
    return 1 - middle(name, "sssp", 8, "bisection") / middle(name, "sssp", 0, "bisection")


def test_the_torus_and_the_gpu_cluster_lose_least():
    assert sorted(KEPT["flows"], key=lost)[:2] == ["torus", "GPU cluster"]
    assert [f"{lost(name):.0%}" for name in ("torus", "GPU cluster")] == ["5%", "6%"]


def test_engines_differ_more_than_faults():
    def ratio(name, one, other, share=0):
        return middle(name, one, share) / middle(name, other, share)

    assert f"{ratio('GPU cluster', 'sssp', 'minhop'):.1f}" == "1.7"
    assert f"{ratio('GPU cluster', 'sssp', 'minhop', 8):.1f}" == "2.2"
    assert f"{ratio('torus', 'shortest', 'updown'):.0f}" == "17"
    assert f"{middle('tree', 'dmodk', 0) / middle('tree', 'dmodk', 8):.1f}" == "2.3"
    for name in ("torus", "dragonfly"):
        assert ratio(name, "sssp", "updown") > 10
