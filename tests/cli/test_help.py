"""Help and version of all commands, and options that are missing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer

from odonata import __version__, explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.cli.commands import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_help_has_a_short_name_everywhere(run_odonata, name):
    status, short, _ = run_odonata(name, "-h")
    assert (status, short) == (0, run_odonata(name, "--help")[1])
    assert "-h" in short


def test_the_version_has_a_short_name(run_odonata):
    assert run_odonata("-V")[1] == run_odonata("--version")[1] == f"odonata {__version__}\n"


@pytest.mark.parametrize("words", [["simulate", "allgather", "--ranks", "4"], ["place", "nodes"]])
def test_a_missing_machine_says_where_machines_are_listed(run_odonata, words):
    status, _, err = run_odonata(*words)
    assert status == 2
    assert ("odonata machines lists" in err) == ("--machine" in err)


def test_a_machine_by_name_and_one_job_are_enough():
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    plain = simulate.simulate(eos, [job])
    assert simulate.simulate("eos", job).time == plain.time == plain.summary["time_seconds"]
    assert repr(job) == "<Job: barrier/auto 1 KiB on 4 ranks of eos>"
    explained = explain.explain(simulate.simulate("eos", job, explain=True))
    assert repr(explained).startswith("<Explained: barrier/")


COMPLETIONS = {
    "bash": {"COMP_WORDS": "odonata simu", "COMP_CWORD": "1"},
    "zsh": {"_TYPER_COMPLETE_ARGS": "odonata simu"},
    "fish": {"_TYPER_COMPLETE_ARGS": "odonata simu", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
}


@pytest.mark.parametrize("shell", COMPLETIONS)
def test_shells_complete_commands(shell):
    told = {**os.environ, "_ODONATA_COMPLETE": f"complete_{shell}", **COMPLETIONS[shell]}
    command = "import sys; sys.argv = ['odonata']; from odonata.cli import main; main()"
    words = [sys.executable, "-c", command]
    done = subprocess.run(words, env=told, capture_output=True, text=True, check=False)
    assert "simulate" in done.stdout
    assert "replay" not in done.stdout


def _options(command, words=()):
    """Yield each option of all commands: the words of its command and its names."""
    for name, below in getattr(command, "commands", {}).items():
        yield from _options(below, (*words, name))
    for each in command.params:
        if each.param_type_name == "option":
            yield " ".join(words), set(each.opts)


SHORT = {"-n": "--ranks", "-N": "--ranks-per-node", "-o": "--output"}
SEVERAL_WORDS = {("mpirun", "-o"): "--result"}


def test_short_names_mean_the_same_in_all_commands():
    found = [*_options(typer.main.get_command(app))]
    assert {words for words, _ in found} > {"simulate", "mpirun", "replay", "place write"}
    for words, names in found:
        for short, long in SHORT.items():
            meant = SEVERAL_WORDS.get((words, short), long)
            assert (short in names) == (meant in names), f"odonata {words}: {names}"
