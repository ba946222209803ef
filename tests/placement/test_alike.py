"""Allocations that are spread as real jobs were: their statistics, and refused ones."""

from __future__ import annotations

import csv
import gzip
import os
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.placement import Placement, place, place_busy
from odonata.placement.alike import machines_with_jobs, spreads

SHARED = Path(__file__).parents[3] / "shared" / "data"
DATA = Path(os.environ.get("ODONATA_DATA", SHARED)) / "measured-collectives"
HOMES = {"lumi": machine.load("lumi-g"), "leonardo": machine.load("leonardo")}
SIZES = (4, 8, 16, 32, 64, 128, 256)


def groups_of(home, nodes):
    """Return the group of each node."""
    return home.node_group[nodes].tolist()


def drawn(name, count, seed):
    """Return the nodes of 100 jobs."""
    home = HOMES[name]
    seeds = range(1000 * seed, 1000 * seed + 100)
    return [place(home, count, allocation=f"like:{name}", seed=s).nodes.tolist() for s in seeds]


def listed_jobs(name):
    """Yield the numbers of the nodes of each job of the data."""
    text = gzip.decompress((DATA / f"{name}-jobs.txt.gz").read_bytes()).decode()
    for line in text.splitlines():
        ends = [[int(end) for end in part.split("-")] for part in line.split()]
        yield [node for end in ends for node in range(end[0], end[-1] + 1)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", HOMES)
def test_drawn_jobs_have_the_statistics_of_the_summary(name, seed):
    """Means over 100 jobs of each size are within 10 %, over all sizes."""
    groups, largest = [], []
    for count in SIZES:
        jobs = drawn(name, count, seed)
        assert all(len(set(nodes)) == count and nodes == sorted(nodes) for nodes in jobs)
        known = spreads(name, count)
        found = [Counter(groups_of(HOMES[name], nodes)) for nodes in jobs]
        groups.append(mean(len(one) for one in found) / mean(s.groups for s in known))
        shares = [max(one.values()) / count for one in found]
        largest.append(mean(shares) / mean(s.largest for s in known))
    assert mean(groups) == pytest.approx(1, abs=0.1)
    assert mean(largest) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("name", HOMES)
def test_drawn_jobs_have_as_many_runs_of_adjacent_nodes(name):
    """On LUMI a fifth of the nodes of a job begin a run, on Leonardo nearly all do."""
    for count in (16, 64):
        jobs = [nodes for seed in range(5) for nodes in drawn(name, count, seed)]
        runs = [1 + sum(b != a + 1 for a, b in pairwise(nodes)) for nodes in jobs]
        wanted = mean(spread.runs for spread in spreads(name, count))
        assert mean(runs) / count == pytest.approx(wanted, abs=0.08)


@pytest.mark.skipif(not DATA.exists(), reason="the lists of jobs are not here")
def test_the_summary_has_the_statistics_of_the_jobs():
    with gzip.open(DATA / "leonardo-map.csv.gz", "rt") as file:
        cell = {int(row["node"]): int(row["cell"]) for row in csv.DictReader(file)}
    homes = {"lumi": lambda n: min((n - 5000) // 124, 23) if n >= 5000 else None,
             "leonardo": lambda n: cell[n] if n <= 3420 else None}  # fmt: skip
    for name, home in homes.items():
        jobs = [[home(node) for node in nodes] for nodes in listed_jobs(name)]
        for count in SIZES:
            mine = [job for job in jobs if None not in job and count <= len(job) < 2 * count]
            known = spreads(name, count)
            groups = mean(len(set(job)) for job in mine)
            assert mean(s.groups for s in known) == pytest.approx(groups, rel=0.05)
            shares = [max(Counter(job).values()) / len(job) for job in mine]
            assert mean(s.largest for s in known) == pytest.approx(mean(shares), abs=0.02)


def test_draws_depend_on_seed_and_job_alone():
    home = HOMES["lumi"]
    first = place(home, 16, allocation="like:lumi", seed=3)
    assert place(home, 16, allocation="like:lumi", seed=3).nodes.tolist() == first.nodes.tolist()
    second = place(home, 16, allocation="like:lumi", seed=3, beside=[first])
    assert not set(first.nodes.tolist()) & set(second.nodes.tolist())


def test_a_job_may_have_every_free_node():
    small = machine.load("dragonfly-5256", {"shape.groups": 3})
    count = small.num_nodes - 10
    busy = Placement(small, list(range(10)))
    nodes = place(small, count, allocation="like:lumi", beside=[busy]).nodes.tolist()
    assert nodes == list(range(10, small.num_nodes))
    with pytest.raises(UserError, match="need"):
        place(small, count + 1, allocation="like:lumi", beside=[busy])


def test_leonardos_jobs_have_nodes_of_the_booster():
    home = HOMES["leonardo"]
    nodes = place(home, 3000, allocation="like:leonardo", seed=1).nodes.tolist()
    assert max(groups_of(home, nodes)) < 19
    with pytest.raises(UserError, match="too few nodes are free: 3421; allowed: 3420 nodes"):
        place(home, 3421, allocation="like:leonardo")


def test_what_is_refused():
    assert machines_with_jobs() == ["leonardo", "lumi"]
    with pytest.raises(UserError, match="like: unknown: 'lummi'; did you mean 'lumi'"):
        place(HOMES["lumi"], 4, allocation="like:lummi")
    with pytest.raises(UserError, match="jupiter-fdr has no groups"):
        place(machine.load("jupiter-fdr"), 4, allocation="like:lumi")


def test_from_the_command_line(run_odonata):
    status, out, err = run_odonata(
        "simulate", "allgather", "--machine", "lumi-g", "--ranks", 16, "--allocation", "like:lumi",
        "--seed", "0,1", "--json",
    )  # fmt: skip
    assert (status, err) == (0, "")
    assert "like:lumi" in out


@pytest.mark.parametrize("seed", range(3))
def test_busy_jobs_have_the_sizes_of_real_ones(seed):
    home = HOMES["lumi"]
    mine = place(home, 64, allocation="like:lumi", seed=seed)
    jobs = place_busy(home, 0.8, beside=[mine], seed=seed, like="lumi")
    nodes = [node for job in jobs for node in job.nodes.tolist()]
    assert len(set(nodes)) == len(nodes) == round(0.8 * (home.num_nodes - 64))
    assert not set(nodes) & set(mine.nodes.tolist())
    sizes = Counter(job.ranks for job in jobs)
    assert sum(sizes[size] for size in (4, 8, 16, 32)) > 0.6 * len(jobs)
    assert [job.nodes.tolist() for job in place_busy(home, 0.8, beside=[mine], seed=seed,
            like="lumi")] == [job.nodes.tolist() for job in jobs]  # fmt: skip


@pytest.mark.parametrize(("share", "sizes"), [(2 / 4992, [2]), (5 / 4992, [5]), (0, [])])
def test_few_busy_nodes_are_one_job(share, sizes):
    jobs = place_busy(HOMES["leonardo"], share, beside=[], like="leonardo")
    assert [job.ranks for job in jobs] == sizes


def test_busy_from_the_command_line(run_odonata):
    words = ["simulate", "pingpong", "--machine", "lumi-g", "--ranks", 2, "--busy"]
    status, out, err = run_odonata(*words, "1% like:lumi", "--json")
    assert (status, err) == (0, "")
    assert '"busy": 0.0' in out.replace('"busy": 0.010', '"busy": 0.0')
    status, _, err = run_odonata(*words, "1% like:lummi")
    assert status == 2
    assert "did you mean 'lumi'" in err
