"""The MPI that a program was built for, and the library of ours that takes its place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.live.elf import Dynamic, read_dynamic

__all__ = ["ABIS", "Abi", "abi_of", "detect", "detect_known", "library", "needs_modules"]

MOST_LIBRARIES = 1000
"""Largest number of files that are examined for a program."""


@dataclass(frozen=True)
class Abi:
    """A binary interface of MPI.

    Parameters
    ----------
    name
        Name that ``--abi`` takes.
    library
        Name of the library that programs need.
    title
        For messages.
    header
        How its ``mpi.h`` comes to a machine that builds Odonata.
    fortran
        Name of the library with the entry points for Fortran, which is beside it.
    """

    name: str
    library: str
    title: str
    header: str
    fortran: str = ""


ABIS: Mapping[str, Abi] = MappingProxyType(
    {
        abi.name: abi
        for abi in (
            Abi("mpich", "libmpi.so.12", "MPICH", "pip install mpich", "libmpifort.so.12"),
            Abi(
                "openmpi",
                "libmpi.so.40",
                "Open MPI",
                "apt install libopenmpi-dev, or the like",
                "libmpi_mpifh.so.40",
            ),
            Abi("standard", "libmpi_abi.so.1", "MPI-5 standard", "pip install mpich"),
        )
    }
)
"""The ABIs that there can be libraries for."""

_NAMES = {
    "libmpi.so.12": "mpich",
    "libmpich.so.12": "mpich",
    "libmpifort.so.12": "mpich",
    "libmpichfort.so.12": "mpich",
    "libmpicxx.so.12": "mpich",
    "libmpi.so.40": "openmpi",
    "libmpi_mpifh.so.40": "openmpi",
    "libmpi_usempif08.so.40": "openmpi",
    "libmpi_usempi_ignore_tkr.so.40": "openmpi",
    "libmpi_cxx.so.40": "openmpi",
    "libmpi_abi.so.1": "standard",
}

_STRANGE = ("libmpi.so.", "libmpich.so.", "libmpi_abi.so.", "libmpi_mpifh.so.")
"""Prefixes of libraries of other MPIs, unless the library is listed above."""


def abi_of(name: str) -> Abi:
    """Return the ABI of this name; raise UserError if there is none."""
    if name not in ABIS:
        near = near_miss(name, ABIS)
        raise UserError("abi: unknown", value=name, allowed=", ".join(ABIS), near=near)
    return ABIS[name]


def library(abi: Abi) -> Path:
    """Return our library of an ABI.

    Raises
    ------
    UserError
        This installation has none.
    """
    path = Path(_core.__file__).resolve().parent / "lib" / abi.name / abi.library
    if not path.is_file():
        what = f"abi: no library for the {abi.title} ABI in this installation"
        got = f"{abi.header}, then install odonata again: it is built where that mpi.h is"
        raise UserError(f"{what}; to get it: {got}")
    return path


def clocks_library() -> Path:
    """Return the library with the clocks of the C library as ranks see them."""
    return Path(_core.__file__).resolve().parent / "lib" / "libodonata_clocks.so"


def detect(program: Path) -> Abi:
    """Return the ABI that a program needs.

    Parameters
    ----------
    program
        An executable or a shared object. Scripts, interpreters and whatever loads MPI while it
        runs are taken to want MPICH's, as mpi4py does.

    Raises
    ------
    UserError
        It was built for an MPI that we have nothing for.
    """
    return detect_known(program) or ABIS["mpich"]


def detect_known(program: Path) -> Abi | None:
    """Return the ABI that a program needs; None if it needs none that can be seen.

    Parameters
    ----------
    program
        An executable or a shared object.

    Raises
    ------
    UserError
        It was built for an MPI that we have nothing for.
    """
    for name in _needed(program):
        if name in _NAMES:
            return ABIS[_NAMES[name]]
        if name.startswith(_STRANGE):
            known = ", ".join(abi.library for abi in ABIS.values())
            raise UserError(
                f"{program.name}: needs an MPI without a replacement", value=name, allowed=known
            )
    return None


def needs_modules(program: Path) -> bool:
    """Whether a program needs a library of MPICH's that has the code of Fortran's modules, too.

    Parameters
    ----------
    program
        An executable.

    Notes
    -----
    Ours has the entry points for Fortran, not that code: it comes before the program's library,
    and not in its place.
    """
    return "libmpichfort.so.12" in _needed(program)


def _needed(program: Path) -> Iterator[str]:
    """Yield the libraries that a program needs: its own, then those of them, and so on."""
    waiting = [program]
    seen: set[str] = set()
    while waiting and len(seen) < MOST_LIBRARIES:
        path = waiting.pop(0)
        dynamic = read_dynamic(path)
        if dynamic is None:
            continue
        for name in dynamic.needed:
            if name in seen:
                continue
            seen.add(name)
            yield name
            found = _find(name, path, dynamic)
            if found is not None:
                waiting.append(found)


def _find(name: str, user: Path, dynamic: Dynamic) -> Path | None:
    """Return where the dynamic linker would find a library, None if it probably wouldn't."""
    if "/" in name:
        return Path(name)
    origin = str(user.resolve().parent)
    folders = [f.replace("$ORIGIN", origin).replace("${ORIGIN}", origin) for f in dynamic.search]
    folders += [f for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return path
    return _cached_libraries().get(name)


@cache
def _cached_libraries() -> Mapping[str, Path]:
    """Return the libraries that the system knows, by name."""
    for program in ("/sbin/ldconfig", "/usr/sbin/ldconfig"):
        try:
            listed = subprocess.run([program, "-p"], capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.SubprocessError):
            continue
        libraries: dict[str, Path] = {}
        for line in listed.stdout.splitlines():
            name, arrow, path = line.strip().partition(" => ")
            if arrow and "64" in name:
                libraries.setdefault(name.split(" ", 1)[0], Path(path))
        return libraries
    return {}
