"""Outputs of a command: each has a file of its own, and none replaces what the command reads."""

from __future__ import annotations

import os

import pytest

from odonata.cli.commands import NAMES, WRITTEN, Command, Commands

BARRIER = ("simulate", "barrier", "--ranks", "2", "--machine", "eos")
MPIRUN = ("mpirun", "--machine", "eos")
CORES = ("--cores", "16", "--mix", "16x1")
TRUE = ("--", "true")
CLASHES = {
    "result and figure": ([*BARRIER, "-o", "x", "--plot", "x"], "--output and --plot"),
    "result and figure by mpirun": (
        [*MPIRUN, "--plot", "x", "-o", "x", *TRUE],
        "--result and --plot",
    ),
    "trace and profile": (
        [*MPIRUN, "--record", "x", "--profile", "./x", *TRUE],
        "--record and --profile",
    ),
    "text and result": (
        [*MPIRUN, "--program-output", "x", "-o", "x", *TRUE],
        "--program-output and --result",
    ),
    "two figures": (
        ["explain", "run.nc", "--plot", "x.png", "--timeline", "x.png"],
        "--plot and --timeline",
    ),
    "tables and figure": (
        ["profile", "show", "run", "--csv", "x", "--plot", "x"],
        "--csv and --plot",
    ),
    "a figure of its input": (["explain", "x", "--plot", "x"], "--plot and RUN.nc"),
    "a page of its input": (["report", "x", "-o", "x"], "--output and RUN.nc"),
    "an export of its input": (["export", "x", "-o", "x"], "--output and RUN.nc"),
    "a figure of one of several": (["plot", "y", "x", "-o", "x"], "--output and RUN.nc"),
    "a replay of its input": (["replay", "x", "-o", "x"], "--output and TRACE"),
    "an order of ranks": (["replay", "t", "--reorder", "x", "-o", "x"], "--output and --reorder"),
    "a trace": (["trace", "convert", "x", "x"], "TARGET and SOURCE"),
    "a figure of a trace": (
        ["trace", "show", "x", "--matrix", "--plot", "x"],
        "--plot and TRACE",
    ),
    "recorded times": (
        [*MPIRUN, "--compute", "recorded:x", "--record", "x", *TRUE],
        "--record and --compute",
    ),
    "a machine": (
        ["simulate", "barrier", "--machine", "x.toml", "-o", "x.toml"],
        "--output and --machine",
    ),
    "nodes": ([*BARRIER, "--allocation", "@x", "-o", "x"], "--output and --allocation"),
    "a measured machine": (["measure", "--from", "x", "-o", "x"], "--output and --from"),
    "a table": (
        [*("fit", "machine", "--machine", "eos"), *("--measured", "x", "--nodes", "y", "-o", "x")],
        "--output and --measured",
    ),
    "a matrix": (
        ["place", "map", "--machine", "eos", "--matrix", "x", "-o", "x"],
        "--output and --matrix",
    ),
    "levels": (
        ["predict", "amg", "--machine", "eos", "--hierarchy", "x", "--plot", "x", *CORES],
        "--plot and --hierarchy",
    ),
    "hosts": (
        ["place", "convert", "x", "x", "--from", "slurm", "--to", "openmpi"],
        "TARGET and SOURCE",
    ),
}


@pytest.mark.parametrize(("words", "names"), CLASHES.values(), ids=CLASHES)
def test_two_names_of_one_file_are_refused(words, names, run_odonata, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run_odonata(*words)
    assert (status, out, os.listdir(tmp_path)) == (2, "", [])
    assert err.startswith(f"odonata: {names}"), err
    assert "the same file" in err
    assert len(err.splitlines()) == 1


def test_links_to_one_file_are_the_same_file(run_odonata, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "x.png")
    status, _, err = run_odonata(*BARRIER, "-o", tmp_path / "link", "--plot", tmp_path / "x.png")
    assert status == 2
    assert "--output and --plot: the same file" in err


def test_a_device_may_be_named_twice(run_odonata):
    err = run_odonata(*BARRIER, "-o", os.devnull, "--plot", os.devnull)[2]
    assert "the same file" not in err
    assert "figure" in err


def leaves(command):
    """Yield a command, or the commands of a group."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield command
    else:
        for each in inner.values():
            yield from leaves(each)


PATHS = ("path", "file")
READ = {
    *(
        "--wiring",
        "--nodes",
        "--hosts",
        "--matrix",
        "--reorder",
        "--check",
        "--hierarchy",
        "--from",
        "--measured",
        "--lfts",
        "--sl2vl",
        "--service-levels",
        "--prices",
        "--racks",
        "--job",
        "--parsl",
        "--reuse",
    ),
    *("folder", "source", "trace", "profile", "first", "second", "result", "results"),
}


@pytest.mark.parametrize("name", NAMES)
def test_every_file_of_a_command_is_known_as_read_or_written(name):
    for command in leaves(Commands(name="odonata").commands[name]):
        files = [max(each.opts, key=len) for each in command.params if each.type.name in PATHS]
        assert not files or isinstance(command, Command), command.name
        assert set(files) <= READ | WRITTEN, command.name
