"""Routes of OpenSM, which runs over ibsim, a simulator of InfiniBand fabrics.

ibsim reads the file of a fabric and answers OpenSM as its switches and adapters would. Both run in
a folder of their own, and find each other by a name (``IBSIM_SOCKNAME``) that no other run has.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError, near_miss
from odonata.machine.fabric.as_graph import Routes
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.forwarding import Forwarding, read_forwarding
from odonata.machine.fabric.infiniband import IbsimFile, ibsim_file
from odonata.machine.fabric.lanes import (
    MOST_ROWS,
    LaneMaps,
    read_lane_maps,
    read_service_levels,
)
from odonata.machine.fabric.routes_file import tables_of

__all__ = [
    "Programs",
    "Routed",
    "engines",
    "find_programs",
    "opensm_routes",
    "run_opensm",
    "settled",
]

PACKAGES = "Debian's packages opensm and ibsim-utils have them"
LIBRARY = "libumad2sim.so"
LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64")
"""Folders below which ibsim's library is."""

WITH_LEVELS = ("dfsssp", "lash", "nue", "torus-2QoS")
"""Engines whose routes have service levels."""

OPTIONS = """\
routing_engine {engine},no_fallback
qos {qos}
sweep_interval 0
transaction_timeout 1000
log_flags 0x43
force_log_flush TRUE
log_file {folder}/opensm.log
dump_files_dir {folder}
partition_config_file {folder}/none
qos_policy_file {folder}/none
prefix_routes_file {folder}/none
per_module_logging_file {folder}/none
"""
"""Options of OpenSM: tables are dumped (0x40), and no file of this computer's fabric is read."""

PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 5.0
"""Time in which a program ends that is told to."""

_ENGINES = re.compile(r"Supported engines:\s*((?:[\w-]+,\s*)*[\w-]+)")
_VERSION = re.compile(r"OpenSM (\d[\w.]*)")
_UP, _REFUSED = "SUBNET UP", "No routing engine able to"
_MESSAGE = re.compile(r".*?0x[0-9a-f]{2} -> (?:\w+: )?(?:ERR \w+: )?(.*\S)")
_LANE = re.compile(r"-> dfsssp_remove_deadlocks:\s+\d+\. lane: (\d+)$", re.MULTILINE)
_AFTER = "(after balancing)"
_SAYS_LITTLE = ("Entering ", "Mgmt class", "Setting IS_SM", "OpenSM", "No routing engine")


@dataclass(frozen=True)
class Programs:
    """OpenSM, ibsim and its library."""

    opensm: str
    ibsim: str
    library: str


@dataclass(frozen=True)
class Routed:
    """Routes that OpenSM has computed.

    Parameters
    ----------
    version
        Version of OpenSM.
    fabric
        The fabric, with the GUIDs that the tables name.
    forwarding
        Tables of its switches.
    levels, lanes
        Service levels of pairs, and lanes of levels; None: the engine uses one lane.
    """

    version: str
    fabric: Fabric
    forwarding: Forwarding
    levels: NDArray[np.uint16] | None
    lanes: LaneMaps | None


def find_programs() -> Programs:
    """Return where OpenSM and ibsim are.

    Raises
    ------
    UserError
        They are not installed.
    """
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    opensm, ibsim = (shutil.which(name, path=path) for name in ("opensm", "ibsim"))
    folders = (folder for root in LIBRARIES for folder in Path(root).glob("*/umad2sim"))
    roots = (Path(root) / "umad2sim" for root in LIBRARIES)
    library = next((str(d / LIBRARY) for d in [*folders, *roots] if (d / LIBRARY).exists()), None)
    if opensm is None or ibsim is None or library is None:
        found = {"opensm": opensm, "ibsim": ibsim, LIBRARY: library}
        missing = ", ".join(name for name, place in found.items() if place is None)
        raise UserError(f"OpenSM: not installed: {missing}; {PACKAGES}")
    return Programs(opensm, ibsim, library)


def engines(programs: Programs) -> list[str]:
    """Return the routing engines that OpenSM has, but ``file``, which reads tables.

    Parameters
    ----------
    programs
        The programs.
    """
    told = subprocess.run(
        [programs.opensm, "--help"], capture_output=True, text=True, errors="replace", check=False
    )
    found = _ENGINES.search(told.stdout + told.stderr)
    names = re.split(r",\s*", found[1]) if found else []
    return list(dict.fromkeys(["minhop", *(name for name in names if name != "file")]))


def run_opensm(
    fabric: Fabric,
    engine: str,
    *,
    limit_seconds: float = 3600.0,
    report: Callable[[float], None] = lambda _: None,
) -> Routed:
    """Return the routes that OpenSM computes for a fabric.

    Parameters
    ----------
    fabric
        The fabric.
    engine
        Routing engine of OpenSM.
    limit_seconds
        Time after which OpenSM is ended [s].
    report
        Is called now and then with the share that is done.

    Raises
    ------
    UserError
        The programs are not installed, OpenSM has no such engine, the engine cannot route the
        fabric, or it takes too long.
    """
    programs = find_programs()
    known = engines(programs)
    if engine not in known:
        near, allowed = near_miss(engine, known), ", ".join(known)
        raise UserError("OpenSM: unknown engine", value=engine, allowed=allowed, near=near)
    pairs = len(fabric.adapters) * (len(fabric.adapters) - 1)
    if engine in WITH_LEVELS and pairs > MOST_ROWS:
        what = f"OpenSM: {engine} gives each pair of adapters a lane: too many pairs"
        raise UserError(what, value=pairs, allowed=f"up to {MOST_ROWS}, or an engine of one lane")
    file = ibsim_file(fabric, "written by Odonata")
    with TemporaryDirectory(prefix="odonata-opensm-") as folder, ExitStack() as stack:
        run = _Run(programs, file, engine, Path(folder), limit_seconds, report)
        return run.routed(stack)


def opensm_routes(
    fabric: Fabric,
    engine: str,
    *,
    limit_seconds: float = 3600.0,
    report: Callable[[float], None] = lambda _: None,
) -> Routes:
    """Return the tables that OpenSM computes for a fabric, to be written with a machine.

    Parameters
    ----------
    fabric, engine, limit_seconds, report
        The same as for `run_opensm`.

    Raises
    ------
    UserError
        The same as `run_opensm`.
    """
    made = run_opensm(fabric, engine, limit_seconds=limit_seconds, report=report)
    tables = tables_of(made.fabric, made.forwarding, made.levels, made.lanes)
    return Routes(tables, made.version, engine)


class _Run:
    """A run of OpenSM."""

    def __init__(
        self,
        programs: Programs,
        file: IbsimFile,
        engine: str,
        folder: Path,
        limit_seconds: float,
        report: Callable[[float], None],
    ) -> None:
        self._programs = programs
        self._file = file
        self._engine = engine
        self._folder = folder
        self._limit_seconds = limit_seconds
        self._ends = time.monotonic() + limit_seconds
        self._report = report
        self._simulated = {
            **os.environ,
            "IBSIM_SOCKNAME": f"odonata-{os.getpid()}-{secrets.token_hex(4)}",
            "SIM_HOST": file.first,
            "OSM_TMP_DIR": str(folder),
            "OSM_CACHE_DIR": str(folder),
        }

    def routed(self, stack: ExitStack) -> Routed:
        """Return the routes; the programs end with the stack."""
        net = self._folder / "net"
        with open(net, "w", encoding="ascii") as written:
            written.writelines(f"{line}\n" for line in self._file.lines)
        words = [self._programs.ibsim, "-s", "-n", *self._file.limits, str(net)]
        ibsim = stack.enter_context(self._started(words, "ibsim"))
        self._wait(ibsim, "ibsim", lambda said: "ready" in said)

        preloaded = {"LD_PRELOAD": self._programs.library}
        qos = str(self._engine in WITH_LEVELS).upper()
        options = OPTIONS.format(engine=self._engine, qos=qos, folder=self._folder)
        (self._folder / "options").write_text(options, encoding="utf-8")
        words = [self._programs.opensm, "-F", str(self._folder / "options")]
        opensm = stack.enter_context(self._started(words, "opensm", preloaded))
        log = self._wait(
            opensm, "opensm", lambda log: _UP in log or _REFUSED in log, log="opensm.log"
        )
        if _REFUSED in log:
            raise UserError(f"OpenSM: {self._engine} cannot route this fabric: {_reason(log)}")

        forwarding = read_forwarding(self._folder / "opensm-lfts.dump")
        levels = lanes = None
        if self._engine in WITH_LEVELS:
            levels = self._levels(stack, forwarding, preloaded)
            lanes = read_lane_maps(self._folder / "opensm-sl2vl.dump")
        version = _VERSION.search(self._said("opensm"))
        number = version[1] if version else "of unknown version"
        return Routed(number, self._file.fabric, forwarding, levels, lanes)

    def _levels(
        self, stack: ExitStack, forwarding: Forwarding, preloaded: Mapping[str, str]
    ) -> NDArray[np.uint16]:
        """Return the service levels of all pairs of adapters, which OpenSM is asked for."""
        known = forwarding.addresses()
        lids = [known[a.guid][0] for a in self._file.fabric.adapters if a.guid in known]
        (self._folder / "lids").write_text("\n".join(map(str, [lids[0], *lids])), encoding="ascii")
        program = Path(__file__).with_name("ask_levels.py")
        files = [str(self._folder / name) for name in ("lids", "levels")]
        words = [sys.executable, "-I", str(program), *files]
        asking = stack.enter_context(self._started(words, "answers", preloaded))
        pairs = max(1, len(lids) * (len(lids) - 1))
        while asking.poll() is None:
            self._check_time()
            done = self._said("answers").split()
            self._report(int(done[-1]) / pairs if done and done[-1].isdecimal() else 0.0)
            time.sleep(PAUSE_SECONDS)
        if asking.returncode:
            raise UserError(f"OpenSM: no service levels: {_last(self._said('answers'))}")
        found = read_service_levels(self._folder / "levels")
        return settled(found, self._said("opensm.log")) if self._engine == "dfsssp" else found

    @contextmanager
    def _started(
        self, words: Sequence[str], name: str, more: Mapping[str, str] | None = None
    ) -> Iterator[subprocess.Popen[bytes]]:
        """Start a program, whose words go to a file of its name, and end it at last.

        It is in a session of its own, so that Ctrl-C reaches it by way of this process alone, and
        is killed with this process where the system has ``setpriv``.
        """
        guard = shutil.which("setpriv")
        guarded = [guard, "--pdeathsig", "KILL"] if guard else []
        with open(self._folder / name, "wb") as said:
            process = subprocess.Popen(
                [*guarded, *words],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env={**self._simulated, **(more or {})},
                start_new_session=True,
            )
        try:
            yield process
        finally:
            _end(process)

    def _wait(
        self,
        process: subprocess.Popen[bytes],
        name: str,
        is_ready: Callable[[str], bool],
        log: str | None = None,
    ) -> str:
        """Wait until what a program has said or logged is enough, and return that."""
        while True:
            has_ended = process.poll() is not None
            said = self._said(log or name)
            if is_ready(said):
                return said
            if has_ended:
                reason = _last(self._said(name)) or _last(said)
                raise UserError(f"OpenSM: {name} has ended with {process.returncode}: {reason}")
            self._check_time()
            self._report(0.0)
            time.sleep(PAUSE_SECONDS)

    def _said(self, name: str) -> str:
        path = self._folder / name
        return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""

    def _check_time(self) -> None:
        if time.monotonic() > self._ends:
            raise UserError(
                f"OpenSM: not ready after {self._limit_seconds:g} s; --limit allows more"
            )


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program; one that takes too long, or while we are interrupted, is killed."""
    try:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        process.kill()
        process.wait()


def settled(levels: NDArray[np.uint16], log: str) -> NDArray[np.uint16]:
    """Return levels of ``dfsssp`` in which nothing is drawn.

    Parameters
    ----------
    levels
        Rows of source, destination and level.
    log
        OpenSM's log: the paths of each lane before and after some lanes were split.

    Notes
    -----
    The engine splits the paths of a full lane over several empty ones, and draws one of these for
    each question. Here it is the sum of both addresses that chooses. Parts of a lane without a
    cycle have none either.
    """
    before, _, after = log.partition(_AFTER)
    shares = [int(paths) for paths in _LANE.findall(after)]
    first = np.arange(16)
    width = np.ones(16, np.int64)
    at = 0
    for paths in map(int, _LANE.findall(before)):
        if at >= len(shares):
            break
        parts = max(1, round(paths / shares[at])) if shares[at] else 1
        first[at : at + parts], width[at : at + parts] = at, parts
        at += parts
    chosen = levels.copy()
    level = levels[:, 2]
    total = levels[:, 0].astype(np.int64) + levels[:, 1]
    chosen[:, 2] = first[level] + total % width[level]
    return chosen


def _reason(log: str) -> str:
    """Return the words of OpenSM's log before it says that no engine can route."""
    found = (_MESSAGE.fullmatch(line) for line in log.partition(_REFUSED)[0].splitlines())
    said = [each[1] for each in found if each]
    told = [words for words in said if not any(little in words for little in _SAYS_LITTLE)]
    return "; ".join(dict.fromkeys(told[-2:])) or "it says no more"


def _last(said: str) -> str:
    """Return the last line that is not empty."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1] if lines else ""
