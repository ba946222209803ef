"""Wiring files: Edison's, and broken ones."""

from __future__ import annotations

import gzip
import tracemalloc

import numpy as np
import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.wiring import read_edges

from .dumps import EDISON_DIGEST, digest, dump

TWO = """\
c0-0c0s0a0l00(0:0:0) green -> c0-0c0s1a0l00(0:0:1)
c0-0c0s0a0l01(0:0:0) blue -> unused
c0-0c0s0a0l50(0:0:0) ptile -> processor
c0-0c0s1a0l00(0:0:1) green -> c0-0c0s0a0l00(0:0:0)
"""


def written(tmp_path, text):
    path = tmp_path / "links.txt"
    path.write_text(text)
    return path


def test_the_published_file_has_the_links_of_the_digest(published_path):
    assert digest(machine.read_wiring(published_path)) == EDISON_DIGEST


def test_edison_by_rule_meets_the_published_wiring_in_every_link(edison_wiring):
    found = machine.compare_wiring(machine.load("edison").core, edison_wiring)
    assert {name: d.common for name, d in found.items()} == {
        "green": 21_600,
        "black": 21_600,
        "blue": 5_040,
    }
    assert [d.differing for d in found.values()] == [0, 0, 0]


def test_a_wrong_rule_is_found_out(edison_wiring):
    # with 22 links a pair every group pair but the first of each group moves to other routers
    other = machine.load("edison", {"shape.blue_links": 22})
    found = machine.compare_wiring(other.core, edison_wiring)
    assert found["blue"].only_wiring > 0
    assert found["green"].differing == found["black"].differing == 0


def test_edison_read_from_its_wiring_is_exact(edison_wiring, shipped, tmp_path):
    path = tmp_path / "edison-links.txt"
    path.write_text(dump(edison_wiring))
    by_rule = 'blue_links = { value = 24, source = "'
    from_file = 'blue_wiring = { value = "edison-links.txt", source = "'
    read = machine.load(shipped("edison", (by_rule, from_file)))
    assert all(d.differing == 0 for d in machine.compare_wiring(read.core, edison_wiring).values())
    assert np.array_equal(read.core.links, machine.load("edison").core.links)


def test_edison_as_a_graph_has_the_same_links(edison_wiring, graph_file, tmp_path):
    (tmp_path / "edison-links.txt").write_text(dump(edison_wiring))
    path = graph_file(wiring='"edison-links.txt"', nodes_per_router="4")
    text = path.read_text()
    cable = text[text.index("[links.cable]") : text.index("[router]")]
    path.write_text(
        text.replace(cable, "".join(cable.replace("cable", c) for c in ("green", "black", "blue")))
    )
    read = machine.load(path)
    assert (read.num_nodes, read.num_routers) == (5760, 1440)
    assert read.num_links == machine.load("edison").num_links
    assert read.check("minimal").passed


def test_two_routers_by_hand(tmp_path):
    wiring = machine.read_wiring(written(tmp_path, TWO))
    assert (wiring.groups, wiring.rows, wiring.columns) == (1, 1, 2)
    assert wiring.links.tolist() == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("-> c0-0c0s1a0l00(0:0:1)", "-> c0-0c0s9a0l00(0:0:9)", ":1: .*dangles"),
        ("c0-0c0s0a0l00(0:0:0)\n", "c0-0c0s0a0l01(0:0:0)\n", "goes one way"),
        ("-> c0-0c0s1a0l00(0:0:1)", "-> unused", ":4: .*goes one way"),
        ("l00(0:0:1) green", "l00(0:0:1) black", ":1: .*goes one way"),  # of two colours
        ("blue -> unused", "blue", ":2: .*line not understood"),
        ("0l01(0:0:0) blue", "0l00(0:0:0) blue", ":2: .*listed twice"),
        ("green -> c0-0c0s1", "mauve -> c0-0c0s1", ":1: .*unknown colour: 'mauve'"),
        ("s0a0l50", "s0a0l99", ":3: .*line not understood"),
    ],
)
def test_broken_wirings_are_refused_by_line(tmp_path, old, new, problem):
    assert old in TWO
    with pytest.raises(UserError, match=problem):
        machine.read_wiring(written(tmp_path, TWO.replace(old, new, 1)))


def test_empty_wiring_is_refused(tmp_path):
    with pytest.raises(UserError, match="no ports"):
        machine.read_wiring(written(tmp_path, ""))


def test_truncated_and_false_gzip_files_are_refused(tmp_path):
    whole = gzip.compress(TWO.encode() * 100)
    for name, data in (("cut.gz", whole[: len(whole) // 2]), ("text.gz", TWO.encode())):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(UserError, match="truncated or damaged"):
            machine.read_wiring(path)


def test_a_file_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    """Neither many empty lines nor one without an end take memory."""
    monkeypatch.setattr("odonata.machine.lines.MOST_LINES", 10_000)
    path = tmp_path / "bomb.gz"
    for content, line in ((b"\n" * 2**26, 10_001), (b"\n" + b" " * 2**26, 2)):
        path.write_bytes(gzip.compress(content, 1))
        tracemalloc.start()
        with pytest.raises(UserError, match=f"bomb.gz:{line}: bomb.gz: too long"):
            machine.read_wiring(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 2**20


def test_binary_is_refused(tmp_path):
    path = tmp_path / "links.txt"
    path.write_bytes(bytes(reversed(range(256))))
    with pytest.raises(UserError, match="not plain text"):
        machine.read_wiring(path)


def test_wiring_of_another_machine_is_refused(tmp_path):
    wiring = machine.read_wiring(written(tmp_path, TWO))
    with pytest.raises(UserError, match="another shape"):
        machine.compare_wiring(machine.load("eos").core, wiring)


def test_edge_list_by_hand(tmp_path):
    path = written(tmp_path, "node 0 router 1  # the only one\n\nlink 0 1 cable\nlink 1 0 cable\n")
    edges = read_edges(path)
    assert edges.node_router == (1,)
    assert edges.links == ((0, 1, "cable"), (1, 0, "cable"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("node 0 router 0\nedge 0 1 cable", ":2: .*not understood"),
        ("node 0 router 0\nnode 0 router 1", ":2: .*listed twice"),
        ("node 1 router 0", "missing: 0"),
        ("link 0 -1 cable", ":1: .*not understood"),
    ],
)
def test_broken_edge_lists_are_refused(tmp_path, text, problem):
    with pytest.raises(UserError, match=problem):
        read_edges(written(tmp_path, text))
