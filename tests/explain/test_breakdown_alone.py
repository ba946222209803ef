"""``--breakdown``: the times of a whole explanation, without the record of its path."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.report import draw_breakdown


def several_in_a_wait(rank):
    """Exchange short messages with several ranks, and wait for all of them at once."""
    for step in range(4):
        receives = [rank.irecv((rank.index - k) % rank.size, 512) for k in (1, 2, 3)]
        yield rank.compute(f"{(37 * rank.index + 11 * step) % 5} us")
        sends = [rank.isend((rank.index + k) % rank.size, 512) for k in (1, 2, 3)]
        yield rank.wait_all(receives + sends)


def empty_messages_behind_long_ones(rank):
    """Send to one rank, which waits for each message by itself, in parts of a program."""
    if rank.index > 0:
        for _ in range(4):
            rank.isend(0, "8 KiB")
            yield rank.send(0, 0)
    else:
        for source in range(1, rank.size):
            rank.phase(f"from {source}")
            for _ in range(4):
                yield rank.recv(source, "8 KiB")
                yield rank.recv(source, 0)
    yield rank.barrier()


def short_messages_after_a_long_one(rank):
    """Queue at a NIC that lacked credit before, and now has it."""
    if rank.index == 0:
        yield rank.send(2, "256 KiB")
        yield rank.compute("1 ms")
        yield rank.wait_all([rank.isend(2, "4 KiB"), rank.isend(3, 600)])
    elif rank.index == 2:
        yield rank.recv(0, "256 KiB")
        yield rank.recv(0, "4 KiB")
    elif rank.index == 3:
        yield rank.recv(0, 600)


def messages_behind_each_other(rank):
    """Hand several messages to a NIC at once; each of their receivers waits for nothing else."""
    if rank.index > 0:
        yield rank.recv(0, 1024)
    else:
        yield rank.wait_all([rank.isend(to, 1024) for to in range(1, rank.size)])


def the_later_of_two(rank):
    """Wait for the message that comes after another one, which is expected as well."""
    if rank.index == 0:
        first = rank.irecv(1, 512)
        yield rank.recv(2, 512)
        yield rank.wait(first)
    elif rank.index <= 2:
        yield rank.compute(f"{5 * rank.index} us")
        yield rank.send(0, 512)


def a_receiver_that_computes(rank):
    """Ask a rank that does not wait yet, neither for the request nor for the data."""
    if rank.index == 0:
        yield rank.send(1, "64 KiB")
    else:
        receive = rank.irecv(0, "64 KiB")
        yield rank.compute("30 us")
        yield rank.compute("30 us")
        yield rank.wait(receive)


def a_send_that_ends_amid_other_work(rank):
    """Wait for long data to leave, while the processor works for short messages all the time."""
    if rank.index == 0:
        receives = [rank.irecv(source, 512) for _ in range(30) for source in (2, 3)]
        yield rank.send(1, "64 KiB")
        yield rank.wait_all(receives)
    elif rank.index == 1:
        yield rank.recv(0, "64 KiB")
    else:
        for _ in range(30):
            yield rank.send(0, 512)


def messages_that_overtake(rank):
    """Wait for a short message that overtakes a longer one, which no receive waits for."""
    half = rank.size // 2
    for step in range(12):
        if rank.index < half:
            other = (rank.index + step) % half + half
            yield rank.compute("20 us")
            yield rank.wait_all([rank.isend(other, "4 KiB", 1), rank.isend(other, 1, 0)])
        else:
            source = (rank.index - half - step) % half
            yield rank.recv(source, 1, 0)
            yield rank.recv(source, "4 KiB", 1)


RUNS = {
    "a ring, whose crossings are forgotten again and again": (
        "dragonfly-5256",
        workload.Collective("allgather", "ring"),
        (128, {"allocation": "random", "seed": 3}),
    ),
    "long messages by rendezvous": (
        "summit",
        workload.Collective("allreduce", "reduce_scatter_allgather", "1MiB"),
        (16, {"ranks_per_node": 4}),
    ),
    "short messages inside of nodes": (
        "summit",
        workload.Collective("allgather", "ring", "1KiB"),
        (16, {"ranks_per_node": 4}),
    ),
    "long messages inside of nodes": (
        "summit",
        workload.Collective("alltoall", "pairwise", "256KiB"),
        (16, {"ranks_per_node": 8}),
    ),
    "many messages at once, without credit": (
        "theta",
        workload.Collective("alltoall", "scattered", "64KiB"),
        (24, {}),
    ),
    "several short messages in a wait": (
        "theta",
        workload.Program(several_in_a_wait),
        (24, {}),
    ),
    "messages that overtake each other": (
        "theta",
        workload.Program(messages_that_overtake),
        (96, {"allocation": "random", "seed": 2}),
    ),
    "messages behind each other": ("theta", workload.Program(messages_behind_each_other), (24, {})),
    "the later of two messages": ("theta", workload.Program(the_later_of_two), (3, {})),
    "a receiver that computes": ("theta", workload.Program(a_receiver_that_computes), (2, {})),
    "a receiver that computes in the node of its sender": (
        "theta",
        workload.Program(a_receiver_that_computes),
        (2, {"ranks_per_node": 2}),
    ),
    "a send that ends amid other work": (
        "theta",
        workload.Program(a_send_that_ends_amid_other_work),
        (4, {}),
    ),
    "empty messages that need credit for their headers": (
        "hopper",
        workload.Program(empty_messages_behind_long_ones),
        (24, {}),
    ),
    "short messages after a long one": (
        "hopper",
        workload.Program(short_messages_after_a_long_one),
        (4, {}),
    ),
    "messages whose second packet overtakes the first": (
        "theta",
        workload.Collective("alltoall", "pairwise", 1025),
        (64, {"allocation": "random", "seed": 3}),
    ),
    "links that are slower than the NIC": (
        "hopper",
        workload.Collective("alltoall", "bruck", "3KiB"),
        (40, {"allocation": "random", "seed": 5}),
    ),
    "traffic": (
        "theta",
        workload.Traffic("uniform", load=0.6, bytes="3KiB", messages_per_rank=20),
        (60, {}),
    ),
}


def run_of(name):
    """Return the machine and the jobs of a run."""
    which, work, (ranks, how) = RUNS[name]
    on = machine.load(which)
    return on, [simulate.Job(work, placement.place(on, ranks, **how))]


def told_alone_and_whole(on, jobs, engine="packet"):
    """Return the runs with a whole explanation and the breakdown alone: of the same times."""
    whole = simulate.simulate(on, jobs, engine=engine, explain=True).run
    alone = simulate.simulate(on, jobs, engine=engine, explain="breakdown").run
    assert alone.end == whole.end
    first, second = whole.explanation, alone.explanation
    assert (first.categories, first.scopes) == (second.categories, second.scopes)
    assert np.array_equal(first.by_rank, second.by_rank)
    assert np.array_equal(first.by_scope, second.by_scope)
    return whole, alone


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("name", list(RUNS))
def test_it_has_the_times_of_a_whole_explanation(name, engine):
    whole, alone = told_alone_and_whole(*run_of(name), engine)
    first, second = whole.explanation, alone.explanation
    assert first.path is not None
    assert (second.path, second.causes, second.kinds, second.proportions) == (None, None, None, {})
    assert (
        explain.Explained(alone).length_ps
        == explain.Explained(whole).length_ps
        == max(whole.jobs[0].totals["last_finished"], whole.jobs[0].totals["last_delivered"])
    )


def test_waits_in_queues_are_told_however_long_they_are():
    on = machine.load("theta")
    slow = {f"links.{name}.bandwidth": "1 MB/s" for name in on.link_classes}
    jobs = [
        simulate.Job(workload.Collective("alltoall", "scattered", "4KiB"), placement.place(on, 24))
    ]
    _, alone = told_alone_and_whole(on.with_values(slow), jobs)
    told = alone.explanation
    longest = told.by_rank[:, [name.startswith("queueing") for name in told.categories]].max()
    assert longest > 2**32  # ps, in which a trail of delays counts


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("which", ["hopper", "summit", "theta"])
@pytest.mark.parametrize("operation", ["allgather", "alltoall", "bcast"])
def test_messages_of_one_packet_that_ask_first_are_told(which, operation, engine):
    """Such a message leaves its NIC whole at once, and its sender asks how it left."""
    on = machine.load(which).with_values({"mpi.eager_threshold": "0 B"})
    where = placement.place(on, 7, ranks_per_node=min(3, on.cores_per_node))
    for size in (8, 900, 5000):
        job = simulate.Job(workload.Collective(operation, bytes=size), where)
        told_alone_and_whole(on, [job], engine)


@pytest.mark.parametrize("size", ["1KiB", "64KiB"])  # which are eager, and by rendezvous
@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_a_wait_for_one_message_is_told_however_long_it_is(engine, size):
    on = machine.load("theta")
    far = {f"links.{name}.latency": "6 ms" for name in on.link_classes}
    jobs = [simulate.Job(workload.Collective("allgather", "ring", size), placement.place(on, 8))]
    _, alone = told_alone_and_whole(on.with_values(far), jobs, engine)
    told = alone.explanation
    assert told.by_rank[:, told.categories.index("wire_and_routers")].min() > 2**32  # ps


@pytest.mark.parametrize("engine", ["packet", "analytic"])
def test_data_may_begin_to_arrive_before_they_have_left(engine):
    """Wires take no time, so that the last link delays a message of which the NIC has more."""

    def sends(rank):
        for size in (8, 900, 4):
            yield rank.send(1, size) if rank.index == 0 else rank.recv(0, size)

    on = machine.load("theta")
    changes = {f"links.{name}.latency": "0 ns" for name in on.link_classes}
    changes |= {"router.delay": "0 ns", "mpi.eager_threshold": "0 B"}
    on = on.with_values({**changes, "links.ejection.bandwidth": "1 GB/s"})
    job = simulate.Job(workload.Program(sends), placement.place(on, 2))
    told_alone_and_whole(on, [job], engine)


def test_overheads_add_up_however_long_they_are():
    on = machine.load("theta").with_values(
        {"mpi.send_overhead": "3 ms", "mpi.recv_overhead": "5 ms"}
    )
    job = simulate.Job(workload.Collective("allgather", "ring"), placement.place(on, 8))
    told = simulate.simulate(on, [job], explain="breakdown").run.explanation
    for name, overhead in (("send_overhead", 3e9), ("receive_overhead", 5e9)):
        of_ranks = told.by_rank[:, told.categories.index(name)]
        assert set(of_ranks.tolist()) == {7 * overhead}


@pytest.mark.parametrize("engine", ["packet", "analytic"])
@pytest.mark.parametrize("name", list(RUNS))
def test_the_log_of_events_changes_nothing(name, engine):
    on, jobs = run_of(name)
    plain = simulate.simulate(on, jobs, engine=engine, digest=True).run
    alone = simulate.simulate(on, jobs, engine=engine, explain="breakdown").run
    logged = simulate.simulate(on, jobs, engine=engine, explain="breakdown", digest=True).run
    assert logged.summary["digest"] == plain.summary["digest"]
    assert np.array_equal(logged.explanation.by_rank, alone.explanation.by_rank)
    assert np.array_equal(logged.explanation.by_scope, alone.explanation.by_scope)


def test_another_depth_is_refused():
    with pytest.raises(UserError, match="'breakdown'"):
        simulate.Options(explain="path")


def odonata(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("breakdown") / "run.nc"
    words = "simulate allgather --algorithm ring --ranks 8 --machine theta --breakdown -o"
    return path, odonata(*words.split(), str(path))


@pytest.mark.parametrize(
    "words",
    [
        "simulate barrier --ranks 4 --machine theta",
        "replay run.trace --machine theta",
        "mpirun -n 2 --machine theta",
    ],
)
def test_a_path_without_a_path_is_refused_before_anything_runs(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    more = ["--explain", "--breakdown", *(["--", "true"] if words.startswith("mpirun") else [])]
    done = CliRunner().invoke(app, [*words.split(), *more])
    assert isinstance(done.exception, UserError)
    assert "give one of the two" in str(done.exception)


def test_the_run_prints_its_breakdown(saved):
    printed = saved[1]
    assert "Where the time goes" in printed
    assert "mean rank" in printed
    assert "critical path" not in printed


def test_explain_prints_what_there_is_and_how_to_get_the_rest(saved):
    printed = odonata("explain", str(saved[0]))
    assert "send overhead" in printed
    assert "longest of" not in printed
    how, last = printed.splitlines()[-2:]
    assert "without its critical path" in how
    assert "--explain" in how
    assert "--breakdown -o" not in how
    assert last == explain.load(saved[0]).sentence


def test_bars_fill_the_figure_where_there_is_no_path(saved):
    bars, path = draw_breakdown(explain.load(saved[0])).axes
    bars.figure.draw_without_rendering()
    assert bars.get_position().width > 0.9
    assert not path.get_visible()


def test_json_has_null_where_the_path_would_be(saved):
    told = json.loads(odonata("explain", str(saved[0]), "--json"))
    assert told["critical_path"] is None
    assert told["slack"] is None
    assert "--explain" in told["without_path"]
    # A ring of 8 sends and receives 7 times, 335 and 565 ns each, of the 10.1 us that it takes.
    assert told["sentence"].endswith(
        " of the time of all ranks is overhead of sends and receives (most of it in allgather)."
    )
    times = [rank["categories_ps"] for rank in told["ranks"]]
    overhead = sum(each["send_overhead"] + each["receive_overhead"] for each in times)
    part = overhead / sum(sum(each.values()) for each in times)
    assert told["sentence"].startswith(f"{100 * part:.0f} %")
    for rank in told["ranks"]:
        assert sum(rank["categories_ps"].values()) == rank["end_ps"]


def test_its_bars_are_drawn(saved, tmp_path):
    odonata("explain", str(saved[0]), "--plot", str(tmp_path / "bars.png"))
    assert (tmp_path / "bars.png").stat().st_size > 1000


COMPARED = "simulate allgather --algorithm ring,bruck --ranks 8 --machine theta --breakdown"


def test_a_comparison_says_why_by_the_mean_rank():
    printed = odonata(*COMPARED.split())
    assert "| mean rank" in printed
    assert "critical path" not in printed
    last = printed.rstrip().splitlines()[-1]
    assert last.startswith("bruck takes ")
    assert ", and its mean rank " in last


def test_one_rank_beside_many_is_one_rank():
    words = "simulate allreduce --ranks 1,2048 --machine theta --engine analytic"
    printed = odonata(*words.split(), "--breakdown")
    (head,) = [line for line in printed.splitlines() if line.startswith("| mean rank")]
    assert [cell.strip() for cell in head.strip("|").split("|")[1:]] == ["1 rank", "2,048 ranks"]


def test_changes_of_mean_ranks_add_up():
    (found,) = json.loads(odonata(*COMPARED.split(), "--json"))["differences"]
    assert found["parts_of"] == "mean rank"
    assert found["links"] == found["link_classes"] == []
    for what in ("categories", "functions"):
        change = sum(each["difference_ps"] for each in found[what])
        assert change == pytest.approx(sum(each["b_ps"] - each["a_ps"] for each in found[what]))
        assert change > 0
    by_name = {each["name"]: each for each in found["categories"]}
    # 7 steps against 3: each has a send of 335 ns, and Bruck's of 2 and 4 KiB are no short ones.
    assert by_name["send_overhead"]["a_ps"] == 7 * 335_000
    assert by_name["send_overhead"]["b_ps"] == 3 * 335_000 + 2 * 500_000 + 200 * (2048 + 4096)


def test_a_breakdown_is_compared_with_a_path_by_mean_ranks(saved, tmp_path):
    path = str(tmp_path / "whole.nc")
    words = "simulate allgather --algorithm ring --ranks 8 --machine theta --explain -o"
    odonata(*words.split(), path)
    printed = odonata("compare", str(saved[0]), path)
    how, last = printed.splitlines()[-2:]
    assert "run.nc: saved with --breakdown" in how
    assert last.startswith("run.nc and whole.nc both take ")
    found = json.loads(odonata("compare", str(saved[0]), path, "--json"))
    assert {each["difference_ps"] for each in found["categories"]} == {0}


def test_two_breakdowns_say_once_how_to_run_both_again(run_odonata, tmp_path):
    first, second = tmp_path / "first.nc", tmp_path / "second.nc"
    for algorithm, file in (("ring", first), ("bruck", second)):
        words = f"simulate allgather --algorithm {algorithm} --ranks 8 --machine theta --breakdown"
        assert run_odonata(*words.split(), "-o", file)[0] == 0
    printed = run_odonata("compare", first, second)[1]
    (how,) = [line for line in printed.splitlines() if "again:" in line]
    both, _, commands = how.partition("; run them again: ")
    assert both == f"{first} and {second}: saved with --breakdown, so without their critical paths"
    again = "odonata simulate --explain allgather --algorithm {} --ranks 8 --machine theta -o {}"
    assert commands == "; ".join((again.format("ring", first), again.format("bruck", second)))
    same = run_odonata("compare", first, first)[1]
    assert f"{first}: saved with --breakdown, so without its critical path; run it again:" in same


def computing(*times: str) -> explain.Explained:
    """Return a run whose ranks compute for these times."""

    def body(rank):
        yield rank.compute(times[rank.index])

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(body), placement.place(theta, len(times)))
    return explain.explain(simulate.simulate(theta, [job], explain="breakdown"))


def test_where_only_the_last_rank_is_longer_the_mean_rank_gives_no_reason():
    found = explain.Difference(computing("9 us", "9 us"), computing("10 us", "2 us"))
    assert (found.difference_ps, found.whole.difference_ps) == (1_000_000, -3_000_000)
    assert found.sentence == (
        "b takes 1 us longer than a (10 us against 9 us), but its mean rank does not."
    )


def test_ranks_that_compute_longer_are_named_as_the_cause():
    found = explain.Difference(computing("10 us", "4 us"), computing("9 us", "2 us"))
    assert (found.difference_ps, found.whole.difference_ps) == (-1_000_000, -1_500_000)
    assert found.sentence == (
        "b takes 1 us less than a (9 us against 10 us), and its mean rank 1.5 us: 1.5 us less "
        "computing."
    )
