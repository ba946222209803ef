"""Studies as a user runs them: resumed, shared, killed, wrong."""

from __future__ import annotations

import collections
import json
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from odonata.errors import WorkerError
from odonata.study import Study
from odonata.study.supervise import supervise

SMALL = """\
command = "simulate allgather --ranks 8"

[axes]
algorithm = ["ring", "bruck"]
machine = ["eos", "theta"]

[seeds]
number = 3
"""


def study_in(folder, text=SMALL, name="study.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def begun_and_ended(folder):
    begun, ended = collections.Counter(), collections.Counter()
    for path in (folder / "runs").iterdir():
        for line in path.read_bytes().split(b"\n")[:-1]:
            entry = msgspec.json.decode(line)
            if "begun" in entry:
                begun[entry["begun"], entry["seed"]] += 1
            elif "key" in entry:
                ended[entry["key"], entry["seed"]] += 1
    return begun, ended


def table(run_odonata, folder):
    status, _, said = run_odonata("study", "export", folder, "-o", folder / "all.csv")
    assert (status, said) == (0, "")
    return (folder / "all.csv").read_bytes()


def test_a_study_runs_shows_and_runs_nothing_twice(run_odonata, tmp_path):
    path, folder = study_in(tmp_path), tmp_path / "runs of mine"
    status, told, said = run_odonata("study", "run", path, "-o", folder)
    assert (status, said) == (0, "")
    assert "4 combinations; 12 of 12 runs have ended." in told
    assert sorted(each.name for each in folder.iterdir()) == ["plan.jsonl", "runs", "study.toml"]
    assert run_odonata("study", "run", folder)[0] == 0
    begun, ended = begun_and_ended(folder)
    assert set(begun.values()) == set(ended.values()) == {1}
    assert len(ended) == 12

    status, told, _ = run_odonata("study", "show", folder, "--json")
    rows = json.loads(told)
    assert [(row["algorithm"], row["machine"], row["runs"]) for row in rows] == [
        *(("ring", "eos", 3), ("ring", "theta", 3), ("bruck", "eos", 3), ("bruck", "theta", 3)),
    ]
    told = run_odonata("study", "show", folder, "--by", "machine", "--best", "algorithm")[1]
    assert told.count("bruck") == 2


def test_a_row_is_the_run_of_its_command(run_odonata, tmp_path):
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path), "-o", folder)
    told = run_odonata("study", "show", folder, "--commands", "--json")[1]
    commands = json.loads(told)
    assert len(commands) == 12
    frame = Study(folder).frame
    for at in (0, 5, 11):
        told = run_odonata(*commands[at].split()[1:], "--json")[1]
        assert json.loads(told)["time_seconds"] == frame.time_seconds[at]
        assert json.loads(told)["events"] == frame.events[at]


@pytest.mark.parametrize("workers", [1, 3])
def test_tables_do_not_depend_on_workers_or_order(run_odonata, tmp_path, workers):
    path = study_in(tmp_path)
    run_odonata("study", "run", path, "-o", tmp_path / "two", "--workers", 2)
    run_odonata("study", "run", path, "-o", tmp_path / "other", "--workers", workers)
    assert table(run_odonata, tmp_path / "two") == table(run_odonata, tmp_path / "other")


def test_the_frame_and_the_dataset_have_the_numbers_of_the_runs(run_odonata, tmp_path):
    text = SMALL.replace('machine = ["eos", "theta"]', "") + (
        '[[together]]\nmachine = ["eos", "theta"]\nbytes = ["1KiB", "2KiB"]\n'
    )
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path, text), "-o", folder)
    study = Study(folder)
    frame, dataset = study.frame, study.dataset
    assert dict(dataset.sizes) == {"algorithm": 2, "machine": 2, "seed": 3}
    assert list(dataset.coords["bytes"].values) == ["1KiB", "2KiB"]
    row = frame[(frame.algorithm == "bruck") & (frame.machine == "theta") & (frame.seed == 2)]
    chosen = dataset.time_seconds.sel(algorithm="bruck", machine="theta", seed=2)
    assert float(chosen) == row.time_seconds.item()
    assert run_odonata("study", "export", folder, "-o", tmp_path / "all.nc")[0] == 0
    xarray = pytest.importorskip("xarray")
    with xarray.open_dataset(tmp_path / "all.nc", engine="h5netcdf") as read:
        assert read.time_seconds.equals(dataset.time_seconds)


def test_a_table_for_other_tools(run_odonata, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path), "-o", folder)
    assert run_odonata("study", "export", folder, "-o", tmp_path / "all.parquet")[0] == 0
    read = pandas.read_parquet(tmp_path / "all.parquet")
    assert list(read.time_seconds) == list(Study(folder).frame.time_seconds)


def test_a_failed_run_is_kept_with_its_error_and_made_again_when_asked(run_odonata, tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    program.chmod(0o755)
    text = f'command = "mpirun -n 2 --compute none {program}"\n[axes]\nmachine = ["eos", "theta"]\n'
    folder = tmp_path / "all"
    status, told, _ = run_odonata("study", "run", study_in(tmp_path, text), "-o", folder)
    assert status == 0
    assert "2 of 2 runs have ended, 2 of them failed." in told
    assert told.count("ended before MPI_Init, exit code 3") == 2
    assert list(Study(folder).frame.error.notna()) == [True, True]
    run_odonata("study", "run", folder)
    assert sum(begun_and_ended(folder)[1].values()) == 2
    run_odonata("study", "run", folder, "--retry")
    begun, ended = begun_and_ended(folder)
    assert set(begun.values()) == set(ended.values()) == {1}


def test_runs_in_common_are_taken_from_another_study(run_odonata, tmp_path):
    run_odonata("study", "run", study_in(tmp_path), "-o", tmp_path / "one")
    more = study_in(tmp_path, SMALL.replace('"eos", ', '"titan", ').replace("3", "4"), "more.toml")
    other = tmp_path / "two"
    run_odonata("study", "run", more, "-o", other, "--reuse", tmp_path / "one")
    begun, ended = begun_and_ended(other)
    assert len(ended) == 16
    assert len(begun) == 16 - 6


def test_a_changed_machine_file_makes_new_runs(run_odonata, tmp_path):
    machine = tmp_path / "mine.toml"
    machine.write_text(run_odonata("machines", "new", "--like", "eos")[1], encoding="utf-8")
    text = SMALL.replace('"eos", "theta"', '"mine.toml"')
    path, folder = study_in(tmp_path, text), tmp_path / "all"
    assert run_odonata("study", "run", path, "-o", folder)[0] == 0
    first = Study(folder).frame.time_seconds
    slower = run_odonata("machines", "new", "--like", "eos", "--set", "router.delay=9us")[1]
    machine.write_text(slower, encoding="utf-8")
    assert run_odonata("study", "run", folder)[0] == 0
    second = Study(folder).frame.time_seconds
    assert len(second) == 6
    assert (second > first).all()
    machine.unlink()
    status, _, said = run_odonata("study", "run", folder)
    assert status == 2
    assert "machine file: no such file: 'mine.toml'" in said
    assert "machine=mine.toml" in said
    assert run_odonata("study", "show", folder)[0] == 0


def test_seeds_end_when_the_median_is_known(run_odonata, tmp_path):
    seeds = '[seeds]\nuntil = "2%"\nat_most = 40\n'
    text = SMALL.partition("[seeds]")[0].replace("8", "64 --allocation random") + seeds
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path, text), "-o", folder)
    runs = Study(folder).frame.groupby(["algorithm", "machine"]).size()
    assert ((runs >= 6) & (runs <= 40)).all()
    assert Study(folder).complete


def test_files_of_runs_are_kept(run_odonata, tmp_path):
    folder = tmp_path / "all"
    text = SMALL + "[keep]\nfiles = true\nresults = ['time_seconds']\n"
    run_odonata("study", "run", study_in(tmp_path, text), "-o", folder)
    study = Study(folder)
    assert all(study.path_of(row).is_file() for row in study.rows())
    assert list(study.frame) == ["algorithm", "machine", "seed", "time_seconds", "error"]
    (first, *_) = study.rows()
    told = run_odonata("show", study.path_of(first), "--json")[1]
    assert json.loads(told)["time_seconds"] == first.record.result["time_seconds"]


WRONG = {
    "an axis that is no option": ('"bruck"]', '"bruck"]\nalgoritm = [1]', "did you mean 'algo"),
    "an option twice": ("--ranks 8", "--ranks 8 --machine eos", "the command has this option"),
    "a list in the command": (
        "--ranks 8",
        "--ranks 8,16",
        "a list of values: '2 runs'; allowed: an axis",
    ),
    "an output": ("--ranks 8", "--ranks 8 --json", "an option of its output"),
    "a value of one combination": (
        'machine = ["eos", "theta"]',
        'machine = ["eos", "theta"]\nbytes = [8, 16, "2EiB"]',
        "the run with algorithm=ring, machine=eos, bytes=2EiB",
    ),
    "an unknown machine": ('"theta"', '"thetta"', "did you mean 'theta'?"),
    "nothing is left": ("[seeds]", '[[without]]\nmachine = ["eos", "theta"]\n[seeds]', "no comb"),
    "the same run twice": ("[seeds]", "[[together]]\nbytes = [8, 8]\n[seeds]", "the same run"),
    "measured times": ("simulate allgather --ranks 8", "mpirun ./a.out", "--compute none"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_before_anything_runs(run_odonata, tmp_path, name):
    before, after, message = WRONG[name]
    path = study_in(tmp_path, SMALL.replace(before, after, 1))
    status, told, said = run_odonata("study", "run", path, "-o", tmp_path / "all")
    assert (status, told) == (2, "")
    assert message in said
    assert said.count("\n") == 1
    assert not (tmp_path / "all").exists()


def test_folders_that_cannot_be_used_are_told(run_odonata, tmp_path):
    path, folder = study_in(tmp_path), tmp_path / "all"
    for command in ("show", "work"):
        status, _, said = run_odonata("study", command, folder)
        assert (status, said.count("\n")) == (2, 1)
        assert "study: no such folder" in said
    folder.write_text("a file", encoding="utf-8")
    status, _, said = run_odonata("study", "run", path, "-o", folder)
    assert (status, said.count("\n")) == (74, 1)
    folder.unlink()
    run_odonata("study", "check", path, "-o", folder)
    plan = folder / "plan.jsonl"
    whole = plan.read_text(encoding="utf-8")
    plan.write_text(whole.replace('"version":"', '"version":"0'), encoding="utf-8")
    status, _, said = run_odonata("study", "run", folder)
    assert (status, said.count("\n")) == (2, 1)
    assert "by another version of Odonata: '00" in said
    assert run_odonata("study", "run", folder, "--anew")[0] == 0
    plan.write_text(whole.replace('"format":1', '"format":7'), encoding="utf-8")
    status, _, said = run_odonata("study", "show", folder)
    assert "a folder of another version of Odonata: 'format 7'" in said


def test_a_full_disk_is_one_message_and_the_study_continues(run_odonata, tmp_path):
    """A limit on the size of files stands for a full disk."""
    path, folder = study_in(tmp_path), tmp_path / "all"
    run_odonata("study", "check", path, "-o", folder)
    limited = f"ulimit -f 4; trap '' XFSZ; exec {sys.executable} -m odonata study run {folder}"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True)
    assert done.returncode == 74
    assert "jsonl: File too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert run_odonata("study", "run", folder)[0] == 0
    assert set(begun_and_ended(folder)[1].values()) == {1}


MANY = """\
command = "simulate allgather --ranks 128"

[axes]
algorithm = ["ring", "bruck"]
bytes = [8, 16, 32, 64, 128, 256]

[[together]]
machine = ["eos", "theta"]

[seeds]
number = 3
"""


def processes_of(process):
    """Return the process and its children."""
    path = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        return [process.pid, *map(int, path.read_text(encoding="ascii").split())]
    except OSError:
        return [process.pid]


def kill(numbers):
    for number in numbers:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.mark.slow
@pytest.mark.parametrize("command", [["run"], ["work", "work"]])
def test_a_study_that_is_killed_again_and_again_is_as_an_undisturbed_one(
    run_odonata, tmp_path, command
):
    path = study_in(tmp_path, MANY)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    run_odonata("study", "run", path, "-o", whole)
    run_odonata("study", "check", path, "-o", killed)
    draw = random.Random(7)
    for kind in draw.choices(["one", "all", "first"], k=9):
        started = [
            subprocess.Popen(
                [sys.executable, "-m", "odonata", "--quiet", "study", word, killed],
                stdout=subprocess.DEVNULL,
            )
            for word in command
        ]
        try:
            started[0].wait(draw.uniform(0.5, 2.0))
        except subprocess.TimeoutExpired:
            each = [number for process in started for number in processes_of(process)]
            kill({"one": [draw.choice(each)], "all": each, "first": each[:1]}[kind])
            if kind == "one":
                draw.random()
        for process in started:
            kill(processes_of(process))
            process.wait()
    assert run_odonata("study", "run", killed)[0] == 0
    assert table(run_odonata, whole) == table(run_odonata, killed)
    begun, ended = begun_and_ended(killed)
    assert set(ended.values()) == {1}
    assert sum(begun.values()) - len(ended) <= 9 * 2


def test_a_worker_that_is_killed_is_replaced(run_odonata, tmp_path):
    path, folder = study_in(tmp_path, MANY), tmp_path / "all"
    run_odonata("study", "check", path, "-o", folder)
    command = [sys.executable, "-m", "odonata", "study", "run", folder, "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        for _ in range(3):
            try:
                process.wait(1.5)
            except subprocess.TimeoutExpired:
                kill(processes_of(process)[1:])
        assert process.wait() == 0
    assert Study(folder).complete
    assert set(begun_and_ended(folder)[1].values()) == {1}


def test_an_interrupted_study_says_how_to_continue(tmp_path):
    path = study_in(tmp_path, MANY.replace("128", "512"))
    command = [sys.executable, "-m", "odonata", "study", "run", path, "-o", tmp_path / "all"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list((tmp_path / "all").glob("runs/*")):
        assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    said = process.communicate()[1]
    assert process.returncode == 143
    assert "runs have ended; odonata study run" in said
    assert not list(Path("/proc").glob(f"{process.pid}/task"))


@pytest.mark.slow
def test_parsl_makes_the_runs(run_odonata, tmp_path):
    pytest.importorskip("parsl")
    config = tmp_path / "config.py"
    config.write_text(
        "from parsl.config import Config\n"
        "from parsl.executors import HighThroughputExecutor\n"
        "from parsl.providers import LocalProvider\n"
        "here = HighThroughputExecutor(max_workers_per_node=2, provider=LocalProvider())\n"
        "config = Config(executors=[here])\n",
        encoding="utf-8",
    )
    path = study_in(tmp_path)
    command = [sys.executable, "-m", "odonata", "study", "run", path, "-o", tmp_path / "all"]
    done = subprocess.run([*command, "--parsl", config], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "12 of 12 runs have ended." in done.stdout
    assert not (tmp_path / "runinfo").exists()
    run_odonata("study", "run", path, "-o", tmp_path / "two")
    assert table(run_odonata, tmp_path / "all") == table(run_odonata, tmp_path / "two")


def test_a_configuration_of_parsl_that_is_none_is_told(run_odonata, tmp_path):
    pytest.importorskip("parsl")
    path = study_in(tmp_path)
    config = tmp_path / "config.py"
    for text, message in (("x = 1", "not one: 0"), ("1 / 0", "ZeroDivisionError")):
        config.write_text(text, encoding="utf-8")
        arguments = ("study", "run", path, "-o", tmp_path / "all", "--parsl", config)
        status, _, said = run_odonata(*arguments)
        assert status == 2
        assert message in said


COMPARISON = (
    *("simulate", "allgather", "--ranks", "8,16", "--machine", "eos,theta"),
    *("--algorithm", "bruck,ring", "--fail", "none,1%", "--seed", "1,2"),
)


def test_a_comparison_in_a_folder_prints_the_same_and_is_resumed(run_odonata, tmp_path):
    folder = tmp_path / "runs"
    expected = run_odonata(*COMPARISON)
    found = run_odonata(*COMPARISON, "-o", folder)
    assert found[0] == 0
    assert found[1] == expected[1]
    assert run_odonata(*COMPARISON, "-o", folder) == found
    begun, ended = begun_and_ended(folder)
    assert set(begun.values()) == set(ended.values()) == {1}
    assert len(ended) == 32
    status, _, said = run_odonata(*COMPARISON, "-o", folder, "--interval", "90%")
    assert (status, said.count("\n")) == (2, 1)


def test_a_comparison_of_replays_in_a_folder(run_odonata, tmp_path):
    trace = tmp_path / "run.trace"
    pytest.importorskip("mpi4py")
    program = [sys.executable, "-c", "from mpi4py import MPI; MPI.COMM_WORLD.barrier()"]
    record = ("mpirun", "-n", 2, "--machine", "eos", "--record", trace, "--", *program)
    assert run_odonata(*record)[0] == 0
    words = ("replay", trace, "--machine", "eos,theta", "--compute", "none")
    assert run_odonata(*words, "-o", tmp_path / "all")[1] == run_odonata(*words)[1]


PRICES = {"switch": 10_000, "port": 50, "adapter": 500, "cable.copper": 50, "cable.optical": 300}


def test_figures_of_a_study(run_odonata, tmp_path):
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path), "-o", folder)
    figure = tmp_path / "a.png"
    for asked in (("--x", "machine"), ("--x", "machine", "--panels", "algorithm")):
        figure.unlink(missing_ok=True)
        assert run_odonata("study", "plot", folder, "-o", figure, *asked)[0] == 0
        assert figure.read_bytes()[:4] == b"\x89PNG"
    prices = tmp_path / "prices.toml"
    lines, table = [], ""
    for line in run_odonata("machines", "cost", "--template")[1].splitlines():
        table = line[1:].partition("]")[0] if line.startswith("[") else table
        key = line.partition(" ")[0]
        value = {"currency": '"EUR"', "price": PRICES.get(table), "power": 1, "price_per_metre": 5}
        lines.append(f"{key} = {value[key]}" if '= ""' in line else line)
    prices.write_text("\n".join(lines), encoding="utf-8")
    assert run_odonata("study", "plot", folder, "-o", figure, "--prices", prices)[0] == 0
    for wrong in ((), ("--x", "machin"), ("--x", "machine", "--of", "tim"), ("--x", "algorithm")):
        more = ("--prices", prices) if wrong == ("--x", "algorithm") else ()
        status, _, said = run_odonata("study", "plot", folder, "-o", figure, *wrong, *more)
        assert (status, said.count("\n")) == (2, 1)


def test_tables_that_cannot_be_written_are_told(run_odonata, tmp_path):
    folder = tmp_path / "all"
    run_odonata("study", "run", study_in(tmp_path), "-o", folder)
    for target, status in ((tmp_path / "no" / "a.csv", 74), (tmp_path / "a.xlsx", 2)):
        got, _, said = run_odonata("study", "export", folder, "-o", target)
        assert (got, said.count("\n")) == (status, 1)


CRASHES = """
import os, signal, sys
from pathlib import Path
from odonata.study.work import Outcome, Worker

def run(words):
    if "ring" in words:
        os.kill(os.getpid(), signal.SIGSEGV)
    return Outcome({"time_seconds": 1.0})

Worker(Path(sys.argv[1]), run).work()
"""


def test_a_run_that_ends_every_worker_counts_as_failed(run_odonata, tmp_path):
    text = (
        'command = "simulate bcast"\n[axes]\nalgorithm = ["ring", "binomial"]\nmachine = ["eos"]\n'
    )
    folder = tmp_path / "all"
    run_odonata("study", "check", study_in(tmp_path, text.replace("ring", "linear")), "-o", folder)
    plan = folder / "plan.jsonl"
    plan.write_text(plan.read_text(encoding="utf-8").replace("linear", "ring"), encoding="utf-8")
    supervise(folder, [sys.executable, "-c", CRASHES, str(folder)], workers=1)
    failed, made = (row.record.error for row in Study(folder).rows())
    assert failed == "10 workers were lost during this run: it may need too much memory"
    assert made is None


def test_workers_that_end_at_once_end_the_study(run_odonata, tmp_path):
    folder = tmp_path / "all"
    run_odonata("study", "check", study_in(tmp_path), "-o", folder)
    script = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    with pytest.raises(WorkerError, match="lost without a run that ended, the last by SIGKILL"):
        supervise(folder, [sys.executable, "-c", script], workers=2)


@pytest.fixture(scope="module")
def small_study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("small")
    words = ("study", "run", study_in(folder), "-o", folder / "all")
    subprocess.run([sys.executable, "-m", "odonata", *words], check=True, stdout=subprocess.DEVNULL)
    return folder / "all"


@pytest.mark.parametrize("draw", range(20))
def test_damaged_files_are_told_or_left_out(run_odonata, tmp_path, small_study, draw):
    random.seed(draw)
    shutil.copytree(small_study, folder := tmp_path / "all")
    damaged = [folder / "plan.jsonl", *sorted((folder / "runs").iterdir())]
    path = damaged[0] if draw % 2 else random.choice(damaged)
    content = bytearray(path.read_bytes())
    for _ in range(random.choice([1, 5, 50])):
        content[random.randrange(len(content))] = random.randrange(256)
    path.write_bytes(content[: random.randrange(len(content))] if draw % 5 == 0 else content)
    for words in (("show", folder), ("export", folder, "-o", tmp_path / "all.csv")):
        status, _, said = run_odonata("study", *words)
        assert status in (0, 2)
        assert said.count("\n") == (status == 2)
