"""Other jobs that keep a machine busy."""

from __future__ import annotations

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import place
from odonata.simulate import Job, Surroundings, busy, run
from odonata.simulate.other_jobs import parse_busy
from odonata.workload import Collective, Traffic

SMALL = machine.load(
    "dragonfly-5256",
    {
        "shape.nodes_per_router": 2,
        "shape.routers_per_group": 4,
        "shape.global_links_per_router": 2,
        "shape.groups": 9,
    },
)
MINE = place(SMALL, 22, allocation="random", seed=3)
"""50 of the 72 nodes are left."""


def test_a_busy_machine_takes_longer_and_says_how_busy_it_is():
    job = Job(Collective("allgather", "ring"), MINE)
    around = Surroundings(busy="80%", busy_with="uniform:0.4").jobs(SMALL, [MINE], seed=5)
    alone, beside = run(SMALL, [job]), run(SMALL, [job, *around])
    assert sum(one.placement.ranks for one in around) == 40
    assert beside.summary["time_seconds"] > alone.summary["time_seconds"]
    assert beside.summary["messages"] == alone.summary["messages"] == 22 * 21
    assert (alone.summary["busy"], beside.summary["busy"]) == (0, 0.8)
    assert beside.summary["background_jobs"] == len(around)
    assert {one.workload["allocation"] for one in beside.jobs[1:]} == {"busy"}
    distance = MINE.mean_node_distance()
    assert beside.summary["mean_node_distance"] == distance
    assert beside.jobs[0].workload["mean_node_distance"] == distance
    assert all(one.totals["messages"] > 0 for one in beside.jobs[1:])


def test_messages_stay_inside_their_jobs():
    """Traffic between two jobs of one router each crosses no link between routers."""
    pair = [place(SMALL, 2, first=first) for first in (0, 2)]
    traffic = Traffic("uniform", load=0.5, messages_per_rank=50)
    done = run(SMALL, [Job(traffic, one) for one in pair])
    assert done.summary["mean_routers"] == 1


def test_the_traffic_is_as_said_and_by_default_uniform():
    around = Surroundings(busy="50%").jobs(SMALL, [MINE])
    assert {str(job.workload) for job in around} == {"uniform at 0.3 of 1 KiB"}
    around = Surroundings(busy="50%", busy_with="permutation:0.2").jobs(SMALL, [MINE])
    assert {str(job.workload) for job in around} == {"permutation at 0.2 of 1 KiB"}
    assert Surroundings(busy="0%").jobs(SMALL, [MINE]) == []
    assert Surroundings().jobs(SMALL, [MINE]) == []


@pytest.mark.parametrize("text", ["80", "0.8", "101%", "-1%", "%", "", "nan%", "80%%", "1e1%"])
def test_a_share_is_per_cent(text):
    with pytest.raises(UserError, match="busy: not understood"):
        parse_busy(text)


def test_a_number_without_per_cent_is_near():
    with pytest.raises(UserError, match="did you mean '80%'"):
        parse_busy("80")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"busy_with": "uniform:0.3"}, "no nodes are busy"),
        ({"busy": "80%", "background": "uniform:0.3"}, "--busy or --background"),
    ],
)
def test_options_that_contradict(said, message):
    with pytest.raises(UserError, match=message):
        Surroundings(**said)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"busy": "80%", "busy_with": "uniform"}, "busy with: not understood"),
        ({"busy": "80%", "busy_with": "adversarial+1:0.3"}, "not for jobs of every size"),
        ({"busy": "2%"}, "1 of 50 nodes"),
    ],
)
def test_jobs_that_are_none(said, message):
    with pytest.raises(UserError, match=message):
        Surroundings(**said).jobs(SMALL, [MINE])


def test_another_seed_makes_other_jobs():
    uniform = Traffic("uniform", load=0.3)
    found = [busy(SMALL, 0.6, uniform, beside=[MINE], seed=seed) for seed in range(8)]
    nodes = {tuple(tuple(job.placement.node_of) for job in jobs) for jobs in found}
    assert len(nodes) == 8
