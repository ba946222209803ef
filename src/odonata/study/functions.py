"""Studies of Python functions: cases in parallel, kept as they end, and never made twice."""

from __future__ import annotations

import hashlib
import inspect
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from odonata import __version__
from odonata.errors import WorkerError, WriteError
from odonata.study.file import PYTHON, StudyFile, parse_study
from odonata.study.plan import Plan, words_of, write_plan
from odonata.study.results import Study
from odonata.study.values import LEFT_OUT
from odonata.study.work import Outcome, Worker

__all__ = ["Case", "Result", "make_cases"]

Case = Mapping[str, str | int | float | bool | None]
"""Arguments of a function by name."""

Result = Mapping[str, Any]
"""Results of a function by name: data that JSON can hold."""

LOOK_SECONDS = 0.05
"""Time between two looks at the workers [s]."""


def make_cases(
    folder: str | Path,
    function: Callable[..., Result],
    cases: Sequence[Case],
    workers: int | None = None,
) -> list[dict[str, Any]]:
    """Call a function for each case that a folder lacks, and return all results in order.

    A script that uses Python in the place of commands gets the same from it: all cores, results
    that a kill does not lose, and ``odonata study show`` and ``export`` of the folder.

    Parameters
    ----------
    folder
        Folder of the study.
    function
        A function of a module; it is called with the values of a case by name. Results belong to
        the source of this module: a changed module makes all cases anew.
    cases
        The cases; some may lack arguments that others have.
    workers
        Processes; None: one for each processor.

    Returns
    -------
    list of dict
        For each case its values and its results.

    Raises
    ------
    UserError
        A case is there twice.
    WorkerError
        The function raised an error, which is told, or a worker was lost.
    WriteError
        The folder cannot be written.

    Examples
    --------
    .. code-block:: python

        def waits(machine, load): ...

        rows = make_cases("runs", waits, [{"machine": "eos", "load": 0.5}])
    """
    if not cases:
        return []
    study = _study_of(function, cases)
    path = Path(folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError.of(error, path) from error
    write_plan(study, path, base=Path.cwd(), version=_version(function), expect=lambda _words: 1.0)
    plan = Plan(path)
    known = {
        tuple(words_of(study, point.values, None)): case
        for point, case in zip(plan, cases, strict=True)
    }
    if not Study(path).complete:
        _work(path, function, known, workers or len(os.sched_getaffinity(0)))
    return [
        {**case, **_result(row.record.result, row.record.error, case)}
        for row, case in zip(Study(path).rows(), cases, strict=True)
    ]


def _study_of(function: Callable[..., Result], cases: Sequence[Case]) -> StudyFile:
    """Return the study whose combinations are the cases: one row of values for each."""
    names = dict.fromkeys(name for case in cases for name in case)
    lines = [f"command = {json.dumps(f'{PYTHON} {function.__module__}:{function.__name__}')}"]
    lines += ["[[together]]"]
    for name in names:
        values = [json.dumps(_text(case.get(name, LEFT_OUT)), ensure_ascii=False) for case in cases]
        lines.append(f"{json.dumps(name)} = [{', '.join(values)}]")
    return parse_study("\n".join(lines), f"cases of {function.__name__}")


def _text(value: object) -> str | bool:
    return value if isinstance(value, bool) else str(value)


def _version(function: Callable[..., Result]) -> str:
    """Return the version of Odonata and of the function's module."""
    try:
        source = inspect.getsource(inspect.getmodule(function) or function).encode()
    except (OSError, TypeError):  # of a notebook, or typed in
        source = function.__code__.co_code
    return f"{__version__}+{hashlib.sha256(source).hexdigest()[:12]}"


def _work(
    folder: Path,
    function: Callable[..., Result],
    known: Mapping[tuple[str, ...], Case],
    workers: int,
) -> None:
    """Let processes make the cases; they end with this one."""

    def run(words: Sequence[str]) -> Outcome:
        began = time.process_time()
        try:
            result = function(**known[tuple(words)])
        except Exception as error:
            return Outcome(error=f"{type(error).__name__}: {error}")
        return Outcome(result, cost={"cpu_seconds": time.process_time() - began})

    def work() -> None:
        worker = Worker(folder, run)
        try:
            worker.work()
        finally:
            worker.close()

    context = multiprocessing.get_context("fork")  # functions of scripts cannot be imported anew
    processes = [context.Process(target=work, daemon=True) for _ in range(min(workers, len(known)))]
    for process in processes:
        process.start()
    try:
        for process in processes:
            while process.is_alive():
                process.join(LOOK_SECONDS)
    finally:
        for process in processes:
            process.terminate()
            process.join()
    if not Study(folder).complete:
        raise WorkerError("the workers of a study of Python functions were lost", 1)


def _result(result: Result | None, error: str | None, case: Case) -> Result:
    if result is None:
        told = ", ".join(f"{name}={value}" for name, value in case.items())
        raise WorkerError(f"{told}: {error}", 1)
    return result
