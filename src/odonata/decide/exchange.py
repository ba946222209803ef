"""One exchange of all messages of a communication matrix, simulated."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from odonata import _core
from odonata.decide.communication import Communication
from odonata.placement import Placement
from odonata.simulate import Job, Options, run
from odonata.workload import Program, Rank

__all__ = ["Exchange"]

MOST_PACKETS = 200_000
"""Packets of a simulation; of a larger matrix, a part of each message is simulated."""

WARM_UP_US = 300
"""Time that other jobs have to fill the network before the exchange begins [us]."""


class Exchange:
    """Every rank posts all its receives, then all its sends, and waits for all of them.

    Parameters
    ----------
    communication
        Who sends how much to whom: each pair sends one message.
    start
        The first placement.
    routing, seed
        Of the simulation.
    behind
        Other jobs of the machine.
    """

    def __init__(
        self,
        communication: Communication,
        start: Placement,
        *,
        routing: str,
        seed: int,
        behind: Sequence[Job] = (),
    ) -> None:
        self._communication = communication
        self._start = start
        self._routing = routing
        self._seed = seed
        self._behind = behind
        self._known: dict[tuple[bytes, str], float] = {}
        packet = int(str(start.machine.value("nic.packet_bytes")))
        packets = float((communication.bytes / packet).sum())
        self.scale = min(1.0, MOST_PACKETS / packets) if packets else 1.0

    def seconds(self, slots: NDArray[np.int32], engine: str) -> float:
        """Return the simulated time of the exchange with the ranks on some slots [s].

        Parameters
        ----------
        slots
            Shape (ranks,): slot of each rank.
        engine
            ``packet`` or ``analytic``.
        """
        key = (slots.tobytes(), engine)
        if key not in self._known:
            placement = Placement(self._start.machine, self._start.nodes[slots])
            jobs = [Job(self._program, placement), *self._behind]
            options = Options(engine=engine, routing=self._routing, seed=self._seed)
            done = run(self._start.machine, jobs, options, record_messages=False)
            began = WARM_UP_US * 1e-6 if self._behind else 0.0
            self._known[key] = float(str(done.summary["time_seconds"])) - began
        return self._known[key]

    @cached_property
    def _program(self) -> Program:
        matrix = self._communication
        sizes = np.maximum(1, np.rint(matrix.bytes * self.scale)).astype(np.int64).tolist()
        sends: list[list[tuple[int, int]]] = [[] for _ in range(matrix.ranks)]
        receives: list[list[tuple[int, int]]] = [[] for _ in range(matrix.ranks)]
        ends = (matrix.source.tolist(), matrix.target.tolist())
        for source, target, size in zip(*ends, sizes, strict=True):
            sends[source].append((target, size))
            receives[target].append((source, size))

        def exchange(rank: Rank) -> Generator[_core.Waiting, _core.Status | None, None]:
            here = rank.index
            if self._behind:
                yield rank.compute(f"{WARM_UP_US} us")
            requests = [rank.irecv(source, size) for source, size in receives[here]]
            requests += [rank.isend(target, size) for target, size in sends[here]]
            if requests:
                yield rank.wait_all(requests)

        return Program(exchange)
