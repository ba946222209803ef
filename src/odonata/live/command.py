"""The programs of a run, and the environment that they find."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odonata.errors import UserError
from odonata.live.abi import Abi
from odonata.live.launchers import VARIABLES

__all__ = ["UNBUFFERED_FORTRAN", "Command", "environment", "parse_commands", "with_preloaded"]

MOST_RANKS = 65536
AUDIT = "libodonata_audit.so"
LONGEST_SCRIPT = 2**20
SHELLS = ("sh", "bash", "dash", "ksh", "zsh")
UNBUFFERED_FORTRAN = "GFORTRAN_UNBUFFERED_PRECONNECTED"
"""Variable by which GNU Fortran writes each line at once to standard output."""


@dataclass(frozen=True)
class Command:
    """One program, and how many ranks it has.

    Parameters
    ----------
    words
        The program and its arguments.
    ranks
        Number of ranks.

    Raises
    ------
    UserError
        There is no such program, it cannot be executed, or the number of ranks is out of range.
    """

    words: tuple[str, ...]
    ranks: int

    def __post_init__(self) -> None:
        if not self.words or not self.words[0]:
            raise UserError("program: missing", allowed="-- PROGRAM ARGUMENTS")
        for word in self.words:
            if "\0" in word:
                raise UserError("program: an argument has a null character", value=word)
        if not 1 <= self.ranks <= MOST_RANKS:
            raise UserError("ranks: out of range", value=self.ranks, allowed=f"1 to {MOST_RANKS}")

    @property
    def checks_memory(self) -> bool:
        """Whether ranks run under valgrind: a word, or a script among the words, names it."""
        before = ("", *(Path(word).name for word in self.words))
        return any(
            Path(word).name == "valgrind" or _starts_valgrind(self._found(word), last in SHELLS)
            for last, word in zip(before, self.words, strict=False)
        )

    @staticmethod
    def _found(word: str) -> Path:
        return Path(word if "/" in word else shutil.which(word) or word)

    @property
    def path(self) -> Path:
        """File that is executed; raises UserError if there is no such program."""
        name = self.words[0]
        path = Path(name)
        if "/" not in name:
            found = shutil.which(name)
            if found is not None:
                return Path(found)
            if path.is_file():
                raise UserError("program: not found in PATH", value=name, near=f"./{name}")
        if path.is_dir():
            raise UserError("program: is a folder", value=name)
        if not path.exists():
            raise UserError("program: not found", value=name)
        return path

    @property
    def executable(self) -> Path:
        """File that is executed as a process; raises UserError if it cannot be."""
        path = self.path
        if not os.access(path, os.X_OK):
            raise UserError("program: not executable (chmod +x?)", value=self.words[0])
        return path


def _starts_valgrind(script: Path, told: bool) -> bool:
    """Whether a file is a script that names valgrind; only ``told`` that it is one without #!."""
    try:
        if not script.is_file():
            return False
        with script.open("rb") as file:
            text = file.read(LONGEST_SCRIPT)
    except (OSError, ValueError):
        return False
    if not told and not text.startswith(b"#!"):
        return False
    return any(
        re.search(rb"(?<![\w.-])valgrind(?![\w.-])", line)
        for line in text.splitlines()
        if not line.lstrip().startswith(b"#")
    )


def parse_commands(words: Sequence[str], ranks: int) -> list[Command]:
    """Return the programs that words such as ``a 1 : -n 64 -- b 2`` stand for.

    Parameters
    ----------
    words
        Programs with their arguments, with ``:`` between them; from the second on, each begins
        with ``-n RANKS``, and may have ``--`` after it.
    ranks
        Ranks of the first program.

    Raises
    ------
    UserError
        A program or a number of ranks is missing or wrong.

    Examples
    --------
    >>> [(c.words, c.ranks) for c in parse_commands(["a", "1", ":", "-n", "64", "--", "b"], 2)]
    [(('a', '1'), 2), (('b',), 64)]
    """
    parts: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            parts.append([])
        else:
            parts[-1].append(word)
    first, *others = parts
    return [Command(tuple(first), ranks), *(_further(part) for part in others)]


def _further(part: Sequence[str]) -> Command:
    if len(part) < 2 or part[0] not in ("-n", "-np"):
        said = " ".join(part)
        raise UserError(
            "program after a colon: not understood",
            value=said,
            allowed=": -n RANKS -- PROGRAM ARGUMENTS",
        )
    if not part[1].isdecimal() or len(part[1]) > 9:
        raise UserError("ranks: not a number", value=part[1])
    rest = part[2:]
    return Command(tuple(rest[1:] if rest[:1] == ["--"] else rest), int(part[1]))


def with_preloaded(inherited: Mapping[str, str], library: Path) -> dict[str, str]:
    """Return an environment in which the dynamic linker finds a library before all others.

    Parameters
    ----------
    inherited
        The environment otherwise.
    library
        The library; one whose path has a blank or a colon cannot be named in LD_PRELOAD, and is
        left out.
    """
    changed = dict(inherited)
    if not set(str(library)) & set(" :"):
        before = changed.get("LD_PRELOAD", "")
        changed["LD_PRELOAD"] = f"{library}:{before}" if before else str(library)
    return changed


def environment(
    abi: Abi,
    library: Path,
    inherited: Mapping[str, str],
    modules: bool = False,
    others: Sequence[Path] = (),
) -> list[str]:
    """Return the environment in which a program finds our libraries in the place of any MPI.

    Parameters
    ----------
    abi
        The ABI for programs that choose an MPI while they run, as mpi4py does.
    library
        Ours of this ABI.
    inherited
        The environment otherwise.
    modules
        Whether our library for Fortran shall come before the program's, and not in its place.
    others
        Libraries of the program that come after ours and have its name.

    Notes
    -----
    The dynamic linker asks our audit library (`cpp/preload/libmpi/audit`) for each library that it
    looks for, in all programs that a rank executes. Variables of an outer launcher are left out.
    """
    told = {name for names in VARIABLES.values() for name in names}
    changed = {name: value for name, value in inherited.items() if name not in told}
    folder = library.parent.parent
    before = changed.get("LD_AUDIT", "")
    audit = str(folder / AUDIT)
    changed["LD_AUDIT"] = f"{audit}:{before}" if before else audit
    changed["ODONATA_LIBRARIES"] = str(folder)
    changed.setdefault(UNBUFFERED_FORTRAN, "y")
    if modules and abi.fortran:
        before = changed.get("LD_PRELOAD", "")
        after = [str(path) for path in (library.with_name(abi.fortran), *others)]
        named = [path for path in after if not set(path) & set(" :")]
        changed["LD_PRELOAD"] = ":".join([before, *named] if before else named)
    if others:
        changed["ODONATA_MODULES"] = ":".join(map(str, others))
    if abi.name != "standard":
        changed["MPI4PY_MPIABI"] = abi.name
    changed["MPI4PY_LIBMPI"] = str(library)
    return [f"{name}={value}" for name, value in changed.items()]
