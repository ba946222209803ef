"""GOAL schedules: text and binary, played, and written from traces."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

import numpy as np
import pytest

import odonata
from odonata import machine as machines
from odonata.errors import UserError, WriteError
from odonata.interchange import convert, goal_schedule, held_ranks
from odonata.interchange.goal_collectives import LOCKSTEP
from odonata.interchange.goal_export import _numbers
from odonata.interchange.goal_schedule import (
    CALC,
    RECV,
    SEND,
    Operation,
    Rank,
    read_goal,
    write_goal,
)
from odonata.trace import Call, Collective, Header, Reader, Receive, Send, Writer, function_names
from odonata.trace.calls import Block, Outcome
from odonata.trace.views import Communicator, Exchange

SHARED = Path(__file__).parents[4] / "shared" / "data" / "traces" / "binary_tree_32.goal"

PING_PONG = """
num_ranks 2
// the first one asks
rank 0 {
  a: send 8b to 1 tag 3
  b: recv 8b from 1 tag 4
  b requires a
  c: calc 100 cpu 0
  c requires b /* and works */
}
rank 1 { a: recv 8b from 0 tag 3
b: calc 50
b requires a
c: send 8b to 0 tag 4
c requires b
}
"""


def lockstep(ranks: int) -> machines.Machine:
    """Return a machine where a message takes 1 us and 1 ps a byte, and nothing else takes time."""
    values = {"shape.nodes": ranks, **LOCKSTEP, "links.injection.latency": "1 us"}
    return machines.load("jupiter-fdr").with_values(values)


def played_ns(path: Path, ranks: int) -> int:
    result = odonata.replay(path, lockstep(ranks), engine="analytic")
    return round(result.summary["time_seconds"] * 1e9)


def write_calls(path: Path, ranks: int, calls: list[Call]) -> Path:
    with Writer(path, Header(ranks=ranks)) as writer:
        writer.write(Block.of(calls, function_names()))
    return path


def test_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "p.goal").write_text(PING_PONG)
    first, second = read_goal(tmp_path / "p.goal")
    assert first == [
        Operation(SEND, 8, 1, 3),
        Operation(RECV, 8, 1, 4, after=[0]),
        Operation(CALC, 100, after=[1]),
    ]
    assert [made.kind for made in second] == [RECV, CALC, SEND]


def test_a_schedule_is_played(tmp_path: Path) -> None:
    (tmp_path / "p.goal").write_text(PING_PONG)
    assert convert(tmp_path / "p.goal", tmp_path / "p.trace").notes == []
    assert played_ns(tmp_path / "p.trace", 2) == 1000 + 50 + 1000 + 100


def test_what_a_rank_waits_for_first_is_told_where_the_schedule_leaves_it_open(
    tmp_path: Path,
) -> None:
    """Rank 0 waits for either of two messages; ready receives go first, then sends."""
    sends = [Operation(SEND, 8, 1, 0)]
    first = [*sends, *(Operation(RECV, 8, 1, tag) for tag in (1, 2))]
    first += [Operation(CALC, 10, after=[at]) for at in (1, 2)]
    second = [Operation(RECV, 8, 0, 0), *(Operation(SEND, 8, 0, tag) for tag in (1, 2))]
    write_goal(tmp_path / "open.goal", [first, second])
    (note,) = convert(tmp_path / "open.goal", tmp_path / "open.trace").notes
    assert note.startswith("1 times the schedule leaves open what a rank waits for first")
    with Reader(tmp_path / "open.trace") as trace:
        calls = [call for block in trace.blocks() for call in block.each(function_names())]
    made = [call.function for call in calls if call.rank == 0]
    assert made[:4] == ["MPI_Init", "MPI_Irecv", "MPI_Irecv", "MPI_Isend"]


@pytest.mark.skipif(not SHARED.is_file(), reason="schedules of others are not ours to ship")
def test_the_published_tree_takes_a_message_for_each_level(tmp_path: Path) -> None:
    account = convert(SHARED, tmp_path / "tree.trace")
    assert account.ranks == 32
    assert account.notes == []
    assert played_ns(tmp_path / "tree.trace", 32) == 5 * 1000  # 2^5 ranks
    binary = tmp_path / "tree.bin"
    write_goal(binary, read_goal(SHARED), binary=True)
    assert read_goal(binary) == read_goal(SHARED)


def random_schedule(seed: int, ranks: int = 5) -> list[Rank]:
    draw = random.Random(seed)
    made: list[Rank] = [[] for _ in range(ranks)]
    for _ in range(40):
        one, other = draw.sample(range(ranks), 2)
        tag, size = draw.randrange(4), draw.randrange(1, 10**6)
        for rank, kind, peer in ((one, SEND, other), (other, RECV, one)):
            after = [len(made[rank]) - 1] if made[rank] else []
            made[rank].append(Operation(kind, size, peer, tag, after=after))
        for rank in (one, other):
            if draw.random() < 0.3:
                made[rank].append(
                    Operation(
                        CALC, draw.randrange(1, 5000), after=[len(made[rank]) - 1], after_start=[0]
                    )
                )
    return made


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_messages_without_a_counterpart_are_left_out_and_the_rest_is_played(
    tmp_path: Path, seed: int, binary: bool
) -> None:
    ranks, draw = random_schedule(seed), random.Random(seed)
    for tag in range(100, 104):
        rank = draw.choice([rank for rank in ranks if rank])
        made = draw.choice([made for made in rank if made.kind != CALC and made.tag < 100])
        made.tag = tag
    write_goal(tmp_path / "half.goal", ranks, binary=binary)
    account = convert(tmp_path / "half.goal", tmp_path / "half.trace")
    assert sorted(reason.split()[0] for reason in account.left_out) == ["messages", "receives"]
    assert min(account.left_out.values()) >= 4  # each lacks its counterpart, which lacks it
    assert played_ns(tmp_path / "half.trace", len(ranks)) > 0


def test_a_receive_from_anybody_is_no_loss(tmp_path: Path) -> None:
    ranks = [[Operation(SEND, 8, 1, 3)], [Operation(RECV, 8, -1, -1)]]
    write_goal(tmp_path / "any.goal.bin", ranks, binary=True)
    account = convert(tmp_path / "any.goal.bin", tmp_path / "any.trace")
    assert (account.left_out, account.notes, account.losses) == ({}, [], "")
    assert played_ns(tmp_path / "any.trace", 2) == 1000


def test_a_tag_has_31_bits(tmp_path: Path) -> None:
    for tag in (2**31 - 1, 2**31):
        text = PING_PONG.replace("tag 3", f"tag {tag}")
        (tmp_path / f"{tag}.goal").write_text(text)
    assert read_goal(tmp_path / f"{2**31 - 1}.goal")[0][0].tag == 2**31 - 1
    with pytest.raises(UserError, match="tag: out of range: 2147483648"):
        read_goal(tmp_path / f"{2**31}.goal")


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_again(tmp_path: Path, seed: int, binary: bool) -> None:
    ranks = random_schedule(seed)
    write_goal(tmp_path / "s", ranks, binary=binary)
    assert read_goal(tmp_path / "s") == ranks


@pytest.mark.parametrize("seed", range(5))
def test_a_schedule_survives_the_way_through_a_trace(tmp_path: Path, seed: int) -> None:
    """The time on a machine is the same after text, trace, binary and trace."""
    write_goal(tmp_path / "a.goal", random_schedule(seed))
    convert(tmp_path / "a.goal", tmp_path / "a.trace")
    convert(tmp_path / "a.trace", tmp_path / "b.bin", to_format="goal-binary")
    convert(tmp_path / "b.bin", tmp_path / "b.trace")
    time = played_ns(tmp_path / "a.trace", 5)
    assert time == played_ns(tmp_path / "b.trace", 5) > 0


@pytest.mark.parametrize(
    ("operation", "rounds"),
    [("bcast", 3), ("barrier", 3), ("allreduce", 3), ("allgather", 3), ("scan", 3)],
)
def test_collectives_become_the_messages_of_their_algorithm(
    tmp_path: Path, operation: str, rounds: int
) -> None:
    """Eight ranks, short blocks: each of these takes three rounds."""
    root = 0 if operation == "bcast" else -2
    view = Collective(bytes=8, root=root, operation=operation)
    calls = [Call(rank, "MPI_Barrier", "collective", view, compute=10 * rank) for rank in range(8)]
    write_calls(tmp_path / "c.trace", 8, calls)
    convert(tmp_path / "c.trace", tmp_path / "c.goal")
    convert(tmp_path / "c.goal", tmp_path / "d.trace")
    with Reader(tmp_path / "d.trace") as trace:
        kinds = {
            call.operation for block in trace.blocks() for call in block.each(function_names())
        }
    assert "collective" not in kinds
    time = played_ns(tmp_path / "d.trace", 8)
    assert time == played_ns(tmp_path / "c.trace", 8)
    assert rounds * 1000 <= time <= rounds * 1000 + 70


def test_communicators_become_tags(tmp_path: Path) -> None:
    """The same tag on two communicators: each receive gets the message of its own."""
    members = (1, 0)
    calls = []
    for rank in range(2):
        made = Communicator(identity=9, position=members.index(rank), num_local=0)
        calls.append(Call(rank, "MPI_Comm_dup", "communicator", made, comm=2, words=members))
    calls += [
        Call(0, "MPI_Send", "send", Send(1, 5, 100), comm=0),
        Call(0, "MPI_Send", "send", Send(0, 5, 200), comm=2),
        Call(1, "MPI_Recv", "recv", Receive(1, 5, 200), comm=2),
        Call(1, "MPI_Recv", "recv", Receive(0, 5, 100), comm=0),
    ]
    write_calls(tmp_path / "c.trace", 2, calls)
    convert(tmp_path / "c.trace", tmp_path / "c.goal")
    sent, got = read_goal(tmp_path / "c.goal")
    assert {(made.size, made.tag) for made in sent} == {(made.size, made.tag) for made in got}
    assert len({made.tag for made in sent}) == 2


def every_kind(path: Path) -> Path:
    """Write two blocks of calls of all kinds that a schedule has, and of some that it has not."""
    barrier = Collective(operation="barrier")
    pair = Communicator(identity=9, position=0)
    found = (Outcome(index=1, source=1),)
    first = [
        Call(0, "MPI_Comm_dup", "communicator", pair, comm=2, words=(0, 2)),
        Call(0, "MPI_Irecv", "irecv", Receive(-1, 4, 80), request=1, compute=5),
        Call(0, "MPI_Irecv", "irecv", Receive(2, -1, 8), request=2),
        Call(0, "MPI_Isend", "isend", Send(1, 3, 8), request=3),
        Call(0, "MPI_Test", "test", request=3, flag=False, compute=7),
        Call(0, "MPI_Test", "test", request=3, flag=False),
        Call(1, "MPI_Send", "send", Send(0, 4, 0)),
        Call(1, "MPI_Send", "send", Send(-2, 4, 0)),
        Call(2, "MPI_Comm_dup", "communicator", Communicator(9, 1), comm=2, words=(0, 2)),
        Call(2, "MPI_Ssend", "send", Send(0, 6, 8)),
    ]
    second = [
        Call(0, "MPI_Testsome", "test_some", words=(2, 1), flag=True, outcomes=found),
        Call(0, "MPI_Waitall", "wait", words=(2, 3)),
        Call(0, "MPI_Barrier", "collective", barrier, comm=2),
        Call(0, "MPI_Sendrecv", "sendrecv", Exchange(1, 1, 64, 1, 2), compute=20),
        Call(0, "MPI_Ibarrier", "icollective", barrier, request=4),
        Call(0, "MPI_Wait", "wait", request=4),
        Call(0, "MPI_Finalize", "finalize", compute=3),
        Call(1, "MPI_Recv", "recv", Receive(-1, 3, 8), outcomes=(Outcome(source=0),)),
        Call(1, "MPI_Sendrecv", "sendrecv", Exchange(0, 2, 32, 0, 1)),
        Call(1, "MPI_Ibarrier", "icollective", barrier, request=1),
        Call(1, "MPI_Wait", "wait", request=1),
        Call(2, "MPI_Barrier", "collective", barrier, comm=2),
        Call(2, "MPI_Ibarrier", "icollective", barrier, request=1),
        Call(2, "MPI_Wait", "wait", request=1),
    ]
    with Writer(path, Header(ranks=3)) as writer:
        for calls in (first, second):
            writer.write(Block.of(calls, function_names()))
    return path


SCHEDULE = """
num_ranks 3

rank 0 {
l0: calc 5
l1: recv 80b from -1 tag 0
l1 requires l0
l2: recv 8b from 2 tag -1
l2 requires l0
l2 irequires l1
l3: send 8b to 1 tag 1
l3 requires l0
l3 irequires l2
l4: calc 7
l4 requires l0
l4 irequires l3
l5: recv 1b from 2 tag 3
l5 requires l4
l5 requires l1
l5 requires l2
l5 requires l3
l6: send 1b to 2 tag 3
l6 requires l4
l6 requires l1
l6 requires l2
l6 requires l3
l7: calc 20
l7 requires l5
l7 requires l6
l8: recv 64b from 1 tag 4
l8 requires l7
l9: send 64b to 1 tag 5
l9 requires l7
l9 irequires l8
l10: recv 1b from 2 tag 6
l10 requires l8
l10 requires l9
l11: send 1b to 1 tag 6
l11 requires l8
l11 requires l9
l12: recv 1b from 1 tag 6
l12 requires l10
l12 requires l11
l13: send 1b to 2 tag 6
l13 requires l10
l13 requires l11
l14: calc 3
l14 requires l8
l14 requires l9
l14 requires l12
l14 requires l13
}

rank 1 {
l0: send 1b to 0 tag 0
l1: recv 8b from 0 tag 1
l1 requires l0
l2: recv 32b from 0 tag 5
l2 requires l1
l3: send 32b to 0 tag 4
l3 requires l1
l3 irequires l2
l4: recv 1b from 0 tag 6
l4 requires l2
l4 requires l3
l5: send 1b to 2 tag 6
l5 requires l2
l5 requires l3
l6: recv 1b from 2 tag 6
l6 requires l4
l6 requires l5
l7: send 1b to 0 tag 6
l7 requires l4
l7 requires l5
}

rank 2 {
l0: send 8b to 0 tag 2
l1: recv 1b from 0 tag 3
l1 requires l0
l2: send 1b to 0 tag 3
l2 requires l0
l3: recv 1b from 1 tag 6
l3 requires l1
l3 requires l2
l4: send 1b to 0 tag 6
l4 requires l1
l4 requires l2
l5: recv 1b from 0 tag 6
l5 requires l3
l5 requires l4
l6: send 1b to 1 tag 6
l6 requires l3
l6 requires l4
}
"""


def test_a_trace_with_calls_of_all_kinds_becomes_this_schedule(tmp_path: Path) -> None:
    convert(every_kind(tmp_path / "c.trace"), tmp_path / "c.goal")
    assert (tmp_path / "c.goal").read_text() == SCHEDULE.lstrip()


@pytest.mark.parametrize("form", ["goal", "goal-binary"])
@pytest.mark.parametrize("most", [1, 2, 5, 7])
def test_operations_that_were_in_a_temporary_file_are_written_as_those_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, most: int
) -> None:
    trace = every_kind(tmp_path / "c.trace")
    convert(trace, tmp_path / "whole", to_format=form)
    monkeypatch.setattr(held_ranks, "MOST_HELD", most)
    monkeypatch.setattr(goal_schedule, "PIECE", most)
    monkeypatch.setattr(goal_schedule, "PIECE_BYTES", most)
    convert(trace, tmp_path / "pieces", to_format=form)
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    assert read_goal(tmp_path / "pieces") == read_goal(tmp_path / "whole")


def test_few_operations_are_in_memory_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """1,000 operations of 10 ranks; 64 is the most."""
    monkeypatch.setattr(held_ranks, "MOST_HELD", 64)
    shared = [1, 2]
    with held_ranks.HeldRanks(10) as ranks:
        for at in range(1000):
            ranks.append(at % 10, Operation(SEND, at, 1, 2, after=shared, after_start=[3]))
            assert sum(map(len, ranks._rows)) < 64
        assert sum(map(len, ranks._pieces)) == 15 * 10  # 15 times 64, of 10 ranks each time
        made = list(map(list, ranks))
    assert [[each.size for each in rank] for rank in made] == [
        list(range(rank, 1000, 10)) for rank in range(10)
    ]
    assert all(each.after == [1, 2] and each.after_start == [3] for rank in made for each in rank)


def test_calls_of_a_rank_are_numbered_across_blocks() -> None:
    counts = np.zeros(4, dtype=np.int64)
    numbers = [_numbers(np.array(ranks, dtype=np.int32), counts).tolist()
               for ranks in ([2, 0, 2, 2, 0], [0, 2, 1, 0], [])]  # fmt: skip
    assert numbers == [[0, 0, 1, 2, 1], [2, 3, 0, 3], []]
    assert counts.tolist() == [4, 1, 4, 0]


def test_a_binary_schedule_begins_with_its_largest_processor_and_adapter(tmp_path: Path) -> None:
    ranks = [
        [Operation(CALC, 1, cpu=1, nic=7), Operation(CALC, 1, cpu=3)],
        [],
        [Operation(CALC, 1)],
    ]
    write_goal(tmp_path / "s", ranks, binary=True)
    assert struct.unpack("<QIBB", (tmp_path / "s").read_bytes()[:14]) == (4223, 3, 3, 7)
    assert read_goal(tmp_path / "s") == ranks


def test_a_temporary_file_may_take_a_few_bytes_at_a_time() -> None:
    class Slow(io.BytesIO):
        def write(self, content: bytes) -> int:
            return super().write(content[:3])

    file = Slow()
    assert goal_schedule.hold(file, b"operations") == 10
    assert file.getvalue() == b"operations"


def test_a_full_disk_of_temporary_files_is_told(tmp_path: Path) -> None:
    with (
        open("/dev/full", "wb", buffering=0) as full,
        pytest.raises(WriteError, match="No space left"),
    ):
        goal_schedule.hold(full, b"operations")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("num_ranks 0\n", "num_ranks: out of range"),
        ("num_ranks 2\nrank 5 {\n}\n", "rank: out of range"),
        ("num_ranks 1\nrank 0 {\na: jump 5\n}\n", "operation: unknown"),
        ("num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n", "label: not defined before: 'b'"),
        ("num_ranks 2\nrank 0 {\na: send 5 to 1\n}\n", "a number of bytes"),
        ("num_ranks 2\nrank 0 {\na: send 5b to 7\n}\n", "rank: out of range: 7"),
        ("num_ranks 2\nrank 0 {\na: calc 1\n", "ends in a rank"),
        ("num_ranks 1\nrank 0 { a: calc 99999999999999999999 }", "not understood"),
    ],
)
def test_mistakes_in_a_text_are_named_with_their_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "x.goal").write_text(text)
    with pytest.raises(UserError) as raised:
        convert(tmp_path / "x.goal", tmp_path / "x.trace")
    assert what in str(raised.value)
    assert "x.goal:" in str(raised.value)
    assert not (tmp_path / "x.trace").exists()


def test_a_circle_of_requirements_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.goal").write_text(
        "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n"
    )
    with pytest.raises(UserError, match="2 operations require each other in a circle"):
        convert(tmp_path / "x.goal", tmp_path / "x.trace")


def test_damaged_binaries_end_in_one_clear_error(tmp_path: Path) -> None:
    write_goal(tmp_path / "s", random_schedule(1), binary=True)
    whole = (tmp_path / "s").read_bytes()
    refused = 0
    for seed in range(150):
        draw = random.Random(seed)
        spoilt = bytearray(whole)
        if seed % 2:
            del spoilt[draw.randrange(8, len(spoilt)) :]
        else:
            spoilt[draw.randrange(8, 400)] = draw.randrange(256)
        (tmp_path / "x").write_bytes(spoilt)
        try:
            convert(tmp_path / "x", tmp_path / "x.trace")
        except UserError:
            refused += 1
    assert 75 <= refused < 150


def test_more_ranks_than_a_short_text_lists_are_refused(tmp_path):
    """Ranks that do nothing need not be listed, but 18 bytes claimed a million: 1.2 GB."""
    path = tmp_path / "a.goal"
    path.write_text("num_ranks 4000\nrank 7 { a: calc 5 }\n")
    assert [number for number, rank in enumerate(read_goal(path)) if rank] == [7]
    path.write_text("num_ranks 1048576\n")
    with pytest.raises(UserError, match="more than a file so short lists"):
        read_goal(path)


@pytest.mark.parametrize(("ranks", "nodes", "followers"), [(300, 300, 0), (1, 200, 2000)])
def test_parts_of_a_binary_file_that_lie_over_each_other_are_refused(
    tmp_path, ranks, nodes, followers
):
    """All ranks are in one place, or all operations have the same followers."""
    rows = np.zeros(nodes, dtype=goal_schedule.NODE)
    rows["kind"], rows["size"], rows["num_followers"] = CALC, 1, followers
    followers_of_all = (np.arange(followers) % nodes).astype("<u4")
    body = struct.pack("<II", nodes, 0) + rows.tobytes() + followers_of_all.tobytes()
    begin = 6 + 16 * ranks
    head = struct.pack("<QIBB", goal_schedule.COOKIE, ranks, 0, 0)
    path = tmp_path / "a.goal.bin"
    path.write_bytes(head + struct.pack("<QQ", begin, begin + len(body)) * ranks + body)
    with pytest.raises(UserError, match="lie over each other"):
        read_goal(path)
