"""Claims of chunks: who works on which part of a study, on any file system.

A claim is a file that is made only if it is not there, which network file systems do as one step,
too. Its owner touches it now and then. A claim that is not touched any more has lost its owner, and
the chunk is claimed anew under the next generation.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event, Thread

from odonata.errors import WriteError

__all__ = ["Claim", "Claims", "remove_claims"]

FOLDER = "claims"

OVER = "claims-over"
"""Beginning of the name of claims that are being removed."""

TOUCH_SECONDS = 10.0
"""Time between two touches of a claim [s]."""

LOST_SECONDS = 60.0
"""Time after which an untouched claim of another node has lost its owner [s]."""

UNNAMED_SECONDS = 5.0
"""Time after which a claim without an owner's name has lost its owner, or was given up [s]."""

_DONE = "done"


@dataclass(frozen=True)
class Claim:
    """A chunk that is ours.

    Parameters
    ----------
    chunk
        Its number.
    path
        The file of the claim.
    is_new
        Whether this is the first claim of the chunk, so that none of its runs has ended since.
    """

    chunk: int
    path: Path
    is_new: bool


class Claims:
    """The claims of the workers of a plan.

    Parameters
    ----------
    folder
        Folder of the study.
    plan
        Digest of the plan.
    chunks
        Number of its chunks.
    """

    def __init__(self, folder: Path, plan: str, chunks: int) -> None:
        self._folder = folder / FOLDER / plan
        self._open = list(range(chunks))
        self._was_there = self._was_removed = False
        self._current: Claim | None = None
        self._stop = Event()
        self._toucher: Thread | None = None

    @property
    def is_over(self) -> bool:
        """Whether all chunks are done, as far as the last call of `take` found."""
        return not self._open

    def take(self) -> Claim | None:
        """Claim the first free chunk; None: all are taken at the moment.

        Raises
        ------
        WriteError
            A claim cannot be made.
        """
        newest = self._look()
        for chunk in self._open:
            state, generation = newest.get(chunk, ("", -1))
            if state and not self._is_lost(self._folder / state):
                continue
            claim = self._make(chunk, generation + 1)
            if claim is not None:
                self._keep_touched(claim)
                return claim
        return None

    def look(self) -> int:
        """Return the number of chunks that are not done."""
        self._look()
        return len(self._open)

    def _look(self) -> dict[int, tuple[str, int]]:
        newest = self._newest()
        self._open = [chunk for chunk in self._open if newest.get(chunk, ("", 0))[0] != _DONE]
        return newest

    def finish(self, claim: Claim) -> None:
        """Say that all runs of a chunk are recorded."""
        self._current = None
        # The claim stays: who lists the folder at this moment may not see the new name yet.
        with suppress(FileNotFoundError):  # all chunks are done, and the claims removed
            claim.path.with_name(f"{claim.chunk}.{_DONE}").touch()

    def give_up(self, claim: Claim) -> None:
        """Leave a chunk to others."""
        self._current = None
        with suppress(OSError):
            claim.path.write_bytes(b"")
            os.utime(claim.path, (0, 0))

    def close(self) -> None:
        """Stop touching."""
        self._stop.set()
        if self._toucher is not None:
            self._toucher.join()

    def _newest(self) -> dict[int, tuple[str, int]]:
        """Return the name of the newest claim of each chunk and its generation, or `_DONE`."""
        found: dict[int, tuple[str, int]] = {}
        try:
            if not self._folder.is_dir():
                self._was_removed = self._was_there
                self._folder.mkdir(parents=True, exist_ok=True)
            self._was_there = True
            names = os.listdir(self._folder)
        except OSError as error:
            raise WriteError.of(error, self._folder) from error
        for name in names:
            chunk, _, generation = name.partition(".")
            if generation == _DONE:
                found[int(chunk)] = (_DONE, 2**62)
            elif generation.isdecimal() and int(generation) > found.get(int(chunk), ("", -1))[1]:
                found[int(chunk)] = (name, int(generation))
        return found

    def _make(self, chunk: int, generation: int) -> Claim | None:
        path = self._folder / f"{chunk}.{generation}"
        try:
            number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            return None
        except OSError as error:
            raise WriteError.of(error, path) from error
        try:
            os.write(number, f"{_this_system()} {os.getpid()} {_start_of(os.getpid())}".encode())
        except OSError as error:
            path.unlink(missing_ok=True)
            raise WriteError.of(error, path) from error
        finally:
            os.close(number)
        return Claim(chunk, path, is_new=generation == 0 and not self._was_removed)

    def _is_lost(self, path: Path) -> bool:
        """Return whether the owner of a claim is gone."""
        try:
            system, process, started = path.read_text(encoding="utf-8").split() or [""] * 3
            if system and system == _this_system():
                return _start_of(int(process)) != started
            age = self._now() - path.stat().st_mtime
        except (OSError, ValueError):  # finished meanwhile, or not readable at the moment
            return False
        return age > (LOST_SECONDS if system else UNNAMED_SECONDS)

    def _now(self) -> float:
        """Return the time of the file system, whose clock may differ from the node's [s]."""
        path = self._folder / f"now-{os.getpid()}-{os.urandom(4).hex()}"
        try:
            path.touch()
            return path.stat().st_mtime
        except OSError:
            return time.time()
        finally:
            path.unlink(missing_ok=True)

    def _keep_touched(self, claim: Claim) -> None:
        self._current = claim
        if self._toucher is None:
            self._toucher = Thread(target=self._touch, daemon=True)
            self._toucher.start()

    def _touch(self) -> None:
        while not self._stop.wait(TOUCH_SECONDS):
            claim = self._current
            if claim is not None:
                with suppress(OSError):
                    os.utime(claim.path)


def remove_claims(folder: Path) -> None:
    """Remove all claims of a study: nothing is left to do, or all is to begin anew.

    They go in one step: who works on the study sees all claims, or none.

    Parameters
    ----------
    folder
        Folder of the study.
    """
    with suppress(OSError):
        (folder / FOLDER).rename(folder / f"{OVER}-{os.getpid()}-{os.urandom(4).hex()}")
    for left in folder.glob(f"{OVER}-*"):  # also of a process that was killed here
        shutil.rmtree(left, ignore_errors=True)


@lru_cache(maxsize=1)
def _this_system() -> str:
    """Return a name of this running system and its space of process numbers."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _start_of(process: int) -> str:
    """Return when a process has begun, in ticks of the system; empty: it is not there."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
