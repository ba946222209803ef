"""Real runs of MPI programs with the recorder of profiles before their MPI."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from odonata import _core, profile
from odonata.errors import UserError, WriteError, near_miss
from odonata.live.abi import ABIS, Abi, abi_of, detect_known
from odonata.live.command import with_preloaded
from odonata.profile.folder import NewFolder
from odonata.quiet import note
from odonata.text import for_terminal

__all__ = ["find_program_abi", "preload_library", "record_profile"]

FOLDER = "ODONATA_PROFILE"
"""Environment variable that names the folder of a profile; the recorder reads it."""

DEPTH = "ODONATA_PROFILE_DEPTH"
"""Environment variable that says how much is recorded."""

DEPTHS = ("summary", "trace")
"""Depths of a record: counters and histograms, or every call as well."""

FORWARDED = "OMPI_MCA_mca_base_env_list"
"""Variable by which Open MPI's launcher sends variables to other computers."""

PATIENCE_SECONDS = 20


def preload_library(abi: Abi) -> Path:
    """Return the recorder for programs of an ABI.

    Parameters
    ----------
    abi
        The ABI.

    Raises
    ------
    UserError
        This installation has none.
    """
    folder = Path(_core.__file__).resolve().parent / "lib" / abi.name
    path = folder / "libodonata_profile.so"
    if not path.is_file():
        what = f"profile: no recorder for the {abi.title} ABI in this installation"
        raise UserError(f"{what}; to get it: {abi.header}, then install odonata again")
    if set(str(path)) & set(" :"):
        raise UserError("profile: LD_PRELOAD takes no path with a blank or colon", value=str(path))
    return path


def find_program_abi(words: Sequence[str]) -> Abi:
    """Return the ABI of the program that a command starts.

    Parameters
    ----------
    words
        A program, or a launcher such as ``mpiexec -n 8 ./program``. The first word that is a file
        which needs a known MPI decides; where none does, as with Python, the launcher's MPI.
    """
    for word in words:
        path = _file_of(word)
        found = None if path is None else detect_known(path)
        if found is not None:
            return found
    return ABIS["openmpi" if _launches_open_mpi(words[0]) else "mpich"]


def record_profile(
    words: Sequence[str], folder: Path, *, abi: str | None = None, depth: str = "summary"
) -> int:
    """Run a command whose MPI processes record their profile; return its exit code.

    Parameters
    ----------
    words
        The command; its processes on other computers must find the folder, too.
    folder
        Folder of the profile; an older profile in it is replaced.
    abi
        ABI of the program; None: the ABI that it needs.
    depth
        ``summary``: counters and histograms, whose memory is bounded; ``trace``: every call as
        well, for ``odonata replay`` and for waits.

    Raises
    ------
    UserError
        There is no such command or recorder, the folder cannot be made, or no process of a
        command that ended with 0 has recorded anything.
    """
    if not words:
        raise UserError("program: missing", allowed="-- mpiexec -n RANKS PROGRAM ARGUMENTS")
    if shutil.which(words[0]) is None:
        raise UserError("program: not found", value=words[0])
    if depth not in DEPTHS:
        near = near_miss(depth, DEPTHS)
        raise UserError("--depth: unknown", value=depth, allowed=", ".join(DEPTHS), near=near)
    chosen = find_program_abi(words) if abi is None else abi_of(abi)
    library = preload_library(chosen)
    made = NewFolder(folder)
    changed = with_preloaded(os.environ, library)
    changed[FOLDER] = str(made.path.resolve())
    changed[DEPTH] = depth
    changed.setdefault(FORWARDED, f"LD_PRELOAD;{FOLDER};{DEPTH}")
    try:
        code = _run(words, changed)
    finally:
        recorded = any(made.path.glob("rank-*.odp"))
        made.finish() if recorded else made.discard()
    if not recorded:
        _complain_of_nothing(folder, chosen, code)
        return code
    if depth == "trace":
        _make_trace(folder)
    _tell_of_profile(folder)
    return code


def _tell_of_profile(folder: Path) -> None:
    """Say where the profile is, and whether ranks waited for cores while it was recorded."""
    try:
        ranks = profile.ranks_of_hosts(folder)[socket.gethostname()]
    except UserError:  # a rank has ended before its file was complete
        ranks = 0
    cores = len(os.sched_getaffinity(0))
    if ranks > cores:
        where = "one core" if cores == 1 else f"{cores} cores"
        note(
            f"{ranks} ranks shared {where} while they were recorded: the times of their calls hold "
            "waits for a core"
        )
    note(f"profile in {folder}: odonata profile show {folder}")


def _complain_of_nothing(folder: Path, chosen: Abi, code: int) -> None:
    """Say that nothing was recorded: as an error, unless the command has a status of its own."""
    what = (
        f"{folder}: nothing was recorded: no process called MPI_Init of the {chosen.title} ABI, "
        "or none could write"
    )
    error = UserError(what, allowed="--abi " + ", --abi ".join(ABIS))
    if not code:
        raise error
    print(for_terminal(f"odonata: {error}"), file=sys.stderr)


def _make_trace(folder: Path) -> None:
    """Make a trace of the logs; where that fails they stay, and the command keeps its status."""
    from odonata.trace.logs import find_trace  # imports NumPy

    try:
        find_trace(folder)
    except (UserError, WriteError) as error:
        print(for_terminal(f"odonata: {error}"), file=sys.stderr)


def _run(words: Sequence[str], variables: dict[str, str]) -> int:
    """Run a command; signals of the terminal reach it as well, and it decides how it ends."""
    process = subprocess.Popen(words, env=variables)
    while True:
        try:
            code = process.wait()
            break
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
    return code if code >= 0 else 128 - code


def _file_of(word: str) -> Path | None:
    """Return the file that a word of a command may name."""
    if word.startswith("-"):
        return None
    if "/" in word:
        path = Path(word)
        return path if path.is_file() else None
    found = shutil.which(word)
    return None if found is None else Path(found)


def _launches_open_mpi(word: str) -> bool:
    try:
        asked = subprocess.run(
            [word, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return False
    return any(name in asked.stdout for name in ("Open MPI", "OpenRTE", "PRTE"))
