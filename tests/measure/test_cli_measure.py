"""``odonata measure``: its options, its output, how all ranks fail together, and a real MPI."""

from __future__ import annotations

import json
import os
import sys
from functools import partial

import pytest

from odonata import machine
from odonata.model import parameters_of

LATENCY = "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n" + "".join(
    f"{2**k} {1 + 2**k * 1e-4 + 3 * (k > 13):.4f}\n" for k in range(21)
)


@pytest.fixture
def odonata(run_odonata):
    """Run ``odonata measure`` here; status, stdout, stderr."""
    return partial(run_odonata, "measure")


@pytest.fixture
def latency(tmp_path):
    path = tmp_path / "latency.txt"
    path.write_text(LATENCY)
    return path


# ---- files


def test_a_file_becomes_a_machine_file_without_mpi(odonata, latency, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    found = tmp_path / "my cluster.toml"
    status, out, err = odonata("--from", latency, "-o", found)
    assert (status, err) == (0, "")
    assert "| model.alpha " in out
    assert "model.t: unknown: not in these files" in out
    m = machine.load(found)
    assert m.name == "my-cluster"
    assert m.value("mpi.eager_threshold") == 8192
    assert m.value("model.alpha") == pytest.approx(1_000_800)
    status, out, err = odonata("--from", latency, "--json")
    document = json.loads(out)
    assert document["parameters"]["model.alpha"]["value"] == pytest.approx(1.0008e-6)
    assert document["parameters"]["model.alpha"]["unit"] == "s"
    assert document["parameters"]["model.alpha"]["status"] == "measured"


def test_the_name_of_a_file_need_not_be_text(odonata, latency, tmp_path):
    named = latency.rename(os.fsdecode(os.fsencode(tmp_path) + b"/latency-\xff.txt"))
    found = tmp_path / "found.toml"
    status, out, err = odonata("--from", named, "-o", found, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["parameters"]["model.alpha"]["status"] == "measured"
    assert "latency-\\\\xff.txt" in found.read_text()
    assert machine.load(found).value("mpi.eager_threshold") == 8192


def test_flop_times_come_from_a_hierarchy(odonata, latency, tmp_path):
    level = {"rows": 1000, "active_ranks": 1, "nnz_per_row": 7}
    levels = [{**level, "flop_seconds": t} for t in (2e-9, 1e-9, 1.5e-9, 5e-10)]
    file = tmp_path / "amg.json"
    file.write_text(json.dumps({"ranks": 1, "levels": levels}))
    found = tmp_path / "found.toml"
    assert odonata("--from", latency, "--hierarchy", file, "-o", found)[0] == 0
    m = machine.load(found)
    assert m.value("model.t") == (2000, 1000)
    assert parameters_of(m).gamma == 0  # D is h_m on a star: there is nothing for it to multiply


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "not JSON"),
        ('{"levels": []}', "amg.json:levels: levels: out of range; allowed: a list of length >= 1"),
        ('{"levels": [3]}', "levels[0]: levels: not an object of JSON: 3"),
        ('{"levels": [{"rows": 5}]}', "levels[0].active_ranks"),
        (
            '{"levels": [{"rows": 1e12, "active_ranks": 1, "nnz_per_row": 7}]}',
            "rows: too many for a rank",
        ),
    ],
)
def test_a_damaged_hierarchy_is_one_line(odonata, latency, tmp_path, document, said):
    file = tmp_path / "amg.json"
    file.write_text(document)
    status, out, err = odonata("--from", latency, "--hierarchy", file)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--alpha", "worst"], "alpha: unknown: 'worst'; allowed: best, network"),
        (["--largest", "any"], "largest: unknown"),
        (["--distances", "far"], "distances: unknown"),
        (["--pairs", "0"], "pairs: out of range"),
        (["--rings", "-1"], "rings: out of range"),
        (["--samples", "2"], "samples: out of range"),
        (["--seed", "-1"], "seed: out of range"),
        (["--machine", "eoss"], "did you mean 'eos'?"),
        (["--form", "x"], "--form"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(odonata, latency, arguments, said):
    status, out, err = odonata("--from", latency, *arguments)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_what_cannot_be_written_is_told_before_anything_is_read(odonata, latency, tmp_path):
    missing = tmp_path / "no" / "here.toml"
    status, out, err = odonata("--from", latency, "-o", missing)
    assert (status, out) == (74, "")
    assert "No such file or directory" in err


def test_without_mpi4py_the_message_says_how_to_get_it(odonata, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    status, out, err = odonata()
    assert (status, out) == (2, "")
    assert "pip install 'odonata[measure]'" in err


def test_only_the_first_rank_of_a_launcher_speaks(odonata, monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    monkeypatch.setenv("PMI_RANK", "3")
    assert odonata() == (2, "", "")
    assert odonata("--no-such") == (2, "", "")


def test_a_machine_without_a_number_of_the_model_says_who_measures_it(run_odonata):
    words = ["predict", "amg", "--machine", "dragonfly-5256", "--cores", "8", "--mix", "1x1"]
    status, _, err = run_odonata(*words)
    assert status == 2
    assert "model.t: missing" in err
    assert "odonata measure finds it" in err


# ---- a real MPI


@pytest.mark.usefixtures("mpi4py")
def test_one_rank_measures_its_core(alone, tmp_path):
    found = tmp_path / "one.toml"
    done = alone("-o", found, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert "one rank only" in document["unknown"]["model.alpha"]
    assert document["parameters"]["model.t"]["value"][0] > 0
    assert machine.load(found).value("model.memory_bandwidth")[0] > 10**7


@pytest.mark.slow
@pytest.mark.usefixtures("mpi4py")
def test_three_ranks_find_what_predict_needs(under_mpiexec, tmp_path):
    found = tmp_path / "here.toml"
    done = under_mpiexec(3, "-o", found, "--json", "--rings", 2, "--samples", 10)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)  # one, of the first rank
    assert len(document["network"]["pairs"]) == 3
    assert {p["same_node"] for p in document["network"]["pairs"]} == {True}
    m = machine.load(found)
    assert m.cores_per_node >= 3
    assert m.value("links.injection.bandwidth") == m.value("node.bandwidth")
    assert m.numbers["links.injection.bandwidth"].status == "assumed"
    parameters = parameters_of(m)
    assert 1e-8 < parameters.alpha < 1
    assert parameters.alpha <= document["alpha_far"]["value"]
    for finding in document["parameters"].values():
        low, value, high = (finding[name] for name in ("low", "value", "high"))
        assert low <= value <= high


@pytest.mark.usefixtures("mpi4py")
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["-o", "no-such-folder/here.toml"], 74, "No such file or directory"),
        (["--alpha", "network"], 2, "no two ranks are on different nodes"),
        (["--distances", "names"], 2, "no two ranks are on different nodes"),
        (["--pairs", "-4"], 2, "pairs: out of range"),
        (["--no-such-option"], 2, "--no-such-option"),
    ],
)
def test_all_ranks_leave_with_one_message(under_mpiexec, arguments, status, said):
    done = under_mpiexec(2, *arguments)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("odonata:") == 1
    assert said in done.stderr
