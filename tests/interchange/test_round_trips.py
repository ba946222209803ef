"""Drawn programs from each format to each: times, messages and bytes, and the account."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import odonata
from odonata.errors import UserError
from odonata.interchange import Conversion, convert
from odonata.interchange import goal_export as said
from odonata.interchange.ti_export import OTHERWISE
from odonata.result import Result
from odonata.trace import Call, Collective, Header, Receive, Send, Writer, function_names
from odonata.trace.calls import Block
from odonata.trace.views import Exchange, Phase

FORMATS = ("odonata", "ti", "goal", "goal-binary")
"""Formats that are written."""

MACHINE = "jupiter-fdr"
RANKS = 4
OF_COLLECTIVES = ("bcast", "reduce", "allreduce", "scan", "allgather", "alltoall", "gather")
MODES = {"MPI_Send": "standard", "MPI_Ssend": "synchronous", "MPI_Bsend": "buffered"}


def written(path: Path, calls: list[Call], machine: str = MACHINE) -> Path:
    with Writer(path, Header(ranks=1 + max(call.rank for call in calls), machine=machine)) as file:
        file.write(Block.of(calls, function_names()))
    return path


def drawn_message(draw: random.Random, one: int, other: int) -> list[Call]:
    """Return the calls of a message: both ends block, or one or both have a request."""
    name = draw.choice(list(MODES))
    tag, size = draw.randrange(2), draw.choice([0, 8, 5_000, 70_000])
    send = Send(other, tag, size, mode=MODES[name])
    receive = Receive(one, tag, size)
    ends = [
        [Call(other, "MPI_Recv", "recv", receive)],
        [Call(one, name, "send", send, compute=draw.randrange(3000))],
    ]
    if draw.random() < 0.4:
        ends[0] = [
            Call(other, "MPI_Irecv", "irecv", receive, request=1),
            Call(other, "MPI_Wait", "wait", request=1, compute=draw.randrange(500)),
        ]
    if draw.random() < 0.4:
        ends[1] = [
            Call(one, f"MPI_I{name[4:].lower()}", "isend", send, request=1),
            Call(one, "MPI_Wait", "wait", request=1, compute=draw.randrange(500)),
        ]
    return ends[0] + ends[1]


def drawn_calls(seed: int) -> list[Call]:
    """Return the calls of a program that ends: its ranks meet in the order of its steps."""
    draw = random.Random(seed)
    calls: list[Call] = []
    for _ in range(12):
        what = draw.random()
        if what < 0.5:
            calls += drawn_message(draw, *draw.sample(range(RANKS), 2))
        elif what < 0.6:
            one, other = draw.sample(range(RANKS), 2)
            for rank, peer in ((one, other), (other, one)):
                calls.append(
                    Call(rank, "MPI_Sendrecv", "sendrecv", Exchange(peer, 9, 300, peer, 9))
                )
        else:
            operation = draw.choice(OF_COLLECTIVES)
            root = 0 if operation in ("bcast", "reduce", "gather") else -2
            view = Collective(draw.choice([8, 4_000, 60_000]), root, operation)
            calls += [
                Call(rank, f"MPI_{operation.capitalize()}", "collective", view)
                for rank in range(RANKS)
            ]
    return [*calls, *(Call(rank, "MPI_Finalize", "finalize") for rank in range(RANKS))]


def played(path: Path, folder: Path) -> Result:
    """Return a replay on an idle machine without contention."""
    plain = folder / f"{path.name}.played"
    convert(path, plain, to_format="odonata")
    return odonata.replay(plain, MACHINE, engine="analytic")


def check_numbers(before: Result, after: Result, account: Conversion) -> None:
    """Messages and bytes are the same, except as the account says."""
    changed = account.changed
    answers, empty = changed.get(said.ACKNOWLEDGED, 0), changed.get(said.EMPTY, 0)
    old, new = before.summary, after.summary
    assert new["messages"] == old["messages"] + answers
    assert new["bytes"] == old["bytes"] + answers + empty


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_times_messages_and_bytes_survive_or_the_account_says_so(
    tmp_path: Path, source: str, target: str, seed: int
) -> None:
    first = written(tmp_path / "first", drawn_calls(seed))
    convert(first, tmp_path / "given", to_format=source)
    account = convert(tmp_path / "given", tmp_path / "made", to_format=target)
    before, after = (played(tmp_path / name, tmp_path) for name in ("given", "made"))
    check_numbers(before, after, account)
    assert account.left_out == {}
    old, new = before.summary["time_seconds"], after.summary["time_seconds"]
    other_times = {said.SYNCHRONOUS, said.ACKNOWLEDGED, said.MODES_CHANGED, OTHERWISE["modes"]}
    other_times.add(said.NO_COSTS)  # a time-independent trace names no machine
    if not account.losses:
        assert new == pytest.approx(old, rel=1e-3)  # nanoseconds of calculations
    elif not other_times & set(account.changed):
        assert new == pytest.approx(old, rel=0.1)  # requests are waited for in another order
    if source == target:
        assert set(account.changed) <= {OTHERWISE["work"]}  # which a ti file can have


@pytest.mark.parametrize("operation", OF_COLLECTIVES)
def test_the_work_of_collectives_is_in_a_schedule(tmp_path: Path, operation: str) -> None:
    """Reducing and copying are calculations: without them 30 to 50 % of the time is missing."""
    root = 0 if operation in ("bcast", "reduce", "gather") else -2
    view = Collective(4_000, root, operation)
    calls = [
        Call(rank, f"MPI_{operation.capitalize()}", "collective", view)
        for _ in range(5)
        for rank in range(8)
    ]
    account = convert(written(tmp_path / "a.trace", calls), tmp_path / "a.goal")
    assert account.changed == {said.COLLECTIVES: 40}
    before, after = (played(tmp_path / name, tmp_path) for name in ("a.trace", "a.goal"))
    assert after.summary["time_seconds"] == pytest.approx(before.summary["time_seconds"], rel=0.02)
    check_numbers(before, after, account)


def test_work_of_no_machine_is_not_written_and_said(tmp_path: Path) -> None:
    scan, barrier = Collective(4_000, operation="scan"), Collective(operation="barrier")
    calls = [Call(rank, "MPI_Scan", "collective", scan) for rank in range(3)]
    calls += [Call(rank, "MPI_Barrier", "collective", barrier) for rank in range(3)]
    trace = written(tmp_path / "a.trace", calls, machine="unknown")
    account = convert(trace, tmp_path / "a.goal")
    assert account.changed[said.NO_COSTS] == 3
    assert account.changed[said.COLLECTIVES] == 3  # barriers do no work
    assert "calc" not in (tmp_path / "a.goal").read_text()
    asked = convert(trace, tmp_path / "b.goal", machine=MACHINE)
    assert said.NO_COSTS not in asked.changed
    assert "calc" in (tmp_path / "b.goal").read_text()
    with pytest.raises(UserError, match="ti has no work of collectives"):
        convert(trace, tmp_path / "b.ti", machine=MACHINE)
    with pytest.raises(UserError, match="nowhere"):
        convert(trace, tmp_path / "b.goal", machine="nowhere")


def test_synchronous_sends_are_acknowledged_where_their_receive_blocks(tmp_path: Path) -> None:
    """The sender ends after the receiver, which computes for 1 ms first, or the account says so."""
    send = Send(1, 3, 64, mode="synchronous")
    blocking = [
        Call(0, "MPI_Ssend", "send", send),
        Call(1, "MPI_Recv", "recv", Receive(0, 3, 64), compute=1_000_000),
    ]
    account = convert(written(tmp_path / "a.trace", blocking), tmp_path / "a.goal")
    assert account.changed == {said.ACKNOWLEDGED: 1}
    finished = played(tmp_path / "a.goal", tmp_path).jobs[0].finished
    assert min(finished) > 1e9
    early = [
        Call(0, "MPI_Ssend", "send", send),
        Call(1, "MPI_Irecv", "irecv", Receive(0, 3, 64), request=1),
        Call(1, "MPI_Wait", "wait", request=1, compute=1_000_000),
    ]
    account = convert(written(tmp_path / "b.trace", early), tmp_path / "b.goal")
    assert account.changed == {said.SYNCHRONOUS: 1}
    assert min(played(tmp_path / "b.goal", tmp_path).jobs[0].finished) < 1e9


@pytest.mark.parametrize("tag", [3, -1])
def test_the_second_of_two_sends_is_the_one_that_is_acknowledged(tmp_path: Path, tag: int) -> None:
    """Where a receive takes any tag it is not known whose message it gets: plain sends."""
    calls = [
        Call(0, "MPI_Send", "send", Send(1, 3, 10)),
        Call(0, "MPI_Issend", "isend", Send(1, 3, 20, mode="synchronous"), request=1),
        Call(0, "MPI_Wait", "wait", request=1),
        Call(1, "MPI_Recv", "recv", Receive(0, 3, 10)),
        Call(1, "MPI_Recv", "recv", Receive(0, tag, 20)),
    ]
    account = convert(written(tmp_path / "a.trace", calls), tmp_path / "a.goal")
    assert account.changed == {said.ACKNOWLEDGED if tag == 3 else said.SYNCHRONOUS: 1}
    text = (tmp_path / "a.goal").read_text()
    assert ("l2: send 1b to 0" in text) == (tag == 3)  # of rank 1, after both receives


def test_what_a_schedule_lacks_is_counted(tmp_path: Path) -> None:
    calls = [
        Call(0, "MPI_Pcontrol", "phase", Phase(3)),
        Call(0, "MPI_Irecv", "irecv", Receive(0, 1, 8), request=1),
        Call(0, "MPI_Test", "test", request=1, flag=False),
        Call(0, "MPI_Rsend", "send", Send(0, 1, 0, mode="ready")),
        Call(0, "MPI_Wait", "wait", request=1),
        Call(0, "MPI_Ssend", "send", Send(-2, 1, 8, mode="synchronous")),
    ]
    account = convert(written(tmp_path / "a.trace", calls), tmp_path / "a.goal")
    assert account.left_out == {said.NO_POLLS: 1, said.NO_MARKS: 1}
    assert account.changed == {said.MODES_CHANGED: 1, said.EMPTY: 1}
    assert account.plain()["changed"] == account.changed


def test_the_losses_are_a_line_on_standard_error(
    run_odonata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    calls = [
        Call(0, "MPI_Ssend", "send", Send(1, 3, 64, mode="synchronous")),
        Call(1, "MPI_Recv", "recv", Receive(0, 3, 64)),
    ]
    written(tmp_path / "a.trace", calls)
    for more in ([], ["--json"]):
        status, printed, told = run_odonata("trace", "convert", "a.trace", "a.goal", *more)
        line = f"odonata: a.goal differs from a.trace: 1 {said.ACKNOWLEDGED}"
        assert (status, told.splitlines()) == (0, [line])
        assert said.ACKNOWLEDGED.split(" were")[0] in printed
    assert run_odonata("trace", "convert", "a.trace", "b.trace")[2] == ""
