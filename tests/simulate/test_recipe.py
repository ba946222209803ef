"""Recipes: a result says how it is run again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import machine, placement, simulate, workload
from odonata.errors import UserError
from odonata.result import Result

WORKLOADS = (
    workload.Collective("alltoall", "pairwise", bytes="3 KiB", repetitions=2),
    workload.PointToPoint("exchange", bytes=100),
    workload.Halo("2x2x2", cells=[8, 9, 10], pack=["1ns/B", "2ns/B", "3ns/B"], periodic=False),
    workload.Sedov("64x64", ranks=8),
    workload.Fft("16", ranks=8, algorithm="pairwise"),
    workload.Traffic("permutation", load=0.7, messages_per_rank=5),
)

ALLOCATIONS = ("contiguous", "random", "random-groups", "distance:1.5")


def made(work, name="theta", allocation="random", **options):
    at = machine.load(name, {"router.delay": "90 ns"})
    job = simulate.Job(work, placement.place(at, 8, allocation=allocation, seed=3))
    around = simulate.Surroundings(busy="2%")
    behind = around.jobs(at, [job.placement], seed=3)
    return simulate.simulate(at, [job, *behind], packet_bytes=512, digest=True, **options)


def told(run):
    return run.summary["time_seconds"], run.summary["packets"], run.summary["allocation"]


@settings(max_examples=15)
@given(
    st.sampled_from(WORKLOADS),
    st.sampled_from(["theta", "eos"]),
    st.sampled_from(ALLOCATIONS),
    st.sampled_from(["minimal", "ugal"]),
    st.sampled_from(["packet", "analytic"]),
)
def test_a_saved_run_is_made_again(tmp_path_factory, work, name, allocation, routing, engine):
    path = tmp_path_factory.mktemp("saved") / "run.nc"
    first = made(work, name, allocation, routing=routing, engine=engine, seed=7, bias_bytes=100)
    first.save(path)
    again = simulate.Recipe.of_run(Result.load(path).run).run()
    assert told(again) == told(first.run)
    assert again.recipe == first.run.recipe


def test_a_machine_file_that_is_gone_is_not_needed(tmp_path):
    from odonata.machine.files import find, read
    from odonata.machine.writing import write_text

    text = write_text(read(find("theta")), {}, name="mine", description="Mine.")
    (tmp_path / "mine.toml").write_text(text)
    first = made(WORKLOADS[0], str(tmp_path / "mine.toml"))
    (tmp_path / "mine.toml").unlink()
    assert told(simulate.Recipe.of_run(first.run).run()) == told(first.run)


def test_a_program_of_the_caller_has_no_recipe():
    async def nothing(rank):
        return None

    at = machine.load("theta")
    job = simulate.Job(workload.Program(nothing), placement.place(at, 2))
    with pytest.raises(UserError, match="run\\.nc: cannot be run again: its jobs are Python"):
        simulate.Recipe.of_run(simulate.run(at, [job]), "run.nc")


DAMAGES = {
    "no JSON": lambda kept: None,
    "another kind": lambda kept: kept["jobs"][0].update(kind="Program"),
    "a field": lambda kept: kept["jobs"][0]["fields"].update(rank=3),
    "its type": lambda kept: kept["jobs"][0]["fields"].update(bytes=[1]),
    "a job more": lambda kept: kept["jobs"].append(kept["jobs"][0]),
    "a key": lambda kept: kept["machine"].update(name=7),
    "a number": lambda kept: kept["machine"].update({"router.delay": {"value": "fast"}}),
    "an option": lambda kept: kept["options"].update(engine="fluid"),
    "no options": lambda kept: kept.pop("options"),
    "a change": lambda kept: kept["changes"].update({"router.dela": "1 ns"}),
    "another machine": lambda kept: kept.update(machine=machine.load("eos").document()),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_recipe_is_one_error(damage):
    run = made(WORKLOADS[0], allocation="random").run
    kept = json.loads(run.recipe)
    text = "{" if damage is DAMAGES["no JSON"] else (damage(kept), json.dumps(kept))[1]
    with pytest.raises(UserError):
        simulate.Recipe.of_run(replace(run, recipe=text)).run()
