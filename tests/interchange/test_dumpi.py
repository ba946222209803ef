"""DUMPI traces: decoded as their own tools do, converted call by call, and played."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from dumpi_writer import (
    DOUBLE,
    INT,
    WORLD,
    RankFile,
    array,
    ended,
    i4,
    message,
    starting,
    status,
    statuses,
    u2,
    write,
)

import odonata
from odonata.errors import UserError
from odonata.interchange import Conversion, convert
from odonata.interchange.dumpi import DumpiCall, _some, read_calls
from odonata.interchange.dumpi_files import DumpiFile, find_files, function_names
from odonata.trace import Call, Reader
from odonata.trace import function_names as our_functions

SHARED = Path(__file__).parents[4] / "shared" / "data" / "traces" / "dumpi-4ranks"
MACHINE = "jupiter-fdr"
"""One switch."""

UNRECEIVED = "messages that no recorded call receives"
UNSENT = "receives of messages that no recorded call sends"


def converted(folder: Path) -> tuple[Conversion, list[Call]]:
    account = convert(folder, folder / "out.trace")
    with Reader(folder / "out.trace") as trace:
        return account, [call for block in trace.blocks() for call in block.each(our_functions())]


def played(folder: Path) -> float:
    return float(odonata.replay(folder / "out.trace", MACHINE).summary["time_seconds"])


def of_rank(calls: list[Call], rank: int) -> list[Call]:
    return [call for call in calls if call.rank == rank]


def test_functions_have_the_names_of_mpi_and_those_of_requests_of_files_mpio():
    names = function_names()
    assert {"MPI_Send", "MPI_File_open", "MPIO_Test", "MPIO_Waitall"} <= set(names)
    assert all(name.startswith(("MPI_", "MPIO_")) for name in names)
    assert not any("IO_" in name.removeprefix("MPIO_") for name in names)


def test_the_words_of_a_command_line_are_texts(tmp_path: Path) -> None:
    write(tmp_path, ended(starting(1)))
    init, _ = read_calls(DumpiFile.open(tmp_path / "dumpi-test-0000.bin"))
    assert init.fields == {"argv": ["./app"]}


@pytest.mark.parametrize(
    ("number", "said"), [(4, "a, b, c, d"), (5, "a, b, c, d, e"), (7, "a, b, c, d, e and 2 more")]
)
def test_of_many_names_five_are_said(number: int, said: str) -> None:
    assert _some(list("abcdefg")[:number]) == said


# ---- files that DUMPI's own tools have decoded

WORDS = {"comm": "MPI_Comm", "datatype": "MPI_Datatype", "op": "MPI_Op", "request": "MPI_Request"}


def as_text(call: DumpiCall) -> list[str]:
    """Return a call as ``dumpi2ascii`` prints it, numbers without their names."""
    lines = []
    for when, place in (("entering", 0), ("returning", 1)):
        times = [call.wall or (0, 0), call.cpu or (0, 0)]
        wall, cpu = (f"{t[place] // 10**9}.{t[place] % 10**9:09}" for t in times)
        lines.append(
            f"{call.function} {when} at walltime {wall}, cputime {cpu} seconds "
            f"in thread {call.thread}."
        )
    fields = []
    for name, value in call.fields.items():
        if name == "argv":
            assert isinstance(value, list)
            listed = ", ".join(f'"{word}"' for word in value)
            fields += [f"int argc={len(value)}", f"string argv[{len(value)}]=[{listed}]"]
        elif name == "status":
            fields.append(f"MPI_Status status={shown_statuses(value)}")
        elif name == "request":
            fields.append(f"MPI_Request request=[{value}]")
        else:
            fields.append(f"{WORDS.get(name, 'int')} {name}={value}")
    return [lines[0], *fields, lines[1]]


def shown_statuses(value: object) -> str:
    assert isinstance(value, list)
    names = ("bytes", "cancelled", "source", "tag", "error")
    texts = ["{" + ", ".join(f"{n}={status[n]}" for n in names) + "}" for status in value]
    return f"[{', '.join(texts)}]" if texts else "<IGNORED>"


@pytest.mark.skipif(not SHARED.is_dir(), reason="traces of others are not ours to ship")
def test_the_published_trace_is_decoded_as_its_text_has_it() -> None:
    file = DumpiFile.open(SHARED / "testtrace-0000.bin")
    ours = [line for call in read_calls(file) for line in as_text(call)]
    printed = (SHARED / "testtrace-0000.txt").read_text().splitlines()
    theirs = [re.sub(r" \((MPI_\w+)\)$", "", line) for line in printed]
    calls = theirs[theirs.index("meshcrd=[]") + 1 : theirs.index("Total keyvals: 0")]
    assert ours == calls
    assert f"hostname={file.host}" in theirs
    assert f"version={'.'.join(map(str, file.version))}" in theirs


def published_counts(name: str) -> list[tuple[str, int, int]]:
    rows = re.findall(
        r"^(\w+) called (\d+) times and ignored (\d+) times$",
        (SHARED / name).read_text(),
        re.MULTILINE,
    )
    return [
        (row, int(called), int(ignored))
        for row, called, ignored in rows
        if row != "MPI_ALL_FUNCTIONS"
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="traces of others are not ours to ship")
def test_the_published_trace_has_the_published_counts() -> None:
    counts = DumpiFile.open(SHARED / "testtrace-0000.bin").counts
    ours = [
        (name, counts.called.get(name, 0), counts.ignored.get(name, 0)) for name in function_names()
    ]
    assert ours == published_counts("testtrace-0000.txt")
    for name in ("callcounts-single.txt", "callcounts-batch.txt"):
        # These count copies of the trace without some of its calls: the called functions are the
        # same.
        assert [row[:2] for row in ours] == [row[:2] for row in published_counts(name)]


@pytest.mark.skipif(not SHARED.is_dir(), reason="traces of others are not ours to ship")
def test_the_published_trace_is_played(tmp_path: Path) -> None:
    account = convert(SHARED / "testtrace.meta", tmp_path / "out.trace")
    assert account.coverage is not None
    assert (account.calls, account.coverage.share) == (36, 1.0)  # 9 calls on each of 4 ranks
    result = odonata.replay(tmp_path / "out.trace", MACHINE, collectives=RINGS)
    # A ring of 4 messages; barrier by 2 rounds and allreduce by 2 rounds of 4 ranks each.
    assert result.summary["messages"] == 4 + 8 + 8


RINGS = {"barrier": "dissemination", "allreduce": "recursive_doubling"}


# ---- calls


def test_calls_have_their_bytes_peers_and_pauses(tmp_path: Path) -> None:
    a, b = starting(2)
    a.call("Isend", message(3, 1, 7, kind=DOUBLE) + i4(5), after=2500)
    a.call("Wait", i4(5) + statuses(status()))
    b.call("Recv", message(3, 0, 7, kind=DOUBLE) + statuses(status(0, 7, 24)))
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    isend, wait = of_rank(calls, 0)[1:3]
    assert isend.view is not None
    assert (isend.function, isend.view.to, isend.view.tag, isend.view.bytes) == (
        *("MPI_Isend", 1, 7, 24),  # 3 doubles
    )
    assert isend.compute == 2500  # from the end of MPI_Init
    receive = of_rank(calls, 1)[1].view
    assert receive is not None
    assert (receive.source, receive.tag, receive.bytes) == (0, 7, 24)
    assert (wait.operation, wait.words) == ("wait", (isend.request,))
    assert account.left_out == {}
    assert played(tmp_path / "t") > 2.5e-6


def test_times_come_from_the_wall_and_else_from_the_processor(tmp_path: Path) -> None:
    for mask, expected in ((0x4B, 700), (0x47, 700), (0x43, 0)):
        rank = (
            RankFile()
            .call("Init", i4(0), mask=mask)
            .call("Barrier", u2(WORLD), after=700, mask=mask)
        )
        _, calls = converted(write(tmp_path / f"{mask}", ended([rank])))
        assert calls[1].compute == expected


def test_seconds_wrap_after_18_hours(tmp_path: Path) -> None:
    for begin, first, second in ((65_536 * 10**9 - 1050, 1000, 500), (65_536 * 10**9 - 2000, 1, 7)):
        rank = RankFile(clock=begin).call("Init", i4(0), after=first)
        rank.call("Barrier", u2(WORLD), after=second).call("Barrier", u2(WORLD), after=9000)
        account, calls = converted(write(tmp_path / f"{first}", ended([rank])))
        assert [call.compute for call in calls] == [0, second, 9000, 1000]
        assert not account.notes[1:]  # one is about other files


def test_calls_that_begin_before_the_last_one_ended_are_counted(tmp_path: Path) -> None:
    rank = RankFile().call("Init", i4(0))
    for after in (500, -30, 0):
        rank.call("Barrier", u2(WORLD), after=after)
    account, calls = converted(write(tmp_path / "t", ended([rank])))
    assert [call.compute for call in calls][:4] == [0, 500, 0, 0]
    assert any(note.startswith("1 calls begin before the previous call") for note in account.notes)


def test_collectives_stay_collectives(tmp_path: Path) -> None:
    ranks = starting(4)
    for place, rank in enumerate(ranks):
        root = place == 2
        rank.call("Bcast", i4(10) + u2(INT) + i4(2) + u2(WORLD))
        rank.call("Allreduce", i4(2) + u2(DOUBLE) + bytes([3]) + u2(WORLD))
        rank.call(
            "Gather",
            i4(place, 5) + u2(INT) + i4(2) + u2(WORLD) + (i4(5) + u2(INT) if root else b""),
        )
        rank.call(
            "Gatherv",
            i4(place, 4, place)
            + u2(INT)
            + i4(2)
            + u2(WORLD)
            + (array([0, 1, 2, 3]) + array([0, 0, 1, 3]) if root else b"")
            + u2(INT),
        )
        rank.call(
            "Alltoallv",
            i4(4)
            + array([1, 2, 3, 4])
            + array([0] * 4)
            + u2(INT)
            + array([place + 1] * 4)
            + array([0] * 4)
            + u2(INT)
            + u2(WORLD),
        )
    account, calls = converted(write(tmp_path / "t", ended(ranks)))
    assert account.left_out == {}
    kinds = [
        (c.view.operation, c.view.bytes, c.words)
        for c in of_rank(calls, 2)
        if c.operation == "collective" and c.view is not None
    ]
    assert kinds == [
        ("bcast", 40, ()),
        ("allreduce", 16, ()),
        ("gather", 20, ()),
        ("gatherv", 8, (0, 4, 8, 12)),
        ("alltoallv", 0, (4, 8, 12, 16, 12, 12, 12, 12)),
    ]
    assert played(tmp_path / "t") > 0


def test_polls_stay_polls(tmp_path: Path) -> None:
    a, b = starting(2)
    a.call("Send", message(1, 1))
    b.call("Irecv", message(1, 0) + i4(2))
    for _ in range(3):
        b.call("Test", i4(2, 0) + statuses(), after=0)
    b.call("Test", i4(2, 1) + statuses(status(0, 0, 4)))
    b.call("Iprobe", i4(-1, -1) + u2(WORLD) + i4(0) + statuses())
    _, calls = converted(write(tmp_path / "t", ended([a, b])))
    tests = [call.flag for call in of_rank(calls, 1) if call.function == "MPI_Test"]
    assert tests == [False, False, False, True]
    assert [c.operation for c in of_rank(calls, 1)][-2:] == ["iprobe", "finalize"]
    assert played(tmp_path / "t") > 0


def test_receives_from_anything_get_the_recorded_message(tmp_path: Path) -> None:
    a, b, c = starting(3)
    for _ in range(2):
        b.call("Irecv", message(1, -1, -1) + i4(2 + _))
    b.call("Waitany", i4(2) + array([2, 3]) + i4(1) + statuses(status(2, 9, 4)))
    b.call("Wait", i4(2) + statuses(status(0, 8, 4)))
    a.call("Send", message(1, 1, 8))
    c.call("Send", message(1, 1, 9))
    account, calls = converted(write(tmp_path / "t", ended([a, b, c])))
    receives = [call.view for call in of_rank(calls, 1) if call.operation == "irecv"]
    assert [(view.source, view.tag) for view in receives if view is not None] == [(0, 8), (2, 9)]
    assert account.left_out == {}
    assert not any("any source" in note for note in account.notes)


def test_receives_without_a_status_take_the_message_that_is_there(tmp_path: Path) -> None:
    a, b = starting(2)
    a.call("Send", message(1, 1, 8))
    b.call("Recv", message(1, -1, -1) + statuses())
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    (receive,) = [call.view for call in of_rank(calls, 1) if call.operation == "recv"]
    assert receive is not None
    assert (receive.source, receive.tag) == (0, 8)
    assert any(note.startswith("1 receives from any source") for note in account.notes)


def test_persistent_requests_are_started_again(tmp_path: Path) -> None:
    a, b = starting(2)
    a.call("Send_init", message(2, 1) + i4(4))
    b.call("Recv_init", message(2, 0) + i4(4))
    for rank in (a, b):
        for _ in range(3):
            rank.call("Startall", i4(1) + array([4]))
            rank.call("Waitall", i4(1) + array([4]) + statuses(status(0, 0, 8)))
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    assert [c.operation for c in of_rank(calls, 0)].count("isend") == 3
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "t/out.trace", MACHINE).summary["messages"] == 3


def test_requests_whose_waits_are_not_recorded_make_room_for_later_ones(tmp_path: Path) -> None:
    """A number that is opened again was completed unseen: the trace takes ours again, too."""
    a, b = starting(2)
    for step in range(100):
        a.call("Irecv", message(1, 1, step) + i4(7))
        b.call("Isend", message(1, 0, step) + i4(8 + step % 2))
    b.call("Waitall", i4(2) + array([8, 9]) + statuses())
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    assert {call.request for call in of_rank(calls, 0)[1:-1]} == {1}
    assert {call.request for call in of_rank(calls, 1)[1:-2]} == {1, 2}
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "t/out.trace", MACHINE).summary["messages"] == 100


def test_receives_from_anything_pass_over_messages_that_are_taken(tmp_path: Path) -> None:
    a, b = starting(2)
    for tag in range(300):
        a.call("Send", message(1, 1, tag))
        b.call("Recv", message(1, -1, -1) + statuses())
    b.call("Recv", message(1, -1, -1) + statuses())
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    received = [call.view for call in of_rank(calls, 1) if call.operation == "recv"]
    assert [view.tag for view in received if view is not None] == list(range(300))
    assert account.left_out == {UNSENT: 1}


# ---- communicators


def test_splits_grids_and_duplicates_have_their_members(tmp_path: Path) -> None:
    ranks = starting(6)
    for place, rank in enumerate(ranks):
        rank.call("Comm_split", u2(WORLD) + i4(place % 2, -place) + u2(4))
        rank.call("Cart_create", u2(WORLD) + i4(2) + array([2, 3]) + array([0, 0]) + i4(0) + u2(5))
        rank.call("Cart_sub", i4(2) + u2(5) + array([0, 1]) + u2(6))
        rank.call("Comm_dup", u2(4) + u2(7))
        rank.call("Allreduce", i4(1) + u2(DOUBLE) + bytes([3]) + u2(7))
    account, calls = converted(write(tmp_path / "t", ended(ranks)))
    members = [c.words for c in of_rank(calls, 3) if c.operation == "communicator"]
    # Odd ranks by falling rank; all in rows of 3; the second row; the split once more.
    assert members == [(5, 3, 1), (0, 1, 2, 3, 4, 5), (3, 4, 5), (5, 3, 1)]
    assert account.left_out == {}
    assert played(tmp_path / "t") > 0


def test_a_communicator_of_everybody_that_nobody_made_is_the_world(tmp_path: Path) -> None:
    ranks = starting(3)
    for rank in ranks:
        rank.call("Barrier", u2(9))
    account, calls = converted(write(tmp_path / "t", ended(ranks)))
    assert [c.words for c in of_rank(calls, 1) if c.operation == "communicator"] == [(0, 1, 2)]
    assert any("duplicates of MPI_COMM_WORLD" in note for note in account.notes)
    assert account.left_out == {}


def test_calls_on_a_communicator_that_only_some_know_are_left_out(tmp_path: Path) -> None:
    ranks = starting(3)
    for rank in ranks[:2]:
        rank.call("Barrier", u2(9))
    account, _ = converted(write(tmp_path / "t", ended(ranks)))
    assert account.left_out == {"calls on communicators whose members are not known": 2}
    assert played(tmp_path / "t") >= 0


# ---- traces that lack calls


def test_unmatched_calls_are_left_out_and_counted(tmp_path: Path) -> None:
    a, b = starting(2)
    for _ in range(3):
        a.call("Send", message(1, 1, 5))
    b.call("Recv", message(1, 0, 5) + statuses())
    b.call("Recv", message(1, 0, 6) + statuses())  # never sent
    b.call("Irecv", message(1, 0, 6) + i4(2))
    b.call("Waitall", i4(2) + array([2, 77]) + statuses())  # 77 was never opened
    a.call("Barrier", u2(WORLD))
    account, _ = converted(write(tmp_path / "t", ended([a, b])))
    assert account.left_out == {
        UNRECEIVED: 2,
        UNSENT: 2,
        "collectives that not all members of the communicator have recorded alike": 1,
        "requests that are waited for and that no recorded call has opened": 1,
    }
    assert odonata.replay(tmp_path / "t/out.trace", MACHINE).summary["messages"] == 1


def test_what_a_wait_found_is_renumbered_when_requests_are_left_out(tmp_path: Path) -> None:
    a, b = starting(2)
    a.call("Send", message(1, 1, 5))
    b.call("Irecv", message(1, 0, 6) + i4(2))  # never sent
    b.call("Irecv", message(1, 0, 5) + i4(3))
    b.call("Waitany", i4(2) + array([2, 3]) + i4(1) + statuses(status(0, 5, 4)))
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    assert account.left_out == {UNSENT: 1}
    (wait,) = [call for call in calls if call.function == "MPI_Waitany"]
    assert (len(wait.words), [outcome.index for outcome in wait.outcomes]) == (1, [0])
    assert played(tmp_path / "t") > 0


def test_collectives_are_kept_until_members_differ(tmp_path: Path) -> None:
    """Rank 1 has not recorded its second barrier: a broadcast stands in its place."""
    a, b = starting(2)
    broadcast = i4(10) + u2(INT) + i4(0) + u2(WORLD)
    for name, fields in (("Barrier", u2(WORLD)), ("Barrier", u2(WORLD)), ("Bcast", broadcast)):
        a.call(name, fields)
    for name, fields in (("Barrier", u2(WORLD)), ("Bcast", broadcast), ("Barrier", u2(WORLD))):
        b.call(name, fields)
    account, calls = converted(write(tmp_path / "t", ended([a, b])))
    assert account.left_out == {
        "collectives that not all members of the communicator have recorded alike": 4
    }
    kept = [call.function for call in calls if call.operation == "collective"]
    assert kept == ["MPI_Barrier", "MPI_Barrier"]  # the first one of each rank
    assert played(tmp_path / "t") > 0


def test_a_circle_of_ranks_that_wait_is_broken(tmp_path: Path) -> None:
    """Each rank's first send was not recorded: its first receive takes the second message."""
    a, b = starting(2)
    for rank, peer in ((a, 1), (b, 0)):
        rank.call("Recv", message(1, peer) + statuses())
        rank.call("Send", message(1, peer))
    account, _ = converted(write(tmp_path / "t", ended([a, b])))
    # Rank 0's receive and its message are given up; the other pair continues.
    assert account.left_out == {UNRECEIVED: 1, UNSENT: 1}
    assert odonata.replay(tmp_path / "t/out.trace", MACHINE).summary["messages"] == 1


def test_large_sends_that_wait_in_a_circle_do_not_hang_a_replay(tmp_path: Path) -> None:
    """Each rank posted its receive before it sent; only later calls were recorded."""
    ranks = starting(3)
    for place, rank in enumerate(ranks):
        rank.call("Isend", message(10**6, (place + 1) % 3) + i4(7))
        rank.call("Wait", i4(7) + statuses())
        rank.call("Recv", message(10**6, (place - 1) % 3) + statuses())
    account, calls = converted(write(tmp_path / "t", ended(ranks)))
    modes = [call.view.mode for call in calls if call.operation == "isend" and call.view]
    assert modes == ["buffered", "standard", "standard"]
    assert any(
        note.startswith("1 synchronous or large sends do not wait") for note in account.notes
    )
    assert account.left_out == {}
    assert odonata.replay(tmp_path / "t/out.trace", MACHINE).summary["messages"] == 3


def test_random_losses_always_leave_a_trace_that_plays(tmp_path: Path) -> None:
    for seed in range(8):
        draw = random.Random(seed)
        ranks = starting(4)
        for step in range(60):
            for place, rank in enumerate(ranks):
                right, left = (place + 1) % 4, (place - 1) % 4
                size = (1, 10**5)[seed % 2]
                some = [
                    ("Irecv", message(size, draw.choice([left, -1]), step % 3) + i4(10 + step)),
                    ("Send", message(size, right, step % 3)),
                    ("Wait", i4(10 + step) + statuses(*[status(left, step % 3)] * (step % 2))),
                    ("Allreduce", i4(1) + u2(INT) + bytes([3]) + u2(WORLD)),
                ]
                for name, fields in some:
                    if draw.random() < 0.9:
                        rank.call(name, fields)
        account, _ = converted(write(tmp_path / f"{seed}", ended(ranks)))
        assert account.left_out[UNRECEIVED] > 0
        assert played(tmp_path / f"{seed}") > 0


def test_coverage_compares_the_footer_with_the_calls(tmp_path: Path) -> None:
    ranks = ended(starting(2))
    for rank in ranks:
        rank.ignore("Iprobe", 999)
    account, _ = converted(write(tmp_path / "t", ranks))
    assert account.coverage is not None
    assert account.coverage.called == {"MPI_Init": 2, "MPI_Finalize": 2, "MPI_Iprobe": 1998}
    assert account.coverage.recorded == {"MPI_Init": 2, "MPI_Finalize": 2}
    assert account.coverage.share == pytest.approx(4 / 2002)


# ---- folders


def test_other_files_of_the_folder_are_ignored(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", ended(starting(2)))
    (folder / "._dumpi-test-0000.bin").write_bytes(b"\0\5\26\7 of a Macintosh")
    (folder / "other.meta").write_text("numprocs=77\n")
    (folder / "notes.txt").write_text("text")
    account, _ = converted(folder)
    assert account.ranks == 2
    files, ignored = find_files(folder)
    assert [file.name for file in files] == ["dumpi-test-0000.bin", "dumpi-test-0001.bin"]
    assert ignored == ["._dumpi-test-0000.bin", "notes.txt", "other.meta", "out.trace"]


def test_a_missing_rank_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "t", ended(starting(3)))
    (folder / "dumpi-test-0001.bin").unlink()
    with pytest.raises(UserError, match="1 of 3 ranks have no file: 1"):
        find_files(folder)


def test_two_traces_in_a_folder_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "t", ended(starting(2)))
    write(tmp_path / "t", ended(starting(1)), prefix="second")
    with pytest.raises(UserError, match="several DUMPI traces"):
        find_files(tmp_path / "t")
    assert len(find_files(tmp_path / "t" / "second-0000.bin")[0]) == 1
    assert len(find_files(tmp_path / "t" / "dumpi-test.meta")[0]) == 2


# ---- damage


def test_an_unknown_function_is_named_with_its_place(tmp_path: Path) -> None:
    ranks = starting(1)
    place = 8 + 8 + len(ranks[0].body)
    folder = write(tmp_path / "t", [ranks[0].call("Pcontrol", b"")])
    with pytest.raises(UserError, match=rf"record at byte {place}: function number 128"):
        convert(folder, tmp_path / "out.trace")
    assert not (tmp_path / "out.trace").exists()


@pytest.mark.parametrize("claimed", [2**31 - 1, 10**6, -1])
def test_arrays_longer_than_the_file_are_refused(tmp_path: Path, claimed: int) -> None:
    rank = starting(1)[0].call("Waitall", i4(2, claimed) + i4(2, 3))
    folder = write(tmp_path / "t", [rank])
    with pytest.raises(UserError, match="more than the file has"):
        convert(folder, tmp_path / "out.trace")


def test_damaged_files_end_in_one_clear_error(tmp_path: Path) -> None:
    """Bytes are changed, cut off and doubled at random: nothing but UserError comes out."""
    a, b = starting(2)
    a.call("Isend", message(3, 1) + i4(2)).call("Waitall", i4(1) + array([2]) + statuses())
    b.call("Irecv", message(3, 0) + i4(2)).call("Wait", i4(2) + statuses(status()))
    for rank in (a, b):
        rank.call("Comm_split", u2(WORLD) + i4(1, 1) + u2(4)).call("Barrier", u2(4))
    folder = write(tmp_path / "t", ended([a, b]))
    whole = (folder / "dumpi-test-0000.bin").read_bytes()
    refused = 0
    for seed in range(300):
        draw = random.Random(seed)
        spoilt = bytearray(whole)
        if seed % 3 == 0:
            del spoilt[draw.randrange(len(spoilt)) :]
        else:
            for _ in range(draw.randrange(1, 4)):
                place = draw.randrange(len(spoilt) if seed % 3 == 1 else 400)
                spoilt[place] = draw.randrange(256)
        (folder / "dumpi-test-0000.bin").write_bytes(spoilt)
        try:
            convert(folder, tmp_path / "out.trace")
        except UserError:
            refused += 1
    assert 100 < refused < 300
