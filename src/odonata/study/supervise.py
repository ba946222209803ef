"""Workers on this computer: processes that are started, watched and started anew when lost."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from odonata.errors import WorkerError
from odonata.study.plan import Plan
from odonata.study.records import Reading, RecordFile, marked_in, under_way
from odonata.study.work import MOST_LOST

__all__ = ["Count", "Ending", "supervise"]

LOOK_SECONDS = 0.05
"""Time between two looks at the workers [s]."""

COUNT_SECONDS = 0.5
"""Time between two counts of the runs [s]."""

MOST_WITHOUT_RUNS = 2 * MOST_LOST
"""Workers that may be lost one after the other without a run that ends between them."""

PATIENCE_SECONDS = 10.0
"""Time that workers have to end when they are asked to [s]."""


@dataclass(frozen=True)
class Ending:
    """How far a study has come.

    Parameters
    ----------
    ended
        Runs that have ended since this began.
    share
        Expected time of all runs that have ended over the expected time of all [0 to 1].
    """

    ended: int
    share: float


class Count:
    """Counts the runs that end.

    Parameters
    ----------
    folder
        The study's folder.
    """

    def __init__(self, folder: Path) -> None:
        plan = Plan(folder)
        seeds = plan.study.seeds.most
        self._expected = {point.key: point.seconds for point in plan}
        self._all = sum(self._expected.values()) * seeds or 1.0
        self._reading = Reading(folder)
        self._seconds = 0.0
        self._ended = self._before = 0
        self._before = self.look().ended

    def look(self) -> Ending:
        """Return how far the study has come."""
        for _, _, line in self._reading.new_lines():
            marked = marked_in(line)
            if marked.key in self._expected:
                self._seconds += self._expected[marked.key]
                self._ended += 1
        return Ending(self._ended - self._before, min(1.0, self._seconds / self._all))


class _Process:
    """A worker; its end of a pipe is closed when this process ends, and the worker ends, too."""

    def __init__(self, command: Sequence[str]) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=self._said
        )

    @property
    def number(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def status(self) -> int | None:
        """Exit status; None: it runs."""
        return self._process.poll()

    @property
    def said(self) -> str:
        """Last line that it wrote to standard error."""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def end(self) -> None:
        """Ask it to end."""
        if self.status is None:
            self._process.send_signal(signal.SIGTERM)

    def close(self) -> None:
        """Wait until it has ended."""
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._said.close()


def supervise(
    folder: Path,
    command: Sequence[str],
    workers: int,
    report: Callable[[Ending], None] = lambda _ending: None,
) -> Ending:
    """Keep so many workers at work until all runs of a study have ended.

    Parameters
    ----------
    folder
        The study's folder.
    command
        Command that starts a worker.
    workers
        Number of workers.
    report
        Called now and then.

    Raises
    ------
    WorkerError
        A worker cannot work: the disk is full, or workers are lost before any run ends.
    """
    count = Count(folder)
    processes = [_Process(command) for _ in range(workers)]
    lost, ended_before, counted = 0, 0, time.monotonic()
    try:
        while processes:
            time.sleep(LOOK_SECONDS)
            if time.monotonic() - counted > COUNT_SECONDS:
                report(count.look())
                counted = time.monotonic()
            for at, process in enumerate(processes):
                if process.status is None:
                    continue
                if process.status != 0:
                    _note_lost(folder, process)
                    ended = count.look().ended
                    lost = lost + 1 if ended == ended_before else 1
                    ended_before = ended
                    _refuse(process, lost)
                    processes.append(_Process(command))
                process.close()
                del processes[at]
                break
    finally:
        for process in processes:
            process.end()
        for process in processes:
            process.close()
    return count.look()


def _note_lost(folder: Path, process: _Process) -> None:
    """Record which run a worker was at that has been lost alone."""
    begun = under_way(folder, process.number)
    if begun is not None:
        records = RecordFile(folder)
        records.lose(begun.begun, begun.seed)
        records.close()


def _refuse(process: _Process, lost: int) -> None:
    """Raise if it would not help to start the worker anew: it was not killed, or often."""
    status = process.status or 0
    said = process.said.removeprefix("odonata: ")
    if status > 0:
        raise WorkerError(said or f"a worker ended with status {status}", status)
    if lost >= MOST_WITHOUT_RUNS:
        killed = signal.Signals(-status).name
        why = f"{lost} workers were lost without a run that ended, the last by {killed}"
        raise WorkerError(why, 1)
