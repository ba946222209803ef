"""The worth of links to a run: the run is made again without each of them.

Cables of one class between the same two switches are alike: the loss of one of them is simulated
once. A machine of another family than graph becomes a graph first, so that its routes can be
computed again around a lost cable; the time with all cables is the time of this graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from odonata import _core
from odonata.errors import DeadlockError, UserError
from odonata.machine import Machine, load
from odonata.machine.fabric.as_graph import Routes, write_graph
from odonata.machine.fabric.editing import Changes, edited, parts_with_hosts
from odonata.machine.fabric.fabric import Fabric
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.faults import require_joined
from odonata.result import Run
from odonata.simulate import Progress
from odonata.simulate.workers import in_threads

__all__ = ["LinkCost", "LinkRanking", "rank_links"]

Check = Callable[[Progress], None]
Simulate = Callable[[Machine, Check | None], Run]
"""Makes the run on a machine."""

ComputeRoutes = Callable[[Fabric, Callable[[float], None]], Routes]
"""Computes tables of a fabric, and calls a function meanwhile, which may raise."""


@dataclass(frozen=True)
class LinkCost:
    """The loss of one cable of two switches.

    Parameters
    ----------
    a, b
        Names of the switches.
    link_class
        Class of the cable.
    cables
        Number of such cables between them.
    time_ps
        How long the run takes without one of them [ps]; None: it cannot run.
    ratio
        This time over the time with all cables.
    cut_off
        Hosts that the loss cuts off.
    error
        Reason for which the run was refused or locked up, if it was.
    """

    a: str
    b: str
    link_class: str
    cables: int
    time_ps: int | None = None
    ratio: float | None = None
    cut_off: Sequence[str] = ()
    error: str = ""

    @property
    def dearness(self) -> float:
        """The ratio; infinite where the run cannot be made."""
        return float("inf") if self.ratio is None else self.ratio


@dataclass(frozen=True)
class LinkRanking:
    """Links by what the loss of one cable costs a run.

    Parameters
    ----------
    time_ps
        How long the run takes with all cables [ps].
    links
        Links, the dearest first.
    planned
        How many there would be if none had been interrupted.
    """

    time_ps: int
    links: Sequence[LinkCost]
    planned: int

    def document(self) -> dict[str, object]:
        """Return everything as plain data, for JSON."""
        return {
            "time_ps": self.time_ps,
            "links": [asdict(link) for link in self.links],
            "complete": len(self.links) == self.planned,
        }


def rank_links(
    machine: Machine,
    simulate: Simulate,
    *,
    routes: ComputeRoutes | None = None,
    sample: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    report: Callable[[float], None] | None = None,
) -> LinkRanking:
    """Simulate the loss of a cable of each link between switches, one at a time.

    Parameters
    ----------
    machine
        The machine.
    simulate
        Function that makes the run on a machine.
    routes
        Function that computes the tables of a fabric; None: the routing needs none of a file.
    sample
        Number of links that are drawn; None: all.
    seed
        Seed of this draw.
    workers
        Runs that are made at a time; None: as many as there are processors. The result does not
        depend on it.
    report
        Is told after each run which share of them is done.

    Returns
    -------
    LinkRanking
        The links. On Ctrl-C, the `KeyboardInterrupt` has the finished ones as its argument.

    Raises
    ------
    UserError
        The run is refused on the machine with all cables, or faults of the machine cut nodes off.
    """
    require_joined(machine, range(machine.num_nodes), "rank-links")
    fabric = fabric_of(machine)
    if machine.faults is not None:
        fabric = _without_idle(fabric)
    with TemporaryDirectory(prefix="odonata-links-") as folder:
        without = _Without(machine, fabric, Path(folder), simulate, routes)
        base = without.run(fabric, "base", None).length_ps
        links = _links(fabric)
        if sample is not None and sample < len(links):
            drawn = sorted(_core.shuffled(len(links), seed, 0)[:sample])
            links = [links[at] for at in drawn]
        done: dict[int, LinkCost] = {}

        def found() -> LinkRanking:
            costs = sorted((cost for _, cost in sorted(done.items())), key=lambda c: -c.dearness)
            return LinkRanking(base, costs, len(links))

        try:
            works = [partial(without.cost, link, at, base) for at, link in enumerate(links)]
            for at, cost in in_threads(works, workers):
                done[at] = cost
                if report is not None:
                    report(len(done) / len(links))
        except KeyboardInterrupt as error:
            raise KeyboardInterrupt(found()) from error
        return found()


def _links(fabric: Fabric) -> list[LinkCost]:
    """Return the links between switches, each once for all its cables of a class."""
    name = [switch.name for switch in fabric.switches]
    counts = Counter((min(c.a, c.b), max(c.a, c.b), c.kind) for c in fabric.cables)
    return [
        LinkCost(name[a], name[b], kind, cables) for (a, b, kind), cables in sorted(counts.items())
    ]


@dataclass(frozen=True)
class _Without:
    """Runs on a fabric without some cables."""

    machine: Machine
    fabric: Fabric
    folder: Path
    simulate: Simulate
    routes: ComputeRoutes | None

    def cost(self, link: LinkCost, at: int, base: int, check: Check) -> LinkCost:
        """Return what the loss of a cable of a link costs."""
        names = {switch.name: number for number, switch in enumerate(self.fabric.switches)}
        fabric = _without_one(self.fabric, {names[link.a], names[link.b]}, link.link_class)
        _, *others = parts_with_hosts(fabric)
        cut = [host for _, hosts in others for host in hosts]
        if cut:
            return replace(link, cut_off=cut)
        try:
            time = self.run(_without_idle(fabric), f"link-{at}", check).length_ps
        except (UserError, DeadlockError) as error:
            return replace(link, error=str(error))
        return replace(link, time_ps=time, ratio=time / base if base else 1.0)

    def run(self, fabric: Fabric, name: str, check: Check | None) -> Run:
        """Make the run on a fabric."""

        def go_on(_share: float) -> None:
            if check is not None:
                check(Progress(0, 0, None, 0.0))

        routes = None if self.routes is None else self.routes(fabric, go_on)
        path = self.folder / f"{name}.toml"
        told = f"{self.machine.name}, for odonata machines rank-links"
        write_graph(path, self.machine, fabric, description=told, routes=routes)
        try:
            return self.simulate(load(path), check)
        finally:
            for suffix in (".toml", ".fabric", ".routes"):
                path.with_suffix(suffix).unlink(missing_ok=True)


def _without_idle(fabric: Fabric) -> Fabric:
    """Return a fabric without switches that reach no hosts."""
    parts = parts_with_hosts(fabric)
    idle = [switch for switches, hosts in parts if not hosts for switch in switches]
    return edited(fabric, Changes(remove_switches=idle)) if idle else fabric


def _without_one(fabric: Fabric, ends: set[int], link_class: str) -> Fabric:
    """Return a fabric without the last cable of a class between two switches."""
    cables = list(fabric.cables)
    at = max(n for n, c in enumerate(cables) if {c.a, c.b} == ends and c.kind == link_class)
    del cables[at]
    return replace(fabric, cables=tuple(cables))
