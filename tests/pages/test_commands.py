"""Commands of the pages end well, and print what the pages say that they print."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ..machine.fabrics import Cluster
from .commands import PAGES, ROOT, Command, Step, name, steps

SCRIPT = """#!/usr/bin/env python
from mpi4py import MPI
MPI.COMM_WORLD.Barrier()
MPI.COMM_WORLD.alltoall([0] * MPI.COMM_WORLD.size)
"""

NOT_RUN = {
    "pip install": "changes the environment",
    "python -m pytest": "runs these tests",
    "apt install": "changes the system",
    "srun ": "needs a cluster",
    "mpirun --rankfile": "starts 64 processes",
    "intel-mpi/": "needs a package of 90 MB",
    "imb.trace": "needs a package of 90 MB",
    "export LIB": "is for a cluster",
    "mpicc ": "needs a program of the reader",
    "boomeramg": "needs a program of the reader",
    "hypre.trace": "needs a program of the reader",
    "--phase solve": "needs a program with phases",
    "measured.csv": "needs measured collectives; tests/trust runs it",
    "64KiB --machine mine.toml": "needs measured collectives",
    "fit amg ": "needs measured cycles; tests/model runs it",
    "lulesh": "needs a program of the reader",
    "odonata-amg": "needs hypre; tests/amg runs it",
    "amg.trace": "needs hypre",
    "amg.json": "needs hypre",
    "python validation/": "needs runs of a minute",
    "fft --points 768": "takes a minute",
    "fft.nc": "takes a minute",
    "odonata measure": "takes a minute; tests/measure runs it",
    "here.toml": "needs odonata measure",
    "...": "is not whole",
    "AMG_n27": "needs a trace of 1 GB",
    "scorep-run": "needs a trace of another tool",
    "binary_tree_32.goal": "needs a schedule of another tool",
    "--sl2vl": "needs the files of a fabric; tests/machine imports some",
    "mpiP": "needs a report of another tool",
    "ipm.xml": "needs a report of another tool",
    "job.out": "needs a report of another tool",
}
"""Parts of commands that are not run, and why."""

if shutil.which("ibsim") is None:
    NOT_RUN |= {part: "needs OpenSM and ibsim" for part in ("--opensm", "routed.toml")}

VARYING = ("simulated in", "peak memory", "events per second", "compute")
"""Rows whose values differ from run to run."""


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    scripts = str(Path(sys.executable).parent)
    return subprocess.run(
        ["timeout", "300", "bash", "-c", command],  # ends all that the command has started
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": "400"},
    )


def save(file: Path) -> None:
    done = run(
        f"odonata simulate allgather --ranks 4 --machine eos --explain -o {file}", file.parent
    )
    assert done.returncode == 0, done.stderr


def record(file: Path) -> None:
    words = f"odonata mpirun -n 4 --machine eos --compute none --record {file} -- ./program"
    done = run(words, file.parent)
    assert done.returncode == 0, done.stderr


def profile(folder: Path) -> None:
    done = run(f"odonata profile -o {folder} -- mpiexec -n 2 ./app", folder.parent)
    assert done.returncode == 0, done.stderr


def describe(family: str) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        done = run(f"odonata machines new --family {family} > {file}", file.parent)
        assert done.returncode == 0, done.stderr

    return write


def site() -> Cluster:
    """Return four leaves with 16 hosts each, and four cables to each of two spines but for one."""
    made = Cluster("4xHDR")
    leaves, spines = [f"leaf-{at}" for at in range(1, 5)], ("spine-1", "spine-2")
    for switch in (*leaves, *spines):
        made.add("S", switch)
    for host in range(64):
        made.join(made.add("H", f"node{host:02d}", f"node{host:02d} mlx5_0"), leaves[host // 16])
    for leaf, spine, at in itertools.product(leaves, spines, range(4)):
        if (leaf, spine, at) != ("leaf-4", "spine-2", 3):
            made.join(leaf, spine)
    return made


def tables(made: Cluster) -> dict[tuple[str, str], int]:
    """Return tables that take the cables of a switch in turn: up, and down from a spine."""
    ways = {}
    switches = [name for name, node in made.nodes.items() if node[0] == "S"]
    for switch, host in itertools.product(switches, range(64)):
        own = f"leaf-{1 + host // 16}"
        to = {f"node{host:02d}"} if switch == own else {own, "spine-1", "spine-2"}
        ports = [at for at, (peer, _, _) in enumerate(made.ports[switch], 1) if peer in to]
        ways[switch, f"node{host:02d}"] = ports[host % len(ports)]
    return ways


def study(file: Path) -> None:
    """Write the study file that a page shows."""
    text = (ROOT / "docs" / "how-to" / "run-a-study.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S)
    file.write_text(shown, encoding="utf-8")


HAVE: dict[str, dict[str, Callable[[Path], None]]] = {
    "docs/concepts/placement.md": {"mine.toml": describe("torus --set 'shape.sizes=[8,10,8]'")},
    "docs/concepts/profile.md": {"run.trace": record, "other": profile},
    "docs/concepts/result.md": {"run.nc": save, "ring.nc": save, "bruck.nc": save},
    "docs/concepts/trace.md": {
        "run.trace": record,
        "order.txt": lambda file: file.write_text("3\n2\n1\n0\n"),
    },
    "docs/concepts/workload.md": {"mine.toml": describe("torus --set 'shape.sizes=[8,10,8]'")},
    "docs/how-to/place-ranks.md": {
        "nodes.txt": lambda file: file.write_text("\n".join(map(str, range(8)))),
        "order": lambda file: file.write_text("\n".join(map(str, reversed(range(512))))),
    },
    "docs/how-to/play-a-trace.md": {"run.trace": record},
    "docs/how-to/simulate-your-own-cluster.md": {
        "net.txt": lambda file: file.write_text(site().text()),
        "lfts.txt": lambda file: file.write_text(site().lfts(tables(site()))),
    },
    "docs/how-to/run-a-study.md": {"study.toml": study},
}
"""Files that the reader of a page has, and who makes them here."""


def prepare(page: Path, folder: Path) -> None:
    for program in ("program", "app"):
        file = folder / program
        file.write_text(SCRIPT)
        file.chmod(0o755)
    text = page.read_text(encoding="utf-8")
    for script in re.findall(r"^```\n(from array.*?)^```", text, re.M | re.S):
        (folder / "halo.py").write_text(script)
    for file, make in HAVE.get(name(page), {}).items():
        make(folder / file)


def reason_not_to_run(command: Command) -> str | None:
    return next((why for part, why in NOT_RUN.items() if part in command.text), None)


def lines_that_are_missing(printed: str, said: str) -> list[str]:
    """Return the lines with numbers that a page has and the output has not."""
    there = {" ".join(line.split()) for line in said.splitlines()}
    lines = [" ".join(line.split()) for line in printed.splitlines() if re.search(r"\d", line)]
    return [line for line in lines if line not in there and not any(v in line for v in VARYING)]


def check(step: Step, folder: Path) -> None:
    said, all_ran = "", True
    for command in step.commands:
        if reason_not_to_run(command):
            all_ran = all_ran and command.text.startswith("pip ")
            continue
        done = run(command.text, folder)
        assert done.returncode == 0, f"{command.text}\n{done.stderr}"
        said += done.stdout + done.stderr
        number = re.match(r"[\d.,]+ (?:ps|ns|us|ms|s)\b", command.comment)
        assert number is None or number[0] in done.stdout, command
    for printed in step.printed if all_ran else []:
        assert lines_that_are_missing(printed, said) == []


WITH_COMMANDS = [page for page in PAGES if steps(page)]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name)
def test_commands_of_a_page_run(page, tmp_path):
    prepare(page, tmp_path)
    for step in steps(page):
        check(step, tmp_path)


def test_each_reason_is_of_a_command():
    commands = [command.text for page in PAGES for step in steps(page) for command in step.commands]
    assert [part for part in NOT_RUN if not any(part in text for text in commands)] == []
    assert len(WITH_COMMANDS) >= 15


def rows_of_run_your_program() -> list[tuple[str, str]]:
    text = (ROOT / "docs" / "how-to" / "run-your-program.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (?:`(.*)`(?:, with .*)?)? *\| ([\d.]+ us) \|$", text, re.M)
    return [(options, time) for options, time in found]


def test_the_page_of_programs_has_rows():
    assert len(rows_of_run_your_program()) == 8


@pytest.mark.slow
@pytest.mark.parametrize(("options", "time"), rows_of_run_your_program())
def test_times_of_a_program_are_those_of_its_page(tmp_path, options, time):
    prepare(ROOT / "docs" / "how-to" / "run-your-program.md", tmp_path)
    (tmp_path / "order.txt").write_text("\n".join(map(str, reversed(range(64)))))
    where = "" if "--machine" in options else "--machine eos"
    done = run(f"odonata mpirun -n 64 {where} --compute none {options} -- python halo.py", tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"64 ranks, ten steps: {time}" in done.stdout


def rows_of_three_jobs() -> list[tuple[str, str]]:
    """Return options and time of each cell of the table of three jobs."""
    text = (ROOT / "docs" / "how-to" / "simulate-your-own-cluster.md").read_text(encoding="utf-8")
    table = text.partition("| job | ")[2].partition("\n\n")[0]
    options, _, *rows = [[c.strip(" `") for c in line.split("|")] for line in table.splitlines()]
    options = [cell for cell in options if cell]
    return [
        (f"{job} {each}", time)
        for _, job, *times, _ in rows
        for each, time in zip(options, times, strict=True)
    ]


def test_the_page_of_clusters_has_three_jobs():
    assert len(rows_of_three_jobs()) == 9


@pytest.mark.slow
def test_times_of_three_jobs_are_those_of_their_page(tmp_path):
    prepare(ROOT / "docs" / "how-to" / "simulate-your-own-cluster.md", tmp_path)
    done = run("odonata machines import net.txt --lfts lfts.txt -o mine.toml", tmp_path)
    assert done.returncode == 0, done.stderr
    for options, time in rows_of_three_jobs():
        words = f"{options} --ranks 64 --ranks-per-node 1 --machine mine.toml"
        done = run(f"odonata simulate {words}", tmp_path)
        found = re.search(r"^\| time +\| +(\S+ \S+) \|$", done.stdout, re.MULTILINE)
        assert found is not None, done.stderr
        assert found[1] == time, options
