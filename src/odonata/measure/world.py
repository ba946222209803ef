"""The ranks that measure: who they are, on which nodes, and how they wait for each other."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError

if TYPE_CHECKING:
    from mpi4py import MPI

__all__ = ["World", "launched_rank"]

SHORTEST_NAP_SECONDS = 20e-6
LONGEST_NAP_SECONDS = 2e-3

_MOST_CORES = 8192
"""Linux knows no more."""

_WORD = 111

_NAME_BYTES = 256
_RANK_VARIABLES = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK")
_SIZE_VARIABLES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")


def launched_rank() -> int:
    """Return which rank a launcher says this process is, without MPI; 0 if none says so."""
    return _said(_RANK_VARIABLES, 0)


def _said(names: tuple[str, ...], default: int) -> int:
    texts = [os.environ.get(name, "") for name in names]
    return next((int(text) for text in texts if text.isascii() and text.isdigit()), default)


def _sleep_until(request: MPI.Request) -> None:
    """Look at a request again and again, and sleep between."""
    # MPI_Wait of most libraries spins, which would slow the ranks that are measured.
    nap = SHORTEST_NAP_SECONDS
    while not request.Test():
        time.sleep(nap)
        nap = min(2 * nap, LONGEST_NAP_SECONDS)


class World:
    """All ranks of the program.

    Raises
    ------
    UserError
        mpi4py is not installed, finds no MPI library, or one that isn't the launcher's.
    """

    def __init__(self) -> None:
        self.mpi = _load()
        self.comm: MPI.Intracomm = self.mpi.COMM_WORLD
        self.rank = self.comm.Get_rank()
        self.size = self.comm.Get_size()
        self.library = _first_line(self.mpi.Get_library_version())
        """Name and version of the MPI."""
        _check_launcher(self.size, self.library)
        self.simulated = self.library.startswith("Odonata")
        """Whether this is ``odonata mpirun``: each rank has a core, and sleeping takes no time."""
        self._near = self.comm.Split_type(self.mpi.COMM_TYPE_SHARED)
        lowest = np.array([self.rank], dtype=np.int64)
        self._near.Bcast(lowest, root=0)
        self.first_on_node = bool(lowest[0] == self.rank)
        """Whether this is the first rank of its node."""
        self.nodes = self._gather(lowest)
        """The lowest rank on the node of each rank, shape (size,)."""
        self.cores = self._cores()
        """Cores of this node that its ranks may use: each one some, or all of them all."""
        self.names = self._names()
        """Names of the nodes of all ranks."""

    @property
    def num_nodes(self) -> int:
        """Nodes that have ranks."""
        return len(set(self.nodes.tolist()))

    @property
    def most_on_a_node(self) -> int:
        """Ranks of the node that has most of them."""
        return int(np.unique(self.nodes, return_counts=True)[1].max())

    def same_node(self, a: int, b: int) -> bool:
        """Whether two ranks share a node."""
        return bool(self.nodes[a] == self.nodes[b])

    def meet(self) -> None:
        """Wait for all ranks, asleep, so that ranks that still measure have the cores.

        Under ``odonata mpirun`` no rank is in the way, and naps would only take real time.
        """
        if self.simulated:
            self.comm.Barrier()
            return
        _sleep_until(self.comm.Ibarrier())

    def _wait_for(self, root: int) -> None:
        """Wait, asleep, for a word of one rank.

        The messages by which ranks meet would stand in the queues of ranks that still measure.
        """
        word = np.zeros(1, dtype=np.uint8)
        if self.rank == root:
            for rank in range(self.size):
                if rank != root:
                    self.comm.Send(word, rank, _WORD)
            return
        request = self.comm.Irecv(word, root, _WORD)
        if self.simulated:
            request.Wait()
        else:
            _sleep_until(request)

    def share(self, values: NDArray[np.float64], root: int) -> NDArray[np.float64]:
        """Return one rank's values on all of them, once all have come.

        Parameters
        ----------
        values
            Values of `root`; the other ranks give an array of the same shape.
        root
            The rank.
        """
        self._wait_for(root)
        self.meet()
        self.comm.Bcast(values, root=root)
        return values

    def most(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest of each value over all ranks, on all of them."""
        self.meet()
        largest = np.empty_like(values)
        self.comm.Allreduce(values, largest, op=self.mpi.MAX)
        return largest

    def _gather(self, value: NDArray[np.int64]) -> NDArray[np.int64]:
        all_values = np.empty(self.size, dtype=np.int64)
        self.comm.Allgather(value, all_values)
        return all_values

    def _cores(self) -> frozenset[int]:
        own = os.sched_getaffinity(0)
        if self.simulated:
            return frozenset(own)
        used = np.zeros(_MOST_CORES, dtype=np.uint8)
        used[[core for core in own if core < _MOST_CORES]] = 1
        self._near.Allreduce(self.mpi.IN_PLACE, used, op=self.mpi.MAX)
        return frozenset(np.flatnonzero(used).tolist())

    def _names(self) -> tuple[str, ...]:
        own = self.mpi.Get_processor_name().encode()[:_NAME_BYTES].ljust(_NAME_BYTES, b"\0")
        every = np.empty((self.size, _NAME_BYTES), dtype=np.uint8)
        self.comm.Allgather(np.frombuffer(own, dtype=np.uint8), every)
        return tuple(row.tobytes().rstrip(b"\0").decode(errors="replace") for row in every)


def _load() -> Any:
    """Return the module mpi4py.MPI, which starts MPI."""
    try:
        from mpi4py import MPI
    except ModuleNotFoundError as error:
        raise UserError(
            "mpi4py: not installed; get it with pip install 'odonata[measure]', or read what other "
            "benchmarks have measured with --from FILE"
        ) from error
    except (ImportError, RuntimeError) as error:
        raise UserError(
            f"mpi4py: finds no MPI library ({error}); load your machine's MPI, or pip install mpich"
        ) from error
    return MPI


def _first_line(text: str) -> str:
    return " ".join(text.split("\0")[0].partition("\n")[0].split())[:100]


def _check_launcher(size: int, library: str) -> None:
    """Refuse many worlds of one rank: the launcher is of another MPI than mpi4py's."""
    launched = _said(_SIZE_VARIABLES, size)
    if size == 1 and launched > 1:
        raise UserError(
            f"MPI: the launcher is of another MPI than mpi4py's, {library}: each of its ranks "
            "is alone",
            value=launched,
            allowed="the mpiexec of that library",
        )
