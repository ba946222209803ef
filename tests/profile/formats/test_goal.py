"""GOAL schedules: text and binary, played, and written from traces."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import odonata
from odonata import machine as machines
from odonata.errors import UserError
from odonata.profile.formats import convert
from odonata.profile.formats.goal_export import LOCKSTEP
from odonata.profile.formats.goal_schedule import (
    CALC,
    RECV,
    SEND,
    Operation,
    Rank,
    read_goal,
    write_goal,
)
from odonata.trace import (
    Call,
    Collective,
    Communicator,
    Header,
    Reader,
    Receive,
    Send,
    Writer,
    function_names,
)
from odonata.trace.calls import Block

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
    convert(tmp_path / "p.goal", tmp_path / "p.trace")
    assert played_ns(tmp_path / "p.trace", 2) == 1000 + 50 + 1000 + 100


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
