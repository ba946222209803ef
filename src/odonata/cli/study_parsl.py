"""Studies on Parsl: tasks that each make one chunk of a study, on the nodes of a site."""

from __future__ import annotations

import runpy
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from functools import lru_cache
from pathlib import Path
from typing import Any

from odonata.cli.in_process import InProcess
from odonata.cli.progress import ProgressBar
from odonata.errors import ReadError, UserError, WorkerError
from odonata.study.results import Study
from odonata.study.supervise import Count
from odonata.study.work import Worker

__all__ = ["make_chunk", "run_on_parsl"]

MOST_TASKS = 1000
"""Tasks that wait or run at a time."""

USUAL_FOLDER = "runinfo"
"""Parsl's folder of logs, unless the configuration has another: it goes into the study's folder."""

LOOK_SECONDS = 1.0
"""Longest time between two looks at the runs [s]."""

MOST_FAILED = 5
"""Looks that may find failed tasks without a run that has ended between them."""

LONGEST = 300
"""Characters of Parsl's message that are printed."""


def run_on_parsl(folder: Path, config: Path) -> None:
    """Make the missing runs of a study on the nodes that Parsl gets.

    Tasks have no results: workers write to the folder, which all nodes must see. Parsl's own
    checkpoints and memoization are not used.

    Parameters
    ----------
    folder
        The study's folder, with a plan.
    config
        Python file with Parsl's configuration, a `parsl.config.Config` by any name; it is executed.

    Raises
    ------
    UserError
        Parsl is not installed, or the file has no configuration.
    WorkerError
        Tasks fail again and again.
    """
    try:
        import parsl
    except ImportError as error:
        what = "--parsl: Parsl is not installed"
        raise UserError(what, allowed="pip install 'odonata[parsl]'") from error
    settings = _config(config)
    if settings.run_dir == USUAL_FOLDER:
        settings.run_dir = str(folder.resolve() / "parsl")
    with parsl.load(settings) as kernel:
        task = parsl.python_app(make_chunk, data_flow_kernel=kernel, cache=False)
        with ProgressBar("study") as bar:
            _run(folder.resolve(), task, bar)


def make_chunk(folder: str, digest: str) -> bool:
    """Make a chunk of a study that is free, in a task of Parsl; False: all are taken.

    Parameters
    ----------
    folder
        The study's folder.
    digest
        Digest of its plan.
    """
    return _worker(folder, digest).make_chunk()


@lru_cache(maxsize=1)
def _worker(folder: str, _digest: str) -> Worker:
    """Return the worker of this process: the next task has its commands and its records."""
    return Worker(Path(folder), InProcess())


def _config(path: Path) -> Any:
    from parsl.config import Config

    if not path.is_file():
        raise ReadError.of(FileNotFoundError(2, "No such file or directory"), path)
    try:
        names = runpy.run_path(str(path))
    except Exception as error:
        what = f"Parsl's configuration: {type(error).__name__}: {error}"
        raise UserError(what, where=str(path)) from error
    found = [value for value in names.values() if isinstance(value, Config)]
    if len(found) != 1:
        allowed = "one parsl.config.Config, such as config = Config(...)"
        what = "Parsl's configuration: not one"
        raise UserError(what, value=len(found), allowed=allowed, where=str(path))
    return found[0]


def _run(folder: Path, task: Callable[[str, str], Future[bool]], bar: ProgressBar) -> None:
    study = Study(folder)
    total, before = study.plan.runs, study.ended
    count = Count(folder)
    waiting: set[Future[bool]] = set()
    failed, ended = 0, 0
    worker = Worker(folder, InProcess())
    try:
        while (left := worker.chunks_left()) > 0:
            while len(waiting) < min(left, MOST_TASKS):
                waiting.add(task(str(folder), study.plan.digest))
            done, waiting = wait(waiting, LOOK_SECONDS, FIRST_COMPLETED)
            ending = count.look()
            bar.note_part(ending.share, 1, f"{before + ending.ended} of {total} runs")
            errors = [error for error in (one.exception() for one in done) if error is not None]
            made = any(one.exception() is None and one.result() for one in done)
            failed = 0 if ending.ended > ended else failed + bool(errors)
            ended = ending.ended
            if failed > MOST_FAILED:
                why = str(errors[-1]).partition("\n")[0][:LONGEST]
                raise WorkerError(f"Parsl: tasks fail, and no run has ended between: {why}", 1)
            if not made:
                time.sleep(LOOK_SECONDS)  # others have the chunks that are left
        worker.clear()
    finally:
        worker.close()
