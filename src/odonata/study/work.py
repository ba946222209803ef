"""Workers: each claims a chunk, makes its runs, keeps each one, and claims the next chunk."""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from odonata.errors import UserError
from odonata.study.claims import Claims, remove_claims
from odonata.study.file import StudyFile
from odonata.study.plan import Plan
from odonata.study.records import Reading, RecordFile, marked_in
from odonata.study.shapes import Marked, Point, Record

__all__ = ["FILES", "MOST_LOST", "Done", "Outcome", "Runner", "Worker", "file_of"]

FILES = "files"
"""Folder of the files of runs, where these are kept."""

MOST_LOST = 10
"""Workers that a run may end before it counts as failed: a run may need too much memory."""

MOST_BEGUN = 100
"""Times that a run may begin without an end, also where everything was killed, before it does."""

FIRST_WAIT_SECONDS, LAST_WAIT_SECONDS = 0.02, 2.0
"""Times between two looks for a chunk that others have lost: each doubles [s]."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run.

    Parameters
    ----------
    result
        Numbers and texts by name; None: it failed.
    error
        Reason of its failure.
    cost
        Processor time and memory.
    """

    result: Mapping[str, Any] | None = None
    error: str | None = None
    cost: Mapping[str, Any] = field(default_factory=dict)


Runner = Callable[[Sequence[str]], Outcome]
"""Runs the words of a command; raises what has to end the worker, such as a full disk."""


class Done:
    """The runs of a folder that have ended, as a worker needs them.

    Parameters
    ----------
    folder
        The study's folder.
    study
        The study.
    """

    def __init__(self, folder: Path, study: StudyFile) -> None:
        self._reading = Reading(folder)
        self._of = study.seeds.of if study.seeds.until is not None else None
        self._values: dict[str, dict[int, float | None]] = {}
        self._lost: dict[tuple[str, int], int] = {}
        self._begun: dict[tuple[str, int], int] = {}
        self._decode = msgspec.json.Decoder(Record).decode
        self.refresh()

    def refresh(self) -> None:
        """Read new records."""
        for _, _, line in self._reading.new_lines():
            self._note(line)

    def get(self, key: str) -> Mapping[int, float | None]:
        """Return for each seed of a combination that has ended its result; None: it failed."""
        return self._values.get(key, {})

    def losses(self, key: str, seed: int) -> int:
        """Return how many workers a run has ended, if these are too many, or else 0."""
        lost, begun = self._lost.get((key, seed), 0), self._begun.get((key, seed), 0)
        return begun if begun >= MOST_BEGUN else lost if lost >= MOST_LOST else 0

    def add(self, record: Record) -> None:
        """Note a run."""
        self._values.setdefault(record.key, {})[record.seed] = self._value(record)

    def _note(self, line: bytes) -> None:
        marked = marked_in(line)
        if marked.begun is not None:
            at = (marked.begun, marked.seed)
            self._begun[at] = self._begun.get(at, 0) + 1
        elif marked.lost is not None:
            at = (marked.lost, marked.seed)
            self._lost[at] = self._lost.get(at, 0) + 1
        elif marked.key is not None:
            self._begun.pop((marked.key, marked.seed), None)
            with contextlib.suppress(ValueError, RecursionError):  # damaged: it is made again
                record = marked if self._of is None else self._decode(line)
                self._values.setdefault(marked.key, {})[marked.seed] = self._value(record)

    def _value(self, record: Record | Marked) -> float | None:
        if isinstance(record, Record) and self._of is not None:
            return record.number(self._of)
        return 0.0 if record.error is None else None


class Worker:
    """A worker of a study: makes runs that are missing, beside other workers.

    Parameters
    ----------
    folder
        The study's folder.
    runner
        Makes a run.

    Raises
    ------
    UserError
        The folder has no plan.
    """

    def __init__(self, folder: Path, runner: Runner) -> None:
        self._folder = folder.resolve()
        self._plan = Plan(self._folder)
        self._chunks = self._plan.chunks()
        self._claims = Claims(self._folder, self._plan.digest, len(self._chunks))
        self._done = Done(self._folder, self._plan.study)
        self._records = RecordFile(self._folder)
        self._runner = runner
        self.number = 0
        """Runs that it has made."""

    def work(self) -> None:
        """Make runs until all runs of the study have ended, also runs that other workers lose.

        Raises
        ------
        WriteError
            A record cannot be written.
        """
        wait = FIRST_WAIT_SECONDS
        while not self.is_over:
            if self.make_chunk():
                wait = FIRST_WAIT_SECONDS
            elif not self.is_over:
                time.sleep(wait)
                wait = min(2 * wait, LAST_WAIT_SECONDS)
        self.clear()

    @property
    def is_over(self) -> bool:
        """Whether all chunks are done, as far as the last call of `make_chunk` found."""
        return self._claims.is_over

    def make_chunk(self) -> bool:
        """Make the missing runs of a free chunk; False: all chunks are taken.

        Raises
        ------
        WriteError
            A record cannot be written.
        """
        claim = self._claims.take()
        if claim is None:
            return False
        if not claim.is_new:
            self._done.refresh()
        try:
            self._make_works(self._chunks[claim.chunk])
            self._records.sync()
        except BaseException:
            self._claims.give_up(claim)
            raise
        self._claims.finish(claim)
        return True

    def chunks_left(self) -> int:
        """Return the number of chunks that are not done."""
        return self._claims.look()

    def clear(self) -> None:
        """Remove the claims: all runs have ended."""
        remove_claims(self._folder)

    def close(self) -> None:
        """Close its file of records."""
        self._claims.close()
        self._records.close()

    def _make_works(self, works: Sequence[int]) -> None:
        seeds = self._plan.study.seeds
        with _inside(self._plan.header.base):
            for work in works:
                index, at = divmod(work, self._plan.seeds_apart)
                if seeds.until is not None:
                    self._make_point(self._plan[index])
                else:
                    self._make_run(self._plan[index], seeds.values[at] if seeds.values else 0)

    def _make_run(self, point: Point, seed: int) -> None:
        if seed not in self._done.get(point.key):
            self._run(point, seed)

    def _make_point(self, point: Point) -> None:
        seeds = self._plan.study.seeds
        values: list[float | None] = []
        while (at := seeds.next_after(values)) is not None:
            self._make_run(point, seeds.values[at])
            values.append(self._done.get(point.key)[seeds.values[at]])

    def _run(self, point: Point, seed: int) -> None:
        study = self._plan.study
        told = seed if study.seeds.values else None
        command = shlex.join(["odonata", *self._plan.words(point, told)])
        if lost := self._done.losses(point.key, seed):
            error = f"{lost} workers were lost during this run: it may need too much memory"
            outcome = Outcome(error=error)
        else:
            self._records.begin(point.key, seed)
            file = self._file_of(point, seed) if study.files else None
            outcome = self._runner(self._plan.words(point, told, file))
        record = Record(
            key=point.key,
            seed=seed,
            command=command,
            result=None if outcome.result is None else _kept(outcome.result, study.results),
            error=outcome.error,
            cost=dict(outcome.cost) or None,
        )
        self._records.end(record)
        self._done.add(record)
        self.number += 1

    def _file_of(self, point: Point, seed: int) -> Path:
        path = file_of(self._folder, self._plan.study, point.key, seed)
        path.parent.mkdir(exist_ok=True)
        return path


def file_of(folder: Path, study: StudyFile, key: str, seed: int) -> Path:
    """Return the file of a run that is kept."""
    ending = "order" if study.command == ("place", "map") else "nc"
    return folder / FILES / f"{key}-{seed}.{ending}"


def _kept(result: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the results that are kept; all, unless some are named."""
    return dict(result) if not names else {name: result.get(name) for name in names}


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Work in a folder meanwhile."""
    before = os.getcwd()
    try:
        os.chdir(folder)
    except OSError as error:
        what = "study: the folder that its commands run in is gone"
        raise UserError(what, value=folder) from error
    try:
        yield
    finally:
        os.chdir(before)
