"""A bar on the terminal for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from odonata import simulate
from odonata.quiet import is_quiet
from odonata.text import for_table
from odonata.units import format_time

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

__all__ = ["ProgressBar"]

PATIENCE_SECONDS = 2.0
"""Time after which a run shows a bar [s]."""


class ProgressBar:
    """Shows how far a run has come and how long it will take, on stderr if that is a terminal.

    Parameters
    ----------
    title
        The name of the run.
    """

    def __init__(self, title: str) -> None:
        self._title = for_table(title)
        self._began = _seconds()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    @property
    def shown(self) -> bool:
        """Whether a bar is shown."""
        return self._bar is not None

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: simulate.Progress) -> None:
        """Take note of how far the run has come."""
        now = format_time(progress.time_seconds * 1e12)
        self._update(progress.messages, progress.expected, f"{now} simulated")

    def note_share(self, done: float) -> None:
        """Take note of which share of a search is done."""
        self._update(done, 1, "")

    def note_part(self, done: float, total: float, now: str) -> None:
        """Take note of how much is done, in any unit, and of a text about it."""
        self._update(done, total, now)

    def _update(self, completed: float, total: float | None, now: str) -> None:
        if self._bar is None:
            if _seconds() - self._began < PATIENCE_SECONDS or not _is_terminal():
                return
            self._show(total, now)
        assert self._bar is not None
        assert self._task is not None
        self._bar.update(self._task, completed=completed, now=now)

    def _show(self, total: float | None, now: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[now]}"),
            TimeRemainingColumn(elapsed_when_finished=True),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._title, total=total, now=now)
        # The estimate counts from the beginning of the run, not of the bar.
        self._bar.tasks[0].start_time = self._bar.get_time() - (_seconds() - self._began)
        self._bar.start()


def _seconds() -> float:
    return time.monotonic()


def _is_terminal() -> bool:
    return sys.stderr.isatty() and not is_quiet()
