"""Options with several values: each is an axis of a comparison."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from odonata import machine, placement, simulate, workload
from odonata.cli.axes import split_changes
from odonata.cli.experiment import Experiment
from odonata.errors import UserError

NO_AXES = {
    *("operation", "groups", "nodes_per_router", "warm_up", "window", "pack", "periodic"),
    *("cell_time", "flop_time", "reorder"),  # of the workload
    *(
        "allow_cycles",
        "samples",
        "digest",
        "explain",
        "kept",
        "record_messages",
        "seed",
        "ranks_per_node",
    ),
}
"""Fields that take one value."""

SMALL = ["--machine", "eos", "--ranks", "8"]
HALO = ["halo", "--sides", "2x2x2", "--machine", "eos"]
SEDOV = ["sedov", "--cells", "64x64", "--ranks", "4", "--machine", "eos"]
BCAST = ["bcast", *SMALL]
AXES = {
    "algorithm": (BCAST, "--algorithm", "binomial,scatter_allgather"),
    "allocation": (BCAST, "--allocation", "random,contiguous"),
    "background": (BCAST, "--background", "none,uniform:0.1"),
    "bias": ([*BCAST, "--routing", "adaptive"], "--bias", "0,4KiB"),
    "busy": (BCAST, "--busy", "0%,20%"),
    "busy_with": ([*BCAST, "--busy", "20%"], "--busy-with", "uniform:0.1,hotspot:0.1"),
    "cell_bytes": (HALO, "--cell-bytes", "8,16"),
    "cells": (HALO, "--cells", "8,16x8x8"),
    "changes": (BCAST, "--set", "links.black.buffer=8 KiB,16 KiB"),
    "distribution": (HALO, "--distribution", "plain,cart"),
    "engine": (BCAST, "--engine", "packet,analytic"),
    "fail": (BCAST, "--fail", "none,20%"),
    "slow": (BCAST, "--slow", "100%=1x,0.5"),
    "exchanges": (SEDOV, "--exchanges", "1,2"),
    "ghosts": (SEDOV, "--ghosts", "1,2"),
    "load": (["traffic", *SMALL], "--load", "0.1,0.2"),
    "machine": (["barrier", "--ranks", "8"], "--machine", "eos,theta"),
    "mapping": ([*BCAST, "-N", "2"], "--mapping", "block,cyclic"),
    "packet_bytes": (BCAST, "--packet-bytes", "64,256"),
    "packets_per_node": (["traffic", *SMALL], "--packets-per-node", "10,20"),
    "pattern": (["traffic", *SMALL], "--pattern", "uniform,permutation"),
    "points": (["fft", *SMALL], "--points", "16,32"),
    "ranks": (["bcast", "--machine", "eos"], "-n", "4,8"),
    "ranks_per_nodes": (BCAST, "-N", "1,2"),
    "repetitions": (BCAST, "--repetitions", "1,2"),
    "root": (BCAST, "--root", "0,3"),
    "routing": (BCAST, "--routing", "minimal,adaptive"),
    "seeds": (BCAST, "--seed", "1,2"),
    "sides": (["halo", "--machine", "eos"], "--sides", "4x2,2x2x2"),
    "size": (BCAST, "--bytes", "8,1KiB"),
}


def test_each_option_is_an_axis_or_says_why_not():
    assert set(AXES) == {each.name for each in fields(Experiment)} - NO_AXES


@pytest.mark.parametrize("name", AXES)
def test_commas_make_runs_that_differ_in_table_and_file(run_odonata, tmp_path, name):
    words, option, values = AXES[name]
    runs = {}
    key, equals, _ = values.rpartition("=")
    for value in values.removeprefix(key + equals).split(","):
        alone = run_odonata("simulate", *words, option, f"{key}{equals}{value}", "--json")
        runs[value] = json.loads(alone[1])["time_seconds"]
    status, out, err = run_odonata("simulate", *words, option, values, "-o", tmp_path / "run.nc")
    assert (status, err) == (0, "")
    assert len(list(tmp_path.iterdir())) == len(runs)
    rows = {line for line in out.splitlines() if line.startswith("|") and ":--" not in line}
    assert len(rows) == 1 + len(runs) or name == "seeds"
    both = json.loads(run_odonata("simulate", *words, option, values, "--json")[1])
    assert [run["time_seconds"] for run in both["runs"]] == [*runs.values()]


def test_values_of_changes_are_divided_outside_of_brackets_and_quotes():
    assert split_changes(["a=[1,2],[3,4]", 'b="x,y"']) == [
        ("a=[1,2]", 'b="x,y"'),
        ("a=[3,4]", 'b="x,y"'),
    ]
    assert split_changes([]) == [()]
    assert split_changes(["a="]) == [("a=",)]
    for wrong in ("a=1,", "a=1,1", "a=,1"):
        with pytest.raises(UserError, match="--set a: not a list"):
            split_changes([wrong])


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("-N", "2,x", "ranks per node: not a number: 'x'"),
        ("--root", "0,,1", "root: not a list"),
        ("--mapping", "block,block", "mapping: not a list"),
    ],
)
def test_a_wrong_value_of_an_axis_is_one_line(run_odonata, option, value, said):
    status, out, err = run_odonata("simulate", *BCAST, option, value)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_an_order_of_ranks_counts(run_odonata, tmp_path):
    order = [*range(0, 16, 2), *range(1, 16, 2)]
    path = tmp_path / "order"
    path.write_text("".join(f"{rank}\n" for rank in order))
    words = ["simulate", "allgather", "--machine", "eos", "-n", "16", "-N", "4", "--json"]
    words += ["--algorithm", "ring"]
    eos = machine.load("eos")
    placed = placement.place(eos, 16, ranks_per_node=4).reordered(order)
    job = simulate.Job(workload.Collective("allgather", "ring"), placed)
    told = json.loads(run_odonata(*words, "--reorder", path)[1])["time_seconds"]
    assert told == simulate.simulate(eos, job).time
    assert told != json.loads(run_odonata(*words)[1])["time_seconds"]
