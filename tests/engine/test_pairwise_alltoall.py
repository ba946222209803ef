"""Why a pairwise alltoall with random ports up takes 3 times as long as the links need.

Ranks of 8 x 8 nodes exchange blocks with rank XOR 1, 2, ..., 63. A packet takes 8,192 B / 10 GB/s.
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from statistics import mean

import pytest
from small import fat_tree

from odonata.placement import place
from odonata.simulate import Job, Options, run
from odonata.workload import Collective

BLOCK, PACKET, RATE = 65_536, 8_192, 10  # [B], [B], [B/ns]
PACKETS = BLOCK // PACKET
LENGTH = PACKET / RATE  # [ns] of a packet
BOUND = 63 * BLOCK / RATE  # [ns]
COPY = 0.2  # [ns/B]
WIRE, ROUTER = 50, 100  # [ns]
SEEDS = (1, 2, 3)


def simulated(routing="random", seed=0, **changes):
    tree = fat_tree(**{"nic.packet_bytes": f"{PACKET} B"} | changes)
    job = Job(Collective("alltoall", "pairwise", bytes=BLOCK), place(tree, 64))
    return run(tree, [job], Options(routing=routing, seed=seed)).end * 1e-3


class Alltoall:
    """A simulation of its own: packets, links that serve the oldest packet, ranks in steps.

    Each packet to another leaf draws one of eight roots. A rank whose block is there before its
    step copies the block, then sends its own one, as `MPI_Sendrecv` posts its receive first.
    """

    def __init__(self, copy, seed):
        self.draw = random.Random(seed)
        self.copy = copy * BLOCK
        self.events, self.number = [], 0
        self.queues, self.free = defaultdict(list), defaultdict(float)
        self.step, self.nic, self.ends = [0] * 64, [0.0] * 64, []
        self.early, self.missing = set(), defaultdict(lambda: PACKETS)
        for rank in range(64):
            self.begin(0.0, rank)
        while self.events:
            time, _, act, arguments = heapq.heappop(self.events)
            act(time, *arguments)

    def at(self, time, act, *arguments):
        self.number += 1
        heapq.heappush(self.events, (time, self.number, act, arguments))

    def begin(self, time, rank):
        self.step[rank] += 1
        step = self.step[rank]
        if step == 64:
            return self.ends.append(time)
        early = (rank, step) in self.early
        time += self.copy if early else 0
        birth = max(time, self.nic[rank])
        for _ in range(PACKETS):
            self.at(birth + WIRE + ROUTER, self.join, birth, self.way(rank, rank ^ step), step)
            birth += LENGTH
        self.nic[rank] = birth
        if early:
            self.at(time, self.begin, rank)

    def way(self, rank, to):
        if rank // 8 == to // 8:
            return [to]
        root = self.draw.randrange(8)
        return [("up", rank // 8, root), ("down", root, to // 8), to]

    def join(self, time, birth, way, step):
        self.number += 1
        heapq.heappush(self.queues[way[0]], (birth, self.number, way, step))
        self.serve(time, way[0])

    def serve(self, time, link):
        if not self.queues[link] or self.free[link] > time:
            return
        birth, _, way, step = heapq.heappop(self.queues[link])
        self.free[link] = time + LENGTH
        self.at(time + LENGTH, self.serve, link)
        if len(way) > 1:
            self.at(time + WIRE + ROUTER, self.join, birth, way[1:], step)
        else:
            self.at(time + LENGTH + WIRE, self.deliver, link, step)

    def deliver(self, time, rank, step):
        self.missing[rank, step] -= 1
        if self.missing[rank, step]:
            return
        if self.step[rank] == step:
            self.begin(time, rank)
        else:
            self.early.add((rank, step))


def test_steps_without_conflicts_take_their_bytes_and_their_latency():
    """By d-mod-k no two blocks of a step share a link: 7 steps in a leaf, 56 by three routers."""
    near, far = (BLOCK / RATE + (n + 1) * WIRE + n * ROUTER for n in (1, 3))
    assert simulated("d-mod-k") == pytest.approx(7 * near + 56 * far, rel=1e-9)
    assert 7 * near + 56 * far < 1.08 * BOUND


@pytest.mark.parametrize(("copy", "times"), [(0, 1.67), (COPY, 3.05)])
def test_random_ports_cost_as_much_as_in_a_simulation_of_its_own(copy, times):
    """Drawn conflicts cost two thirds; copies of blocks that come before their step double it."""
    own = BLOCK * copy  # each rank copies its own block first
    ours = mean(
        simulated(seed=seed, **{"mpi.copy_per_byte": f"{copy * 1000} ps/B"}) - own for seed in SEEDS
    )
    other = mean(max(Alltoall(copy, seed).ends) for seed in SEEDS)
    assert ours == pytest.approx(other, rel=0.03)
    assert ours / BOUND == pytest.approx(times, rel=0.03)
