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

__all__ = [
    "ABIS",
    "Abi",
    "abi_of",
    "detect",
    "detect_known",
    "library",
    "needs_modules",
    "stand_ins",
]

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

_STRANGE = (
    "libmpi.so.",
    "libmpich.so.",
    "libmpich_",
    "libmpichcxx",
    "libmpichf90",
    "libmpichfort",
    "libmpicxx",
    "libmpifort",
    "libmpi_abi.so.",
    "libmpi_cray",
    "libmpi_cxx",
    "libmpi_gnu",
    "libmpi_ibm",
    "libmpi_intel",
    "libmpi_mpifh.so.",
    "libmpi_mt.so.",
    "libmpi_usempi",
    "libmpiprofilesupport",
)
"""Beginnings of names of libraries of MPIs, of which those that `_core.mpi_library` knows have a
replacement."""


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


def names_library() -> Path:
    """Return the library that fibers copy to give a library of ours another name."""
    return Path(_core.__file__).resolve().parent / "lib" / "libodonata_names.so"


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
        known = _core.mpi_library(_file_of(name))
        if known is not None:
            return ABIS[known[0]]
        if _file_of(name).startswith(_STRANGE):
            libraries = ", ".join(abi.library for abi in ABIS.values())
            raise UserError(
                f"{program.name}: needs an MPI without a replacement", value=name, allowed=libraries
            )
    return None


def stand_ins(program: Path, abi: Abi) -> list[_core.StandIn]:
    """Return our libraries that a program finds in the place of those of its MPI.

    Parameters
    ----------
    program
        A shared object, whose ranks are fibers.
    abi
        Its ABI.

    Raises
    ------
    UserError
        This installation has no library of the ABI.
    """
    ours = library(abi)
    fortran = ours.with_name(abi.fortran) if abi.fortran else ours
    names: dict[str, set[str]] = {"c": set(), "fortran": set(), "modules": set()}
    for name in _needed(program):
        known = _core.mpi_library(name)
        if known is not None and known[0] == abi.name and known[1] in names:
            names[known[1]].add(name)
    found = [_core.StandIn(str(ours), sorted(names["c"] - {abi.library}), False)]
    if (names["fortran"] or names["modules"]) and fortran.is_file():
        others = sorted(names["fortran"] - {abi.fortran})
        found.append(_core.StandIn(str(fortran), others, bool(names["modules"])))
    return found


def _file_of(name: str) -> str:
    return name.rpartition("/")[2]


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
    known = (_core.mpi_library(_file_of(name)) for name in _needed(program))
    return any(one is not None and one[1] == "modules" for one in known)


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
