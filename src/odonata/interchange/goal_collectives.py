"""Collectives as steps of their ranks: sends, receives, and work on the data in between."""

from __future__ import annotations

import tempfile
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata import machine as machines
from odonata import placement, simulate, workload
from odonata.errors import UserError
from odonata.interchange.goal_schedule import CALC, RECV, SEND
from odonata.result.kinds import ACT_KINDS
from odonata.trace import Call, Collective, Header, Writer, function_names
from odonata.trace.calls import Block

__all__ = ["LOCKSTEP", "NEED", "USUAL_COSTS", "Calls", "Step", "costs_of", "taken_apart"]

NEED = 0
"""Kind of a step that waits for another one; the other kinds are operations."""

Calls = tuple[tuple[Collective, tuple[int, ...]], ...]
"""Calls of a collective with their words, by place in the communicator."""

LOCKSTEP = {
    "links.injection.latency": "1 s",
    "links.ejection.latency": "0 us",
    "links.injection.bandwidth": "1 TB/s",
    "links.ejection.bandwidth": "1 TB/s",
    "router.delay": "0 us",
    "nic.header_bytes": "0 B",
    "mpi.send_overhead": "0 us",
    "mpi.recv_overhead": "0 us",
    "mpi.send_overhead_per_byte": "0 ps/B",
    "mpi.recv_overhead_per_byte": "0 ps/B",
    "mpi.copy_per_byte": "0 ps/B",
    "mpi.reduce_per_byte": "0 ps/B",
    "mpi.eager_threshold": "1024 GiB",
}
"""Values of a machine where every message takes 1 s, and hardly more if it is long."""

_COSTS = ("mpi.copy_per_byte", "mpi.reduce_per_byte", "mpi.collectives.")
"""Keys, or their beginnings, of the numbers of a machine on which work and algorithms depend."""


USUAL_COSTS: dict[str, object] = {
    "mpi.copy_per_byte": "200 ps/B",
    "mpi.reduce_per_byte": "200 ps/B",
}
"""Costs by which work is found where no machine is known; its time is not written."""


@dataclass(frozen=True)
class Step:
    """A step of a rank in a collective.

    Parameters
    ----------
    kind
        `SEND`, `RECV`, `CALC` or `NEED`.
    value
        Bytes of a message, time of work [ps], number of the rank's step that is needed.
    peer, channel
        Of a message: rank of the communicator, and a number that distinguishes messages of the same
        ranks.
    """

    kind: int
    value: int
    peer: int = 0
    channel: tuple[int, int] = (0, 0)


def costs_of(name: str) -> dict[str, object]:
    """Return the numbers of a machine on which the work of collectives depends.

    Parameters
    ----------
    name
        Its name, or a machine file.

    Returns
    -------
    dict
        Values by key.

    Raises
    ------
    UserError
        There is no such machine here.
    """
    return {
        key: int(number.text) if number.text.isdigit() else number.text
        for key, number in machines.load(name).numbers.items()
        if key.startswith(_COSTS)
    }


def taken_apart(calls: Calls, costs: Mapping[str, object]) -> list[list[Step]]:
    """Return the steps of each rank in a collective, in order.

    The collective is played alone on a machine where every message takes the same time.

    Parameters
    ----------
    calls
        The calls of its ranks.
    costs
        Values of the machine that it shall be taken from; see `costs_of`.
    """
    count = len(calls)
    values = {**LOCKSTEP, "mpi.send_overhead": "1 ps", **costs}  # a send that takes time is needed
    machine = machines.load("jupiter-fdr").with_values({"shape.nodes": max(2, count), **values})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.trace"
        with Writer(path, Header(ranks=count)) as writer:
            made = [
                Call(rank, "MPI_Barrier", "collective", view, words=words)
                for rank, (view, words) in enumerate(calls)
            ]
            writer.write(Block.of(made, function_names()))
        job = simulate.Job(workload.Replay(path=path), placement.place(machine, count))
        done = simulate.run(
            machine, [job], simulate.Options(engine="analytic", explain=True, acts=True)
        )
    assert done.explanation is not None
    if done.explanation.acts is None:
        raise UserError("collective: too large to be taken apart", value=f"{count} ranks")
    return _steps(count, done.explanation.acts)


_KINDS = {
    ACT_KINDS.index("work"): CALC,
    ACT_KINDS.index("send"): SEND,
    ACT_KINDS.index("receive"): RECV,
    ACT_KINDS.index("need"): NEED,
}


def _steps(count: int, acts: Mapping[str, NDArray[np.int64]]) -> list[list[Step]]:
    """Return the steps of each of so many ranks; a receive has the bytes of its message."""
    steps: list[list[Step]] = [[] for _ in range(count)]
    number_of: list[list[int]] = [[] for _ in range(count)]  # among the steps, by act of a rank
    sizes: dict[tuple[object, ...], deque[int]] = defaultdict(deque)
    receives = []
    columns = (acts[name].tolist() for name in ("kind", "rank", "value", "peer", "tag", "context"))
    for code, rank, value, peer, tag, context in zip(*columns, strict=True):
        number = len(steps[rank])
        number_of[rank].append(number)
        kind = _KINDS.get(code)
        if kind is None:
            continue
        if kind == SEND:
            sizes[rank, peer, tag, context].append(value)
        elif kind == RECV:
            receives.append((rank, number, (peer, rank, tag, context)))
        elif kind == NEED:
            value = number_of[rank][value]
        steps[rank].append(Step(kind, value, peer, (context, tag)))
    for rank, number, key in receives:
        steps[rank][number] = replace(steps[rank][number], value=sizes[key].popleft())
    return steps
