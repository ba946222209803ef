"""Real programs that compute, in turn with SimGrid's SMPI: CoMD and LULESH on 64 ranks.

Their sources are not part of this repository: ``ODONATA_COMD`` and ``ODONATA_LULESH`` name
checkouts of ECP-copa/CoMD and LLNL/LULESH. ``smpicc`` and ``smpirun`` come from Debian's
``simgrid`` and ``libsimgrid-dev``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from measure import odonata

RANKS = 64

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="dragonfly" prefix="node-" radical="0-119" suffix="" speed="1Gf" bw="10GBps"
             lat="1us" topology="DRAGONFLY" topo_parameters="3,4;4,3;5,1;2"/>
  </zone>
</platform>
"""
"""A dragonfly of 120 nodes: SimGrid 3.32 ends with a segmentation fault on some of 64."""


@dataclass(frozen=True)
class Program:
    """A program with its problem.

    Parameters
    ----------
    variable
        Environment variable that names a checkout of its sources.
    sources
        Pattern of its sources in that folder.
    compilers
        Compilers of MPICH and of SMPI.
    flags
        Flags for both.
    arguments
        Arguments of the run on 64 ranks.
    alone
        Arguments by which one rank alone has the work of one of them.
    """

    variable: str
    sources: str
    compilers: tuple[str, str]
    flags: str
    arguments: str
    alone: str


PROGRAMS = {
    "comd": Program(
        variable="ODONATA_COMD",
        sources="src-mpi/*.c",
        compilers=("mpicc", "smpicc"),
        flags="-std=c99 -O3 -w -DDOUBLE -DDO_MPI",
        arguments="-i 4 -j 4 -k 4",
        alone="-x 5 -y 5 -z 5",
    ),
    "lulesh": Program(
        variable="ODONATA_LULESH",
        sources="*.cc",
        compilers=("mpicxx", "smpicxx"),
        flags="-O3 -w -DUSE_MPI=1",
        arguments="-s 15 -i 30",
        alone="-s 15 -i 30",
    ),
}

NAMES = [f"{name}-{how}" for name in PROGRAMS for how in ("processes", "fibers")]

COMD_INFO = "\n".join(
    f'#define CoMD_{name} "-"'
    for name in (
        *("VARIANT", "HOSTNAME", "KERNEL_NAME", "KERNEL_RELEASE", "PROCESSOR"),
        *("COMPILER", "COMPILER_VERSION", "CFLAGS", "LDFLAGS"),
    )
)
"""The header that CoMD's own makefile writes."""


def computing(name: str, repeats: int) -> list[dict[str, Any]]:
    """Return the row of a name; none, and one line on standard error, where something is absent."""
    program = PROGRAMS[name.split("-")[0]]
    if reason := absent(program):
        print(f"{name}: skipped: {reason}", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as folder:
        return [compared(name, program, Path(folder), repeats)]


def absent(program: Program) -> str:
    if not os.environ.get(program.variable):
        return f"{program.variable} does not name a checkout of its sources"
    missing = [word for word in (program.compilers[1], "smpirun") if shutil.which(word) is None]
    return f"{', '.join(missing)} not found (apt install simgrid libsimgrid-dev)" if missing else ""


def compared(name: str, program: Program, folder: Path, repeats: int) -> dict[str, Any]:
    fibers = name.endswith("fibers")
    mpicc = str(Path(sys.executable).with_name(program.compilers[0]))
    ours = build(program, mpicc, folder / ("program.so" if fibers else "program"))
    theirs = build(program, program.compilers[1], folder / "program-smpi")
    (folder / "platform.xml").write_text(PLATFORM)
    (folder / "hosts").write_text("".join(f"node-{i}\n" for i in range(RANKS)))
    how = ["--fibers"] if fibers else []
    mpirun = [odonata(), "mpirun", "-n", str(RANKS), "--machine", "eos", *how, "--", ours]
    smpirun = ["smpirun", "-np", str(RANKS), "-platform", "platform.xml", "-hostfile", "hosts"]
    smpirun += ["--cfg=smpi/privatization:dlopen", theirs]
    one = [odonata(), "mpirun", "-n", "1", "--machine", "eos", "--json", *how, "--", ours]
    alone = [RANKS * seconds_computed([*one, *program.alone.split()], folder)]
    pairs = []
    for _ in range(repeats):
        words = program.arguments.split()
        pairs.append([processor_seconds([*run, *words], folder) for run in (mpirun, smpirun)])
        alone.append(RANKS * seconds_computed([*one, *program.alone.split()], folder))
    best_ours, best_theirs = (min(side) for side in zip(*pairs, strict=True))
    ratio = median(a / b for a, b in pairs)
    return {
        "name": name,
        "question": "How much processor time does a program take, beside SimGrid's SMPI?",
        "unit": "× (Odonata / SMPI)",
        "best": best_ours / best_theirs,
        "median": ratio,
        "limit": None,
        "seconds": median(a for a, _ in pairs),
        "smpi_seconds": median(b for _, b in pairs),
        "alone_seconds": median(alone),
        "passed": True,
    }


def build(program: Program, compiler: str, target: Path) -> str:
    (target.parent / "CoMD_info.h").write_text(COMD_INFO)
    sources = sorted(Path(os.environ[program.variable]).glob(program.sources))
    shared = ["-shared", "-fPIC"] if target.suffix else []
    command = [compiler, *program.flags.split(), *shared, f"-I{target.parent}", *map(str, sources)]
    subprocess.run([*command, "-lm", "-o", str(target)], check=True)
    return str(target)


def processor_seconds(command: list[str], folder: Path) -> float:
    """Return the user and system time of a command and all its processes [s]."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        process = subprocess.Popen(command, cwd=folder, stdout=nothing, stderr=nothing)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def seconds_computed(command: list[str], folder: Path) -> float:
    """Return the time between the calls of a rank alone [s]."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["compute_seconds"])
