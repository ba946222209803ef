"""Levels that move to fewer ranks: the library, its program and its example, on hypre."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from odonata import machine
from odonata.model import parameters_of
from odonata.reference import redistribution as twin
from odonata.trace import matrices

ROOT = Path(__file__).parents[2]
FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))
EOS = ROOT / "src" / "odonata" / "data" / "machines" / "eos.toml"
MPICC = shutil.which("mpicc.openmpi") or shutil.which("mpicc")

pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")


def run(*command, check=True):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=check, timeout=300
    )


def machine_file(folder, text):
    path = folder / "machine.toml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Compile a C program with the library, as a user would."""

    def build(source):
        program = tmp_path_factory.mktemp("program") / source.stem
        prefix = Path(sys.prefix)
        library = prefix / "lib" / "odonata"
        run(MPICC, "-O1", "-Wall", "-Werror", "-I/usr/include/hypre",
            f"-I{prefix / 'include' / 'odonata'}", source, "-o", program, f"-L{library}",
            f"-Wl,-rpath,{library}", "-lodonata_amg", "-lHYPRE", "-lm")  # fmt: skip
        return program

    return build


@pytest.fixture(scope="module")
def compare(compiled):
    return compiled(ROOT / "tests" / "amg" / "programs" / "redistribute.c")


@pytest.mark.parametrize(
    ("ranks", "points", "functions", "relaxation", "aggressive"),
    [
        (1, 8, 1, 6, 0),
        (2, 6, 1, 6, 1),
        (3, 6, 2, 8, 0),
        (5, 6, 2, 16, 1),  # Chebyshev; rank 0 has no rows
        (7, 5, 1, 8, 0),
        (16, 3, 1, 6, 0),
    ],
)
def test_any_switch_solves_the_same_in_as_many_iterations(
    under_open_mpi, compare, ranks, points, functions, relaxation, aggressive
):
    lines = under_open_mpi(ranks, compare, points, functions, relaxation, aggressive).splitlines()
    name, plain, exactly = lines[0].split()
    assert name == "plain"
    assert lines[1] == f"off {exactly} 0.000e+00"
    cases = [line.split() for line in lines[2:] if not line.startswith("error")]
    levels = {}
    for switch, iterations, apart in cases:
        level, groups = map(int, switch.split(":"))
        levels.setdefault(level, []).append(groups)
        assert abs(int(iterations) - int(plain)) <= 1
        assert float(apart) <= 1e-8
    with_rows = ranks - (ranks >= 4)
    assert len(levels) >= 3  # down to the coarsest, which is solved directly
    assert levels[0] == list(range(1, with_rows + 1))
    assert all(groups == list(range(1, len(groups) + 1)) for groups in levels.values())
    assert lines[-1].startswith(f"error redistribution: there is no level {len(levels)}; allowed: ")


@pytest.mark.slow
def test_many_setups_leave_no_communicator_and_no_memory_behind(under_open_mpi, compare):
    said = under_open_mpi(4, compare, 3, 1, 6, 0, 400, 1, 2)
    communicators, kibibytes = re.match(r"left (\d+) communicators (-?\d+) KiB", said).groups()
    assert int(communicators) == 0
    assert int(kibibytes) < 200  # 320 setups of some 100 KiB each were looked at


@pytest.mark.skipif(not shutil.which("valgrind"), reason="needs valgrind")
def test_valgrind_finds_nothing(under_open_mpi, compare, tmp_path):
    log = tmp_path / "valgrind.%p"
    checked = ["valgrind", "-q", "--leak-check=full", f"--log-file={log}"]
    under_open_mpi(3, *checked, compare, 3, 2, 6, 0)
    logs = list(tmp_path.glob("valgrind.*"))
    assert len(logs) == 3
    for path in logs:  # what concerns MPI alone is MPI's
        errors = re.split(r"\n==\d+== \n", path.read_text())
        assert [error for error in errors if re.search("hypre|odonata", error, re.I)] == []


def test_the_example_changes_three_lines(under_open_mpi, compiled, tmp_path):
    source = ROOT / "examples" / "redistribute_amg.c"
    text = source.read_text()
    assert [text.count(word) for word in ("/* first", "/* second", "/* third")] == [1, 1, 1]
    program = compiled(source)
    slow = machine_file(tmp_path, '[model]\nalpha = "20 us"\nbeta = "1 ns"\nt = ["1 ns"]\n')
    said = under_open_mpi(4, program, 100, slow)
    assert re.search(r"\d iterations, residual \d\.\de-(09|[1-9]\d)\n$", said)
    assert "the finest level stays where it is" in said
    assert re.search(r"\* a switch to \d gains", said)


def document(ranks, *options, how=(), file):
    odonata = [sys.executable, "-c", "from odonata.cli import main; main()"]
    mpirun = [*odonata, "mpirun", "-n", ranks, "--machine", "eos", "--compute", "none", *how, "--"]
    run(*mpirun, PROGRAM, "--points", "6x6x6", *options, "-o", file)
    return json.loads(file.read_text())


MODEL = ("--redistribute", "model", "--machine", EOS, "--ranks-per-node", 16)


def test_off_and_refused_switches_are_plain_boomeramg(tmp_path):
    file = tmp_path / "amg.json"
    plain = document(8, "--cycles", 0, file=file)
    off = document(8, "--cycles", 0, "--redistribute", "off", file=file)
    refused = document(8, *MODEL, "--least-gain", 1, file=file)
    assert refused["redistribution"]["level"] is None
    assert "redistribution" not in off
    for other in (off, refused):  # to the last digit
        assert [other[key] for key in ("iterations", "residual")] == [
            plain[key] for key in ("iterations", "residual")
        ]
    levels = refused["redistribution"]["levels"]
    assert [level["rows"] for level in levels] == [level["rows"] for level in plain["levels"]]
    assert [level["max_sends"] for level in levels] == [
        level["A_max_sends"] for level in plain["levels"]
    ]


NEVER = ("--redistribute", "never")


def test_levels_that_are_never_switched_solve_in_the_time_of_boomeramg(tmp_path):
    """Their messages in the solve are the same, to the picosecond."""
    file = tmp_path / "amg.json"
    plain = document(8, "--cycles", 0, file=file)
    never = document(8, *NEVER, file=file)
    same = ("iterations", "residual")
    assert [never[key] for key in same] == [plain[key] for key in same]
    assert never["solve_seconds"] == pytest.approx(plain["solve_seconds"], abs=5e-13)
    assert never["redistribution"]["mode"] == "never"
    assert never["redistribution"]["levels"] == []


def phases_of(trace):
    """Return messages and collectives of each phase and level."""
    found = matrices(trace)
    return {(m.phase.name, m.phase.level): (int(m.messages.sum()), m.collectives) for m in found}


@pytest.mark.parametrize("switch", [["never"], ["1:2"], ["2:3"]])
def test_phases_change_nothing_but_tell_levels_apart(switch, tmp_path):
    file, trace = tmp_path / "amg.json", tmp_path / "amg.trace"
    record = ("--record", trace)
    silent = document(8, "--redistribute", *switch, how=record, file=file)
    unmarked = phases_of(trace)
    spoken = document(8, "--redistribute", *switch, "--phases", "yes", how=record, file=file)
    marked = phases_of(trace)
    same = ("iterations", "residual")
    assert [silent[key] for key in same] == [spoken[key] for key in same]
    assert spoken["solve_seconds"] == pytest.approx(silent["solve_seconds"], abs=5e-13)
    assert list(unmarked) == [("", None)]
    smoothed = range(max(level for _, level in marked if level is not None) + 1)
    assert len(smoothed) >= 3
    for name in ("setup", "solve"):
        assert {level for of, level in marked if of == name} - {None} == set(smoothed)
    moves = {key for key in marked if key[0] in ("gather", "scatter")}
    level = int(switch[0][0]) if ":" in switch[0] else None
    assert moves == (set() if level is None else {("gather", level), ("scatter", level)})
    solve = sum(n for (name, _), (n, _) in marked.items() if name in ("solve", "gather", "scatter"))
    setup = sum(n for (name, _), (n, _) in marked.items() if name == "setup")
    assert solve > 0
    # Rebuilt levels below the switch send a little more in the setup.
    assert marked["", None][0] + setup + solve == pytest.approx(unmarked["", None][0], rel=0.05)
    if switch == ["never"]:
        assert marked["", None][0] + setup + solve == unmarked["", None][0]
    else:
        below = marked.get(("solve", level + 1), (0, {}))
        assert below[0] <= marked["solve", level - 1][0]


def pairs_of(matrix):
    """Return messages by pair of ranks."""
    columns = (matrix.source, matrix.target, matrix.messages)
    pairs = zip(*(column.tolist() for column in columns), strict=True)
    return {(source, target): messages for source, target, messages in pairs}


@pytest.mark.parametrize(
    ("switch", "trees"),
    [
        ("1:2", {(1, 0), (2, 0), (3, 2), (5, 4), (6, 4), (7, 6)}),
        ("2:3", {(1, 0), (2, 0), (4, 3), (5, 3), (7, 6)}),
    ],
)
def test_a_cycle_gathers_twice_and_scatters_once_along_trees(switch, trees, tmp_path):
    """8 ranks in groups of 4 and 4, or 3, 3 and 2: ranks that own nothing send nothing else."""
    trace = tmp_path / "amg.trace"
    how = ("--record", trace)
    options = ("--redistribute", switch, "--phases", "yes")
    cycles = document(8, *options, how=how, file=tmp_path / "amg.json")["iterations"] + 1
    level = int(switch[0])
    found = {str(matrix.phase): pairs_of(matrix) for matrix in matrices(trace)}
    assert found[f"gather, level {level}"] == {pair: 2 * cycles for pair in trees}
    assert found[f"scatter, level {level}"] == {(b, a): cycles for a, b in trees}
    owners = {parent for _, parent in trees} - {child for child, _ in trees}
    assert all({*pair} <= owners for pair in found[f"solve, level {level}"])


def test_off_has_phases_without_levels(tmp_path):
    trace = tmp_path / "amg.trace"
    document(2, "--cycles", 0, "--phases", "yes", how=("--record", trace), file=tmp_path / "a.json")
    assert list(phases_of(trace)) == [("", None), ("setup", None), ("solve", None)]


def test_flops_of_one_rank_are_those_of_the_cycle(tmp_path):
    """A rank alone sends nothing: the solve takes what its flops take, and 1 us of copies."""
    file = tmp_path / "amg.json"
    times = [4e-9, 2e-9, 1e-9]
    flops = ("--flop-seconds", "4ns,2ns,1ns")
    levels = document(1, *flops, "--cycles", 1, file=file)["levels"]
    for switch in ("never", "1:1", "2:1"):
        found = document(1, "--redistribute", switch, *flops, file=file)
        cycle = 0.0
        for i, level in enumerate(levels):
            t = times[min(i, 2)]
            rows = level["rows"]
            if i == len(levels) - 1:
                cycle += t * (2 / 3 * rows**3 + 2 * rows**2)
            else:  # two sweeps and a residual, restriction and interpolation
                cycle += t * (6 * level["nnz"] + 4 * level["P_nnz_per_row"] * rows)
        krylov = times[0] * (2 * levels[0]["nnz"] + 12 * levels[0]["rows"])
        cycles = found["iterations"] + 1  # the first preconditions the residual
        assert found["solve_seconds"] == pytest.approx(cycles * (cycle + krylov), rel=3e-3)


@pytest.mark.parametrize("options", [
    ["--coarsening", "falgout", "--interpolation", "classical"],
    ["--coarsening", "pmis", "--aggressive-levels", 2, "--relaxation", "l1-jacobi"],
    ["--coarsening", "cljp", "--relaxation", "l1-symmetric-gauss-seidel"],
    ["--relaxation-order", "cf"],
    ["--aggressive-levels", 0, "--interpolation", "standard", "--relaxation", "jacobi",
     "--relaxation-weight", 0.6],
])  # fmt: skip
def test_levels_built_one_by_one_are_those_of_boomeramg(options, tmp_path):
    file = tmp_path / "amg.json"
    plain = document(4, "--cycles", 0, *options, file=file)
    built = document(4, *MODEL, "--least-gain", 1, *options, file=file)
    assert (built["iterations"], built["residual"]) == (plain["iterations"], plain["residual"])


@pytest.mark.parametrize(("order", "exchanges"), [("lexicographic", 5), ("cf", 7)])
def test_the_decisions_are_those_of_the_model(order, exchanges, tmp_path):
    options = [*MODEL, "--relaxation-order", order]
    found = document(8, *options, file=tmp_path / "amg.json")["redistribution"]
    eos = parameters_of(machine.load("eos"))
    network = twin.Network(eos.alpha + 5 * eos.gamma, eos.beta, 8)
    total = 0.0
    for i, level in enumerate(found["levels"]):
        work = twin.Level(
            level["rows"], level["nnz_per_row"], level["max_sends"], level["max_values_sent"],
            level["active_ranks"], eos.t[min(i, 2)],
        )  # fmt: skip
        assert level["flop_seconds"] == pytest.approx(eos.t[min(i, 2)])
        assert level["no_switch_seconds"] == pytest.approx(twin.no_switch(work, network, exchanges))
        total += level["no_switch_seconds"]
        for groups, seconds in level["switch_seconds"].items():
            assert seconds == pytest.approx(twin.switch(work, network, int(groups), exchanges))
    switched = found["levels"][-1]
    assert (found["level"], found["groups"]) == (switched["level"], switched["groups"])
    best = switched["switch_seconds"][str(found["groups"])]
    assert best == min(switched["switch_seconds"].values())
    assert found["gain"] == pytest.approx((switched["no_switch_seconds"] - best) / total)


@pytest.mark.parametrize("how", [[], ["--fibers"]], ids=["processes", "fibers"])
def test_a_machine_is_found_by_its_name(tmp_path, how):
    options = ["--points", "6x6x6", "--redistribute", "model", "--ranks-per-node", 2]
    mpirun = [sys.executable, "-m", "odonata", "mpirun", "-n", 2, "--machine", "eos", *how]
    documents = []
    for name in ("eos", EOS):
        file = tmp_path / "amg.json"
        words = ["--compute", "none", "--", PROGRAM, *options, "--machine", name, "-o", file]
        run(*mpirun, *words)
        documents.append(json.loads(file.read_text())["redistribution"])
    assert documents[0] == documents[1]


def test_all_shipped_machines_are_beside_the_program():
    done = run(PROGRAM, "--redistribute", "model", "--machine", "x", check=False)
    assert done.stderr.strip().endswith("; allowed: " + ", ".join(machine.names()))


def test_fibers_and_the_numbers_of_the_machine_give_the_same(tmp_path):
    numbers = ["--redistribute", "model", "--ranks-per-node", 16, "--alpha", "0.238us", "--beta",
               "0.858ns", "--gamma", "0.416us", "--hops", 5, "--cache", "2.5MiB",
               "--model-flops", "1.59ns,0.806ns,0.545ns"]  # fmt: skip
    file = tmp_path / "amg.json"
    one = document(8, *MODEL, file=file)
    other = document(8, *numbers, how=("--fibers", "--stack", "1MiB"), file=file)
    same = ("iterations", "residual", "redistribution")
    assert [one[key] for key in same] == [other[key] for key in same]


def test_measured_flops_are_used_until_they_rise():
    options = ["--points", "12x12x12", "--redistribute", "model", "--alpha", "1us", "--beta", "1ns"]
    levels = json.loads(run(PROGRAM, *options).stdout)["redistribution"]["levels"]
    times = [level["flop_seconds"] for level in levels]
    assert all(0 < after <= before for before, after in itertools.pairwise(times))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["mode"], "--redistribute: unknown: mode (did you mean model?)"),
        (["2:0"], "--redistribute: not a number, or out of range: 0"),
        (["2:x"], "--redistribute: not a number, or out of range: x"),
        (["50:1"], "there is no level 50; allowed: 0 to "),
        (["1:2"], "level 1 can't go to so many groups: 2; allowed: 1 to 1, the ranks that have"),
        (["model"], "model needs --machine NAME, or --alpha and --beta"),
        (["model", "--machine", "eoss"], "--machine: machine: unknown: eoss (did you mean eos?); "),
        (["model", "--machine", "titan"], "titan.toml: model.alpha is missing"),
        (["model", "--machine", "no.toml"], "--machine: machine: can't be read: no.toml"),
        (["model", "--alpha", "1us", "--beta", "1"], "--beta: not a time: 1"),
        (["model", "--alpha", "1us", "--beta", "1ns", "--cache", "2"], "--cache: not a size: 2"),
        (["model", "--alpha", "1us", "--beta", "1ns", "--scenario", "bandwidth"],
         "the bandwidth penalty needs links and peak_bandwidth"),
        (["1:1", "--preconditioner", "diagonal"], "needs --preconditioner amg"),
        (["1:1", "--cycles", "5"], "only with --redistribute off"),
        (["nevr"], "--redistribute: unknown: nevr (did you mean never?)"),
        (["never", "--phases", "ys"], "--phases: unknown: ys (did you mean yes?)"),
    ],
)  # fmt: skip
def test_wrong_usage_is_said_in_one_line(options, message):
    done = run(PROGRAM, "--points", "6x6x6", "--redistribute", *options, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("odonata-amg: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[model]\nalpha = "1 us"\n', "model.beta is missing; odonata measure finds it"),
        ('family = "aries"\n[model]\nalpha = "1 us"\nbeta = "1 ns"\n', "model.gamma is missing"),
        ('[model]\nalpha = { value = "1 mile" }\n', ":2:model.alpha: not a quantity with its unit"),
        ("[model]\n" + "x" * 70_000, ":2:: longer than a line of a machine file"),
    ],
)
def test_a_wrong_machine_file_is_said_with_its_line(text, message, tmp_path):
    path = machine_file(tmp_path, text)
    done = run(PROGRAM, "--redistribute", "model", "--machine", path, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert str(path) in done.stderr


def shared_object(path, source, *options):
    run(MPICC, "-shared", "-fPIC", "-x", "c", *options, "-o", path, source)
    return path


def test_a_hypre_of_longer_integers_is_told_by_all_ranks(under_open_mpi, compiled, tmp_path):
    program = compiled(ROOT / "tests" / "amg" / "programs" / "unfit.c")
    source = tmp_path / "search.c"
    source.write_text("""
        long long hypre_BinarySearch(long long *list, long long value, long long size) {
          for (long long i = 0; i < size; ++i) if (list[i] == value) return i;
          return -1;
        }""")
    longer = shared_object(tmp_path / "longer.so", source)
    assert under_open_mpi(2, program) == ""
    said = under_open_mpi(2, "env", f"LD_PRELOAD={longer}", program).splitlines()
    why = "redistribution: hypre at hand has local integers of another size than the 32 bits that"
    assert sorted(line[:2] + line[2:].partition(" Odonata")[0] for line in said) == [
        f"{rank} {why}" for rank in (0, 0, 0, 1, 1, 1)
    ]


def test_a_hypre_without_a_function_is_told_in_one_line(tmp_path):
    """The loader finds a library of hypre's name before hypre: it has all functions but one."""
    needed = run("readelf", "-d", PROGRAM).stdout
    name = re.search(r"NEEDED.*\[(libHYPRE[^]]*)\]", needed).group(1)
    functions = set(
        re.findall(r" U ((?:hypre_|Generate)\w+)", run("nm", "-D", PROGRAM).stdout, re.I)
    )
    functions |= {"hypre_BinarySearch"}
    assert "hypre_BoomerAMGRelaxIF" in functions
    source = tmp_path / "older.c"
    source.write_text(
        "".join(f"void {f}(void) {{}}\n" for f in functions - {"hypre_BoomerAMGRelaxIF"})
    )
    shared_object(tmp_path / name, source, f"-Wl,-soname,{name}")
    odonata = [sys.executable, "-c", "from odonata.cli import main; main()"]
    mpirun = [*odonata, "mpirun", "-n", 3, "--machine", "eos", "--compute", "none", "--"]
    for launcher in ([], mpirun):
        path = f"LD_LIBRARY_PATH={tmp_path}"
        done = run(*launcher, "env", path, PROGRAM, "--points", "4x4x4", check=False)
        assert done.returncode == 2
        why = "hypre at hand has no hypre_BoomerAMGRelaxIF; allowed: hypre 2.26 or newer"
        assert done.stderr.count(f"odonata-amg: {why}\n") == 1


def test_what_is_impossible_is_said_once_by_all_ranks(tmp_path):
    odonata = [sys.executable, "-c", "from odonata.cli import main; main()"]
    mpirun = [*odonata, "mpirun", "-n", 8, "--machine", "eos", "--compute", "none", "--"]
    for switch in ("1:9", "30:2"):
        done = run(*mpirun, PROGRAM, "--points", "5x5x5", "--redistribute", switch, check=False)
        assert done.returncode == 2
        assert done.stderr.count("odonata-amg: redistribution: ") == 1
