"""Machine files: shipped ones, and refused ones with the place."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.machine.files import find, read

LOCAL_RATE = 'bandwidth = { value = "5.25 GB/s", source = "the study prints 5.25 Gb/s'
GROUPS = "groups = { value = 73"


@pytest.mark.parametrize(
    ("name", "nodes", "cores", "routers", "groups", "last"),
    [
        ("dragonfly-5256", 5256, 1, 876, 73, 5256),
        ("eos", 744, 16, 192, 2, 480),
        ("darter", 748, 16, 192, 2, 480),
        ("edison", 5760, 24, 1440, 15, 24 * 15 * 14),
        ("theta", 3456, 64, 864, 9, 48 * 9 * 8),
        ("blue-waters", 26496, 32, 13248, 24, 4 * 3 * 23 * 24),  # the last class: cables of z
        ("titan", 19200, 16, 9600, 24, 4 * 3 * 25 * 16),
        ("hopper", 6528, 24, 3264, 24, 4 * 3 * 17 * 8),
        ("jupiter-fdr", 32, 16, 1, 0, 32),
        ("jupiter-1gbe", 32, 16, 1, 0, 32),
        # adapters, and in each rail 256 leaves, 16 pods of 18 and 18 * 18 routers at the top
        ("summit", 4608, 42, 4608 + 2 * (256 + 288 + 324), 16, 2 * 2 * 288 * 18),
        ("frontier", 9856, 64, 77 * 32, 77, 4 * 77 * 76),
        ("fugaku", 158976, 48, 158976, 2, 158976),
        ("marenostrum5", 1120, 80, 70 + 56 + 24, 7, 2 * 56 * 24),
        ("leonardo", 4992, 32, 20 * 36 + 2 * 34, 22, 18 * 22 * 21),
        ("lumi-g", 2978, 64, 24 * 32, 24, 20 * 24 * 23),
    ],
)
def test_shipped_machines(name, nodes, cores, routers, groups, last):
    m = machine.load(name)
    assert m.name == name
    counts = (m.num_nodes, m.cores_per_node, m.num_routers, m.num_groups)
    assert counts == (nodes, cores, routers, groups)
    assert np.count_nonzero(m.link_class == len(m.link_classes) - 1) == last


@pytest.mark.parametrize("name", machine.names())
def test_every_number_says_where_it_comes_from(name):
    for number in machine.load(name).numbers.values():
        assert len(number.source) > 3
        assert number.status in ("published", "site", "measured", "fitted", "assumed")


def test_an_assumption_is_not_called_published():
    numbers = machine.load("dragonfly-5256").numbers
    published = {key for key, number in numbers.items() if number.status == "published"}
    assert {"links.local.bandwidth", "links.global.bandwidth", "links.local.buffer"} <= published
    assert not any(key.endswith(("latency", "credit_delay", "overhead")) for key in published)


def test_small_message_on_the_xc30_takes_what_is_in_print():
    """Check 1.3 us for 8 bytes between nodes of a blade of an idle machine, by addition."""
    eos = machine.load("eos")

    def ps(key):
        value = eos.value(key)
        assert isinstance(value, int)
        return value

    network = ps("links.injection.latency") + ps("router.delay") + ps("links.ejection.latency")
    wires = sum(8e12 / ps(f"links.{c}.bandwidth") for c in ("injection", "ejection"))
    total = ps("mpi.send_overhead") + network + wires + ps("mpi.recv_overhead")
    assert total == pytest.approx(1.3e6, rel=2e-3)


@pytest.mark.parametrize(
    ("name", "microseconds"),
    [("jupiter-fdr", 1.2), ("jupiter-1gbe", 40.7), ("summit", 1.1), ("frontier", 2.0)],
)
def test_small_message_between_neighbours_takes_what_the_overheads_were_chosen_for(
    name, microseconds
):
    """Check 8 bytes between two nodes of a leaf; a rail is one link more at either end."""
    found = machine.load(name)

    def ps(key):
        value = found.value(key)
        assert isinstance(value, int)
        return value

    links = ["injection", "ejection", *(["rail"] * 2 if name == "summit" else [])]
    total = ps("mpi.send_overhead") + ps("mpi.recv_overhead")
    total += sum(ps(f"links.{c}.latency") for c in links)
    total += (len(links) - 1) * ps("router.delay")
    total += (8 + ps("nic.header_bytes")) * 1e12 / min(ps(f"links.{c}.bandwidth") for c in links)
    assert total == pytest.approx(microseconds * 1e6, rel=0.03)


def test_slingshot_groups_have_no_more_links_than_ports():
    """A group of 32 switches has 512 ports for nodes and 512 for other groups."""
    for name in ("frontier", "lumi-g"):
        found = machine.load(name)
        peers = found.num_groups - 1
        assert found.value("shape.links_per_group_pair") * peers <= 512
        assert found.value("shape.global_links_per_router") <= 16
        places = found.num_nodes + (94 if name == "lumi-g" else 0)  # empty ones
        assert 4 * places == 512 * found.num_groups
        assert np.bincount(found.port_router).max() == 16


def test_dimensional_values_are_in_base_units():
    m = machine.load("dragonfly-5256")
    assert m.value("links.local.bandwidth") == 5_250_000_000
    assert m.value("links.global.latency") == 50_000
    assert m.value("links.global.buffer") == 16_384
    assert m.value("mpi.copy_per_byte") == 0.0
    assert machine.load("eos").value("model.t") == (1590, 806, 545)


def test_unknown_machine_has_its_near_miss():
    with pytest.raises(UserError, match="did you mean 'edison'") as caught:
        machine.load("edisson")
    assert caught.value.near == "edison"


def test_unknown_value_has_its_near_miss():
    with pytest.raises(UserError, match=r"did you mean 'links\.green\.buffer'"):
        machine.load("eos").value("links.green.bufer")


def test_a_path_works_as_a_name(shipped):
    path = shipped("eos", ('name = "eos"', 'name = "mine"'))
    assert machine.load(path).name == "mine"
    assert machine.load(str(path)).name == "mine"


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="no such file"):
        machine.load(tmp_path / "none.toml")
    with pytest.raises(UserError, match="no such file"):
        machine.load("no\0thing.toml")


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        # a bare number, of a dimensional key or of a count
        (LOCAL_RATE, LOCAL_RATE.replace('"5.25 GB/s"', "5.25"), "without a unit"),
        (LOCAL_RATE, LOCAL_RATE.replace("5.25 GB/s", "5.25"), "without a unit"),
        (GROUPS, "groups = 73\n# ", r"shape\.groups: without its source: 73"),
        # units
        (LOCAL_RATE, LOCAL_RATE.replace("GB/s", "Gbps", 1), "unknown unit 'Gbps'"),
        (LOCAL_RATE, LOCAL_RATE.replace("5.25 GB/s", "0 GB/s", 1), "out of range"),
        (LOCAL_RATE, LOCAL_RATE.replace("5.25 GB/s", "-5 GB/s", 1), "out of range"),
        (LOCAL_RATE, LOCAL_RATE.replace("5.25 GB/s", "1e99 GB/s", 1), "out of range"),
        ('"100 ns"', '"100 KiB"', "unknown unit 'KiB'"),
        ('"100 ns"', '"2 s"', "out of range"),
        ('value = "1 KiB"', 'value = "0 B"', "out of range"),
        ('value = "1 KiB"', 'value = "1 TiB"', "out of range"),
        ('value = "1 KiB"', 'value = "32 KiB"', "smaller than a packet"),
        ('value = "0 B", source = "no limit"', 'value = "1 B", source = "x"', "nic.window: small"),
        # keys
        ("[router]", "[routers]", "did you mean 'router.delay'"),
        ("[links.local]", "[links.locale]", r"links\.locale\.bandwidth: unknown key; did you"),
        ("\ndelay = ", "\ndelays = ", "did you mean 'router.delay'"),
        ("cores = ", "# cores = ", r"node\.cores: missing"),
        ('name = "dragonfly-5256"', "", "name: missing"),
        ('name = "dragonfly-5256"', 'name = "../x"', "name: not a name"),
        ('family = "dragonfly"', 'family = "dragonfy"', "did you mean 'dragonfly'"),
        ('family = "dragonfly"', "family = 7", "family: not a text"),
        # fields of a number
        ("groups = { value", "groups = { vlaue", r"shape\.groups.vlaue: unknown key; did you mean"),
        ('status = "published"', 'status = "certain"', "status: unknown: 'certain'"),
        ('status = "published"', "source_ = 1", "unknown key; did you mean 'source'"),
        (', status = "published"', "", "status: missing"),
        # values
        ("value = 73", 'value = "73"', r"shape\.groups: not a whole number"),
        ("value = 73", "value = 73.0", "not a whole number"),
        ("value = 73", "value = true", "not a whole number"),
        ("value = 73", "value = 0", "out of range: 0; allowed: 1 to 2048"),
        ("value = 73", "value = -73", "out of range"),
        ("value = 73", "value = 99999999999999999999", "out of range"),
        ("value = 73", "value = 74", "groups: .*: 74; allowed: 1 to 73"),
        ('value = "relative"', 'value = "realtive"', "allowed: absolute, relative, circulant"),
    ],
)
def test_wrong_files_are_refused(shipped, old, new, problem):
    with pytest.raises(UserError, match=problem):
        machine.load(shipped("dragonfly-5256", (old, new)))


@pytest.mark.parametrize("groups", [0, 74])  # the schema finds the first, the builder the second
def test_an_error_says_file_line_and_key(shipped, groups):
    path = shipped("dragonfly-5256", ("value = 73", f"value = {groups}"))
    line = 1 + path.read_text().splitlines().index(
        next(line for line in path.read_text().splitlines() if line.startswith("groups"))
    )
    with pytest.raises(UserError) as caught:
        machine.load(path)
    assert caught.value.where == f"{path}:{line}:shape.groups"
    assert caught.value.value == groups
    assert caught.value.allowed == f"1 to {2048 if groups == 0 else 73}"


@pytest.mark.parametrize(
    ("cost", "threshold"),
    [
        ("mpi.eager_overhead=1 us", "mpi.short_threshold"),
        ("mpi.eager_overhead_per_byte=1 ps/B", "mpi.short_threshold"),
        ("mpi.long_overhead_per_byte=1 ps/B", "mpi.long_threshold"),
    ],
)
def test_a_cost_without_the_threshold_where_it_begins_is_refused(cost, threshold):
    key, _, value = cost.partition("=")
    with pytest.raises(UserError, match=f"{key}: no message costs this without {threshold}"):
        machine.load("summit", {key: value})
    built = machine.load("summit", {key: value, threshold: "1 KiB"})
    assert built.value(threshold) == 1024


def test_an_error_of_the_whole_shape_says_its_table(shipped):
    routers = ("routers_per_group = { value = 12,", "routers_per_group = { value = 2000,")
    path = shipped("dragonfly-5256", routers)
    lines = path.read_text().splitlines()
    with pytest.raises(UserError, match="number of") as caught:
        machine.load(path)
    assert caught.value.where == f"{path}:{1 + lines.index('[shape]')}:shape"


def test_an_unfinished_line_says_its_number(shipped):
    path = shipped("dragonfly-5256")
    text = path.read_text()
    path.write_text(text[: text.index("value = 73")])
    line = path.read_text().count("\n") + 1
    with pytest.raises(UserError, match="not TOML") as caught:
        machine.load(path)
    assert caught.value.where is not None
    assert caught.value.where.endswith(f":{line}")


@pytest.mark.parametrize("size", [0, 1, 20, 400, 2000, 5000])
def test_truncated_files_are_refused(shipped, size):
    path = shipped("eos")
    path.write_text(path.read_text()[:size])
    with pytest.raises(UserError):
        machine.load(path)


@pytest.mark.parametrize(
    "text",
    [
        b"\xff\xfe\x00",
        b"name = " + b"[" * 100_000,
        b"a" + b".a" * 50_000 + b" = 1",
        b"name = " + b"9" * 10_000,
        b'name = "x"\nname = "y"',
        b'name = "x"\nfamily = "star"\ndescription = "d"\n[shape]\nnodes.value.value = 1',
        b'name = "x"\nfamily = "star"\ndescription = "d"\n[[shape]]\nnodes = 1',
        b'name = "x"\nfamily = "star"\ndescription = "d"\nshape = 1',
        b'name = "x"\nfamily = "graph"\ndescription = "d"\n[links."a.b.c"]\nx = 1',
        b'name = "__import__(\'os\').abort()"\nfamily = "star"\ndescription = "d"',
    ],
)
def test_hostile_files_are_refused(tmp_path, text):
    path = tmp_path / "hostile.toml"
    path.write_bytes(text)
    with pytest.raises(UserError):
        machine.load(path)


def test_a_huge_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("odonata.machine.files.MOST_BYTES", 1000)
    path = tmp_path / "huge.toml"
    path.write_text("#" * 2000)
    with pytest.raises(UserError, match="too long"):
        machine.load(path)


@given(junk=st.text(max_size=200))
def test_any_text_is_refused_politely(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "junk.toml"
    path.write_text(junk, encoding="utf-8", errors="replace")
    with pytest.raises(UserError):
        machine.load(path)


def test_hostile_counts_are_refused_before_anything_is_built():
    changes = {
        "shape.groups": 2048,
        "shape.routers_per_group": 4096,
        "shape.nodes_per_router": 4096,
        "shape.global_links_per_router": 4096,
    }
    with pytest.raises(UserError, match="number of routers"):
        machine.load("dragonfly-5256", changes)


def test_changes_take_the_place_of_the_files_numbers():
    m = machine.load("eos").with_values({"links.green.buffer": "8 KiB", "node.cores": 4})
    assert (m.value("links.green.buffer"), m.cores_per_node) == (8192, 4)
    assert m.numbers["links.green.buffer"].source == "set by the user"
    assert m.numbers["links.green.buffer"].status == "assumed"
    again = m.with_values({"router.delay": "50 ns"})
    assert again.changes == {
        "links.green.buffer": "8 KiB",
        "node.cores": 4,
        "router.delay": "50 ns",
    }
    assert again.core.router_delay == 50_000
    assert machine.load("eos").value("node.cores") == 16


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"links.gren.buffer": "8 KiB"}, r"did you mean 'links\.green\.buffer'"),
        ({"links.green.buffer": 8192}, "without a unit"),
        ({"links.green.buffer": None}, "not a bytes"),
        ({"name": "x"}, "unknown key"),
        ({"shape.blue_links": 10_000}, "out of range"),
    ],
)
def test_wrong_changes_are_refused(changes, problem):
    with pytest.raises(UserError, match=problem):
        machine.load("eos").with_values(changes)


def test_graph_by_lists(graph_file):
    links = '[[0, 1, "cable"], [1, 0, "cable"]]'
    m = machine.load(graph_file(node_router="[0, 0, 1]", links=links))
    assert (m.num_nodes, m.num_routers, m.num_links) == (3, 2, 8)
    assert m.link_classes == ("injection", "ejection", "cable")
    assert m.check("ugal").passed
    assert m.num_groups == 0


def test_graph_by_edge_list(graph_file, tmp_path):
    (tmp_path / "edges.txt").write_text("node 0 router 0\nnode 1 router 1\nlink 0 1 cable\n")
    path = graph_file(edges='"edges.txt"')
    with pytest.raises(UserError, match="0 -> 1 goes one way"):
        machine.load(path)
    with (tmp_path / "edges.txt").open("a") as file:
        file.write("link 1 0 cable\n")
    assert machine.load(path).num_nodes == 2


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        ({}, "needs one list of links"),
        ({"edges": '"a"', "wiring": '"b"'}, "needs one list of links"),
        ({"links": "[]"}, "node_router: missing"),
        ({"wiring": '"x"'}, "nodes_per_router: missing"),
        ({"node_router": "[0]", "links": "[[0, 1]]"}, "not a link"),
        ({"node_router": "[0]", "links": '[[0, 1, "optic"]]'}, r"links\.optic: missing"),
        ({"node_router": "[0]", "links": '[[0, 1, "injection"]]'}, r"links\.injection: missing"),
        ({"node_router": "[-1]", "links": "[]"}, "out of range"),
        ({"node_router": "7", "links": "[]"}, "not a list"),
    ],
)
def test_wrong_graphs_are_refused(graph_file, shape, problem):
    with pytest.raises(UserError, match=problem):
        machine.load(graph_file(**shape))


def test_places():
    m = machine.load("eos")
    first = m.place(0)  # routers 0 to 2 of each group carry service nodes
    assert first.coordinates == {"group": 0, "row": 0, "column": 3}
    assert (first.router, first.position) == (3, 0)
    last = m.place(743)
    assert last.coordinates == {"group": 1, "row": 5, "column": 15}
    assert last.position == 3
    with pytest.raises(UserError, match="allowed: 0 to 743"):
        m.place(744)


def test_coordinates_agree_with_places():
    m = machine.load("edison")
    for node in (0, 1234, 5759):
        place = m.place(node)
        assert m.node_group[node] == place.coordinates["group"]
        at = dict(zip(m.axes, m.router_positions[place.router], strict=True))
        assert at == place.coordinates


def test_repr_is_a_table():
    lines = repr(machine.load("eos")).splitlines()
    assert lines[0] == "eos (aries)"
    assert lines[1] == "744 nodes of 16 cores, 192 routers of up to 38 ports, 2 groups"
    assert lines[-1].split() == ["blue", "480", "240", "3.58", "GB/s", "75", "ns", "16", "KiB"]


def test_no_line_of_a_shipped_file_is_without_meaning():
    for name in machine.names():
        path = find(name)
        assert isinstance(path, Path)
        tree = tomllib.loads(path.read_text())
        assert set(tree) <= {
            "name",
            "family",
            "description",
            "shape",
            "links",
            "router",
            "node",
            "nic",
            "mpi",
            "model",
            "names",
            "checked",
        }
        assert read(path).name == path.stem


def test_the_most_links_of_a_machine():
    """A router has a port for its node, for the 999 others of its group, and a global one."""
    shape = {"nodes_per_router": 1, "global_links_per_router": 1, "groups": 8}
    changes = {f"shape.{key}": value for key, value in shape.items()}
    largest = machine.load("dragonfly-5256", {**changes, "shape.routers_per_group": 999})
    of_groups = 999 // 7 * 7  # global links of a group, as many to each other group
    assert largest.num_links == 8 * (999 * (2 + 998) + of_groups)
    with pytest.raises(UserError) as refused:
        machine.load("dragonfly-5256", {**changes, "shape.routers_per_group": 1000})
    said = "shape: number of links: out of range: 8016000; allowed: 1 to 8000000"
    assert str(refused.value).endswith(f":shape: {said}")


def test_a_document_names_other_files_by_whole_paths(graph_file, tmp_path, monkeypatch):
    edges = "node 0 router 0\nnode 1 router 1\nlink 0 1 cable\nlink 1 0 cable\n"
    (tmp_path / "edges.txt").write_text(edges)
    first = machine.load(graph_file(routers="2", edges='"edges.txt"'), {"router.delay": "7 ns"})
    document = json.loads(json.dumps(first.document()))
    monkeypatch.chdir("/")
    again = machine.from_document(document, first.changes)
    assert again.link_to.tolist() == first.link_to.tolist()
    assert again.value("router.delay") == 7000
    assert again.document() == document
