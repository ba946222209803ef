"""The program ``odonata-amg``: hypre's hierarchies in numbers, under a real and a simulated MPI."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.model import Mix, predict_cycle
from odonata.result import Result

GOLDEN = Path(__file__).parents[1] / "golden" / "hypre_laplace_8.json"
FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))
TIMES = {"setup_seconds", "solve_seconds", "statistics_seconds", "mpi"}

pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")


def run(*command, check=True, **how):
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=check,
        timeout=300,
        **how,
    )


def alone(*options):
    return json.loads(run(PROGRAM, *options).stdout)


def simulated(ranks, *options, file, check=True, how=()):
    odonata = [sys.executable, "-c", "from odonata.cli import main; main()"]
    mpirun = [*odonata, "mpirun", "-n", ranks, "--machine", "eos", "--compute", "none", *how, "--"]
    done = run(*mpirun, PROGRAM, *options, "-o", file, check=check)
    return json.loads(file.read_text()) if check else done


def same_in_any_run(document):
    return {key: value for key, value in document.items() if key not in TIMES}


@pytest.mark.slow
def test_the_hierarchy_is_that_of_the_reference(tmp_path):
    found = simulated(8, "--cycles", 0, file=tmp_path / "amg.json")
    golden = json.loads(GOLDEN.read_text())
    assert found["rank_grid"] == golden["rank_grid"]
    assert found["iterations"] == golden["pcg_iterations"]
    assert found["operator_complexity"] == pytest.approx(golden["operator_complexity"], abs=1e-4)
    assert len(found["levels"]) == len(golden["levels"])
    for level, (ours, theirs) in enumerate(zip(found["levels"], golden["levels"], strict=True)):
        assert set(theirs) <= set(ours)
        assert ours["active_ranks"] == theirs["active_ranks"]
        assert ours["A_max_sends"] == theirs["A_max_sends"]
        if level < 4:  # below, hypre's versions differ by a few rows
            assert ours["rows"] == theirs["rows"]
            assert ours["P_max_sends"] == theirs["P_max_sends"]
            assert ours["P_max_receives"] == theirs["P_max_receives"]
        assert abs(ours["rows"] - theirs["rows"]) <= 5
        if level < 2:  # to the digits that are printed there
            assert {key: ours[key] for key in theirs} == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("problem", ["laplace", "laplace27"])
def test_a_simulated_mpi_gives_the_same_as_a_real_one(under_open_mpi, problem, tmp_path):
    options = ["--problem", problem, "--points", "8x8x4", "--cycles", 0]
    file = tmp_path / "real.json"
    under_open_mpi(8, PROGRAM, *options, "-o", file)
    real = json.loads(file.read_text())
    ours = simulated(8, *options, file=tmp_path / "simulated.json")
    assert real["mpi"].startswith("Open MPI")
    assert same_in_any_run(ours) == same_in_any_run(real)


def test_fibers_give_the_same_as_processes(tmp_path):
    options = ["--points", "8x8x4", "--cycles", 1, "--flop-seconds", "1ns,2ns"]
    one, other = (
        simulated(4, *options, file=tmp_path / f"{len(how)}.json", how=how)
        for how in ((), ("--fibers", "--stack", "1MiB"))
    )
    assert one == other


def test_flops_take_the_time_that_is_given(tmp_path):
    options = ["--points", "10x10x10", "--cycles", 2, "--flop-seconds", "2ns,3us"]
    levels = simulated(1, *options, file=tmp_path / "amg.json")["levels"]
    assert [level["flop_seconds"] for level in levels[:3]] == [2e-9, 3e-6, 3e-6]
    times = [2e-9] + [3e-6] * (len(levels) - 1)
    for i, (level, t) in enumerate(zip(levels[:-1], times[:-1], strict=True)):
        seconds = level["seconds"]
        product = 2 * level["P_nnz_per_row"] * level["rows"] * t
        assert seconds["smooth"] == pytest.approx(6 * level["nnz"] * t, abs=3e-9)
        assert seconds["restrict"] == pytest.approx(product, abs=1e-9)
        assert levels[i + 1]["seconds"]["interp"] == pytest.approx(product, abs=1e-9)
    n = levels[-1]["rows"]
    direct = (2 / 3 * n**3 + 2 * n**2) * times[-1]
    assert levels[-1]["seconds"]["direct"] == pytest.approx(direct, rel=1e-3)


def test_no_solver_is_a_setup_and_its_cycles():
    document = alone("--points", "8x8x8", "--solver", "none", "--cycles", 1)
    assert document["setup_seconds"] > 0
    assert document["cycle_seconds"] > 0
    assert "iterations" not in document


@pytest.mark.parametrize("solver", ["pcg", "gmres"])
@pytest.mark.parametrize("preconditioner", ["amg", "diagonal"])
def test_each_solver_converges(solver, preconditioner):
    options = ["--solver", solver, "--preconditioner", preconditioner, "--points", "10x10x10"]
    document = alone(*options, "--cycles", 0)
    assert document["converged"]
    assert document["residual"] <= 1e-8
    assert ("levels" in document) == (preconditioner == "amg")


def test_amg_needs_far_fewer_iterations_than_the_diagonal():
    iterations = [
        alone("--points", "20x20x20", "--preconditioner", name)["iterations"]
        for name in ("amg", "diagonal")
    ]
    assert 3 * iterations[0] < iterations[1]


def test_rows_of_the_finest_level_are_those_of_the_stencil():
    n = 6
    seven = alone("--points", f"{n}x{n}x{n}")["levels"][0]
    assert seven["nnz"] == 7 * n**3 - 6 * n**2
    whole = alone("--points", f"{n}x{n}x{n}", "--problem", "laplace27")["levels"][0]
    assert whole["nnz"] == (3 * n - 2) ** 3


@pytest.mark.parametrize("order", ["lexicographic", "cf"])
@pytest.mark.parametrize(
    "relaxation",
    ["hybrid-gauss-seidel", "l1-gauss-seidel", "symmetric-gauss-seidel", "l1-jacobi"],
)
def test_times_of_the_operations_add_up(relaxation, order):
    options = ["--relaxation", relaxation, "--relaxation-order", order]
    document = alone("--points", "20x20x20", *options)
    assert document["options"]["relaxation_order"] == order
    levels = document["levels"]
    assert all(level["flop_seconds"] > 0 for level in levels)
    assert levels[0]["seconds"]["interp"] == 0
    assert levels[-1]["seconds"]["smooth"] == levels[-1]["seconds"]["restrict"] == 0
    for level in levels:
        *parts, total = level["seconds"].values()
        assert total == pytest.approx(sum(parts))


def messages_of_a_cycle(order, folder):
    """Return the messages of a cycle on two ranks, and the levels that both have rows of."""
    counts = []
    for cycles in (1, 2):
        result, file = folder / "run.nc", folder / "amg.json"
        options = ["--points", "8x8x8", "--solver", "none", "--flop-seconds", "1ns"]
        options += ["--relaxation-order", order, "--cycles", cycles]
        found = simulated(2, *options, file=file, how=["--result", result])
        counts.append(Result.load(result).summary["messages"])
    shared = [level for level in found["levels"][:-1] if level["active_ranks"] == 2]
    return counts[1] - counts[0], len(shared)


def test_a_sweep_over_coarse_points_and_then_fine_ones_has_two_exchanges(tmp_path):
    one, levels = messages_of_a_cycle("lexicographic", tmp_path)
    two, _ = messages_of_a_cycle("cf", tmp_path)
    assert levels > 1
    assert two - one == 2 * levels * 2  # sweeps, and messages of an exchange between two ranks


def test_statistics_are_cheap():
    document = alone("--cycles", 0)
    assert document["statistics_seconds"] < 0.02 * document["setup_seconds"]


def test_a_prediction_reads_its_output(tmp_path):
    file = tmp_path / "amg.json"
    simulated(8, "--points", "10x10x5", file=file)
    eos = machine.load("eos")
    points = (10, 10, 5)
    prediction = predict_cycle(eos, "laplace", points, 8, Mix(8, 1), hierarchy_file=file)
    assert prediction.hierarchy.source.startswith("odonata-amg")
    assert 0 < prediction.cycle_seconds["baseline"] < prediction.cycle_seconds["distance"]
    with pytest.raises(UserError, match="wrong size"):
        predict_cycle(eos, "laplace", points, 16, Mix(8, 1), hierarchy_file=file)


def test_a_prediction_refuses_the_output_of_another_problem(tmp_path):
    file = tmp_path / "amg.json"
    run(PROGRAM, "--problem", "laplace27", "--points", "6x6x6", "-o", file)
    with pytest.raises(UserError, match="problem: differs from the requested one"):
        predict_cycle(machine.load("eos"), "laplace", (6, 6, 6), 1, Mix(1, 1), hierarchy_file=file)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--point", "5x5x5"], "option: unknown: --point (did you mean --points?)"),
        (["--coarsening=hmiss"], "did you mean hmis?"),
        (["--points", "5x5"], "--points: not three numbers"),
        (["--points", "5x5x0"], "out of range: 0; allowed: 1 to 100000"),
        (["--points"], "--points: its value is missing"),
        (["--tolerance", "nan"], "--tolerance: not a number, or out of range"),
        (["--ranks-grid", "2x2x2"], "allowed: three numbers whose product is 1"),
        (["--points", "10000x10000x10000"], "more rows than this hypre can count"),
        (["-o", "no/such/folder/file"], "--output: can't be written"),
        (["-o", "/"], "--output: can't be written"),
        (["--problem", "laplace9"], "did you mean laplace?"),
        (["--problem", "no/such/file.mtx"], "no such file: no/such/file.mtx"),
        (["--functions", "3"], "only with a matrix from a file"),
        (["--flop-seconds", "1ns"], "only on a simulated machine"),
        (["--flop-seconds", "1ns,2"], "not a time: 2; allowed"),
        (["--solver", "none", "--preconditioner", "diagonal"], "needs --preconditioner amg"),
    ],
)
def test_wrong_usage_is_said_in_one_line(options, message):
    done = run(PROGRAM, *options, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("odonata-amg: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_wrong_usage_is_said_once_by_all_ranks(tmp_path):
    done = simulated(4, "--point", "5x5x5", file=tmp_path / "amg.json", check=False)
    assert done.returncode != 0
    assert done.stderr.count("odonata-amg: option") == 1


def test_the_output_of_a_redistribution_has_no_hierarchy(run_odonata, tmp_path):
    path = tmp_path / "amg.json"
    run(PROGRAM, "--points", "8x8x8", "--redistribute", "never", "-o", path)
    words = ["--points", "8x8x8", "--cores", "1", "--mix", "1x1", "--hierarchy", path]
    status, out, err = run_odonata("predict", "amg", "--machine", "eos", *words)
    assert (status, out) == (2, "")
    assert "missing in the output of odonata-amg --redistribute; run it without" in err


@pytest.mark.parametrize("variable", ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE"])
def test_a_launcher_of_another_mpi_is_said(monkeypatch, tmp_path, variable):
    # Each process would solve a problem of its own, and the last one's file would remain.
    monkeypatch.setenv(variable, "4")
    done = run(PROGRAM, "--points", "4x4x4", "-o", tmp_path / "amg.json", check=False)
    assert done.returncode == 2
    assert "each of 4 processes is alone" in done.stderr
    assert re.search(r"; allowed: (/.*/mpiexec\S*|the mpiexec of that MPI)$", done.stderr.strip())
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_launcher_of_one_process_fits(monkeypatch):
    monkeypatch.setenv("PMI_SIZE", "1")
    assert json.loads(run(PROGRAM, "--points", "4x4x4").stdout)["ranks"] == 1


def test_the_launcher_is_named_by_the_help_and_starts_ranks(tmp_path):
    named = re.search(
        r"Its ranks are started by (.*), of hypre's MPI", run(PROGRAM, "--help").stdout
    )
    assert named
    if not named[1].startswith("/"):
        pytest.skip("hypre's MPI has no mpiexec beside its mpicc")
    file = tmp_path / "amg.json"
    # Open MPI refuses root, and more ranks than cores, unless it is asked for them.
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    run(named[1], "-n", 2, PROGRAM, "--points", "4x4x4", "-o", file, env={**os.environ, **allowed})
    assert json.loads(file.read_text())["ranks"] == 2


def test_what_does_not_converge_is_written_and_said():
    done = run(PROGRAM, "--points", "10x10x10", "--max-iterations", 2, check=False)
    assert done.returncode == 1
    assert "not converged in 2 iterations" in done.stderr
    assert json.loads(done.stdout)["converged"] is False


def test_beside_a_file_its_levels_are_printed_as_a_table(tmp_path):
    path = tmp_path / "amg.json"
    printed = run(PROGRAM, "--points", "10x10x10", "-o", path).stdout
    document = json.loads(path.read_text())
    first, _, head, rule, *rows, _, last = printed.splitlines()
    assert first.startswith("laplace on 1 rank: setup ")
    assert f", {document['iterations']} iterations of pcg, relative residual " in first
    assert set(rule) == set("|-:")
    assert len({len(row) for row in (head, rule, *rows)}) == 1
    table = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [row[:4] for row in table] == [
        [str(level), str(at["rows"]), f"{at['nnz_per_row']:.1f}", str(at["active_ranks"])]
        for level, at in enumerate(document["levels"])
    ]
    times = [float(row[-1]) for row in table]
    assert times == pytest.approx(
        [at["seconds"]["total"] * 1e6 for at in document["levels"]], abs=1e-3
    )
    exact = [at["seconds"]["total"] for at in document["levels"]]
    most = max(exact)
    found = re.fullmatch(
        r"hypre's own cycle takes (\S+) (us|ms)\. A second measurement, of each operation on its "
        r"slowest rank, has (\S+) (us|ms) in sum; (.*)\.",
        last,
    )
    assert found, last
    whole, total = (float(found[i]) * (1e-3 if found[i + 1] == "ms" else 1e-6) for i in (1, 3))
    assert whole == pytest.approx(document["cycle_seconds"], rel=6e-3)
    assert total == pytest.approx(sum(times) * 1e-6, rel=6e-3)
    assert found[5] == f"{100 * most / sum(exact):.0f} % of them on level {exact.index(most)}"


def test_decisions_are_printed_as_a_table(tmp_path):
    words = ["--points", "10x10x10", "--redistribute", "1:1", "-o", tmp_path / "amg.json"]
    lines = run(PROGRAM, *words).stdout.splitlines()
    assert lines[2].split("|")[-2].strip() == "decision"
    assert lines[5].split("|")[-2].strip() == "* forced to 1"
    assert lines[-1] == "Level 1 is switched to 1 rank: forced."


def test_help_names_every_option():
    text = run(PROGRAM, "--help").stdout
    assert "--ranks-grid" in text
    assert "--aggressive-levels" in text
