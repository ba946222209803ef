"""One command in a process of its own: its document, and what the process cost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cases import Summary


@dataclass(frozen=True)
class Sample:
    """One run of a command.

    Parameters
    ----------
    summary
        The JSON document: ``cpu_seconds`` and ``peak_memory_bytes`` are of the simulation.
    process_seconds
        Processor time of the whole process, the start of Python included [s].
    process_bytes
        Its peak memory [B].
    """

    summary: Summary
    process_seconds: float
    process_bytes: float


def odonata() -> str:
    """Return the command of this environment."""
    beside = Path(sys.executable).with_name("odonata")
    found = str(beside) if beside.exists() else shutil.which("odonata")
    if found is None:
        raise SystemExit("odonata is not installed in this environment: pip install .")
    return found


def compiled(word: str, folder: Path) -> str:
    """Return a word of a command; for {ring}, {assemble.so} and so on a program, made here."""
    if not word.startswith("{"):
        return word
    program = folder / word.strip("{}")
    flags = ["-shared", "-fPIC"] if program.suffix else []
    mpicc = Path(sys.executable).with_name("mpicc")
    source = Path(__file__).with_name(f"{program.stem}.c")
    subprocess.run([mpicc, "-O2", *flags, source, "-o", program], check=True)
    return str(program)


def measure(arguments: str) -> Sample:
    """Run ``odonata`` with these arguments."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        command = [odonata(), *(compiled(word, Path(folder)) for word in arguments.split())]
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: ended with {process.returncode}")
        output.seek(0)
        summary = json.load(output)
    return Sample(summary, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def instructions_per_hop(few: str, many: str) -> float | None:
    """Return the instructions of a router hop; None where there is no valgrind.

    The instructions of a short and a longer run are counted and subtracted, so the start of Python
    and of the machine drop out. Counts hardly depend on what else the machine does.
    """
    if shutil.which("valgrind") is None:
        return None
    (hops, count), (more_hops, more_count) = (_count(arguments) for arguments in (few, many))
    return (more_count - count) / (more_hops - hops)


def _count(arguments: str) -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        command += [sys.executable, odonata(), *arguments.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    assert collected is not None, done.stderr
    return json.loads(done.stdout)["packet_hops"], float(collected[1])
