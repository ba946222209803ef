"""Calls of programs without deadlock, drawn step by step: what a trace would have of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from odonata.trace import Call, Collective, Receive, Send, function_names
from odonata.trace.calls import Outcome
from odonata.trace.views import ANY, NOBODY, Communicator, Exchange, Phase
from odonata.workload import algorithms
from odonata.workload.names import collectives as operations

FUNCTIONS = function_names()
MOST_BYTES = 5000
"""Bytes of the largest message, and of the largest block."""

NEED_MORE = ("v", "w", "reduce_scatter")
"""Ends of the names of operations whose calls say several sizes."""

ALIKE = {
    name: algorithms()[name]
    for name in operations()
    if not name.endswith(NEED_MORE) and "neighbor" not in name
}
"""Algorithms of the operations whose calls say one size."""


class Calls:
    """The calls of all ranks of a program that ends, in an order in which they could be made."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.made: list[Call] = []
        self.requests = [0] * ranks
        self.halves = False  # ranks have a communicator of every other rank
        self.open: list[list[int]] = [[] for _ in range(ranks)]
        self.computes = [0] * ranks

    def add(self, rank: int, function: str, operation: str, view: Any = None, **more: Any) -> None:
        """Add a call of a rank, after its computing."""
        compute, self.computes[rank] = self.computes[rank], 0
        self.made.append(Call(rank, f"MPI_{function}", operation, view, compute=compute, **more))

    def begin(self, rank: int, function: str, operation: str, view: Any, **more: Any) -> None:
        """Add a call that opens a request."""
        self.requests[rank] += 1
        self.open[rank].append(self.requests[rank])
        self.add(rank, function, operation, view, request=self.requests[rank], **more)

    def wait(self, rank: int) -> None:
        """Let a rank wait for all its requests."""
        if self.open[rank]:
            self.add(rank, "Waitall", "wait", words=tuple(self.open[rank]))
            self.open[rank] = []

    def wait_for(self, rank: int, index: int) -> None:
        """Let a rank wait for any of its requests, where the trace says that it was this one."""
        listed, found = tuple(self.open[rank]), (Outcome(index),)
        self.add(rank, "Waitany", "wait_any", words=listed, flag=True, outcomes=found)
        del self.open[rank][index]

    def test(self, rank: int) -> None:
        """Let a rank test all its requests in vain."""
        self.add(rank, "Testall", "test", words=tuple(self.open[rank]), flag=False)


@st.composite
def calls(draw: st.DrawFn, ranks: int) -> list[Call]:
    """Draw the calls of a program without deadlock."""
    made = Calls(ranks)
    for rank in range(ranks):
        made.add(rank, "Init", "local")
    steps = [together, several, look]
    if ranks > 1:
        steps += [message, message, round_trip, together, halves, from_any]
    for _ in range(draw(st.integers(1, 8))):
        for rank in draw(st.lists(st.integers(0, ranks - 1), max_size=3)):
            made.computes[rank] += draw(st.integers(0, 20_000))
        draw(st.sampled_from(steps))(draw, made)
    for rank in range(ranks):
        made.wait(rank)
        made.add(rank, "Finalize", "finalize")
    return made.made


SENDS = {"standard": "Send", "synchronous": "Ssend", "buffered": "Bsend"}


def message(draw: st.DrawFn, made: Calls) -> None:
    """Draw some messages of a rank to another, waited for at once or some time later."""
    one = draw(st.integers(0, made.ranks - 1))
    other = (one + draw(st.integers(1, made.ranks - 1))) % made.ranks
    mode = draw(st.sampled_from(sorted(SENDS)))
    for tag in range(draw(st.integers(1, 3))):
        size = draw(st.sampled_from((0, 4, 8, 900, MOST_BYTES)))
        send, receive = Send(other, tag, size, mode), Receive(one, tag, size)
        if draw(st.booleans()):
            made.begin(other, "Irecv", "irecv", receive)
            made.begin(one, f"I{SENDS[mode].lower()}", "isend", send)
        else:
            made.add(one, SENDS[mode], "send", send)
            made.add(other, "Recv", "recv", receive)
    for rank in draw(st.sampled_from(((), (one,), (other,), (one, other)))):
        made.wait(rank)


def round_trip(draw: st.DrawFn, made: Calls) -> None:
    """Draw an exchange of every rank with others, round the ranks."""
    shift, size = draw(st.integers(1, made.ranks - 1)), draw(st.integers(0, MOST_BYTES))
    for rank in range(made.ranks):
        to, source = (rank + shift) % made.ranks, (rank - shift) % made.ranks
        made.add(rank, "Sendrecv", "sendrecv", Exchange(to, 0, size, source, 0))


def together(draw: st.DrawFn, made: Calls) -> None:
    """Draw a collective operation of all ranks, blocking or not."""
    operation = draw(st.sampled_from(sorted(ALIKE)))
    rooted = operations()[operation].rooted
    comm, least = (2, made.ranks // 2) if made.halves and draw(st.booleans()) else (0, made.ranks)
    root = draw(st.integers(0, least - 1)) if rooted else NOBODY
    what = Collective(draw(st.sampled_from((0, 8, 700, 3000))), root, operation)
    blocking = draw(st.booleans())
    for rank in range(made.ranks):
        if blocking:
            made.add(rank, operation.capitalize(), "collective", what, comm=comm)
        else:
            made.begin(rank, f"I{operation}", "icollective", what, comm=comm)


def from_any(draw: st.DrawFn, made: Calls) -> None:
    """Draw messages of some ranks to one that receives them from any."""
    one = draw(st.integers(0, made.ranks - 1))
    others = draw(st.lists(st.integers(0, made.ranks - 1).filter(lambda n: n != one), max_size=6))
    early = draw(st.booleans())
    for other in others if early else ():
        made.add(other, "Send", "send", Send(one, 9, 100 * other))
    for _ in others:
        made.begin(one, "Irecv", "irecv", Receive(ANY, 9, MOST_BYTES))
    for other in () if early else others:
        made.begin(other, "Isend", "isend", Send(one, 9, 100 * other))
    if early:
        made.wait(one)


def look(draw: st.DrawFn, made: Calls) -> None:
    """Let some ranks test their requests, or wait for one of them."""
    for rank in draw(st.lists(st.integers(0, made.ranks - 1), max_size=4)):
        if not made.open[rank]:
            continue
        if draw(st.booleans()):
            made.test(rank)
        else:
            made.wait_for(rank, draw(st.integers(0, len(made.open[rank]) - 1)))


def several(draw: st.DrawFn, made: Calls) -> None:
    """Let all ranks begin a phase, and wait for its operations."""
    level = draw(st.integers(0, 3))
    for rank in range(made.ranks):
        made.add(rank, "Pcontrol", "phase", Phase(level))
        made.wait(rank)


def halves(draw: st.DrawFn, made: Calls) -> None:
    """Make two communicators, of the even ranks and of the odd ones, unless they are there."""
    if made.halves:
        return
    made.halves = True
    for rank in range(made.ranks):
        members = tuple(range(rank % 2, made.ranks, 2))
        made.add(
            rank,
            "Comm_split",
            "communicator",
            Communicator(identity=1 + rank % 2, position=rank // 2),
            comm=2,
            words=members,
        )
