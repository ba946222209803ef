"""``odonata replay``, ``odonata trace show``, and `odonata.replay`."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal

import numpy as np
import pytest
from exchange import EXCHANGE, FUNCTIONS, write_exchange

import odonata
from odonata import machine, workload
from odonata.errors import DeadlockError, UserError, WriteError
from odonata.placement import place
from odonata.simulate import Job, simulate
from odonata.trace import Block, Call, Collective, Header, Reader, Receive, Send, Writer
from odonata.trace.calls import CALL, MATCH, Outcome
from odonata.trace.format import pack_start
from odonata.trace.views import ANY, Communicator
from odonata.trace.write import Recording
from odonata.workload.played import open_trace, with_recorded_compute

SHAPE = {
    "shape.nodes_per_router": 2,
    "shape.routers_per_group": 4,
    "shape.global_links_per_router": 2,
    "shape.groups": 9,
}
ROUND = {  # 1 B takes 1 ns
    **{f"links.{kind}.bandwidth": "1 GB/s" for kind in ("injection", "ejection")},
    **{f"links.{kind}.latency": "10 ns" for kind in ("injection", "ejection")},
    "router.delay": "50 ns",
    "nic.packet_bytes": "1000 B",
    "nic.header_bytes": "0 B",
    "mpi.send_overhead": "100 ns",
    "mpi.recv_overhead": "200 ns",
    "mpi.send_overhead_per_byte": "0 ps/B",
    "mpi.recv_overhead_per_byte": "0 ps/B",
    "mpi.poll": "30 ns",
    "node.compute_scale": 1,
}
MESSAGE = 100 + 10 + 50 + 1000 + 10 + 200
"""Time of 1000 B between two nodes of a router, with overheads [ns]."""


def small(changes: dict | None = None):
    return machine.load("dragonfly-5256", {**SHAPE, **ROUND, **(changes or {})})


def write(path, calls, *, header=None, matches=()):
    ranks = 1 + max(call.rank for call in calls)
    block = Block.of(calls, FUNCTIONS)
    found = np.array(list(matches), dtype=MATCH)
    with Writer(path, header or Header(ranks=ranks)) as writer:
        writer.write(Block(**{**vars(block), "matches": found}))
    return path


def ends(path, on, **options):
    """Return when each rank ended [ns]."""
    result = odonata.replay(path, on, engine="analytic", **options)
    return (result.jobs[0].finished / 1000).tolist()


def send(rank, to, tag=0, **changes):
    return Call(rank, "MPI_Send", "send", Send(to, tag, bytes=1000), **changes)


def recv(rank, source, tag=0, **changes):
    return Call(rank, "MPI_Recv", "recv", Receive(source, tag, bytes=1000), **changes)


def test_a_message_takes_what_it_takes_by_hand(tmp_path):
    path = write(tmp_path / "a.trace", [send(0, 1, compute=500), recv(1, 0)])
    assert ends(path, small())[1] == 500 + MESSAGE
    assert ends(path, small({"node.compute_scale": 3}))[1] == 3 * 500 + MESSAGE
    assert ends(path, small(), compute="none")[1] == MESSAGE


def test_a_test_in_vain_takes_its_time_whatever_is_there(tmp_path):
    def test(rank, *, flag):
        outcomes = (Outcome(0, source=0, bytes=1000),) if flag else ()
        return Call(rank, "MPI_Test", "test", words=(1,), flag=flag, outcomes=outcomes)

    receive = Call(1, "MPI_Irecv", "irecv", Receive(0, bytes=1000), request=1)
    vain = [test(1, flag=False)] * 100
    early = write(tmp_path / "a.trace", [send(0, 1), receive, *vain, test(1, flag=True)])
    assert ends(early, small())[1] == 100 * 30 + 200  # and the receive overhead
    late = write(tmp_path / "b.trace", [send(0, 1), receive, *vain[:2], test(1, flag=True)])
    assert ends(late, small())[1] == MESSAGE


def test_a_receive_from_anyone_takes_the_message_that_it_took(tmp_path):
    """Rank 2 is late, and yet its message is the first."""
    receives = [Call(0, "MPI_Irecv", "irecv", Receive(ANY, bytes=1000), request=r) for r in (1, 2)]
    first = Outcome(0, source=2, bytes=1000)
    wait = Call(0, "MPI_Waitany", "wait_any", words=(1, 2), flag=True, outcomes=(first,))
    calls = [*receives, wait, send(1, 0), send(2, 0, compute=50_000)]
    path = write(tmp_path / "a.trace", calls, matches=[(0, 2, 0), (0, 1, 1)])
    nodes = place(small(), 3, allocation=[0, 1, 4])
    assert ends(path, small(), placement=nodes)[0] > 50_000
    undecided = write(tmp_path / "b.trace", calls)
    assert ends(undecided, small(), placement=nodes)[0] < 50_000


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("algorithm", ["ring", "bruck"])
def test_a_collective_takes_what_the_rank_program_takes(engine, algorithm, tmp_path):
    calls = [
        Call(rank, "MPI_Allgather", "collective", Collective(3000, operation="allgather"))
        for rank in range(7)
    ]
    path = write(tmp_path / "a.trace", calls)
    on, chosen = small(), {"allgather": algorithm}
    played = odonata.replay(path, on, collectives=chosen, engine=engine, digest=True)
    asked = workload.Collective("allgather", algorithm, bytes=3000)
    program = simulate(on, [Job(asked, place(on, 7))], engine=engine, digest=True)
    assert played.jobs[0].finished.tolist() == program.jobs[0].finished.tolist()
    assert played.summary["digest"] == program.summary["digest"]


@pytest.mark.parametrize(
    ("library", "algorithm"), [("mpich", "binomial"), ("openmpi", "binomial_growing")]
)
def test_auto_takes_the_choices_of_an_mpi(library, algorithm, tmp_path):
    """The choices for 3,000 B among seven ranks: trees whose distances fall and grow."""
    asked = Collective(3000, operation="bcast")
    path = write(
        tmp_path / "a.trace", [Call(rank, "MPI_Bcast", "collective", asked) for rank in range(7)]
    )
    on = small()

    def played(machine, chosen):
        return odonata.replay(path, machine, collectives=chosen, digest=True).summary["digest"]

    known = played(on, {"bcast": algorithm})
    assert played(on, {"auto": library}) == known
    assert played(on, {"auto": "openmpi", "bcast": algorithm}) == known
    if library == "openmpi":
        assert played(on.with_values({"mpi.library": "openmpi-4.1"}), {}) == known
        assert played(on, {}) != known


def test_blocks_may_be_of_any_size(tmp_path):
    calls = [
        call for i in range(40) for call in (send(i % 3, (i + 1) % 3), recv((i + 1) % 3, i % 3))
    ]
    times = set()
    for size in (1, 7, 80):
        path = tmp_path / f"{size}.trace"
        with Writer(path, Header(ranks=3)) as writer:
            for begin in range(0, len(calls), size):
                writer.write(Block.of(calls[begin : begin + size], FUNCTIONS))
        times.add(tuple(ends(path, small())))
    assert len(times) == 1


def test_calls_that_wait_for_a_late_rank_are_bounded(tmp_path, monkeypatch):
    """Rank 0 waits for rank 1, whose first call comes in the last of a hundred blocks."""
    monkeypatch.setattr("odonata.workload.played.MOST_HELD_BYTES", 4_000)
    late = [*([send(0, 1)] * 100), *([recv(1, 0)] * 100)]
    even = [send(0, 1), recv(1, 0), recv(0, 1), send(1, 0)] * 50  # there and back
    for calls in (late, even):
        path = tmp_path / "run.trace"
        with Writer(path, Header(ranks=2)) as writer:
            for at in range(0, 200, 2):
                writer.write(Block.of(calls[at : at + 2], FUNCTIONS))
        played = lambda: odonata.replay(path, small())  # noqa: B023, E731
        if calls is even:
            assert played().summary["messages"] == 100
        else:
            with pytest.raises(UserError, match=r"early and late: \d+; allowed: up to 4000"):
                played()


def test_recorded_compute_times_go_to_the_same_calls(tmp_path):
    then = [send(0, 1, compute=500), recv(1, 0)]
    now = [send(0, 1, compute=7), recv(1, 0, compute=3)]
    before, after = write(tmp_path / "a.trace", then), write(tmp_path / "b.trace", now)
    source = with_recorded_compute(open_trace(after), before, ranks=2)
    times = [np.frombuffer(source.next(rank)[0], CALL)["compute"][0] for rank in (0, 1)]
    assert times == [500, 0]
    assert source.next(0) is None
    other = write(tmp_path / "c.trace", [recv(0, 1), recv(1, 0)])
    source = with_recorded_compute(open_trace(other), before, ranks=2)
    with pytest.raises(UserError, match="rank 0 calls: 'MPI_Recv'; allowed: MPI_Send"):
        source.next(0)
    with pytest.raises(UserError, match="another number of ranks: 2; allowed: 3"):
        with_recorded_compute(open_trace(after), before, ranks=3)


def test_what_is_recorded_while_it_is_played_is_the_same(tmp_path):
    """A trace of a replay is the trace."""
    path = write_exchange(tmp_path / "a.trace")
    with Reader(path) as reader:
        header = reader.header
    recording = Recording(tmp_path / "b.trace", Header(ranks=2), open_trace(path))
    calls = [(rank, recording.source.next(rank)[0].tolist()) for rank in (0, 1) for _ in range(5)]
    recording.finish(end=8)
    again = open_trace(tmp_path / "b.trace")
    assert [(rank, again.next(rank)[0].tolist()) for rank in (0, 1) for _ in range(5)] == calls
    with Reader(tmp_path / "b.trace") as reader:
        assert len(list(reader.blocks())) == 1
        assert reader.totals.end == 8
        assert reader.totals.records == len(EXCHANGE)
        assert header.ranks == reader.header.ranks


def test_a_recording_that_does_not_end_can_be_read(tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    recording = Recording(tmp_path / "b.trace", Header(ranks=2), open_trace(path))
    recording.source.next(1)
    part = recording.leave()
    assert part == tmp_path / "b.trace.part"
    with Reader(part) as reader:
        assert [len(block) for block in reader.blocks()] == [1]
        assert reader.totals is None
    assert recording.leave() is None  # it was left already


@pytest.mark.parametrize("path", ["/dev/full", "nowhere/a.trace"])
def test_a_trace_that_cannot_be_written_says_so(path):
    with pytest.raises(WriteError, match=r"cannot be written: No (space|such)"):
        Writer(path, Header(ranks=2))


def test_an_older_trace_stays_until_the_new_one_is_complete(tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    older = path.read_bytes()
    writer = Writer(path, Header(ranks=2))
    writer.write(Block.of(EXCHANGE, FUNCTIONS))
    assert path.read_bytes() == older
    assert len(list(tmp_path.iterdir())) == 2
    writer.close()
    assert path.read_bytes() != older
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("header_bytes", [0.5, 1.01])  # it ends in the header, or in a block
def test_a_disk_that_fills_leaves_the_older_trace(header_bytes, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    older = path.read_bytes()
    calls = [call for i in range(300) for call in (send(0, 1, tag=i**3), recv(1, 0, tag=i**3))]
    most = int(len(pack_start(Header(ranks=2))) * header_bytes)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        with pytest.raises(WriteError, match=r"a\.trace: cannot be written: File too large"):
            write(path, calls)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_bytes() == older
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_block_ends_the_recording(tmp_path, monkeypatch):
    """Nothing is written after it, whatever the run does."""
    path = write_exchange(tmp_path / "a.trace")
    recording = Recording(tmp_path / "b.trace", Header(ranks=2), open_trace(path))
    recording.source.next(0)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(WriteError, match="No space left"):
        recording.finish()
    assert recording.leave() is None
    assert list(tmp_path.iterdir()) == [path]


# ---- refusals


def test_half_a_trace_is_not_played(tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(UserError, match="its end is missing"):
        odonata.replay(path, small())


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (send(0, 2), "call 0: a rank that its communicator does not have"),
        (send(0, 1, comm=9), "call 0: a communicator that is not there"),
        (Call(0, "MPI_Wait", "wait", request=7), "call 0: a request that nothing opened"),
        (Call(0, "MPI_Wait", "wait", request=1), "rank 0: request: 1; allowed"),
        (Call(0, "MPI_Test", "test", words=(2**40,)), "call 0: a request that nothing opened"),
        (Call(0, "MPI_Comm_dup", "communicator", Communicator(0, 1), 2, words=(0, 1)), "itself"),
        (Call(0, "MPI_Send", "send", Send(1, bytes=2**60)), "call 0: bytes out of range"),
    ],
)
def test_calls_that_cannot_be_played_are_refused(call, problem, tmp_path):
    path = write(tmp_path / "a.trace", [call, Call(1, "MPI_Finalize", "finalize")])
    with pytest.raises(UserError, match=problem):
        odonata.replay(path, small())


def test_a_deadlock_is_another_error_than_wrong_input(tmp_path):
    path = write(tmp_path / "a.trace", [recv(0, 1), Call(1, "MPI_Finalize", "finalize")])
    with pytest.raises(DeadlockError, match="rank 0 of job 0 in MPI_Recv waits for rank 1"):
        odonata.replay(path, small())


def test_the_wrong_number_of_ranks_and_no_machine_are_refused(tmp_path):
    path = write(tmp_path / "a.trace", [send(0, 1), recv(1, 0)])
    with pytest.raises(UserError, match="another number of ranks"):
        odonata.replay(path, small(), placement=place(small(), 3))
    with pytest.raises(UserError, match="the trace names none"):
        odonata.replay(path)
    with pytest.raises(UserError, match="did you mean 'ring'"):
        odonata.replay(path, small(), collectives={"allgather": "rign"})
    with pytest.raises(UserError, match="compute: unknown"):
        odonata.replay(path, small(), compute="some")


# ---- the command line


def test_replay_prints_a_document(run_odonata, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    status, out, err = run_odonata(
        "replay", path, "--json", "--digest", "--collective", "allreduce=ring"
    )
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["machine"] == "eos"  # where it was recorded
    assert document["ranks"] == 2
    assert document["workload"] == "a.trace"
    assert document["mpi_calls"]["MPI_Waitany"] == 1
    assert sum(document["mpi_calls"].values()) == len(EXCHANGE)
    assert document["digest"]


def test_ranks_stay_where_they_were_on_the_same_machine(run_odonata, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    target = tmp_path / "a.nc"
    for options, nodes in (
        ([], [3, 9]),
        (["--machine", "eos"], [3, 9]),
        (["--machine", "edison"], [0, 1]),
        (["--allocation", "7,5"], [7, 5]),
        (["--ranks-per-node", "2"], [0, 0]),
    ):
        assert run_odonata("replay", path, "-o", target, *options)[0] == 0
        from odonata.result import Result

        assert Result.load(target).jobs[0].nodes.tolist() == nodes


def test_an_order_gives_ranks_the_nodes_of_others(run_odonata, tmp_path):
    """Rank i goes where the rank is that the file has at i, as in a topology that MPI reorders."""
    path, order = write_exchange(tmp_path / "a.trace"), tmp_path / "order"
    order.write_text("1 0\n")
    target = tmp_path / "a.nc"
    for options, nodes in (([], [9, 3]), (["--allocation", "7,5"], [5, 7])):
        words = ["replay", path, "--reorder", order, "-o", target, *options]
        assert run_odonata(*words)[0] == 0
        from odonata.result import Result

        assert Result.load(target).jobs[0].nodes.tolist() == nodes
    assert odonata.replay(path, reorder=order).jobs[0].nodes.tolist() == [9, 3]
    for wrong, said in (("0", "entries than the run has ranks: 1; allowed: 2"), ("0 0", "twice")):
        order.write_text(wrong)
        status, _, err = run_odonata("replay", path, "--reorder", order)
        assert (status, err.count("\n")) == (2, 1)
        assert said in err


def test_wrong_options_are_one_line(run_odonata, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    for options, problem in (
        (["--collective", "ring"], "--collective: not understood"),
        (["--collective", "sum=ring"], "operation: unknown"),
        (["--collective", "auto=openmp"], "did you mean 'openmpi'"),
        (["--machine", "eso"], "eos"),
        (["--engine", "magic"], "engine: unknown"),
    ):
        status, out, err = run_odonata("replay", path, *options)
        assert (status, out) == (2, "")
        assert problem in err
        assert err.count("\n") == 1
    assert run_odonata("replay", tmp_path / "none.trace")[0] == 2


def test_show_counts_what_is_there(run_odonata, tmp_path):
    path = write_exchange(tmp_path / "a.trace")
    status, out, _ = run_odonata("trace", "show", path, "--json")
    document = json.loads(out)
    assert status == 0
    assert document["complete"]
    assert document["calls"] == len(EXCHANGE)
    assert document["functions"]["MPI_Isend"] == {
        "calls": 1,
        "bytes": 4096,
        "compute_seconds": 1e-6,
    }
    assert document["sent_bytes"] == 4096
    assert document["communicators"] == 2
    assert document["compute_seconds"] == pytest.approx(3e-6)
    assert document["longest_compute_seconds"] == pytest.approx(2e-6)
    path.write_bytes(path.read_bytes()[:-40])
    status, out, _ = run_odonata("trace", "show", path)
    assert status == 0
    assert "10 (the end of the trace is missing)" in out
    assert "MPI_Waitany" in out


def test_a_name_cannot_tell_a_terminal_what_to_do(run_odonata, tmp_path):
    header = Header(ranks=1, program="\x1b]0;gotcha\x07", machine="\x1b[2J")
    path = write(tmp_path / "a.trace", [Call(0, "MPI_Init", "local")], header=header)
    assert "\x1b" not in run_odonata("trace", "show", path)[1]
