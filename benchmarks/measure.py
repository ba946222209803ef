"""One command in a process of its own: its document, and what the process cost."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
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


class Running:
    """A command that runs in a session of its own; it and its processes are gone at the end."""

    def __init__(self, arguments: str) -> None:
        self._arguments = arguments
        self._used: resource.struct_rusage | None = None

    def __enter__(self) -> Running:
        with ExitStack() as kept:
            folder = Path(kept.enter_context(tempfile.TemporaryDirectory()))
            self._output = kept.enter_context(tempfile.TemporaryFile("w+"))
            command = [odonata(), *(compiled(word, folder) for word in self._arguments.split())]
            self._process = subprocess.Popen(command, stdout=self._output, start_new_session=True)
            kept.callback(self._kill)
            self._kept = kept.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def _kill(self) -> None:
        if self._used is None:
            self.signal(signal.SIGKILL)
            self._process.wait()

    def stay(self, core: int) -> None:
        os.sched_setaffinity(self._process.pid, {core})

    def signal(self, number: signal.Signals) -> None:
        os.killpg(self._process.pid, number)

    def ends(self, wait: bool = True) -> bool:
        """Wait until the command has ended, or return whether it has."""
        if self._used is None:
            pid, status, used = os.wait4(self._process.pid, 0 if wait else os.WNOHANG)
            if pid != 0:
                self._used = used
                self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._used is not None

    def sample(self) -> Sample:
        self.ends()
        assert self._used is not None
        if self._process.returncode != 0:
            raise SystemExit(f"odonata {self._arguments}: ended with {self._process.returncode}")
        self._output.seek(0)
        seconds = self._used.ru_utime + self._used.ru_stime
        return Sample(json.load(self._output), seconds, self._used.ru_maxrss * 1024)


def measure(arguments: str) -> Sample:
    """Run ``odonata`` with these arguments."""
    with Running(arguments) as command:
        return command.sample()


def measure_pair(one: str, other: str, turn: float = 0.02) -> tuple[Sample, Sample]:
    """Run two commands by turns of so many seconds on one core: other load is the same for both."""
    with Running(one) as first, Running(other) as second:
        second.signal(signal.SIGSTOP)
        core = max(os.sched_getaffinity(0))
        first.stay(core)
        second.stay(core)
        for running, waiting in cycle([(first, second), (second, first)]):
            time.sleep(turn)
            if running.ends(wait=False):
                waiting.signal(signal.SIGCONT)
                break
            running.signal(signal.SIGSTOP)
            waiting.signal(signal.SIGCONT)
        return first.sample(), second.sample()


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
