"""Rank programs in Python: the vocabulary of MPI, as generators."""

from __future__ import annotations

import pytest

from odonata import machine
from odonata.errors import DeadlockError, UserError
from odonata.placement import place
from odonata.simulate import Job, run
from odonata.workload import ANY_SOURCE, ANY_TAG, Collective, Program, collectives

# 1 GB/s: a byte takes 1 ns. An empty message between neighbours on a router takes
# 10 ns + 100 ns + 10 ns: two wires and a router.
MACHINE = machine.load(
    "dragonfly-5256",
    {"links.injection.bandwidth": "1 GB/s", "links.ejection.bandwidth": "1 GB/s"},
)
EMPTY_PS = 120_000


def finish(function, ranks=2):
    """Run a program; when each rank ended [ps]."""
    return run(MACHINE, [Job(Program(function), place(MACHINE, ranks))]).jobs[0].finished.tolist()


def test_a_message_takes_wires_router_and_bytes():
    def program(rank):
        if rank.index == 0:
            yield rank.send(1, 1000)
        else:
            yield rank.recv(0, 1000)

    assert finish(program) == [0, EMPTY_PS + 1_000_000]


def test_a_receive_tells_what_it_got():
    seen = []

    def program(rank):
        if rank.index == 0:
            yield rank.send(1, "1 KiB", tag=7)
        else:
            status = yield rank.recv(ANY_SOURCE, "4 KiB", tag=ANY_TAG)
            seen.append((status.source, status.tag, status.bytes, round(rank.now * 1e12)))

    finish(program)
    assert seen == [(0, 7, 1024, EMPTY_PS + 1_024_000)]


def test_requests_are_waited_for_together():
    def program(rank):
        other = 1 - rank.index
        requests = [rank.irecv(other, 0, tag=tag) for tag in (0, 1)]
        requests += [rank.isend(other, 0, tag=tag) for tag in (1, 0)]
        yield rank.wait_all(requests)
        yield rank.sendrecv(other, 0, other, 0)

    assert finish(program) == [2 * EMPTY_PS, 2 * EMPTY_PS]


def test_computing_takes_its_time_and_phases_are_marked():
    def program(rank):
        rank.phase("compute")
        yield rank.compute("3 us")
        rank.phase("meet")
        yield rank.barrier()

    job = run(MACHINE, [Job(Program(program), place(MACHINE, 2))]).jobs[0]
    assert job.finished.tolist() == [3_000_000 + EMPTY_PS] * 2
    assert job.phases == ("compute", "meet")
    assert job.marks["begin"].tolist() == [0, 0, 3_000_000, 3_000_000]


@pytest.mark.parametrize(
    "call",
    [
        lambda rank: rank.allgather(8),
        lambda rank: rank.allgather(8, algorithm="tar"),
        lambda rank: rank.scatter(8, root=1),
        lambda rank: rank.gather(8),
        lambda rank: rank.bcast("1 MiB"),
        lambda rank: rank.reduce(8),
        lambda rank: rank.allreduce(8),
        lambda rank: rank.reduce_scatter(8),
        lambda rank: rank.scan(8),
        lambda rank: rank.exscan(8),
        lambda rank: rank.alltoall(8),
        lambda rank: rank.barrier(),
    ],
)
def test_every_collective_can_be_called(call):
    def program(rank):
        yield call(rank)

    assert max(finish(program, ranks=5)) > 0


@pytest.mark.parametrize("operation", collectives())
def test_a_collective_is_called_by_its_name(operation):
    def program(rank):
        yield rank.collective(operation, 8, root=1 if collectives()[operation].rooted else 0)

    alone = run(MACHINE, [Job(Collective(operation, bytes=8), place(MACHINE, 5))]).jobs[0]
    assert max(finish(program, ranks=5)) == max(alone.finished.tolist()) > 0


def test_a_communicator_of_some_ranks():
    def program(rank):
        half = [r for r in range(rank.size) if r % 2 == rank.index % 2]
        mine = rank.on(half)
        assert (mine.size, half[mine.index]) == (3, rank.index)
        yield mine.barrier()

    assert len(finish(program, ranks=6)) == 6


def test_collectives_are_those_of_the_communicator():
    def some(rank):  # a third one has no part in the barrier
        yield rank.on([0, 1]).barrier() if rank.index < 2 else rank.compute("1 ns")

    def all_of_two(rank):
        yield rank.barrier()

    assert finish(some, ranks=3)[:2] == finish(all_of_two, ranks=2)


def test_receives_take_no_message_of_a_collective():
    def program(rank):
        early = rank.irecv(1 - rank.index, 8)
        yield rank.allreduce(64)
        yield rank.send(1 - rank.index, 8)
        status = yield rank.wait(early)
        assert status.bytes == 8

    finish(program, ranks=2)


def test_where_ranks_are():
    def program(rank):
        assert [rank.node_of(5), rank.router_of(5), rank.router_of(6)] == [5, 0, 1]
        assert rank.group_of(6) == 0
        yield rank.compute("1 ns")

    finish(program, ranks=7)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda rank: rank.send(2, 8), "rank: out of range: 2; allowed: 0 to 1"),
        (lambda rank: rank.recv(-3, 8), "rank: out of range: -3"),
        (lambda rank: rank.send(1, -8), "bytes: out of range"),
        (lambda rank: rank.send(1, 8, tag=-1), "tag: out of range"),
        (lambda rank: rank.compute("3"), "a number without a unit"),
        (lambda rank: rank.allgather(8, algorithm="rng"), "did you mean 'ring'"),
        (lambda rank: rank.collective("allgathr", 8), "did you mean 'allgather'"),
        (lambda rank: rank.collective("allgather", 8, root=1), "allgather has no root"),
        (lambda rank: rank.bcast(8, root=2), "rank: out of range: 2"),
        (lambda rank: rank.on([1 - rank.index]), "communicator: wrong ranks"),
        (lambda rank: "nothing", "yields a"),
    ],
)
def test_a_wrong_call_is_refused(wrong, said):
    def program(rank):
        yield wrong(rank)

    with pytest.raises(UserError, match=said):
        finish(program)


def test_a_deadlock_says_who_waits_for_whom():
    def program(rank):
        yield rank.recv(1 - rank.index, 8)

    with pytest.raises(DeadlockError, match="rank 0 of job 0 waits for rank 1"):
        finish(program)


def test_errors_of_a_program_are_passed_on():
    def program(rank):
        yield rank.compute("1 ns")
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        finish(program)


def test_what_is_not_a_generator_function_is_refused():
    with pytest.raises(UserError, match="not a function"):
        Program(3)
    with pytest.raises(UserError, match="not a generator function"):
        finish(lambda rank: None)
