"""The MPI that a program was built for, and the library of ours that takes its place."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
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
    "module_libraries",
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
            Abi(row.name, row.library, row.title, row.installation, row.fortran)
            for row in _core.mpi_abis()
        )
    }
)
"""The ABIs that there can be libraries for."""

FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
"""Folders where the dynamic linker looks for libraries at last."""

REPLACED = "MPICH since 3.1 (libmpi.so.12), Open MPI 3 to 5 (libmpi.so.40), MPI 5 (libmpi_abi.so.1)"
"""MPIs that programs are built with."""

OLD_OPEN_MPI = "Open MPI 1.10"
"""An MPI whose library has the name of MPICH's."""


@dataclass(frozen=True)
class _Need:
    """A library of an MPI that a program, or a library of it, needs."""

    name: str
    library: _core.MpiLibrary
    path: Path | None  # where it is
    modules: bool  # are functions of the Fortran modules needed?
    of: str  # the MPI


def abi_of(name: str) -> Abi:
    """Return the ABI of this name; raise UserError if it is unknown."""
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
        It was built for an MPI that we have nothing for, or a library of its MPI that we do not
        replace is not found.
    """
    found = detect_known(program)
    needs = _needs(program)
    if len(abis := sorted({need.library.abi for need in needs})) > 1:
        which = ", ".join(f"{need.name} of {need.of}" for need in needs)
        raise UserError(f"{program.name}: its libraries need different MPIs: {which}", value=abis)
    for need in needs:
        if need.path is None and (need.library.role in ("modules", "stays") or need.modules):
            raise UserError(
                f"{program.name}: needs a library of {need.of}, which is not found "
                "(LD_LIBRARY_PATH names its folder)",
                value=need.name,
            )
    return found or ABIS["mpich"]


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
    needs = _needs(program)
    for need in needs:
        if need.library.role == "refused" or need.of == OLD_OPEN_MPI:
            raise UserError(
                f"{program.name}: needs {need.of}, which nothing here replaces; build it "
                "with another MPI",
                value=need.name,
                allowed=REPLACED,
            )
    return ABIS[needs[0].library.abi] if needs else None


def stand_ins(program: Path, abi: Abi) -> list[_core.StandIn]:
    """Return our libraries that a program finds in the place of its MPI's.

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
    needs = [need for need in _needs(program) if need.library.abi == abi.name]
    names: dict[str, set[str]] = {}
    for need in needs:
        names.setdefault(need.library.role, set()).add(need.name)
    found = [_core.StandIn(str(ours), sorted(names.get("c", set()) - {abi.library}), False)]
    if names.keys() & {"fortran", "modules"} and fortran.is_file():
        others = sorted(names.get("fortran", set()) - {abi.fortran})
        found.append(_core.StandIn(str(fortran), others, needs_modules(program)))
    found += [_core.StandIn(str(path), [], True) for path in module_libraries(program)]
    return found


def needs_modules(program: Path) -> bool:
    """Whether a program needs a library of its MPI that has the code of Fortran's modules, too.

    Parameters
    ----------
    program
        An executable.

    Notes
    -----
    Ours has the entry points for Fortran, not that code: it comes before the program's library,
    and not in its place.
    """
    return any(need.library.role == "modules" or need.modules for need in _needs(program))


def module_libraries(program: Path) -> list[Path]:
    """Return the libraries with the code of Fortran's modules that have the name of ours.

    Parameters
    ----------
    program
        An executable.

    Notes
    -----
    The dynamic linker takes ours for them, so they are loaded by their paths.
    """
    return list(dict.fromkeys(need.path for need in _needs(program) if need.modules and need.path))


def _needs(program: Path) -> list[_Need]:
    """Return the libraries of MPIs that a program and its libraries need."""
    found: list[_Need] = []
    for name, path, user in _needed(program):
        known = _known(name, path)
        if known is not None:
            modules = user.modules and (known.abi, known.role) == ("mpich", "fortran")
            old = user.open_mpi and known.name == "libmpi.so.12"
            found.append(_Need(name, known, path, modules, OLD_OPEN_MPI if old else known.of))
    return found


def _known(name: str, path: Path | None) -> _core.MpiLibrary | None:
    """Return the row of a library of an MPI; a link without a version is followed."""
    file = name.rpartition("/")[2]
    known = _core.mpi_library(file)
    if file.endswith(".so") and file.startswith("libmpi") and path is not None:
        return _core.mpi_library(path.resolve().name) or known
    return known


def _needed(program: Path) -> Iterator[tuple[str, Path | None, Dynamic]]:
    """Yield the libraries that a program needs, with their places and the files that need them.

    The program's own libraries come first, then theirs, and so on.
    """
    waiting: list[tuple[Path, tuple[str, ...]]] = [(program, ())]
    seen: set[str] = set()
    while waiting and len(seen) < MOST_LIBRARIES:
        path, inherited = waiting.pop(0)
        dynamic = read_dynamic(path)
        if dynamic is None:
            continue
        rpath = (*_folders(dynamic.rpath, path), *inherited)
        for name in dynamic.needed:
            if name in seen:
                continue
            seen.add(name)
            found = _find(name, () if dynamic.runpath else rpath, _folders(dynamic.runpath, path))
            yield name, found, dynamic
            if found is not None:
                waiting.append((found, rpath))


def _folders(folders: Sequence[str], user: Path) -> tuple[str, ...]:
    """Return the folders that a file names."""
    origin = str(user.resolve().parent)
    return tuple(f.replace("$ORIGIN", origin).replace("${ORIGIN}", origin) for f in folders)


def _find(name: str, rpath: Sequence[str], runpath: Sequence[str]) -> Path | None:
    """Return where the dynamic linker would find a library, None if it probably wouldn't."""
    if "/" in name:
        return Path(name) if Path(name).is_file() else None
    told = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    for folder in (*rpath, *(f for f in told if f), *runpath):
        path = Path(folder) / name
        if path.is_file():
            return path
    system = (Path(folder) / name for folder in FOLDERS)
    return _cached_libraries().get(name) or next((path for path in system if path.is_file()), None)


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
