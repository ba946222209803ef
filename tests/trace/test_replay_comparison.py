"""Comparisons by ``odonata replay``: machines, placements, algorithms and compute times at once."""

from __future__ import annotations

import json
import math

import pytest
from exchange import FUNCTIONS, write_exchange

import odonata
from odonata import machine
from odonata.errors import UserError
from odonata.result import Result
from odonata.trace import Block, Call, Collective, Header, Writer
from odonata.trace.views import Communicator

COMPUTE = 3_000
"""Compute times on the longest way through the exchange: 1,000 and then 2,000 [ns]."""


@pytest.fixture
def trace(tmp_path):
    return write_exchange(tmp_path / "a.trace")


@pytest.fixture
def compared(run_odonata, trace):
    """Return the documents of the runs of a comparison."""

    def call(*options):
        status, out, err = run_odonata("replay", trace, "--json", *options)
        assert (status, err) == (0, "")
        document = json.loads(out)
        assert document["complete"]
        return document["runs"]

    return call


def nanoseconds(seconds):
    return round(1e9 * seconds, 3)


@pytest.mark.parametrize("scale", [0, 0.25, 1, 4])
def test_compute_times_are_scaled_beside_the_machines_factor(trace, scale):
    on = machine.load("eos").with_values({"node.compute_scale": 3})

    def time(**options):
        return odonata.replay(trace, on, **options).summary["time_seconds"]

    without = time(compute="none")
    assert nanoseconds(time(compute_scale=scale) - without) == 3 * scale * COMPUTE
    assert time(compute_scale=0) == without


def test_one_scale_is_one_run(run_odonata, trace):
    for words, scale in ((["--compute-scale", "0.5"], 0.5), ([], 1), (["--compute", "none"], 0)):
        status, out, err = run_odonata("replay", trace, "--json", *words)
        assert (status, err) == (0, "")
        document = json.loads(out)
        assert (document["compute_scale"], document["collectives"]) == (scale, None)
        assert document["mpi_calls"]["MPI_Allreduce"] == 2


def test_scales_are_compared(compared):
    runs = compared("--compute-scale", "1,0.5,0")
    assert [one["compute_scale"] for one in runs] == [1, 0.5, 0]
    whole, half, none = (one["time_seconds"] for one in runs)
    assert nanoseconds(whole - none) == COMPUTE
    assert nanoseconds(half - none) == COMPUTE / 2


def test_every_combination_is_run_as_if_it_were_alone(compared, run_odonata, trace):
    several = {
        "--machine": ["eos", "edison"],
        "--allocation": ["contiguous", "0,500"],
        "--routing": ["minimal", "valiant"],
        "--collective": ["allreduce=ring", "allreduce=recursive_doubling"],
    }
    words = [
        *("--machine", "eos,edison", "--allocation", "contiguous;0,500"),
        *("--routing", "minimal,valiant", "--collective", "allreduce=ring,recursive_doubling"),
    ]
    runs = compared(*words)
    assert len(runs) == 2**4
    keys = ("machine", "allocation", "routing", "collectives")
    assert len({tuple(one[key] for key in keys) for one in runs}) == 2**4
    assert {one["compute_scale"] for one in runs} == {1}
    for place in (0, 5, 10, 15):
        chosen = [values[place >> (3 - at) & 1] for at, values in enumerate(several.values())]
        alone = [word for pair in zip(several, chosen, strict=True) for word in pair]
        out = run_odonata("replay", trace, "--json", *alone)[1]
        assert json.loads(out)["time_seconds"] == runs[place]["time_seconds"]
        assert runs[place]["collectives"] == chosen[3]


def test_ranks_are_where_they_were_on_the_machine_of_the_run(compared):
    runs = compared("--machine", "eos,edison")
    assert [one["allocation"] for one in runs] == ["recorded", "contiguous"]
    runs = compared("--allocation", "recorded,random", "--ranks-per-node", "2", "--seed", "1,2")
    assert [one["allocation"] for one in runs] == ["recorded"] * 2 + ["random"] * 2
    assert [one["ranks_per_node"] for one in runs] == [1, 1, 2, 2]
    assert [one["seed"] for one in runs] == [1, 2, 1, 2]


def test_an_order_of_ranks_counts_in_every_run(run_odonata, trace, tmp_path):
    order, target = tmp_path / "order", tmp_path / "a.nc"
    order.write_text("1 0")
    words = ["--reorder", order, "--allocation", "recorded;7,5", "-o", target]
    assert run_odonata("replay", trace, *words)[0] == 0
    files = sorted(tmp_path.glob("a-*.nc"))
    assert [Result.load(file).jobs[0].nodes.tolist() for file in files] == [[5, 7], [9, 3]]


def test_files_figures_and_tables_tell_runs_apart(run_odonata, trace, tmp_path):
    figure, target = tmp_path / "a.png", tmp_path / "a.nc"
    words = ["--compute-scale", "1,0.5", "--collective", "allreduce=ring,recursive_doubling"]
    status, out, err = run_odonata("replay", trace, *words, "--plot", figure, "-o", target)
    assert (status, err) == (0, "")
    assert figure.stat().st_size > 10_000
    assert sorted(file.name for file in tmp_path.glob("a-*.nc")) == [
        "a-a-2-allreduce=recursive_doubling-compute-0.5.nc",
        "a-a-2-allreduce=recursive_doubling-compute-1.nc",
        "a-a-2-allreduce=ring-compute-0.5.nc",
        "a-a-2-allreduce=ring-compute-1.nc",
    ]
    head, *_ = (line for line in out.splitlines() if "collectives" in line)
    assert "compute scale" in head
    rows = [line for line in out.splitlines() if line.startswith("|")]
    assert sum("allreduce=ring" in row for row in rows) == 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--compute-scale", "-1"], "compute scale: out of range: -1.0; allowed: 0 to 1e+06"),
        (["--compute-scale", "nan"], "compute scale: out of range: nan"),
        (["--compute-scale", "inf"], "compute scale: out of range: inf"),
        (["--compute-scale", "half"], "compute scale: not a number: 'half'"),
        (["--compute-scale", "1,half"], "compute scale: not a number: 'half'"),
        (["--compute-scale", "1,1"], "compute scale: not a list"),
        (["--compute-scale", ""], "compute scale: not a number: ''"),
        (["--compute", "none", "--compute-scale", "0.5"], "no compute times with --compute none"),
        (["--machine", "edison", "--allocation", "recorded"], "not recorded on this machine"),
        (["--collective", "allreduce=ring,"], "--collective allreduce: not a list"),
        (["--collective", "allreduce=ring,bruck"], "bruck"),
        (["--machine", "eos,eso"], "eos"),
        (["--seed", "1,x"], "seed: not a number: 'x'"),
        (["--routing", "minimal,magic"], "magic"),
        (["--seed", ",".join(map(str, range(1001)))], "comparison: too long: 1001"),
    ],
)
def test_a_wrong_value_is_refused_before_the_first_run(
    run_odonata, trace, tmp_path, words, problem
):
    target = tmp_path / "a.nc"
    status, out, err = run_odonata("replay", trace, *words, "-o", target)
    assert (status, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1
    assert not [*tmp_path.glob("*.nc")]


def test_collectives_stay_in_their_communicators(run_odonata, tmp_path):
    """Ranks 0 and 2, and 1 and 3, sum up: each pair sends what two ranks alone would send."""

    def written(name, pairs):
        reduce = Collective(8, operation="allreduce")
        calls = []
        for rank, (pair, place) in enumerate(pairs):
            members = tuple(r for r, (other, _) in enumerate(pairs) if other == pair)
            made = Communicator(identity=7 + pair, position=place)
            calls.append(Call(rank, "MPI_Comm_split", "communicator", made, comm=2, words=members))
            calls.append(Call(rank, "MPI_Allreduce", "collective", reduce, comm=2))
        with Writer(tmp_path / name, Header(ranks=len(pairs), machine="eos")) as writer:
            writer.write(Block.of(calls, FUNCTIONS))
        return tmp_path / name

    alone = written("alone.trace", [(0, 0), (0, 1)])
    both = written("both.trace", [(0, 0), (1, 0), (0, 1), (1, 1)])
    words = ["--engine", "analytic", "--machine", "eos,theta", "--json", "--allocation"]
    runs = [
        json.loads(run_odonata("replay", path, *words, nodes)[1])["runs"]
        for path, nodes in ((alone, "0,1"), (both, "0,2,1,3"))
    ]
    for one, two in zip(*runs, strict=True):
        assert two["messages"] == 2 * one["messages"] > 0
        assert two["time_seconds"] == one["time_seconds"]


@pytest.mark.parametrize("scale", [-0.5, math.nan, math.inf, 2e6])
def test_a_scale_has_bounds_in_python(trace, scale):
    with pytest.raises(UserError, match="compute scale"):
        odonata.replay(trace, compute_scale=scale)
