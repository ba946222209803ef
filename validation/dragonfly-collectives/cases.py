"""Which runs the study and its sensitivity study consist of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

ALLGATHER = ("allgather/ring", "allgather/bruck", "allgather/tar")
SCATTER = ("scatter/binomial", "scatter/linear", "scatter/glf", "scatter/llf")
RANKS = (128, 256, 512, 1024, 2048, 4096)
SEEDS = range(1, 6)
BACKGROUND = "uniform:0.3"
GIB = 1.024**3  # GiB in GB


@dataclass(frozen=True)
class Case:
    """One run: its difference from the study's own setting, and why it was made.

    Parameters
    ----------
    study, setting
        The varied quantity, and its value in words.
    workload
        Operation and algorithm; `programs` have a name of their own.
    ranks, seed
        Of the job; the seed draws its nodes, the order of LIN's sends and the routes.
    background
        Traffic among all other nodes, such as ``uniform:0.3``.
    allocation
        Which nodes the job gets, and which ranks are where.
    changes
        Values of the machine by key.
    """

    study: str
    setting: str
    workload: str
    ranks: int
    seed: int = 1
    background: str = ""
    allocation: str = "random"
    changes: tuple[tuple[str, str], ...] = ()

    @property
    def key(self) -> str:
        """Name of the run in results.json."""
        return f"{self.study} | {self.setting} | {self.workload} | {self.ranks} | {self.seed}"


def rates(injection: float, local: float, far: float, unit: str) -> dict[str, str]:
    """Return bandwidths of terminal, local and global links."""
    return {
        "links.injection.bandwidth": f"{injection} {unit}",
        "links.ejection.bandwidth": f"{injection} {unit}",
        "links.local.bandwidth": f"{local} {unit}",
        "links.global.bandwidth": f"{far} {unit}",
    }


def on_all(what: str, value: str) -> dict[str, str]:
    """Return one value for the injection, local and global links."""
    return {f"links.{name}.{what}": value for name in ("injection", "local", "global")}


def overheads(nanoseconds: float) -> dict[str, str]:
    """Return a software overhead for each send and each receive."""
    return {f"mpi.{way}_overhead": f"{nanoseconds} ns" for way in ("send", "recv")}


def ports_pay(chunk: int, delay: float = 50.0, *, taken_back: bool = False) -> dict[str, str]:
    """Return a machine whose router ports are busy for `delay` [ns] beside each chunk [B].

    A port then passes on chunk / (chunk / rate + delay), while terminals inject at full rate, in
    GiB/s; a router stores a chunk before it passes it on; nothing else takes time. So did CODES
    until October 2016. With `taken_back` chunks arrive as late, but the port is free again after
    chunk / rate, as in CODES since.
    """
    wire = {"injection": 5.25, "ejection": 5.25, "local": 5.25, "global": 4.7}
    made = {"nic.packet_bytes": f"{chunk} B", "router.delay": "0 ns"}
    for name, rate in wire.items():
        wire_time = chunk / (rate * GIB)  # [ns]
        time = wire_time + (0.0 if name == "injection" else delay)  # [ns] until the chunk arrives
        busy = wire_time if taken_back else time
        made[f"links.{name}.bandwidth"] = f"{chunk / busy:.6f} GB/s"
        extra = time - busy if name == "ejection" else time
        made[f"links.{name}.latency"] = f"{extra:.3f} ns" if extra else "0 ns"
    return made


SETTINGS: dict[str, dict[str, dict[str, str]]] = {
    "overhead": {f"{o} ns": overheads(o) for o in (0, 100, 200, 300, 500, 1000, 1750, 3500)},
    "packet": {s: {"nic.packet_bytes": s} for s in ("64 B", "256 B", "512 B", "1 KiB", "4 KiB")},
    "buffer": {s: on_all("buffer", s) for s in ("1 KiB", "2 KiB", "4 KiB", "16 KiB", "64 KiB")},
    "router delay": {f"{d} ns": {"router.delay": f"{d} ns"} for d in (0, 50, 100, 500)},
    "global latency": {
        f"{d} ns": {"links.global.latency": f"{d} ns", "links.global.credit_delay": f"{d} ns"}
        for d in (0, 50, 500, 5000)
    },
    "bandwidth": {
        "5.25, 4.7 GB/s": rates(5.25, 5.25, 4.7, "GB/s"),
        "5.25, 4.7 GiB/s": rates(5.25, 5.25, 4.7, "GiB/s"),
        "5.25, 4.7 Gb/s": rates(0.65625, 0.65625, 0.5875, "GB/s"),
        "5.25 GB/s everywhere": rates(5.25, 5.25, 5.25, "GB/s"),
    },
    "terminal links": {
        f"{r} GB/s": rates(r, 5.25, 4.7, "GB/s") for r in (5.25, 7.0, 8.0, 10.5, 16.0)
    },
    "protocol": {
        "eager": {},
        "rendezvous": {"mpi.eager_threshold": "0 B", "mpi.control_bytes": "64 B"},
        "rendezvous above 1 KiB": {"mpi.eager_threshold": "1 KiB", "mpi.control_bytes": "64 B"},
    },
    "arrangement": {
        name: {"shape.arrangement": name} for name in ("absolute", "relative", "circulant")
    },
    "ports pay": {f"50 ns per {c} B": ports_pay(c) for c in (128, 256, 512, 1024)}
    | {"0 ns per 512 B": ports_pay(512, 0.0)}
    | {"50 ns per 512 B, taken back": ports_pay(512, taken_back=True)},
}
"""Variations of the machine, one at a time."""

ALLOCATIONS = (
    "random",
    "random, ranks in order of place",
    "random-routers",
    "random-groups",
    "contiguous",
    "contiguous, ranks shuffled",
)
ORDERS = ("scatter/linear-by-rank", "scatter/linear-by-place", "scatter/linear-by-turns")
STEPS = ("allgather/ring-in-step", "allgather/tar-in-step", "allgather/bruck-in-step")


ASSUMED = (("overhead", "100 ns"), ("ports pay", "50 ns per 512 B"))
"""Study and setting of the assumptions under which the allgathers are shown at every size."""


def every() -> Iterator[Case]:
    """Yield all cases: of the study, and of its sensitivity."""
    yield from study()
    yield from sensitivity()


def study() -> Iterator[Case]:
    """Yield the cases of the study itself."""
    for behind in ("", BACKGROUND):
        for ranks in RANKS:
            for workload in (*ALLGATHER, *SCATTER):
                for seed in SEEDS:
                    yield Case("study", behind, workload, ranks, seed, behind)


def sensitivity() -> Iterator[Case]:
    """Yield the cases that vary one thing at a time."""
    yield from _scatters()
    yield from _in_step()
    yield from _allgathers()
    yield from _assumed()


def _scatters() -> Iterator[Case]:
    for ranks in (128, 1024, 4096):
        for seed in (1, 2, 3) if ranks == 128 else (1,):
            for name, settings in SETTINGS.items():
                for setting, changes in settings.items():
                    for workload in SCATTER:
                        made = tuple(changes.items())
                        yield Case(name, setting, workload, ranks, seed, changes=made)
            pays = tuple(SETTINGS["ports pay"]["50 ns per 512 B"].items())
            for allocation in ALLOCATIONS:
                for workload in SCATTER:
                    yield Case("allocation", allocation, workload, ranks, seed, "", allocation)
            for workload in SCATTER:
                where = ALLOCATIONS[1]
                yield Case("ports pay", where, workload, ranks, seed, "", where, pays)
            for workload in ORDERS:
                yield Case("order", "", workload, ranks, seed)
                yield Case("order", "ports pay", workload, ranks, seed, changes=pays)


def _in_step() -> Iterator[Case]:
    for ranks in RANKS:
        for seed in SEEDS:
            for workload in STEPS:
                yield Case("in step", "", workload, ranks, seed)


def _allgathers() -> Iterator[Case]:
    for ranks in (128, 512):
        for name, settings in SETTINGS.items():
            for setting, changes in settings.items():
                if (name, setting, ranks) == ("packet", "64 B", 512):
                    continue  # 31 million packet hops each, and no answer that 256 B don't give
                for workload in ALLGATHER:
                    yield Case(name, setting, workload, ranks, changes=tuple(changes.items()))
        for allocation in ALLOCATIONS:
            for workload in ALLGATHER:
                yield Case("allocation", allocation, workload, ranks, 1, "", allocation)


def _assumed() -> Iterator[Case]:
    for name, setting in ASSUMED:
        changes = tuple(SETTINGS[name][setting].items())
        for ranks in (128, 512, 1024, 2048, 4096):
            for workload in ALLGATHER:
                for seed in SEEDS:
                    yield Case(name, setting, workload, ranks, seed, changes=changes)
