"""The twin finds the same breakdown of every rank's time, and the critical path is the run."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference

from .cases import ALGORITHMS, Options, examples, placements, worlds
from .test_rank_programs import program, rounds


def explained(machine: _core.Machine, options: Options, nodes: list[int], what: Any, **more: Any):
    """Run a job with an account of its time."""
    chosen = options.fast()
    chosen.explain = True
    engine = chosen.engine
    for key, value in more.items():
        setattr(engine, key, value)
    chosen.engine = engine
    simulation = _core.Simulation(machine, chosen)
    simulation.add(nodes, what, False, False)
    assert simulation.run(None)
    return simulation


def rows(simulation: _core.Simulation) -> list[dict[str, int]]:
    raw = simulation.explanation()
    table = raw["by_rank"].tolist()
    return [
        {name: time for name, time in zip(raw["categories"], row, strict=True) if time}
        for row in table
    ]


def assert_adds_up(simulation: _core.Simulation) -> None:
    raw = simulation.explanation()
    ends = simulation.job(0)["finished"].tolist()
    assert [sum(row) for row in raw["by_rank"].tolist()] == ends
    assert min((time for row in raw["by_rank"].tolist() for time in row), default=0) >= 0
    path = {key: raw["path"][key].tolist() for key in ("begin", "end", "rank")}
    assert path["begin"] == [0, *path["end"]][: len(path["begin"])]
    assert (path["end"] or [0])[-1] == max(ends)


def twin(machine: _core.Machine, options: Options, nodes: list[int], what: Any):
    slow = options.slow(reference.copy_machine(machine))
    ranks = slow.add(nodes, what)
    slow.run()
    return [dict(slow.breakdown(rank)) for rank in ranks]


@st.composite
def programs(draw):
    machine, options = draw(worlds())
    nodes = draw(placements(machine, 2))
    packet = options.network["packet_bytes"]
    return machine, options, nodes, draw(st.lists(rounds(len(nodes), packet), max_size=3))


@given(programs())
@examples(15)
def test_random_rank_programs(case):
    machine, options, nodes, each = case
    fast = explained(machine, options, nodes, _core.python_program(program(each, [])))
    assert_adds_up(fast)
    assert rows(fast) == twin(machine, options, nodes, program(each, []))


@given(programs())
@examples(10)
def test_random_rank_programs_on_the_analytic_engine(case):
    machine, options, nodes, each = case
    what = _core.python_program(program(each, []))
    assert_adds_up(explained(machine, options, nodes, what, engine="analytic"))


MOST_PACKETS = 40
"""Packets of a block, so that the twin is done with twelve ranks in a second."""


@st.composite
def collectives(draw):
    machine, options = draw(worlds())
    nodes = draw(placements(machine, 1))
    size = draw(st.integers(0, min(3000, MOST_PACKETS * options.network["packet_bytes"])))
    return machine, options, nodes, *draw(st.sampled_from(ALGORITHMS)), size


@given(collectives())
@examples(15)
def test_collectives_on_random_machines(case):
    machine, options, nodes, operation, name, size = case
    what = _core.repeat_algorithm(operation, name, size, 0, 1)
    fast = explained(machine, options, nodes, what)
    assert_adds_up(fast)

    def slow(rank):
        rank.enter(operation, collective=True)
        yield from reference.collective(operation, name, size)(rank)

    assert rows(fast) == twin(machine, options, nodes, slow)


@given(programs())
@examples(5)
def test_an_account_changes_nothing(case):
    machine, options, nodes, each = case
    with_account = explained(machine, options, nodes, _core.python_program(program(each, [])))
    without = _core.Simulation(machine, options.fast())
    without.add(nodes, _core.python_program(program(each, [])), False, False)
    assert without.run(None)
    assert with_account.digest == without.digest
    assert with_account.num_events == without.num_events
