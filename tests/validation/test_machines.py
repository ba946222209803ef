"""The page of ping-pongs: its tables are made by the study; pairs are where they should be."""

import numpy as np
import pytest

from odonata import machine


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that measures."""
    return load_study("machines", "run").run


def test_the_page_has_what_the_machine_files_give_now(study):
    page = (study.HERE / "README.md").read_text(encoding="utf-8")
    found = list(study.points())
    for table in (study.compared(found), study.counted(found), study.curves()):
        assert str(table) in page


def test_every_shipped_machine_has_a_curve(study):
    page = (study.HERE / "README.md").read_text(encoding="utf-8")
    for name in machine.names():
        assert f"\n| {name} " in page


@pytest.mark.parametrize(
    ("name", "place", "steps"),
    [
        ("edison", "blade", [0, 0, 0]),
        ("edison", "chassis", [0, 0, 1]),
        ("edison", "group", [0, 1, 1]),
        ("titan", "y", [0, 1, 0]),
        ("titan", "farthest", [12, 8, 12]),
    ],
)
def test_pairs_sit_at_their_place(study, name, place, steps):
    built = machine.load(name)
    positions = built.router_positions[np.asarray(built.node_router)]
    for first, second in study.pairs(built, place):
        assert first != second
        assert abs(positions[second] - positions[first]).tolist() == steps


def test_pairs_in_another_group_are_spread(study):
    found = study.pairs(machine.load("edison"), "other group")
    assert len(found) == study.MOST_PAIRS
    assert len({second for _, second in found}) == study.MOST_PAIRS


def test_a_window_of_messages_takes_its_slower_side(study):
    built = machine.load("eos")
    slower = max(built.value("mpi.send_overhead"), built.value("mpi.recv_overhead"))  # [ps]
    rate = study.bandwidth(built, 1, [0, 1])  # [MB/s]: messages a microsecond
    assert rate == pytest.approx(1e6 / slower, rel=0.06)
