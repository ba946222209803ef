"""The parts of this installation: which are there, which work, and how to get the others."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from odonata import _core, machine, placement, simulate, workload
from odonata.errors import UserError
from odonata.live.abi import ABIS, Abi, library
from odonata.live.profiling import preload_library

__all__ = ["Part", "core_parts", "in_a_line", "optional_parts"]

SHARED = Path("/dev/shm")
MOST_MAPS = Path("/proc/sys/vm/max_map_count")

PATIENCE_SECONDS = 60
"""Longest time of the check that a part can be loaded [s]."""


@dataclass(frozen=True)
class Part:
    """A part of the installation.

    Parameters
    ----------
    name
        Its name.
    state
        ``there``, ``missing``, or ``broken``: it is there and doesn't work.
    found
        Its version or path, or its fault.
    purpose
        Its purpose.
    get
        How to get it; empty if it is there.
    """

    name: str
    state: str
    found: str
    purpose: str
    get: str = ""

    def plain(self) -> dict[str, str]:
        """Return it as plain data."""
        return asdict(self)


def optional_parts(*, checked: bool = False) -> list[Part]:
    """Return the parts that an installation may have.

    Parameters
    ----------
    checked
        Whether each that is there is loaded, in a process of its own.

    Returns
    -------
    list of Part
        Libraries for programs of each ABI of MPI, ``odonata-amg``, Python packages.

    Examples
    --------
    >>> "odonata-amg" in [part.name for part in optional_parts()]
    True
    """
    parts = [_of_abi(abi) for abi in ABIS.values()]
    parts += [_fortran(abi) for abi in ABIS.values() if abi.fortran]
    parts += [_recorder(abi) for abi in ABIS.values()]
    parts.append(_amg())
    parts.append(_package("mpi4py", "odonata measure", "pip install 'odonata[measure]'"))
    for name in ("pymetis", "scipy", "mtkahypar"):
        parts.append(_package(name, "odonata place map", "pip install 'odonata[place]'"))
    of_trace = "odonata trace convert: traces of Score-P and others; odonata export"
    parts.append(_package("otf2", of_trace, "pip install 'odonata[trace]'"))
    parts.append(_package("perfetto", "odonata export", "pip install 'odonata[export]'"))
    parts.append(_package("parsl", "odonata study run --parsl", "pip install 'odonata[parsl]'"))
    parquet = "odonata study export -o table.parquet"
    parts.append(_package("pyarrow", parquet, "pip install 'odonata[parquet]'"))
    parts.append(_package("hypothesis", "odonata.testing: strategies for machines", "pip install"))
    if not checked:
        return parts
    return [_loaded(part) if part.found.startswith("/") else part for part in parts]


def in_a_line() -> str:
    """Return which optional parts are installed and which are missing, for a help page."""
    names: dict[str, list[str]] = {"installed": [], "missing": []}
    for part in optional_parts():
        if part.name.endswith((" in Fortran", " recorder")):  # come with the part for C
            continue
        names["missing" if part.state == "missing" else "installed"].append(part.name)
    texts = [f"{state}: {', '.join(found)}" for state, found in names.items() if found]
    return f"Optional parts {'; '.join(texts)}: see odonata doctor."


def core_parts() -> list[Part]:
    """Return the parts that every installation needs, as this computer has them.

    Returns
    -------
    list of Part
        The compiled simulator (it simulates two ranks), processors, shared memory, memory maps.
    """
    return [_simulator(), _python(), _cores(), _shared_memory(), _memory_maps()]


def _of_abi(abi: Abi) -> Part:
    name, purpose = f"{abi.title} programs", f"odonata mpirun: {abi.library}"
    try:
        found = library(abi)
    except UserError:
        how = f"{abi.header}, then install Odonata again"
        return Part(name, "missing", "", purpose, how)
    return Part(name, "there", str(found), purpose)


def _fortran(abi: Abi) -> Part:
    name, purpose = f"{abi.title} programs in Fortran", f"odonata mpirun: {abi.fortran}"
    try:
        path = library(abi).with_name(abi.fortran)
    except UserError:
        return Part(name, "missing", "", purpose, f"comes with {abi.title} programs")
    if path.is_file():
        return Part(name, "there", str(path), purpose)
    return Part(name, "broken", f"no {path}", purpose, "install Odonata again")


def _recorder(abi: Abi) -> Part:
    name, purpose = f"{abi.title} recorder", "odonata profile: preloaded before the program's MPI"
    try:
        return Part(name, "there", str(preload_library(abi)), purpose)
    except UserError:
        return Part(name, "missing", "", purpose, f"comes with {abi.title} programs")


def _amg() -> Part:
    purpose = "AMG hierarchies and cycles of hypre, for odonata predict amg and fit amg"
    beside = Path(sysconfig.get_path("scripts")) / "odonata-amg"
    found = str(beside) if beside.is_file() else shutil.which("odonata-amg")
    if found:
        return Part("odonata-amg", "there", found, purpose)
    how = "apt install libhypre-dev libopenmpi-dev, or the like, then install Odonata again"
    return Part("odonata-amg", "missing", "", purpose, how)


def _package(name: str, purpose: str, how: str) -> Part:
    if importlib.util.find_spec(name) is None:
        return Part(name, "missing", "", purpose, how if " '" in how else f"{how} {name}")
    from importlib import metadata  # brings 50 modules of its own

    return Part(name, "there", metadata.version(name), purpose)


def _loaded(part: Part) -> Part:
    """Return a part as it is after its libraries were looked up."""
    script = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    words = [sys.executable, "-c", script, part.found]
    if part.name == "odonata-amg":  # a program cannot be opened as a library
        words = ["ldd", part.found]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return replace(part, state="broken", found=f"{part.found}: {error}")
    missing = [line.split()[0] for line in done.stdout.splitlines() if "not found" in line]
    if done.returncode == 0 and not missing:
        return part
    said = f"needs {', '.join(missing)}" if missing else (done.stderr.splitlines() or ["fails"])[-1]
    return replace(part, state="broken", found=f"{part.found}: {said}", get="install Odonata again")


def _tried(name: str, purpose: str, find: Callable[[], str]) -> Part:
    """Return a part, which is broken if `find` fails."""
    try:
        return Part(name, "there", find(), purpose)
    except Exception as error:
        return Part(name, "broken", f"{type(error).__name__}: {error}", purpose, "install it again")


def _simulator() -> Part:
    def find() -> str:
        eos = machine.load("eos")
        done = simulate.run(
            eos, [simulate.Job(workload.Collective("barrier"), placement.place(eos, 2))]
        )
        if done.summary["messages"] != 2:
            raise RuntimeError(f"a barrier of 2 ranks sent {done.summary['messages']} messages")
        return str(Path(_core.__file__))

    return _tried("simulator", "all simulations; it has just done one", find)


def _python() -> Part:
    def find() -> str:
        suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
        if not _core.__file__.endswith(suffix):
            raise RuntimeError(f"{_core.__file__} is not for this Python: {suffix}")
        return f"{sys.version.split()[0]}, {suffix.strip('.').removesuffix('.so')}"

    return _tried("Python", "the command line, and the ABI of the simulator", find)


def _cores() -> Part:
    return Part(
        "processors",
        "there",
        str(len(os.sched_getaffinity(0))),
        "one for the simulator; ranks of real programs use the others",
    )


def _shared_memory() -> Part:
    purpose = "ranks of a real MPI under mpiexec, as for odonata measure"
    try:
        free = shutil.disk_usage(SHARED).free
    except OSError as error:
        how = f"mount a tmpfs on {SHARED}"
        return Part("shared memory", "missing", f"{SHARED}: {error.strerror}", purpose, how)
    return Part("shared memory", "there", f"{SHARED}: {free / 2**20:,.0f} MiB free", purpose)


def _memory_maps() -> Part:
    purpose = "stacks of fibers (odonata mpirun --fibers)"
    try:
        most = int(MOST_MAPS.read_text())
    except (OSError, ValueError):
        return Part("memory maps", "missing", "unknown", purpose)
    return Part("memory maps", "there", f"{most:,} of a process", purpose)
