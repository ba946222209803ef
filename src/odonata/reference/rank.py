"""Interface of rank programs, which are generators that yield requests they wait for.

Examples
--------
>>> def ping(rank):
...     if rank.index == 0:
...         yield rank.wait([rank.isend(1, 1024)])
...     else:
...         yield rank.wait([rank.irecv(0, 1024)])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .draws import Draws, Purpose
from .explain import Scope
from .mpi import ANY, RankProgram, RankState, Request, Sleep, World, per_byte


class Rank:
    """A rank of a job."""

    def __init__(self, world: World, state: RankState, first: int, size: int) -> None:
        self.world = world
        self.state = state
        self.first = first  # number in the world of the job's rank 0
        self.index = state.index
        self.size = size

    def draws(self, purpose: Purpose) -> Draws:
        """Return the draws of this rank."""
        return Draws(self.world.seed, purpose, self.state.number)

    def isend(self, to: int, num_bytes: int, tag: int = 0) -> Request:
        """Start to send [B] to a rank."""
        return self.world.isend(self.state, self.first + to, num_bytes, tag)

    def irecv(self, source: int, num_bytes: int, tag: int = 0) -> Request:
        """Start to receive at most [B] from a rank, or from ANY."""
        source = source if source == ANY else self.first + source
        return self.world.irecv(self.state, source, tag)

    def wait(self, requests: list[Request]) -> list[Request]:
        """To be yielded: look at all requests, and continue when they are complete."""
        self.work(len(requests) * self.world.options.wait_per_request, "matching")
        return requests

    def block_on(self, requests: list[Request]) -> list[Request]:
        """To be yielded: the same as a blocking call does it, which looks at no request."""
        return requests

    def send(self, to: int, num_bytes: int) -> list[Request]:
        """To be yielded: send [B]."""
        return [self.isend(to, num_bytes)]

    def recv(self, source: int, num_bytes: int) -> list[Request]:
        """To be yielded: receive at most [B]."""
        return [self.irecv(source, num_bytes)]

    def sendrecv(self, to: int, num_bytes: int, source: int, expected: int) -> list[Request]:
        """To be yielded: send [B] and receive [B]; the receive is posted first."""
        receive = self.irecv(source, expected)
        return [receive, self.isend(to, num_bytes)]

    def sleep_until(self, time: int) -> Sleep:
        """To be yielded: continue at a time [ps]."""
        return Sleep(time)

    def compute(self, time: int) -> Sleep:
        """To be yielded: continue when the processor has worked for a time [ps]."""
        self.work(time, "computing")
        return Sleep(self.state.cpu_free)

    def copy(self, num_bytes: int) -> None:
        """Let the processor copy [B]."""
        self.work(per_byte(self.world.options.copy_per_byte, num_bytes), "copying")

    def combine(self, num_bytes: int) -> None:
        """Let the processor combine [B] with others in a reduction."""
        self.work(per_byte(self.world.options.reduce_per_byte, num_bytes), "reducing")

    def work(self, time: int, what: str) -> None:
        """Keep the processor busy for a time [ps]; the program continues meanwhile."""
        self.world.work(self.state, time, what)

    def phase(self, name: str) -> None:
        """Begin a phase of the program."""
        self.state.scope = replace(self.state.scope, phase=name)

    def enter(
        self, function: str = "", communicator: int | None = None, *, collective: bool = False
    ) -> None:
        """Begin a call; without a name, end it."""
        phase = self.state.scope.phase
        self.state.scope = Scope(phase, communicator, function, collective)

    def room(self) -> list[Request]:
        """To be yielded: wait until one more message without a receive may be under way."""
        return self.world.room(self.state)

    def send_datagram(self, to: int, num_bytes: int) -> None:
        """Send [B] without a receive."""
        self.world.send_datagram(self.state, self.first + to, num_bytes)


Program = Callable[[Rank], RankProgram]
"""Called once a rank."""
