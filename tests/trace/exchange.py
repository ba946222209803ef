"""Calls that the tests of traces have in common."""

from __future__ import annotations

from pathlib import Path

from odonata.trace import Block, Call, Collective, Header, Receive, Send, Writer, function_names
from odonata.trace.calls import Outcome

FUNCTIONS = function_names()

EXCHANGE = [
    Call(0, "MPI_Init", "local"),
    Call(1, "MPI_Init", "local"),
    Call(0, "MPI_Isend", "isend", Send(to=1, tag=7, bytes=4096), request=1, compute=1_000),
    Call(1, "MPI_Irecv", "irecv", Receive(source=-1, tag=7, bytes=8192), request=1),
    Call(0, "MPI_Wait", "wait", request=1),
    Call(
        1,
        "MPI_Waitany",
        "wait_any",
        words=(1,),
        flag=True,
        outcomes=(Outcome(0, source=0, tag=7, serial=0, bytes=4096),),
    ),
    Call(0, "MPI_Allreduce", "collective", Collective(8, operation="allreduce")),
    Call(1, "MPI_Allreduce", "collective", Collective(8, operation="allreduce"), compute=2_000),
    Call(0, "MPI_Finalize", "finalize"),
    Call(1, "MPI_Finalize", "finalize"),
]
"""A message and an allreduce of two ranks."""


def write_exchange(path: Path) -> Path:
    """Write a trace of `EXCHANGE`, in three blocks."""
    used = tuple(dict.fromkeys(call.function for call in EXCHANGE))  # a short header
    header = Header(ranks=2, program="exchange", machine="eos", nodes=(3, 9), functions=used)
    with Writer(path, header) as writer:
        for begin in range(0, len(EXCHANGE), 4):
            writer.write(Block.of(EXCHANGE[begin : begin + 4], used))
    return path
