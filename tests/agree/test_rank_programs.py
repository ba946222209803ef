"""Random rank programs, the same generators on both engines, find and wait for the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core

from .cases import Options, examples, placements, times, worlds
from .compare import Job, assert_agree, run_fast

ANY = -1


@dataclass
class Round:
    """Messages that all ranks exchange before the next round, in no fixed order."""

    messages: list[tuple[int, int, int]]  # source, target, bytes [B]
    wildcard: str  # "none"; "source" or "tag": receive from any rank, with any tag
    seed: int  # of the orders in which a rank starts them and waits for them
    pause: int  # [ps] of work before the receives are posted, longer for higher ranks


@st.composite
def rounds(draw: st.DrawFn, ranks: int, packet: int) -> Round:
    one = st.integers(0, ranks - 1)
    size = st.integers(0, 4 * packet)
    return Round(
        draw(st.lists(st.tuples(one, one, size), max_size=12)),
        draw(st.sampled_from(["none", "source", "tag"])),
        draw(st.integers(0, 99)),
        draw(times),
    )


def program(all_rounds: list[Round], found: list[tuple[int, ...]]) -> Callable[[Any], Any]:
    """Return a rank program that writes what its receives find into a list."""

    def run(rank):
        for tag, r in enumerate(all_rounds):
            order = random.Random(f"{r.seed} {rank.index}")
            mine = [m for m in r.messages if rank.index in m[:2]]
            order.shuffle(mine)
            yield rank.compute(r.pause * rank.index)
            requests = list(start(rank, r, mine, tag))
            order.shuffle(requests)
            for request in requests:
                status = yield rank.wait([request])
                found.append((rank.index, status.source, status.tag, status.bytes))
            yield from barrier(rank)

    return run


def start(rank, r, messages, tag):
    most = max((size for _, _, size in r.messages), default=0)
    for source, target, size in messages:
        if target == rank.index:
            wanted = ANY if r.wildcard == "source" else source
            yield rank.irecv(wanted, most, ANY if r.wildcard == "tag" else tag)
        if source == rank.index:
            yield rank.isend(target, size, tag)


def barrier(rank):
    """Wait until no rank can still take a message of this round by a wildcard."""
    distance = 1
    while distance < rank.size:
        to, source = (rank.index + distance) % rank.size, (rank.index - distance) % rank.size
        receive = rank.irecv(source, 0, 1000 + distance)
        yield rank.wait([receive, rank.isend(to, 0, 1000 + distance)])
        distance *= 2


@examples(150)
@given(worlds(), st.data())
def test_rank_programs(world, data):
    machine, options = world
    nodes = data.draw(placements(machine))
    packet = options.network["packet_bytes"]
    all_rounds = data.draw(st.lists(rounds(len(nodes), packet), min_size=1, max_size=3))
    fast, slow = [], []
    job = Job(nodes, _core.python_program(program(all_rounds, fast)), program(all_rounds, slow))
    assert_agree(machine, options, [job])
    assert fast == slow


def test_messages_that_cost_nothing_leave_in_the_order_of_sending():
    """A busy processor hands them over when it is free, all at one time.

    The two slots given back before are used again in the other order, which decides nothing.
    """
    link = _core.LinkClass("?", 10**9, 1000, 4096, 0)
    basics = _core.Basics("star", 1, 0, 0, 10**9)
    machine = _core.make_machine("star", basics, {"nodes": 3}, [link, link])

    def program(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(1, 8, 0)])
            yield rank.wait([rank.isend(2, 8, 0)])
            yield rank.compute(1_000_000)
            rank.compute(1_000_000)  # works on beside what follows
            yield rank.wait([rank.isend(target, 100, 0) for target in [1, 2]])
        else:
            yield rank.wait([rank.irecv(0, 8, 0)])
            yield rank.wait([rank.irecv(0, 100, 0)])

    job = Job([0, 1, 2], _core.python_program(program), program)
    assert_agree(machine, Options(), [job])
    records = run_fast(machine, Options(), [job]).messages(0)
    assert records["target"].tolist() == [1, 2, 1, 2]
    assert records["delivered"].tolist() == [10_000, 18_000, 2_102_000, 2_202_000]
