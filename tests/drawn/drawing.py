"""Simulations that are drawn from a seed: machine, jobs, traces that are replayed, options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from families import machines
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from programs import ALIKE, FUNCTIONS, MOST_BYTES, calls

from odonata.machine import Machine
from odonata.placement import Placement, place
from odonata.simulate import Job, Options, Surroundings
from odonata.testing import collectives, traffic, usable_routings
from odonata.trace import Block, Call, Header, Writer
from odonata.workload import Halo, Replay
from odonata.workload.build import Workload

MOST_RANKS = 24


@dataclass(frozen=True)
class Drawn:
    """A simulation."""

    machine: Machine
    placement: Placement
    work: Workload | list[Call]  # or the calls of a trace
    collectives: Mapping[str, str]  # algorithms of a trace
    around: Surroundings
    options: Options

    def jobs(self, folder: Path) -> list[Job]:
        """Return its jobs; a trace is written to the folder first."""
        work = self.work
        if isinstance(work, list):
            path = folder / "drawn.trace"
            with Writer(path, Header(ranks=self.placement.ranks, functions=FUNCTIONS)) as writer:
                writer.write(Block.of(work, FUNCTIONS))
            work = Replay(path=path, collectives=self.collectives)
        job = Job(work, self.placement)
        return [job, *self.around.jobs(self.machine, [self.placement], seed=self.options.seed)]

    def __str__(self) -> str:
        work = f"{len(self.work)} calls" if isinstance(self.work, list) else self.work
        others = self.around.background or self.around.busy or "nothing"
        eager = self.machine.changes["mpi.eager_threshold"]
        return (
            f"{self.machine.core.family} of {self.machine.num_nodes} nodes, {self.options.engine}, "
            f"{self.options.routing}, {work} on {self.placement.ranks} ranks beside {others}, "
            f"eager up to {eager}"
        )


def draw(number: int) -> Drawn:
    """Return the simulation of a seed."""
    made: list[Drawn] = []

    @seed(number)
    @settings(
        max_examples=3,  # the first is the simplest of all
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(simulations())
    def keep(simulation: Drawn) -> None:
        made.append(simulation)

    keep()
    return made[-1]


@st.composite
def simulations(draw: st.DrawFn) -> Drawn:
    """Draw a simulation."""
    machine = draw(machines())
    placement = draw(places(machine))
    work = draw(workloads(placement))
    options = Options(
        engine=draw(st.sampled_from(("packet", "packet", "packet", "analytic"))),
        routing=draw(st.sampled_from(usable_routings(machine.core, machine.cut_ports))),
        seed=draw(st.integers(0, 2**32)),
        bias_bytes=draw(st.sampled_from((0, 500))),
        samples=draw(st.sampled_from((0, 20))),
    )
    free = joined(machine) - len(set(placement.node_of))
    return Drawn(machine, placement, work, draw(algorithms()), draw(around(free)), options)


def joined(machine: Machine) -> int:
    """Return the number of nodes that faults have left."""
    return machine.num_nodes - len(machine.cut_nodes)


@st.composite
def places(draw: st.DrawFn, machine: Machine) -> Placement:
    """Draw a placement of up to two ranks a node."""
    each = draw(st.integers(1, 2))
    ranks = draw(st.integers(1, min(MOST_RANKS, each * joined(machine))))
    allocation = draw(st.sampled_from(("contiguous", "random", "random-groups")))
    mapping = draw(st.sampled_from(("block", "cyclic", "random")))
    number = draw(st.integers(0, 2**32))
    return place(
        machine, ranks, allocation=allocation, mapping=mapping, ranks_per_node=each, seed=number
    )


def workloads(placement: Placement) -> st.SearchStrategy[Workload | list[Call]]:
    """Return the work that ranks may have there: with synthetic traffic if each has a node."""
    ranks = placement.ranks
    operation = collectives(ranks=ranks, most_bytes=MOST_BYTES)
    kinds = [operation, operation, calls(ranks), calls(ranks), halos(ranks)]
    if ranks > 1 and placement.ranks_per_node == 1:
        kinds.append(traffic())
    return st.sampled_from(kinds).flatmap(lambda kind: kind)


@st.composite
def halos(draw: st.DrawFn, ranks: int) -> Halo:
    """Draw an exchange of faces on a grid of some shape."""
    side = draw(st.sampled_from([n for n in range(1, ranks + 1) if ranks % n == 0]))
    return Halo((side, ranks // side), cells=draw(st.integers(1, 24)))


@st.composite
def around(draw: st.DrawFn, free: int) -> Surroundings:
    """Draw other jobs, on some nodes that are free."""
    load = draw(st.sampled_from((0.05, 0.5, 1.0)))
    pattern = draw(st.sampled_from(("uniform", "permutation", "hotspot")))
    kinds = [Surroundings(), Surroundings()]
    if free > 1:
        kinds += [
            Surroundings(background=f"{pattern}:{load}"),
            Surroundings(busy="80%", busy_with=f"{pattern}:{load}"),
        ]
    return draw(st.sampled_from(kinds))


@st.composite
def algorithms(draw: st.DrawFn) -> dict[str, str]:
    """Draw an algorithm for one operation of a trace."""
    operation = draw(st.sampled_from(sorted(ALIKE)))
    return {operation: draw(st.sampled_from(sorted(ALIKE[operation])))}
