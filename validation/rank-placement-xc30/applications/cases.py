"""Cases of the study: two applications, two sizes, node distances, a quiet and a busy Darter.

An application computes between its exchanges, and its ranks begin an exchange together. So the
runs have almost nothing between exchanges, and `whole_seconds` adds the work again. A `whole` case
has the work in it, to see that this holds.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

from odonata import machine, placement
from odonata.result import Result
from odonata.simulate import Job, Surroundings, simulate
from odonata.workload import Fft, Sedov

RANKS_PER_NODE = 16
STEPS = 2  # of the blast wave
SHORT_CELL_TIME = "20 ns"  # longer than an exchange is late on any rank
BUSY = "80%"
SEEDS = (1, 2, 3, 4, 5)
ROUTINGS = ("minimal", "ugal-l")

NO_PROTOCOLS = {  # whose costs are assumed, and the same near and far
    "mpi.eager_overhead": "0 ns",
    "mpi.eager_overhead_per_byte": "0 ps/B",
    "mpi.rendezvous_overhead": "0 ns",
    "mpi.long_overhead_per_byte": "0 ps/B",
}

PUBLISHED_SECONDS = {  # of a step, and of a solve
    "sedov 2048": 571.908 / 5000,
    "sedov 8192": 578.109 / 5000,
    "fft 384": 1413.81 / 4000,
    "fft 768": 1508.94 / 3000,
}
RANKS = {"sedov 2048": 256, "sedov 8192": 4096, "fft 384": 512, "fft 768": 4096}
PACKET_BYTES = {"sedov": "4 KiB", "fft": "8 KiB"}  # larger than darter's 1 KiB: fewer events
DISTANCES = {
    "sedov 2048": (1, 2, 4, 10, 40),
    "sedov 8192": (1, 1.5, 2, 2.5, 2.9),
    "fft 384": (1, 2, 4, 10, 20),
    "fft 768": (1, 1.5, 2, 2.5, 2.9),
}


@dataclass(frozen=True)
class Case:
    """A run: which application, how far its nodes are apart, beside whom, and by which routes."""

    application: str
    distance: float
    busy: bool
    routing: str  # minimal, ugal-l; analytic is minimal by the analytic engine
    seed: int
    whole: bool = False

    @property
    def key(self) -> str:
        """Name of the case in the file of results."""
        busy = "busy" if self.busy else "quiet"
        whole = " whole" if self.whole else ""
        return f"{self.application} {self.distance:g} {busy} {self.routing} {self.seed}{whole}"


def workload(case: Case) -> Fft | Sedov:
    """Return the application of a case."""
    name, size = case.application.split()
    ranks = RANKS[case.application]
    if name == "fft":
        return Fft(size, ranks=ranks, **({} if case.whole else {"flop_time": "0 ns"}))
    if case.whole:
        return Sedov(size, ranks=ranks, repetitions=STEPS)
    return Sedov(size, ranks=ranks, repetitions=STEPS, cell_time=SHORT_CELL_TIME)


def work_seconds(work: Fft | Sedov) -> float:
    """Return the time that a rank computes in a step or solve [s]."""
    if isinstance(work, Sedov):
        return work.step_ps * 1e-12
    return (2 * sum(work.flops_ps[:3]) + work.flops_ps[3]) * 1e-12


@cache
def load(application: str) -> machine.Machine:
    """Return the machine with the packets of an application."""
    changes = NO_PROTOCOLS | {"nic.packet_bytes": PACKET_BYTES[application]}
    return machine.load("darter", changes)


def run(case: Case) -> dict[str, object]:
    """Return what a case costs in a step or solve, and its busiest links."""
    darter = load(case.application.split()[0])
    work = workload(case)
    where = placement.place(
        darter,
        work.ranks,
        allocation=f"distance:{case.distance:g}",
        ranks_per_node=RANKS_PER_NODE,
        seed=case.seed,
    )
    others = Surroundings(busy=BUSY if case.busy else None).jobs(darter, [where], seed=case.seed)
    analytic = case.routing == "analytic"
    result = simulate(
        darter,
        [Job(work, where), *others],
        engine="analytic" if analytic else "packet",
        routing="minimal" if analytic else case.routing,
        seed=case.seed,
    )
    steps = work.repetitions
    exchange = result.summary["time_seconds"] / steps - work_seconds(work)
    return {
        **asdict(case),
        "node_distance": where.mean_node_distance(),
        "groups": len(set(where.groups.tolist())),
        "routers": len(set(where.routers.tolist())),
        "other_jobs": len(others),
        "exchange_seconds": exchange,
        "mean_routers": result.summary["mean_routers"],
        "cpu_seconds": result.summary["cpu_seconds"],
        "links": busiest(result, steps),
    }


def busiest(result: Result, steps: int) -> dict[str, object]:
    """Return of each class of links the busiest one and the mean of those used, in a step [s]."""
    found = {}
    for name, links in result.links.groupby("class"):
        used = links[links["bytes"] > 0]
        if len(used):
            top = used.loc[used["busy_seconds"].idxmax()]
            found[str(name)] = {
                "used": len(used),
                "mean_seconds": float(used["busy_seconds"].mean()) / steps,
                "most_seconds": float(top["busy_seconds"]) / steps,
                "most_between": [int(top["from"]), int(top["to"])],
            }
    return found


def whole_seconds(application: str, exchange_seconds: float) -> float:
    """Return the time of a step or solve with the work in it [s]."""
    return exchange_seconds + work_seconds(workload(Case(application, 1, False, "", 0, True)))


def all_cases() -> Iterator[Case]:
    """Yield the cases, those first that say most for the time that they take."""
    for application in ("sedov 2048", "sedov 8192", "fft 384"):
        quiet_only = application == "fft 384"
        yield from cases_of(application, (False,) if quiet_only else (False, True))
    yield from busy_solves()
    yield from large_solves()
    for application in RANKS:
        for seed, distance in itertools.product(SEEDS, DISTANCES[application]):
            yield Case(application, distance, False, "analytic", seed)
    for application in ("sedov 2048", "fft 384"):
        yield Case(application, 1, False, "minimal", 1, whole=True)


def cases_of(application: str, occupied: tuple[bool, ...]) -> Iterator[Case]:
    """Yield all distances, routings and seeds of an application, on a quiet or a busy machine."""
    for seed, busy, routing in itertools.product(SEEDS, occupied, ROUTINGS):
        for distance in DISTANCES[application]:
            yield Case(application, distance, busy, routing, seed)


def busy_solves() -> Iterator[Case]:
    """Yield the small Poisson solver on a busy machine: half a minute of a processor each."""
    for distances in ((1, 4, 20), (2, 10)):
        for seed, routing, distance in itertools.product(SEEDS, ROUTINGS, distances):
            yield Case("fft 384", distance, True, routing, seed)


def large_solves() -> Iterator[Case]:
    """Yield the large Poisson solver: up to some minutes of a processor each."""
    for distances in ((1, 2.9), (2,), (1.5, 2.5)):
        for seed, busy, routing in itertools.product(SEEDS, (False, True), ROUTINGS):
            for distance in distances:
                yield Case("fft 768", distance, busy, routing, seed)
