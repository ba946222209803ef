"""Latency tolerance with several ranks a node: by hand, and against second simulations."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

from odonata import explain, machine, placement, simulate, workload
from odonata.cli import app
from odonata.errors import UserError
from odonata.result import Result

LATENCY = "links.injection.latency"
ALGORITHMS = [
    *(("allgather", name) for name in ("ring", "bruck")),
    *(("allreduce", name) for name in ("ring", "recursive_doubling")),
    *(("bcast", "binomial"), ("scatter", "binomial"), ("alltoall", "pairwise")),
]


def told(on, job):
    return explain.explain(simulate.simulate(on, [job], explain=True))


def later(on, latency_ps):
    """Return the machine where each message between nodes takes longer."""
    return on.with_values({LATENCY: f"{on.value(LATENCY) + latency_ps} ps"})


# ---- by hand


def four_on_two_nodes(*bodies):
    """Return ranks 0, 1 on one node of theta and 2, 3 on another, and what they do."""

    def program(rank):
        yield from bodies[rank.index](rank)

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(program), placement.place(theta, 4, ranks_per_node=2))
    return theta, job


def sends_to(target, after=0):
    def body(rank):
        yield rank.compute(f"{after} ps")
        yield rank.send(target, 8)

    return body


def idle(rank):
    yield rank.compute("1 ps")


def receives_both(rank):
    yield rank.wait_all([rank.irecv(2, 8), rank.irecv(1, 8)])


def test_a_rank_takes_the_message_of_its_node_first_when_the_other_comes_later():
    """Both overheads are paid after the far message before, one of them is afterwards."""
    on, job = four_on_two_nodes(receives_both, sends_to(0, after=3_000_000), sends_to(0), idle)
    moved = explain.Moved(told(on, job))
    overhead = on.value("mpi.recv_overhead")
    near = told(on, job).length_ps - overhead  # the message of the node has come
    far = near_of(on, job)
    room = near - far
    assert room > 0
    assert moved.end_ps(0) == near + overhead
    assert moved.end_ps(room + 1) == near + 2 * overhead  # the far one is taken second now
    assert moved.end_ps(room + overhead) == near + 2 * overhead
    assert moved.end_ps(room + overhead + 7) == near + 2 * overhead + 7


def near_of(on, job):
    """Return when the message between the nodes comes to rank 0 [ps]."""
    run = simulate.simulate(on, [job], record_messages=True).run
    messages = run.jobs[0].messages
    (at,) = np.flatnonzero(messages["source"] == 2)
    return int(messages["delivered"][at])


def test_ranks_of_a_node_share_its_nic_in_the_order_of_now():
    """Rank 1 sends behind 64 KiB of rank 0, until these wait for a message that comes later."""
    size = 65536

    def first(rank):
        yield rank.recv(2, 8)
        yield rank.send(3, size)

    def second(rank):
        yield rank.compute("3 us")
        yield rank.send(2, 8)

    def third(rank):
        yield rank.send(0, 8)
        yield rank.recv(1, 8)

    def fourth(rank):
        yield rank.recv(0, size)

    on, job = four_on_two_nodes(first, second, third, fourth)
    on = on.with_values({"mpi.eager_threshold": "1 MiB", "links.injection.buffer": "1 MiB"})
    explained = told(on, job)
    assert explained.totals_ps()["injection_queue"] > 0
    moved = explain.Moved(explained)
    for latency in (0, 100_000, 1_500_000, 5_000_000):
        assert moved.end_ps(latency) == told(later(on, latency), job).length_ps


def test_a_run_that_kept_no_acts_says_so(tmp_path):
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    explained = told(eos, job)
    object.__setattr__(explained.account, "acts", None)
    with pytest.raises(UserError, match="was not kept"):
        explain.Moved(explained)
    document = explained.document()
    assert document["latency_tolerance"] is None
    assert "more than 256 MiB" in document["without_tolerance"]


def test_acts_come_back_from_a_file(tmp_path):
    case = draw(3)
    result = simulate.simulate(case.on, [case.job], explain=True)
    result.save(tmp_path / "run.nc")
    again = explain.explain(Result.load(tmp_path / "run.nc"))
    assert explain.Moved(again).tolerances == explain.Moved(explain.explain(result)).tolerances


# ---- large runs


def test_acts_are_kept_where_steps_are_too_many(monkeypatch, tmp_path):
    monkeypatch.setattr("odonata.simulate.collect.MOST_STEPS", 10)
    case = draw(3)
    result = simulate.simulate(case.on, [case.job], explain=True)
    assert result.run.explanation.causes is None
    result.save(tmp_path / "run.nc")
    again = explain.load(tmp_path / "run.nc")
    assert again.moved.tolerances == explain.explain(result).moved.tolerances != []
    assert again.document()["slack"] is None


def test_a_large_run_says_how_to_ask_and_tells_when_asked(monkeypatch, tmp_path):
    case = draw(3)
    path = tmp_path / "run.nc"
    result = simulate.simulate(case.on, [case.job], explain=True)
    result.save(path)
    whole = explain.load(path).document()["latency_tolerance"]
    many = len(result.run.explanation.acts["kind"])
    monkeypatch.setattr("odonata.explain.moved.MOST_ACTS", many - 1)
    runner = CliRunner()
    printed = runner.invoke(app, ["explain", str(path)]).stdout
    assert f"{many:,} acts" in printed
    assert "--tolerance" in printed
    assert "% longer" not in printed
    asked = runner.invoke(app, ["explain", str(path), "--tolerance"])
    assert "5.0 % longer" in asked.stdout
    assert "no latency tolerance" not in asked.stdout
    document = json.loads(
        runner.invoke(app, ["explain", str(path), "--json", "--tolerance"]).stdout
    )
    assert document["latency_tolerance"] == whole
    assert "without_tolerance" not in document


def test_asking_for_a_tolerance_that_is_not_there_says_why(tmp_path):
    eos = machine.load("eos")
    job = simulate.Job(workload.Traffic("uniform", load=0.1), placement.place(eos, 8))
    simulate.simulate(eos, [job], explain=True).save(tmp_path / "run.nc")
    asked = CliRunner().invoke(app, ["explain", str(tmp_path / "run.nc"), "--tolerance"])
    assert isinstance(asked.exception, UserError)
    assert "no rank waits for" in str(asked.exception)


def test_a_ring_of_512_needs_five_tries_and_is_right():
    """2.4 million acts; each of 1,022 steps waits for a message between nodes, or one behind it."""
    theta = machine.load("theta")
    ring = workload.Collective("allreduce", "ring", bytes=65536)
    job = simulate.Job(ring, placement.place(theta, 512))
    explained = told(theta, job)
    moved = explained.moved
    tries = []
    shares = []
    end_ps = moved.end_ps
    moved.end_ps = lambda latency: tries.append(latency) or end_ps(latency)
    found = moved.find(shares.append)
    assert len(set(tries)) == 5
    assert [each.latency_ps for each in found] == [
        -(-(int(explained.length_ps * (1 + longer)) - explained.length_ps) // 1022)
        for longer in (0.01, 0.02, 0.05)
    ]
    assert all(0 <= share <= 1 for share in shares)
    again = told(later(theta, found[2].latency_ps), job)
    assert again.length_ps == pytest.approx(end_ps(found[2].latency_ps), rel=1e-5)


class Bent(explain.Moved):
    """A run whose end is a given function of the latency."""

    def __init__(self, end):
        self._ends = {}
        self._has_messages = True
        self._tolerances = None
        self._end = end

    def end_ps(self, latency_ps):
        return self._ends.setdefault(latency_ps, self._end(latency_ps))


@pytest.mark.parametrize("bend", [0, 1000, 10**6, 3 * 10**8])
@pytest.mark.parametrize("slope", [1, 7, 500])
def test_a_tolerance_behind_a_bend_is_found_in_few_tries(bend, slope):
    length = 10**9
    moved = Bent(lambda latency: length + slope * max(0, latency - bend))
    for longer in (0.01, 0.02, 0.05):
        wanted = bend + longer * length / slope
        assert moved.tolerance(longer).latency_ps == pytest.approx(wanted, rel=1 / 8000)
    assert len(moved._ends) <= 50


def test_a_run_of_50_ps_tolerates_less_than_the_picosecond_that_makes_it_longer():
    """A share of 1 % is half a picosecond: the next longer run takes 51 ps."""
    assert Bent(lambda latency: 50 + latency).tolerance(0.01).latency_ps == 1


def test_a_tolerance_at_a_jump_is_that_of_the_jump():
    moved = Bent(lambda latency: 10**9 + (10**8 if latency >= 12_345_678 else 0))
    assert moved.tolerance(0.01).latency_ps == pytest.approx(12_345_678, rel=1 / 8000)
    assert moved.tolerance(0.2) is None


# ---- against second simulations


@dataclass(frozen=True)
class Case:
    """A job with several ranks a node."""

    kind: str
    on: machine.Machine
    job: simulate.Job


def neighbours(seed, ranks):
    """Return a program that exchanges with random ranks in rounds, and computes between."""
    rng = random.Random(seed)
    pairs = [(a, b) for a in range(ranks) for b in range(ranks) if a != b and rng.random() < 0.5]
    sizes = {pair: rng.choice([8, 800, 3000]) for pair in pairs}
    rounds = [[rng.randrange(4_000_000) for _ in range(ranks)] for _ in range(rng.randint(1, 5))]

    def program(rank):
        me = rank.index
        for times in rounds:
            if times[me] % 2:
                yield rank.compute(f"{times[me]} ps")
            receives = [rank.irecv(a, size) for (a, b), size in sizes.items() if b == me]
            sends = [rank.isend(b, size) for (a, b), size in sizes.items() if a == me]
            yield rank.wait_all([*receives, *sends])

    return program


def draw(seed):
    rng = random.Random(seed)
    on = machine.load(rng.choice(["theta", "eos", "summit", "jupiter-fdr"]))
    per, nodes = rng.choice([2, 3, 4]), rng.choice([2, 2, 3, 4])
    kind = rng.choice(["collective", "halo", "program"])
    work: workload.Collective | workload.Halo | workload.Program
    if kind == "collective":
        operation, name = rng.choice(ALGORITHMS)
        per, nodes = (4, 2) if name == "recursive_doubling" else (per, nodes)
        work = workload.Collective(operation, name, bytes=rng.choice([8, 96, 1024, 20_000]))
    elif kind == "halo":
        work = workload.Halo(f"{per}x{nodes}", cells=rng.choice([4, 16, 64]))
    else:
        work = workload.Program(neighbours(rng.randrange(10**9), per * nodes))
    where = placement.place(on, per * nodes, ranks_per_node=per)
    return Case(kind, on, simulate.Job(work, where))


def queues(explained):
    """Return whether messages of several nodes met each other."""
    return any(
        time
        for name, time in explained.totals_ps().items()
        if name.startswith(("queueing", "credit"))
    )


def test_the_moved_end_is_that_of_a_second_simulation():
    """At 1, 2 and 5 %, where messages of several nodes do not meet: to the picosecond."""
    compared = seed = programs = 0
    while compared < 100:
        case = draw(seed := seed + 1)
        explained = told(case.on, case.job)
        moved = explain.Moved(explained)
        assert moved.end_ps(0) == explained.length_ps
        again = {
            each.latency_ps: told(later(case.on, each.latency_ps), case.job)
            for each in moved.tolerances
        }
        if queues(explained) or any(map(queues, again.values())):
            continue
        compared += 1
        programs += case.kind == "program"
        for latency, simulated in again.items():
            assert simulated.length_ps == moved.end_ps(latency), f"seed {seed}"
    assert programs >= 10
