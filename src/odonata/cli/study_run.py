"""Plans, checks and runs of studies on this computer."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from threading import Thread

from odonata import __version__
from odonata.cli.in_process import OUTPUTS, InProcess
from odonata.cli.progress import ProgressBar
from odonata.errors import UserError, WriteError
from odonata.files import write_whole
from odonata.quiet import note
from odonata.study.claims import remove_claims
from odonata.study.file import PYTHON, StudyFile, parse_study, read_study_file
from odonata.study.inputs import Inputs
from odonata.study.plan import FILE, Plan, write_plan
from odonata.study.records import RecordFile, forget_failed
from odonata.study.results import Study
from odonata.study.supervise import Ending, supervise
from odonata.study.work import Worker

__all__ = [
    "STUDY",
    "folder_of",
    "prepare",
    "prepare_text",
    "retry",
    "reuse",
    "run_here",
    "work_here",
]

STUDY = "study.toml"
"""Name of the study file in the folder of a study."""


def folder_of(source: Path, output: Path | None) -> Path:
    """Return the folder of a study: the source, or where its file's runs go.

    Parameters
    ----------
    source
        A study file or folder.
    output
        The folder that was asked for.
    """
    if output is not None:
        return output
    return source if source.is_dir() else Path(source.stem)


def prepare(source: Path, folder: Path, *, anew: bool = False) -> None:
    """Check a study and write its plan, unless the folder has this very plan.

    Parameters
    ----------
    source
        A study file or folder.
    folder
        The study's folder.
    anew
        Whether the runs of another version of Odonata may be made again.

    Raises
    ------
    UserError
        A combination is wrong, or the folder is of another version.
    """
    if source.is_dir():
        base = Path(Plan(source).header.base)
        study = read_study_file(source / STUDY)
    else:
        base = source.resolve().parent
        study = read_study_file(source)
    _plan(study, folder, base, anew=anew)


def prepare_text(text: str, name: str, folder: Path, base: Path) -> None:
    """Check a study that is no file and write its plan, unless the folder has this very plan.

    Parameters
    ----------
    text
        Content of a study file.
    name
        Its name in messages.
    folder
        The study's folder.
    base
        Folder in which its commands run.
    """
    _plan(parse_study(text, name), folder, base)


def _plan(study: StudyFile, folder: Path, base: Path, *, anew: bool = False) -> None:
    if (folder / FILE).exists():
        known = Plan(folder)
        _check_version(known, folder, anew)
        if _is_current(known, study, base):
            return
    is_new = _make(folder)
    try:
        _write(study, folder, base)
    except BaseException:
        if is_new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _write(study: StudyFile, folder: Path, base: Path) -> None:
    """Check each combination of a study, and write its plan and its file."""
    runner = InProcess()
    _check_words(study)
    names = [*study.options, *(["seed"] if study.seeds.values else [])]
    runner.check_options(study.command, names, study.where("axes"))
    before = Path.cwd()
    folder = folder.resolve()
    os.chdir(base)
    try:
        with ProgressBar("checking") as bar:
            total = sum(1 for _ in study.combinations())
            done = 0

            def expect(words: Sequence[str]) -> float:
                nonlocal done
                seconds = runner.expect(words)
                done += 1
                bar.note_part(done, total, f"{done} of {total} combinations")
                return seconds

            write_plan(study, folder, base=base, version=__version__, expect=expect)
    finally:
        os.chdir(before)
    write_whole(folder / STUDY, study.text.encode())


def _check_words(study: StudyFile) -> None:
    """Refuse words that a study says by itself, or whose results differ from time to time."""
    where = study.where("command")
    if study.command == (PYTHON,):
        raise UserError("study: of a Python function: its script makes the runs", where=where)
    options = [word.partition("=")[0] for word in study.words]
    for name in study.options:
        if f"--{name.partition('.')[0]}" in options and "." not in name:
            raise UserError("axis: the command has this option, too", value=name, where=where)
    for word in OUTPUTS:
        if word in options and study.command != ("mpirun",):
            raise UserError("command: an option of its output", value=word, where=where)
    if study.command == ("mpirun",) and not _is_pure(study):
        allowed = "--compute none"
        what = "command: measured compute times differ from run to run"
        raise UserError(what, allowed=allowed, where=where)


def _is_pure(study: StudyFile) -> bool:
    return "--compute=none" in study.words or ("--compute", "none") in pairwise(study.words)


def _check_version(plan: Plan, folder: Path, anew: bool) -> None:
    if plan.header.version != __version__ and not anew:
        raise UserError(
            "study: its runs were made by another version of Odonata",
            value=plan.header.version,
            allowed=f"{__version__}, or --anew, which makes them again with it",
            where=str(folder / FILE),
        )


def _is_current(plan: Plan, study: StudyFile, base: Path) -> bool:
    """Return whether a plan is of this study, and the files that it names are as they were."""
    header = plan.header
    if (header.study, header.version, header.base) != (study.text, __version__, str(base)):
        return False
    inputs = Inputs(base, study.command == ("replay",))
    inputs.of([*header.inputs])
    return inputs.digests == header.inputs


def _make(folder: Path) -> bool:
    """Make a folder, and return whether it was not there."""
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError.of(error, folder) from error
    return is_new


def reuse(folder: Path, others: Sequence[Path]) -> int:
    """Copy the runs that other studies have made into a study that needs them.

    Parameters
    ----------
    folder
        The study's folder, with a plan.
    others
        Folders of other studies.

    Returns
    -------
    int
        Number of copied runs.
    """
    mine = Study(folder)
    known = {(row.point.key, row.seed) for row in mine.rows()}
    wanted = {point.key for point in mine.plan}
    records = RecordFile(folder)
    number = 0
    try:
        for other in others:
            study = Study(other)
            for row in study.rows():
                at = (row.point.key, row.seed)
                if row.point.key not in wanted or at in known:
                    continue
                if mine.file.files and not _copied(study.path_of(row), mine.path_of(row)):
                    continue
                records.end(row.record)
                known.add(at)
                number += 1
    finally:
        records.close()
    return number


def _copied(source: Path, target: Path) -> bool:
    if not source.is_file():
        return False
    target.parent.mkdir(exist_ok=True)
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise WriteError.of(error, target) from error
    return True


def retry(folder: Path) -> int:
    """Forget the failed runs of a study, and return their number.

    Parameters
    ----------
    folder
        The study's folder.
    """
    number = forget_failed(folder)
    remove_claims(folder)
    return number


def _worker_command(folder: Path) -> list[str]:
    """Return the command of a worker that ends with this process."""
    return [sys.executable, "-m", "odonata", "study", "work", str(folder), "--with-parent"]


def run_here(folder: Path, workers: int) -> None:
    """Make the missing runs of a study by workers on this computer.

    Parameters
    ----------
    folder
        The study's folder.
    workers
        Number of workers.
    """
    study = Study(folder)
    if study.complete:
        remove_claims(folder)  # a kill may have left some
        return
    total = study.plan.runs
    before = study.ended
    with ProgressBar("study") as bar:

        def report(ending: Ending) -> None:
            bar.note_part(ending.share, 1, f"{before + ending.ended} of {total} runs")

        try:
            supervise(folder, _worker_command(folder), min(workers, total), report)
        except KeyboardInterrupt:
            ended = Study(folder).ended
            note(f"{ended} of {total} runs have ended; odonata study run {folder} continues")
            raise


def work_here(folder: Path, *, with_parent: bool) -> int:
    """Make runs of a study in this process until all have ended, and return their number.

    Parameters
    ----------
    folder
        The study's folder, with a plan.
    with_parent
        Whether this process ends when the process that has started it ends.
    """
    if with_parent:
        _end_with_parent()
    worker = Worker(folder, InProcess())
    try:
        worker.work()
    finally:
        worker.close()
    return worker.number


def _end_with_parent() -> None:
    """End this process as Ctrl-C does when the process that has started it ends."""

    def wait() -> None:
        while os.read(0, 1):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=wait, daemon=True).start()
