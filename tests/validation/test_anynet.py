"""BookSim's anynet beside ours: within 3 %, on routes that are the same."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from odonata.machine.fabric.fabric import Adapter, Cable, Fabric, Switch, read_fabric

from ..machine.fabrics import fabric_file

FOLDER = Path(__file__).parents[2] / "validation/other-simulators/anynet"
THEIRS = json.loads((FOLDER / "theirs.json").read_text())["rows"]
OURS = json.loads((FOLDER / "ours.json").read_text())
KEYS = ("graph", "routes", "load")


@pytest.fixture(scope="module")
def study(load_study):
    return load_study("other-simulators/anynet", "fabrics", "run", "cases", "marked")


def named(row):
    return "-".join(str(row[key]) for key in KEYS)


@pytest.mark.parametrize("at", range(len(OURS)), ids=[named(row) for row in OURS])
def test_packets_wait_as_long_as_in_booksim(at):
    mine, theirs = OURS[at], THEIRS[at]
    assert [mine[key] for key in KEYS] == [theirs[key] for key in KEYS]
    for key in ("network", "total"):
        assert mean(mine[key]) == pytest.approx(mean(theirs[key]), rel=0.012)
    assert mean(mine["routers"]) == pytest.approx(theirs["routers"], rel=0.002)


def test_the_page_has_every_row(study):
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert study.marked.filled(page, {"waits": study.run.table(OURS, THEIRS)}) == page


def test_both_graphs_have_loads_of_three_and_six_tenths():
    loads = {(row["graph"], row["load"]) for row in OURS}
    assert loads >= {(graph, load) for graph in ("slim-fly", "gpu-cluster") for load in (0.3, 0.6)}


@pytest.mark.parametrize("graph", ["slim-fly", "gpu-cluster"])
def test_runs_made_anew_are_the_kept_ones(graph, study, tmp_path):
    data = Path()
    if graph == "gpu-cluster":
        data = fabric_file("gpu-cluster.ibnetdiscover.gz").parent
    for row in OURS:
        if row["graph"] == graph:
            path = study.fabrics.machine_of(graph, row["routes"], tmp_path, data)
            again = study.run.waits(path, graph, row["load"], study.run.SEEDS[0])
            assert {key: row[key][0] for key in again} == {k: round(v, 5) for k, v in again.items()}


def test_slim_fly_has_one_shortest_route_for_each_pair(study, tmp_path):
    path = study.fabrics.machine_of("slim-fly", "shortest", tmp_path, Path())
    fabric = read_fabric(path.with_suffix(".fabric"))
    joined = np.zeros((50, 50), int)
    for cable in fabric.cables:
        joined[cable.a, cable.b] = joined[cable.b, cable.a] = 1
    routes = joined + joined @ joined - 7 * np.eye(50, dtype=int)  # by one link, and by two
    assert np.array_equal(routes, 1 - np.eye(50, dtype=int))
    lines = list(study.fabrics.network_lines(fabric))
    assert len(lines) == 50
    assert lines[0].startswith("router 0 node 0 node 1 node 2 node 3 router ")
    assert all(line.count(" router ") == 7 for line in lines)


def test_even_tables_lead_every_packet_to_its_node(study, tmp_path):
    """Two leaves with 3 nodes each, two spines, the first with two cables to a leaf."""
    adapters = [Adapter(f"n{n}", "HCA-1", n // 3, n + 1) for n in range(6)]
    cables = [Cable(0, 9, 2, 1, "c"), Cable(0, 10, 2, 2, "c"), Cable(1, 9, 2, 3, "c")]
    cables += [Cable(1, 10, 2, 4, "c"), Cable(0, 11, 3, 1, "c"), Cable(1, 11, 3, 2, "c")]
    switches = tuple(Switch(name) for name in ("leaf-0", "leaf-1", "spine-0", "spine-1"))
    fabric = Fabric(switches, tuple(adapters), tuple(cables))
    keys = study.fabrics.cables_of(fabric)
    assert keys[0] == [2, 2 + study.fabrics.STRIDE, 3]
    assert keys[3] == [0, 1]
    lines = study.fabrics.table_lines(fabric, study.fabrics.even_tables(fabric).out)
    table = {(int(r), int(n)): int(key) for r, n, key in map(str.split, lines)}
    used = []
    for leaf in (0, 1):
        for node in range(6):
            at = leaf
            while table[at, node] >= 0:
                used.append((at, table[at, node]))
                at = table[at, node] % study.fabrics.STRIDE
            assert at == node // 3
    assert {used.count(link) for link in used} == {1}  # 3 destinations on 3 cables
