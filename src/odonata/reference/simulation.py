"""A machine, jobs and options give the log of all packets and when ranks end."""

from __future__ import annotations

from collections import Counter

from .clock import Clock, Kind
from .explain import Times, breakdown
from .machine import Machine
from .mpi import MpiOptions, RankState, World
from .network import LogEntry, NetworkOptions, PacketNetwork
from .rank import Program, Rank


def ports_of(machine: Machine, nodes: list[int]) -> list[int]:
    """Return the port of each rank of a job."""
    before: Counter[int] = Counter()
    ports = []
    for node in nodes:
        ranks, count = nodes.count(node), machine.ports_of(node)
        ports.append(machine.port(node, machine.ports.of_rank(before[node], ranks, count)))
        before[node] += 1
    return ports


class Simulation:
    """One run.

    Parameters
    ----------
    machine : Machine
    network : NetworkOptions
    mpi : MpiOptions
    seed : int
        Keys the draws of ranks; routes have a seed of their own.
    """

    def __init__(
        self, machine: Machine, network: NetworkOptions, mpi: MpiOptions, seed: int = 0
    ) -> None:
        self.clock = Clock()
        self.world = World(machine, mpi, self.clock, seed)
        self.network = PacketNetwork(
            machine, network, self.clock, self.world.part_arrived, self.world.part_left
        )
        self.world.send = self.network.send
        self.world.ways = self.network.ways

    @property
    def log(self) -> list[LogEntry]:
        """Time [ps], link, virtual channel and packet of each start and each delivery."""
        return self.network.log

    def add(self, nodes: list[int], program: Program) -> list[RankState]:
        """Add a job, by the node of each rank; return the states of its ranks."""
        first = len(self.world.ranks)
        ports = ports_of(self.world.machine, nodes)
        places = zip(nodes, ports, strict=True)
        job = [RankState(first + at, at, node, port) for at, (node, port) in enumerate(places)]
        self.world.ranks += job
        for state in job:
            state.program = program(Rank(self.world, state, first, len(nodes)))
        return job

    def breakdown(self, rank: RankState) -> Counter[str]:
        """Return the time of a rank that has ended, by category [ps]."""
        return sum(self.parts(rank).values(), Counter())

    def parts(self, rank: RankState) -> Times:
        """Return the time of a rank that has ended, by part of its program and category [ps]."""
        assert rank.finished is not None
        return breakdown(rank.number, rank.diary, rank.finished)

    def run(self) -> None:
        """Run to the end; raise RuntimeError if a rank or a packet is stuck."""
        for state in self.world.ranks:
            self.clock.at(0, Kind.RESUME, state.number)
        self.clock.run()
        if any(state.finished is None for state in self.world.ranks) or self.network.packets:
            raise RuntimeError("deadlock: ranks or packets are left")
