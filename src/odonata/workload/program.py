"""Rank programs written in Python: generators that read like MPI code.

>>> def ring(rank):
...     right, left = (rank.index + 1) % rank.size, (rank.index - 1) % rank.size
...     for _ in range(rank.size - 1):
...         yield rank.sendrecv(right, 1024, left, 1024)
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.units import parse_bytes, parse_time
from odonata.workload.build import Built, Workload
from odonata.workload.names import check_algorithm, check_root, select

__all__ = ["ANY_SOURCE", "ANY_TAG", "Program", "Rank"]

ANY_SOURCE = -1
"""Receives from any rank."""

ANY_TAG = -1
"""Receives with any tag."""

MOST_TAG = 2**31 - 1

RankFunction = Callable[["Rank"], Generator[_core.Waiting, _core.Status | None, None]]


@dataclass(frozen=True)
class Program(Workload):
    """A rank program written in Python.

    Parameters
    ----------
    function
        Generator function, called once a rank; it yields requests that it waits for, and a receive
        gives back a status with ``source``, ``tag`` and ``bytes``.
    name
        Its name in results; the function's own name by default.

    Examples
    --------
    >>> def ping(rank):
    ...     if rank.index == 0:
    ...         yield rank.send(1, "1 KiB")
    ...     else:
    ...         status = yield rank.recv(0, "1 KiB")
    >>> print(Program(ping))
    ping
    """

    function: RankFunction
    name: str = ""

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise UserError("program: not a function", value=self.function)
        if not self.name:
            own = getattr(self.function, "__name__", "program")
            object.__setattr__(self, "name", str(own))

    def build(self, placement: Placement, *, seed: int) -> Built:
        """Make the rank program: see `odonata.workload.build`."""
        return Built(self.bind(placement.machine), self.name, {"program": self.name}, None, 0)

    def __str__(self) -> str:
        return self.name

    def bind(self, machine: Machine) -> _core.Program:
        """Return the program as the engines take it."""
        return _core.python_program(lambda core: self.function(Rank(core, machine)))


class Rank:
    """A rank of a job, as its program sees it.

    Requests that it waits for must be yielded: ``yield rank.send(1, 64)``. Sizes are in bytes, or
    text such as ``"1 KiB"``.

    Parameters
    ----------
    core
        The engine's rank.
    machine
        The machine.
    """

    def __init__(self, core: _core.Rank, machine: Machine) -> None:
        self._core = core
        self._machine = machine

    @property
    def index(self) -> int:
        """Number of this rank in its communicator."""
        return int(self._core.index)

    @property
    def size(self) -> int:
        """Ranks of the communicator."""
        return int(self._core.size)

    @property
    def now(self) -> float:
        """Simulated time [s]."""
        return float(self._core.now) / 1e12

    def node_of(self, rank: int) -> int:
        """Return the node of a rank."""
        return int(self._core.node_of(self._known(rank)))

    def router_of(self, rank: int) -> int:
        """Return the router of a rank."""
        return int(self._core.router_of(self._known(rank)))

    def group_of(self, rank: int) -> int:
        """Return the group of a rank, 0 on machines without."""
        return int(self._core.group_of(self._known(rank)))

    def on(self, ranks: Sequence[int], context: int = 1) -> Rank:
        """Return this rank on a communicator of some ranks of its own one.

        Parameters
        ----------
        ranks
            Its ranks in order, this one among them.
        context
            Keeps its messages apart from other communicators of the same ranks.
        """
        members = [self._known(rank) for rank in ranks]
        if self.index not in members or len(set(members)) < len(members):
            allowed = f"different ranks, {self.index} among them"
            raise UserError("communicator: wrong ranks", value=list(ranks), allowed=allowed)
        return Rank(self._core.on(members, context), self._machine)

    def isend(self, to: int, bytes: int | str, tag: int = 0) -> _core.Request:
        """Begin to send and return a request to wait for."""
        return self._core.isend(self._known(to), _size(bytes), _tag(tag))

    def irecv(self, source: int, bytes: int | str, tag: int = 0) -> _core.Request:
        """Begin to receive at most so many bytes and return a request to wait for."""
        known = source if source == ANY_SOURCE else self._known(source)
        return self._core.irecv(known, _size(bytes), tag if tag == ANY_TAG else _tag(tag))

    def wait(self, request: _core.Request) -> _core.Waiting:
        """Wait for a request; gives its status."""
        return self._core.wait([request])

    def wait_all(self, requests: Sequence[_core.Request]) -> _core.Waiting:
        """Wait for all requests; gives the status of the first."""
        return self._core.wait(list(requests))

    def send(self, to: int, bytes: int | str, tag: int = 0) -> _core.Waiting:
        """Send, and wait until the buffer could be used again."""
        return self._core.block_on([self.isend(to, bytes, tag)])

    def recv(self, source: int, bytes: int | str, tag: int = 0) -> _core.Waiting:
        """Receive at most so many bytes; gives the status."""
        return self._core.block_on([self.irecv(source, bytes, tag)])

    def sendrecv(
        self, to: int, bytes: int | str, source: int, receive_bytes: int | str, tag: int = 0
    ) -> _core.Waiting:
        """Send and receive at once; gives the status of the receive."""
        receive = self.irecv(source, receive_bytes, tag)
        return self._core.block_on([receive, self.isend(to, bytes, tag)])

    def compute(self, time: str) -> _core.Waiting:
        """Compute for a time such as ``"3 us"``."""
        return self._core.compute(parse_time(time, what="compute"))

    def phase(self, name: str) -> None:
        """Name the following part, up to the next call or the end; not to be yielded."""
        self._core.phase(name)

    def collective(
        self, operation: str, bytes: int | str = 0, *, root: int = 0, algorithm: str = "auto"
    ) -> _core.Waiting:
        """Call a collective operation; the methods below are short for the usual ones.

        Parameters
        ----------
        operation
            Its name, such as ``alltoall``; see ``odonata simulate --list``.
        bytes
            Size of a block [B].
        root
            Rank at the root, in operations that have one.
        algorithm
            Name of the algorithm.

        Raises
        ------
        UserError
            A name is unknown, or the root no rank.

        Examples
        --------
        >>> def shift(rank):
        ...     yield rank.collective("neighbor_alltoall", "1 KiB")
        """
        check_algorithm(operation, algorithm)
        check_root(operation, root)
        size = _size(bytes)
        name = select(self._machine, operation, algorithm, self.size, size)
        return self._core.collective(operation, name, size, self._known(root))

    def allgather(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Gather a block of each rank on all."""
        return self.collective("allgather", bytes, algorithm=algorithm)

    def scatter(self, bytes: int | str, *, root: int = 0, algorithm: str = "auto") -> _core.Waiting:
        """Send a block to each rank from the root."""
        return self.collective("scatter", bytes, root=root, algorithm=algorithm)

    def gather(self, bytes: int | str, *, root: int = 0, algorithm: str = "auto") -> _core.Waiting:
        """Gather a block of each rank on the root."""
        return self.collective("gather", bytes, root=root, algorithm=algorithm)

    def bcast(self, bytes: int | str, *, root: int = 0, algorithm: str = "auto") -> _core.Waiting:
        """Send the root's data to all."""
        return self.collective("bcast", bytes, root=root, algorithm=algorithm)

    def reduce(self, bytes: int | str, *, root: int = 0, algorithm: str = "auto") -> _core.Waiting:
        """Combine the data of all ranks on the root."""
        return self.collective("reduce", bytes, root=root, algorithm=algorithm)

    def allreduce(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Combine the data of all ranks on all."""
        return self.collective("allreduce", bytes, algorithm=algorithm)

    def reduce_scatter(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Combine the data of all ranks, of a block for each, and leave each its block."""
        return self.collective("reduce_scatter", bytes, algorithm=algorithm)

    def scan(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Combine the data of all ranks up to this one."""
        return self.collective("scan", bytes, algorithm=algorithm)

    def exscan(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Combine the data of all ranks before this one."""
        return self.collective("exscan", bytes, algorithm=algorithm)

    def alltoall(self, bytes: int | str, *, algorithm: str = "auto") -> _core.Waiting:
        """Send a block from each rank to each."""
        return self.collective("alltoall", bytes, algorithm=algorithm)

    def barrier(self, *, algorithm: str = "auto") -> _core.Waiting:
        """Wait until all ranks have come."""
        return self.collective("barrier", algorithm=algorithm)

    def _known(self, rank: int) -> int:
        if not 0 <= rank < self.size:
            raise UserError("rank: out of range", value=rank, allowed=f"0 to {self.size - 1}")
        return rank


def _size(given: int | str) -> int:
    return parse_bytes(given, bare=True)


def _tag(given: int) -> int:
    if not 0 <= given <= MOST_TAG:
        raise UserError("tag: out of range", value=given, allowed=f"0 to {MOST_TAG}")
    return given
