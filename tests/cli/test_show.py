"""``odonata show`` and ``odonata plot``: what a file says is what the run said."""

from __future__ import annotations

import json

import pytest

RING = ["simulate", "allgather", "--ranks", "8", "--machine", "eos"]


@pytest.fixture
def saved(run_odonata, tmp_path):
    """Save two runs; what each printed, and its file."""

    def call(algorithm):
        path = tmp_path / f"{algorithm}.nc"
        status, out, _ = run_odonata(*RING, "--algorithm", algorithm, "-o", path)
        assert status == 0
        return out, path

    return call


def test_show_prints_what_the_run_printed(saved, run_odonata):
    printed, path = saved("ring")
    assert run_odonata("show", path) == (0, printed, "")


def test_show_has_json(saved, run_odonata):
    _, path = saved("ring")
    status, out, _ = run_odonata("show", path, "--json")
    document = json.loads(out)
    assert (status, document["messages"], document["block_bytes"]) == (0, 56, 1024)


def test_several_are_a_comparison(saved, run_odonata):
    paths = [saved(name)[1] for name in ("ring", "bruck")]
    status, out, _ = run_odonata("show", *paths)
    assert status == 0
    *_, first, second, _, last = out.splitlines()
    assert [line.split()[1] for line in (first, second)] == ["ring", "bruck"]
    assert " is the fastest; " in last


@pytest.mark.parametrize("names", [["ring"], ["ring", "bruck"]])
def test_plot_draws_one_or_several(saved, run_odonata, tmp_path, names):
    paths = [saved(name)[1] for name in names]
    assert run_odonata("plot", *paths, "-o", tmp_path / "figure.png") == (0, "", "")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_plot_draws_what_the_run_drew(run_odonata, tmp_path):
    drawn, again, path = (tmp_path / name for name in ("a.svg", "b.svg", "run.nc"))
    run_odonata(*RING, "-o", path, "--plot", drawn)
    assert run_odonata("plot", path, "-o", again)[0] == 0
    assert again.read_bytes() == drawn.read_bytes()


@pytest.mark.parametrize("command", [["show", "no.nc"], ["plot", "no.nc", "-o", "a.png"]])
def test_a_missing_file_is_one_line(run_odonata, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    status, out, err = run_odonata(*command)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "no.nc" in err


def test_plot_refuses_other_suffixes_before_it_reads(run_odonata):
    status, _, err = run_odonata("plot", "no.nc", "-o", "a.txt")
    assert (status, ".pdf, .png, .svg" in err) == (2, True)
