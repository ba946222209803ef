"""The path knows the phase that a rank is in, and so do the steps."""

from __future__ import annotations

from itertools import groupby

import pytest

from odonata import explain, machine, placement, simulate, workload

COMPUTING = 1_000_000  # 1 us [ps]
PHASES = ["start", "middle", "end"]


@pytest.fixture(scope="module")
def told():
    def body(rank):
        rank.phase("start")
        yield rank.barrier()
        rank.phase("middle")
        yield rank.compute("1 us")
        rank.phase("end")
        yield rank.allreduce("1 KiB")

    eos = machine.load("eos")
    job = simulate.Job(workload.Program(body), placement.place(eos, 8))
    return explain.explain(simulate.simulate(eos, [job], explain=True))


def test_the_path_goes_through_the_phases_in_their_order(told):
    assert [phase for phase, _ in groupby(each.phase for each in told.stretches)] == PHASES
    computing = [each.phase for each in told.stretches if each.category == "computing"]
    assert computing == ["middle"]
    times = {name: 0 for name in PHASES}
    for stretch in told.stretches:
        times[stretch.phase] += stretch.length_ps
    assert times["middle"] == COMPUTING
    assert times["start"] + times["end"] == told.length_ps - COMPUTING


def test_the_steps_of_a_rank_go_through_the_same(told):
    timeline, scopes, names = told.timeline, told.account.scopes, told.run.jobs[0].phases
    for rank in range(8):
        found = [scopes[at].phase for at in timeline.scope[timeline.rank == rank]]
        assert [names[phase] for phase, _ in groupby(found)] == PHASES


def test_collectives_of_rank_programs_have_names(told):
    assert {scope.function for scope in told.account.scopes} == {"", "barrier", "allreduce"}
    assert {each.function for each in told.stretches if each.phase == "end"} == {"allreduce"}
