"""The twin finds the same time of every function, phase and communicator."""

from __future__ import annotations

import copy
import random
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference
from odonata.trace import Block, Call, Collective, Header, Receive, Send, Writer, function_names
from odonata.trace.views import Communicator, Exchange, Phase
from odonata.workload import Replay

from .cases import ALGORITHMS, Options, examples, placements, worlds
from .test_explanation import assert_adds_up, explained, programs, rows
from .test_rank_programs import program

FUNCTIONS = function_names()
Parts = dict[tuple[str | None, int | None, str], Counter[str]]


def fast_parts(simulation: _core.Simulation) -> Parts:
    """Return the time by phase, communicator and function [ps]."""
    raw, phases = simulation.explanation(), simulation.job(0)["phases"]
    made: Parts = {}
    for scope, row in zip(raw["scopes"], raw["by_scope"].tolist(), strict=True):
        _, phase, communicator, function = scope
        key = (
            phases[phase] if phase >= 0 else None,
            communicator if communicator >= 0 else None,
            function,
        )
        made.setdefault(key, Counter()).update(dict(zip(raw["categories"], row, strict=True)))
    return {key: +times for key, times in made.items() if +times}


def slow_parts(slow: reference.Simulation, ranks: list[Any]) -> Parts:
    made: Parts = {}
    for rank in ranks:
        for scope, times in slow.parts(rank).items():
            key = scope.phase, scope.communicator, scope.function
            made.setdefault(key, Counter()).update(times)
    return made


def assert_same_parts(
    machine: _core.Machine, options: Options, nodes: list[int], fast: Any, what: Any
) -> Parts:
    """Compare the time of ranks, and of the parts of their programs; return the latter."""
    simulation = explained(machine, options, nodes, fast)
    assert_adds_up(simulation)
    slow = options.slow(reference.copy_machine(machine))
    ranks = slow.add(nodes, what)
    slow.run()
    assert rows(simulation) == [dict(slow.breakdown(rank)) for rank in ranks]
    parts = slow_parts(slow, ranks)
    assert fast_parts(simulation) == parts
    return parts


# ---- rank programs


@given(
    programs(), st.lists(st.tuples(st.sampled_from(ALGORITHMS), st.integers(0, 300)), max_size=2)
)
@examples(10)
def test_phases_and_collectives_of_rank_programs(case, collectives):
    machine, options, nodes, rounds = case

    def fast(rank):
        yield from program(rounds, [])(rank)
        for at, ((operation, name), size) in enumerate(collectives):
            rank.phase(f"phase {at // 2}")
            yield rank.collective(operation, name, size, 0)

    def slow(rank):
        yield from program(rounds, [])(rank)
        for at, ((operation, name), size) in enumerate(collectives):
            rank.phase(f"phase {at // 2}")
            rank.enter(operation, collective=True)
            yield from reference.collective(operation, name, size)(rank)
            rank.enter()

    assert_same_parts(machine, options, nodes, _core.python_program(fast), slow)


# ---- traces


@dataclass
class Plan:
    """Something that all ranks do together."""

    kind: str
    size: int  # [B]
    seed: int


KINDS = ["exchange", "ring", "pair", "phase", "allgather", "scatter"]
plans = st.lists(
    st.builds(Plan, st.sampled_from(KINDS), st.integers(0, 300), st.integers(0, 99)), max_size=6
)


class Player:
    """Does the plans as a rank of the twin, and writes the calls that do the same in a trace."""

    def __init__(self, rank: Any, algorithms: dict[str, str], some: int) -> None:
        self.rank, self.algorithms = rank, algorithms
        self.some = some  # members of communicator 2: the first ranks
        self.calls: list[Call] = []

    def call(self, function: str, operation: str, view: Any = None, **more: Any) -> None:
        comm = more.get("comm", 0)
        self.calls.append(Call(self.rank.index, function, operation, view, **more))
        self.rank.enter(function, comm, collective=operation == "collective")

    def play(self, all_plans: list[Plan]) -> Any:
        if self.rank.index < self.some:
            place = Communicator(identity=7, position=self.rank.index)
            words = tuple(range(self.some))
            self.call("MPI_Comm_split", "communicator", place, comm=2, words=words)
            self.rank.enter()
        for number, plan in enumerate(all_plans):
            yield from getattr(self, plan.kind, self.collective)(number + 1, plan)

    def compute(self, plan: Plan) -> Any:
        """Compute for a time of its own; return it [ns]."""
        time = (plan.seed * (self.rank.index + 3)) % 5
        if time:
            yield self.rank.compute(1000 * time)
        return time

    def exchange(self, tag: int, plan: Plan) -> Any:
        me, size = self.rank.index, plan.size
        draw = random.Random(plan.seed)
        pairs = [(draw.randrange(self.rank.size), draw.randrange(self.rank.size)) for _ in range(6)]
        opened = []
        for source, target in pairs:
            if target == me:
                receive = Receive(source, tag, size)
                self.call("MPI_Irecv", "irecv", receive, request=len(opened) + 1)
                opened.append(self.rank.irecv(source, size, tag))
                self.rank.enter()
            if source == me:
                time = yield from self.compute(plan)
                send = Send(target, tag, size)
                self.call("MPI_Isend", "isend", send, request=len(opened) + 1, compute=time)
                opened.append(self.rank.isend(target, size, tag))
                self.rank.enter()
        order = list(range(len(opened)))
        random.Random(plan.seed + me).shuffle(order)
        for at in order:
            self.call("MPI_Wait", "wait", request=at + 1)
            yield self.rank.wait([opened[at]])
            self.rank.enter()

    def ring(self, tag: int, plan: Plan) -> Any:
        me, n, size = self.rank.index, self.rank.size, plan.size
        right, left = (me + 1) % n, (me - 1) % n
        time = yield from self.compute(plan)
        view = Exchange(right, tag, size, left, tag)
        self.call("MPI_Sendrecv", "sendrecv", view, compute=time)
        receive = self.rank.irecv(left, size, tag)
        yield self.rank.block_on([receive, self.rank.isend(right, size, tag)])
        self.rank.enter()

    def pair(self, tag: int, plan: Plan) -> Any:
        n = self.rank.size
        source, target = plan.seed % n, (plan.seed + 1 + plan.seed // n % max(1, n - 1)) % n
        if source == target:
            return
        if self.rank.index == source:
            time = yield from self.compute(plan)
            self.call("MPI_Send", "send", Send(target, tag, plan.size), compute=time)
            yield self.rank.block_on([self.rank.isend(target, plan.size, tag)])
        elif self.rank.index == target:
            self.call("MPI_Recv", "recv", Receive(source, tag, plan.size))
            yield self.rank.block_on([self.rank.irecv(source, plan.size, tag)])
        self.rank.enter()

    def phase(self, _tag: int, plan: Plan) -> Any:
        self.call("MPI_Pcontrol", "phase", Phase(plan.seed % 3))
        self.rank.phase(f"phase {plan.seed % 3}")
        self.rank.enter()
        yield from ()

    def collective(self, _tag: int, plan: Plan) -> Any:
        """Do a collective of all, or of the first ranks; no other receive has its tag."""
        comm = 2 * (plan.seed % 2)
        if comm and self.rank.index >= self.some:
            return
        members = copy.copy(self.rank)
        members.size = self.some if comm else self.rank.size
        time = yield from self.compute(plan)
        view = Collective(plan.size, 0, operation=plan.kind)
        name = f"MPI_{plan.kind.capitalize()}"
        self.call(name, "collective", view, comm=comm, compute=time)
        algorithm = self.algorithms[plan.kind]
        yield from reference.collective(plan.kind, algorithm, plan.size)(members)
        self.rank.enter()


def trace_of(players: list[Player], folder: str) -> Path:
    path = Path(folder) / "run.trace"
    calls = [call for player in players for call in player.calls]
    calls += [Call(player.rank.index, "MPI_Finalize", "finalize") for player in players]
    with Writer(path, Header(ranks=len(players))) as writer:
        writer.write(Block.of(calls, FUNCTIONS))
    return path


def compare_traces(case: Any) -> Parts:
    machine, options, nodes, all_plans, algorithms = case
    players: dict[int, Player] = {}

    def slow(rank):
        players[rank.index] = Player(rank, algorithms, max(1, rank.size // 2))
        yield from players[rank.index].play(all_plans)

    twin = options.slow(reference.copy_machine(machine))
    ranks = twin.add(nodes, slow)
    twin.run()
    with tempfile.TemporaryDirectory() as folder:
        path = trace_of([players[at] for at in range(len(nodes))], folder)
        play = _core.PlayOptions()
        play.collectives = algorithms
        fast = _core.play(Replay(path=path).open(), play)
        simulation = explained(machine, options, nodes, fast)
    assert_adds_up(simulation)
    assert rows(simulation) == [dict(twin.breakdown(rank)) for rank in ranks]
    parts = slow_parts(twin, ranks)
    assert fast_parts(simulation) == parts
    return parts


@st.composite
def traces(draw):
    machine, options = draw(worlds())
    nodes = draw(placements(machine, 2))
    chosen = {
        operation: draw(st.sampled_from([name for of, name in ALGORITHMS if of == operation]))
        for operation in ("allgather", "scatter")
    }
    return machine, options, nodes, draw(plans), chosen


@given(traces())
@examples(25)
def test_functions_and_communicators_of_traces(case):
    compare_traces(case)


def test_every_function_has_time_of_its_own():
    """Without it the comparison above could be of nothing."""
    link = _core.LinkClass("?", 10**9, 1000, 4096, 0)
    basics = _core.Basics("star", 1, 0, 0, 10**9)
    machine = _core.make_machine("star", basics, {"nodes": 4}, [link, link])
    costs = {"send_overhead": 50, "recv_overhead": 70, "wait_per_request": 5}
    plan = [Plan(kind, 100, seed) for kind in KINDS for seed in (4, 7)]
    chosen = {"allgather": "ring", "scatter": "linear"}
    parts = compare_traces((machine, Options(mpi=costs), [0, 1, 2, 3], plan, chosen))
    told = {(communicator, function) for _, communicator, function in parts}
    waits = {"Send", "Recv", "Isend", "Wait", "Sendrecv", "Allgather", "Scatter"}
    assert {(0, f"MPI_{name}") for name in waits} <= told
    assert {(2, "MPI_Allgather"), (2, "MPI_Scatter"), (None, "")} <= told
    assert {phase for phase, _, _ in parts} == {None, "phase 1"}
    late = {key[2] for key, times in parts.items() if times["late_in_collective"]}
    assert late <= {"MPI_Allgather", "MPI_Scatter"} != set()
