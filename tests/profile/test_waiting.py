"""Waits of traces with times: what show says of them, and what damaged logs say."""

import json

import numpy as np
import pytest

from odonata import profile
from odonata.errors import UserError
from odonata.profile.waiting import communicates
from odonata.trace import Header, Reader, Writer, function_names
from odonata.trace.calls import MORE, Block, Call
from odonata.trace.views import Collective, Receive, Send

# Rank 1 waits 70 ns of its 90 in a receive; rank 0 waits 40 ns for rank 1 in the reduction.
CALLS = [
    (Call(0, "MPI_Send", "send", Send(to=1, bytes=64)), 1170, 1180),
    (
        Call(0, "MPI_Allreduce", "collective", Collective(bytes=8, operation="allreduce")),
        1200,
        1260,
    ),
    (Call(1, "MPI_Recv", "recv", Receive(source=0, bytes=64)), 1100, 1190),
    (
        Call(1, "MPI_Allreduce", "collective", Collective(bytes=8, operation="allreduce")),
        1240,
        1260,
    ),
]


def write(path, calls=CALLS):
    functions = function_names()
    block = Block.of([call for call, *_ in calls], functions)
    block.times.resize((len(calls), 2), refcheck=False)
    block.times[:] = [times for _, *times in calls]
    with Writer(path, Header(ranks=2)) as writer:
        writer.write(block)


def test_show_tells_waiting_from_transfer(odonata, tmp_path):
    trace = tmp_path / "a.trace"
    write(trace)
    shown = json.loads(odonata("profile", "show", trace, "--json").stdout)
    waiting = shown["waiting"]
    assert waiting["reasons"]["late_sender"] == {"seconds": pytest.approx(70e-9), "calls": 1}
    assert waiting["reasons"]["wait_at_nxn"] == {"seconds": pytest.approx(40e-9), "calls": 1}
    assert waiting["ranks"] == pytest.approx([40e-9, 70e-9])
    recv = {"seconds": 90e-9, "waiting": 70e-9, "transfer": 20e-9, "late_sender": 70e-9}
    assert waiting["calls"]["MPI_Recv"] == pytest.approx(recv)
    # In calls that communicate: 10 + 60 + 90 + 20 ns, of which 110 are waits.
    assert waiting["transfer_seconds"] == pytest.approx(70e-9)
    assert waiting["mpi_share"] == pytest.approx(110 / 180)
    assert (waiting["messages"], waiting["reversed_messages"]) == (1, 0)
    assert shown["time"]["wall_seconds"] == pytest.approx([90e-9, 160e-9])
    assert shown["calls"]["MPI_Allreduce"]["seconds"] == pytest.approx(80e-9)
    text = odonata("profile", "show", trace).stdout
    assert "late sender" in text


def test_times_are_read_as_they_were_written(tmp_path):
    write(tmp_path / "a.trace")
    with Reader(tmp_path / "a.trace") as reader:
        (block,) = reader.blocks()
    assert block.times.tolist() == [list(times) for _, *times in CALLS]


def test_a_trace_without_times_has_no_waits(tmp_path):
    with Writer(tmp_path / "a.trace", Header(ranks=2)) as writer:
        writer.write(Block.of([call for call, *_ in CALLS], function_names()))
    views = profile.Views(profile.read(tmp_path / "a.trace"))
    assert views.plain()["waiting"] is None
    assert views.plain()["time"] is None


def test_a_call_that_ends_before_it_begins_is_damage(tmp_path):
    write(tmp_path / "a.trace", [(CALLS[0][0], 20, 10)])
    with pytest.raises(UserError, match="ends before it begins"):
        profile.read(tmp_path / "a.trace")


def test_functions_that_communicate():
    names = [name for name in function_names() if communicates(name)]
    assert {
        "MPI_Send",
        "MPI_Ibsend",
        "MPI_Imrecv",
        "MPI_Waitsome",
        "MPI_Neighbor_alltoallw_c",
        "MPI_Ineighbor_allgatherv",
        "MPI_Ibarrier",
        "MPI_Sendrecv_replace_c",
    } <= set(names)
    assert not {"MPI_Comm_dup", "MPI_Init", "MPI_Test", "MPI_Iprobe", "MPI_Win_start"} & set(names)


def log(path, rank, calls, *, used=None, head=None):
    """Write the log of a rank: raw records, and what its head says."""
    content = b"".join(calls)
    start = np.zeros(65536, dtype=np.uint8)
    start[:8] = list(b"\x89ODL\r\n\x1a\n")
    start[8:12].view("<u4")[0] = 1
    start[12:16].view("<u4")[0] = 1
    start[16:24].view("<i4")[:] = (rank, 2)
    start[24:32].view("<u8")[0] = len(content) if used is None else used
    start[48:56].view("<f8")[0] = 1e-9
    for place, value in (head or {}).items():
        start[place : place + 4].view("<i4")[0] = value
    path.write_bytes(start.tobytes() + content)


def entry(function, operation, *, flags=0, words=(), num_words=None, times=(10, 20)):
    """Return the bytes of a call in a log."""
    call = np.zeros(72, dtype=np.uint8)
    call[0:2].view("<u2")[0] = function
    call[2] = operation
    call[3] = flags
    call[12:16].view("<u4")[0] = len(words) if num_words is None else num_words
    call[48:64].view("<u8")[:] = times
    return call.tobytes() + np.array(words, dtype="<u8").tobytes()


INIT_NUMBER = function_names().index("MPI_Init")
INIT = entry(INIT_NUMBER, 0)


def test_logs_become_a_trace_and_go(tmp_path):
    for rank in range(2):
        log(tmp_path / f"rank-{rank}.odl", rank, [INIT, INIT])
    views = profile.Views(profile.read(tmp_path))
    assert views.calls["MPI_Init"].count == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["trace"]


def test_between_calls_a_rank_computes(tmp_path):
    mine = INIT_NUMBER
    calls = [
        entry(mine, 0, times=(10, 20)),
        entry(mine, 0, times=(50, 60)),
        entry(mine, 0, times=(75, 80), flags=MORE),  # belongs to the call before
        entry(mine, 0, times=(70, 90)),  # the clock went back
        entry(mine, 0, times=(97, 98)),
    ]
    log(tmp_path / "rank-0.odl", 0, calls)
    log(tmp_path / "rank-1.odl", 1, [INIT])
    with Reader(tmp_path) as reader:
        (block,) = reader.blocks()
    own = block.ranks == 0
    assert block.calls["compute"][own].tolist() == [0, 30, 0, 0, 7]
    assert block.times[own].tolist() == [[10, 20], [50, 60], [75, 80], [80, 90], [97, 98]]


@pytest.mark.parametrize("times", [(2**63 - 1, 2**63 - 1), (0, 2**63), (2**60, 2**61)])
def test_times_that_no_run_takes_end_in_an_error(tmp_path, times):
    log(tmp_path / "rank-0.odl", 0, [INIT, entry(INIT_NUMBER, 0, times=times)])
    log(tmp_path / "rank-1.odl", 1, [INIT])
    with pytest.raises(UserError, match="damaged"):
        profile.read(tmp_path)


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ({"head": {16: 0}}, "of another run than the other logs"),
        ({"head": {20: 3}}, "of another run than the other logs"),
        ({"head": {16: 7}}, "damaged in its head"),
        ({"head": {8: 2}}, "format of another version"),
        ({"head": {0: 0}}, "not the log of a rank"),
        ({"calls": [entry(65535, 0)]}, "damaged: it has an unknown call"),
        ({"calls": [entry(0, 200)]}, "damaged: it has an unknown call"),
        ({"calls": [entry(0, 6, words=[9])]}, "a request that nothing opened"),
    ],
)
def test_damaged_logs_are_refused(tmp_path, second, why):
    log(tmp_path / "rank-0.odl", 0, [INIT])
    given = {"calls": [INIT], **second}
    log(tmp_path / "rank-1.odl", 1, given.pop("calls"), **given)
    with pytest.raises(UserError, match=why):
        profile.read(tmp_path)
    assert not (tmp_path / "trace").exists()


def test_a_log_that_is_cut_off_is_read_to_its_last_call(tmp_path):
    log(tmp_path / "rank-0.odl", 0, [INIT, INIT])
    # It claims more than there is, and its last call words that would take 32 GiB.
    log(tmp_path / "rank-1.odl", 1, [INIT, entry(0, 0, num_words=2**32 - 1)], used=2**62)
    assert profile.Views(profile.read(tmp_path)).calls["MPI_Init"].count == 3
