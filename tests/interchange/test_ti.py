"""Time-independent traces of SimGrid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import odonata
from odonata.errors import UserError
from odonata.interchange import convert
from odonata.interchange.ti_export import OTHERWISE
from odonata.trace import (
    Block,
    Call,
    Collective,
    Header,
    Reader,
    Receive,
    Send,
    Writer,
    function_names,
    summarize,
)
from odonata.trace.calls import MATCH, MORE, Outcome
from odonata.trace.views import Communicator, Exchange, Phase

RING = """
0 init
0 compute 2e6
0 isend 1 7 100 6
0 recv 1 8 10 0
0 wait 0 1 7
0 allreduce 4 1000 0
0 finalize
1 init
1 recv 0 7 100 6
1 send 0 8 10 0
1 dance 3
1 allreduce 4 1000 0
1 finalize
"""


def test_actions_become_calls(tmp_path: Path) -> None:
    (tmp_path / "ring.txt").write_text(RING)
    account = convert(tmp_path / "ring.txt", tmp_path / "out.trace")
    with Reader(tmp_path / "out.trace") as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
    first = [call for call in calls if call.rank == 0]
    assert [call.operation for call in first] == [
        *("local", "isend", "recv", "wait", "collective", "finalize")
    ]
    assert first[1].compute == 2_000_000  # 2e6 operations at 1e9 a second
    assert first[1].view is not None
    assert (first[1].view.to, first[1].view.tag, first[1].view.bytes) == (1, 7, 100)
    assert first[2].view is not None
    assert first[2].view.bytes == 80  # doubles
    assert first[4].view is not None
    assert (first[4].view.operation, first[4].view.bytes) == ("allreduce", 32)
    assert account.unknown == {"dance": 1}
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "out.trace", "jupiter-fdr").summary["time_seconds"] > 0.002


def test_a_file_for_each_rank(tmp_path: Path) -> None:
    lines = RING.strip().split("\n")
    for rank in "01":
        own = [line for line in lines if line.startswith(rank)]
        (tmp_path / f"r{rank}").write_text("\n".join(own))
    (tmp_path / "list.txt").write_text("r0\nr1\n")
    assert convert(tmp_path / "list.txt", tmp_path / "out.trace").ranks == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("0 init\n0 send 1 x 5\n", "not a number: 'x'"),
        ("0 init\n0 send 1\n", "not a number"),
        ("0 init\n0 send 1 3000000000 8\n", "rank or tag: '3000000000'; allowed: up to 2147483647"),
        ("0 init\n0 bcast 8 3000000000\n", "rank or tag"),
        ("0 init\n0 sleep 9e14\n0 finalize", "work before a call: '9e14'"),
        ("0 init\nhello\n", "not an action"),
        ("1 init\n", "ranks without actions"),
        ("0 init\n99999999 init\n", "rank: out of range"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(UserError, match=what):
        convert(tmp_path / "x.txt", tmp_path / "x.trace")
    assert not (tmp_path / "x.trace").exists()


def the_calls(path: Path) -> list[list[Call]]:
    """Return the calls of each rank, without local ones and without the numbers of requests."""
    with Reader(path) as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
        return [
            [
                call if call.operation == "collective" else replace(call, request=0, words=())
                for call in calls
                if call.rank == rank and call.operation != "local"
            ]
            for rank in range(trace.header.ranks)
        ]


def written(
    path: Path, calls: Sequence[Call], ranks: int, matches: Sequence[tuple[int, int, int]] = ()
) -> Path:
    """Write a trace of some calls, and of sources of receives from any source."""
    block = replace(Block.of(calls, function_names()), matches=np.array(list(matches), dtype=MATCH))
    with Writer(path, Header(ranks=ranks)) as writer:
        writer.write(block)
    return path


RANKS = range(3)
SIZES = (3, 0, 7)
EXCHANGED = ((1, 2, 3), (40, 50, 60), (700, 800, 0))
"""Bytes from each rank to each."""

COLLECTIVES = [
    ("barrier", Collective()),
    ("bcast", Collective(40, root=1, operation="bcast")),
    ("reduce", Collective(48, root=2, operation="reduce")),
    ("allreduce", Collective(8, operation="allreduce")),
    ("scan", Collective(16, operation="scan")),
    ("exscan", Collective(24, operation="exscan")),
    ("gather", Collective(32, root=0, operation="gather")),
    ("scatter", Collective(56, root=1, operation="scatter")),
    ("allgather", Collective(64, operation="allgather")),
    ("alltoall", Collective(72, operation="alltoall")),
]


def of_sizes(rank: int) -> list[Call]:
    """Return collectives of a rank whose blocks are not all alike; the root is rank 1."""
    at_root = SIZES if rank == 1 else ()
    to, back = (tuple(rows) for rows in (EXCHANGED[rank], [row[rank] for row in EXCHANGED]))
    calls = [
        (Collective(SIZES[rank], root=1, operation="gatherv"), at_root),
        (Collective(SIZES[rank], root=1, operation="scatterv"), at_root),
        (Collective(SIZES[rank], operation="allgatherv"), SIZES),
        (Collective(SIZES[rank], operation="reduce_scatter"), SIZES),
        (Collective(0, operation="alltoallv"), to + back),
    ]
    return [
        Call(rank, f"MPI_{view.operation.capitalize()}", "collective", view, words=words, compute=5)
        for view, words in calls
    ]


def test_a_trace_is_written_and_read_back_the_same(tmp_path: Path) -> None:
    calls = []
    for rank in RANKS:
        right, left = (rank + 1) % 3, (rank + 2) % 3
        calls += [
            Call(rank, "MPI_Irecv", "irecv", Receive(left, 5, 4096), request=1, compute=1_000),
            Call(rank, "MPI_Isend", "isend", Send(right, 5, 4096), request=2, compute=7),
            Call(rank, "MPI_Test", "test", request=1, flag=False),
            Call(rank, "MPI_Waitall", "wait", words=(1, 2)),
            Call(rank, "MPI_Isend", "isend", Send(left, 6, 90_000), request=2),
            Call(rank, "MPI_Recv", "recv", Receive(right, 6, 90_000)),
            Call(rank, "MPI_Wait", "wait", words=(2,), compute=9),
        ]
        calls += [
            Call(rank, f"MPI_{name.capitalize()}", "collective", view, compute=3)
            for name, view in COLLECTIVES
        ]
        calls += of_sizes(rank)
        calls.append(Call(rank, "MPI_Finalize", "finalize", compute=11))
    first = written(tmp_path / "a.trace", calls, 3)
    account = convert(first, tmp_path / "b.ti")
    assert account.left_out == {}
    assert account.target == "ti"
    back = convert(tmp_path / "b.ti", tmp_path / "c.trace")
    assert (back.left_out, back.unknown) == ({}, {})
    assert the_calls(tmp_path / "c.trace") == the_calls(first)
    convert(tmp_path / "c.trace", tmp_path / "d.ti")
    assert (tmp_path / "d.ti").read_bytes() == (tmp_path / "b.ti").read_bytes()
    times = [
        odonata.replay(path, "jupiter-fdr").summary["time_seconds"]
        for path in (first, tmp_path / "c.trace")
    ]
    assert times[0] == times[1]


def test_what_the_format_cannot_say_is_counted(tmp_path: Path) -> None:
    part = Communicator(identity=9, position=0)
    calls = []
    for rank in RANKS:
        place = replace(part, position=rank)
        calls += [
            Call(rank, "MPI_Comm_dup", "communicator", place, comm=2, words=(0, 1, 2)),
            Call(rank, "MPI_Allreduce", "collective", COLLECTIVES[3][1], comm=2),
            Call(rank, "MPI_Ibarrier", "icollective", Collective(), request=4),
            Call(rank, "MPI_Wait", "wait", words=(4,)),
            Call(rank, "MPI_Barrier", "collective", Collective(), comm=1),  # of itself alone
            Call(rank, "MPI_Testall", "test", words=(7, 8), flag=False),
            Call(rank, "MPI_Pcontrol", "phase", Phase(3)),
            Call(rank, "MPI_Isend", "isend", Send((rank + 1) % 3, 8, 1), comm=2, request=1),
            Call(rank, "MPI_Isend", "isend", Send((rank + 1) % 3, 9, 1), comm=2, request=2),
            Call(rank, "MPI_Irecv", "irecv", Receive((rank + 2) % 3, 8, 1), comm=2, request=3),
            Call(rank, "MPI_Recv", "recv", Receive((rank + 2) % 3, 9, 1), comm=2),
            Call(rank, "MPI_Waitall", "wait", words=(1, 3)),  # of three requests
            Call(rank, "MPI_Wait", "wait", words=(2,)),
        ]
    reverse = replace(part, identity=10)
    for rank in RANKS:
        place = replace(reverse, position=2 - rank)
        calls.append(Call(rank, "MPI_Comm_split", "communicator", place, comm=3, words=(2, 1, 0)))
    calls += [
        Call(0, "MPI_Ssend", "send", Send(0, 1, 10, mode="synchronous"), comm=3),  # to rank 2
        Call(2, "MPI_Recv", "recv", Receive(2, -1, 10), comm=3),
        Call(1, "MPI_Bcast", "collective", Collective(8, root=0, operation="bcast"), comm=3),
        Call(0, "MPI_Sendrecv", "sendrecv", Exchange(1, 2, 30, 1, 3)),
        Call(1, "MPI_Sendrecv", "sendrecv", Exchange(0, 3, 30, 0, 2)),
        Call(1, "MPI_Send", "send", Send(-2, 1, 10)),
    ]
    account = convert(written(tmp_path / "a.trace", calls, 3), tmp_path / "b.ti")
    assert account.left_out == {
        "tests and probes that found nothing, but for tests of one request": 3,
        "marks of phases (MPI_Pcontrol)": 3,
        "collectives of communicators that do not have all ranks in their order": 1,
    }
    assert len(account.notes) == 1  # compute
    assert account.changed == {
        OTHERWISE["blocking"]: 3,
        OTHERWISE["modes"]: 1,
        OTHERWISE["exchanges"]: 2,
        OTHERWISE["tags"]: 13,  # both ends of six messages, and a receive of any tag
        OTHERWISE["work"]: 3,
    }
    lines = (tmp_path / "b.ti").read_text().splitlines()
    assert [line for line in lines if line.startswith("0 ")] == [
        *("0 init", "0 allreduce 8 0 6", "0 barrier"),
        *(f"0 isend 1 {2**29} 1 6", f"0 isend 1 {2**29 + 1} 1 6", f"0 irecv 2 {2**29} 1 6"),
        *(f"0 recv 2 {2**29 + 1} 1 6", f"0 wait 0 1 {2**29}", f"0 wait 2 0 {2**29}"),
        *(f"0 wait 0 1 {2**29 + 1}", f"0 send 2 {2**29 + 2} 10 6"),
        *("0 irecv 1 3 30 6", "0 isend 1 2 30 6", "0 wait 1 0 3", "0 wait 0 1 2", "0 finalize"),
    ]
    assert "2 recv 0 -444 10 6" in lines
    assert convert(tmp_path / "b.ti", tmp_path / "c.trace").left_out == {}


ANY_SOURCE = [
    Call(0, "MPI_Send", "send", Send(to=1, tag=7, bytes=4096), compute=1_000),
    Call(0, "MPI_Finalize", "finalize"),
    Call(1, "MPI_Irecv", "irecv", Receive(source=-1, tag=7, bytes=8192), request=1),
    Call(
        *(1, "MPI_Waitany", "wait_any"),
        words=(1,),
        flag=True,
        outcomes=(Outcome(0, source=0, tag=7, bytes=4096),),
    ),
    Call(1, "MPI_Finalize", "finalize"),
]


def test_any_source_is_the_one_that_it_was(tmp_path: Path) -> None:
    first = written(tmp_path / "a.trace", ANY_SOURCE, 2, [(1, 0, 0)])
    convert(first, tmp_path / "b.ti")
    assert "1 irecv 0 7 8192 6\n1 wait 0 1 7\n" in (tmp_path / "b.ti").read_text()
    convert(tmp_path / "b.ti", tmp_path / "c.trace")
    times = [
        odonata.replay(path, "eos").summary["time_seconds"]
        for path in (first, tmp_path / "c.trace")
    ]
    assert times[0] == times[1]


def test_a_wait_names_the_message_of_a_receive_from_anybody(tmp_path: Path) -> None:
    lines = ["0 init", "0 send 1 7 100 6", "0 finalize", "1 init", "1 irecv -555 -444 100 6"]
    (tmp_path / "x.ti").write_text(
        "\n".join([*lines, "1 wait 0 1 7", "1 wait 0 1 7", "1 finalize"])
    )
    account = convert(tmp_path / "x.ti", tmp_path / "x.trace")
    assert account.left_out == {"waits of requests that no action has opened": 1}
    assert odonata.replay(tmp_path / "x.trace", "eos").summary["messages"] == 1


def test_an_incomplete_trace_is_not_written(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.trace", ANY_SOURCE, 2).read_bytes()
    (tmp_path / "cut.trace").write_bytes(whole[:-40])
    with pytest.raises(UserError, match="the end of the trace is missing"):
        convert(tmp_path / "cut.trace", tmp_path / "b.ti")
    assert not list(tmp_path.glob("b.ti*"))


def calls_of(tmp_path: Path, *actions: str) -> tuple[list[Call], list[str]]:
    """Return the calls of a trace of two ranks, both of which end, and the account's notes."""
    path = tmp_path / "some.ti"
    path.write_text("\n".join([*actions, "0 finalize", "1 finalize"]) + "\n")
    account = convert(path, tmp_path / "out.trace")
    with Reader(tmp_path / "out.trace") as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
    assert account.unknown == {}
    assert account.calls == summarize(tmp_path / "out.trace").calls
    return calls, account.notes


def sent(calls: list[Call]) -> list[int]:
    """Return the bytes of the messages that calls send."""
    return [call.view.bytes for call in calls if isinstance(call.view, Send | Exchange)]


def test_every_datatype_of_simgrid_has_its_size(tmp_path: Path) -> None:
    """Sizes by hand, from the types of C and of Fortran that the numbers stand for."""
    by_hand = {
        1: [2, 6, 8, 9, 16, 17, 21, 51, 57],
        2: [3, 10, 18, 22, 46],
        4: [1, 5, 11, 15, 19, 23, 38, 39, 45, 47],
        8: [0, 4, 7, 12, 13, 20, 24, 25, 28, 29, 30, 33, 34, 35, 40, 42, 48, 52, 58, 59],
        16: [14, 26, 31, 32, 36, 37, 41, 43, 44, 49, 53],
        32: [27, 50, 54],
        0: [55, 56],
    }
    sizes = {number: size for size, numbers in by_hand.items() for number in numbers}
    assert sorted(sizes) == list(range(60))
    pairs = [(f"0 send 1 {n} 10 {n}", f"1 recv 0 {n} 10 {n}") for n in range(60)]
    calls, _ = calls_of(tmp_path, "0 init", "1 init", *(line for pair in pairs for line in pair))
    assert sent(calls) == [10 * sizes[n] for n in range(60)]


@pytest.mark.parametrize(("init", "size"), [("init", 1), ("init 1", 8), ("init 0", 8)])
def test_an_argument_of_init_makes_doubles_the_default(
    tmp_path: Path, init: str, size: int
) -> None:
    calls, _ = calls_of(
        tmp_path,
        *(f"{rank} {init}" for rank in (0, 1)),
        *("0 send 1 5 100", "1 recv 0 5 100", "0 send 1 6 100 1", "1 recv 0 6 100 1"),
        *(f"{rank} bcast 10" for rank in (0, 1)),
        *(f"{rank} allgatherv 7 7 7" for rank in (0, 1)),
        *(f"{rank} alltoall 3 3 1 1" for rank in (0, 1)),
    )
    assert sent(calls) == [100 * size, 400]
    blocks = [call.view.bytes for call in calls if isinstance(call.view, Collective)]
    assert sorted(set(blocks)) == sorted({10 * size, 7 * size, 12})


def test_types_without_a_size_are_told(tmp_path: Path) -> None:
    calls, notes = calls_of(
        tmp_path, "0 init", "1 init", "0 send 1 5 100 -1", "1 recv 0 5 100 -1", "0 compute 1"
    )
    assert sent(calls) == [100]
    assert [note for note in notes if "datatype -1" in note] == [
        "2 uses of datatype -1, whose size the trace does not tell: "
        "each element was taken as a byte"
    ]


def test_an_exchange_is_a_send_and_a_receive(tmp_path: Path) -> None:
    calls, _ = calls_of(
        tmp_path, "0 init", "1 init", "0 sendRecv 4 1 2 1 0 1", "1 sendRecv 2 0 4 0 1 0"
    )
    views = [call.view for call in calls if isinstance(call.view, Exchange)]
    assert views == [Exchange(1, 0, 32, 1, 0), Exchange(0, 0, 8, 0, 0)]


@pytest.mark.parametrize("rest", ["", "1 1", "0 7", "1 1 0 7"])
def test_places_of_an_allgatherv_are_no_types(tmp_path: Path, rest: str) -> None:
    """Two words behind the sizes of two ranks are types: places would be as many as ranks."""
    calls, _ = calls_of(
        tmp_path, "0 init 1", "1 init 1", *(f"{r} allgatherv 7 7 7 {rest}" for r in (0, 1))
    )
    size = 4 if rest.startswith("1 1") else 8
    views = [call.view for call in calls if isinstance(call.view, Collective)]
    assert [view.bytes for view in views] == [7 * size] * 2


def test_places_alone_of_an_allgatherv_are_no_types(tmp_path: Path) -> None:
    path = tmp_path / "places.ti"
    lines = [f"{r} {what}" for what in ("init", "allgatherv 7 7 7 7 0 7 14", "finalize")
             for r in range(3)]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    account = convert(path, tmp_path / "out.trace")
    with Reader(tmp_path / "out.trace") as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
    assert [c.view.bytes for c in calls if isinstance(c.view, Collective)] == [7] * 3
    assert not any("datatype" in note for note in account.notes)


def test_a_receive_may_not_know_its_size(tmp_path: Path) -> None:
    calls, _ = calls_of(tmp_path, "0 init", "1 init", "0 send 1 5 100 1", "1 recv 0 5 -1 1")
    assert [call.operation for call in calls].count("recv") == 1


@pytest.mark.parametrize("target", ["out.ti", "out.goal", "out.trace"])
def test_accounts_count_calls_and_not_their_records(tmp_path: Path, target: str) -> None:
    """MPI_Startall has a record for each request that it starts."""
    starts = [
        Call(0, "MPI_Startall", "isend", Send(1, tag, 8), request=1 + tag, flags=MORE * (tag > 0))
        for tag in range(3)
    ]
    receives = [Call(1, "MPI_Recv", "recv", Receive(0, tag, 8)) for tag in range(3)]
    wait = Call(0, "MPI_Waitall", "wait", words=(1, 2, 3))
    ends = [Call(rank, "MPI_Finalize", "finalize") for rank in range(2)]
    with Writer(tmp_path / "run.trace", Header(ranks=2)) as writer:
        writer.write(Block.of([*starts, *receives, wait, *ends], function_names()))
    assert summarize(tmp_path / "run.trace").calls == 1 + 3 + 1 + 2
    assert convert(tmp_path / "run.trace", tmp_path / target).calls == 1 + 3 + 1 + 2
