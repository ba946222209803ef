"""Fabrics of machines as files for OpenSM and graph tools, and the way back."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.machine.fabric.fabric import Adapter, Cable, Fabric, LinkKind, Switch, read_fabric
from odonata.machine.fabric.importing import Assumed, read_any, with_usual
from odonata.machine.fabric.infiniband import ibnetdiscover_lines, ibsim_lines
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.fabric.rates import kind_of, nearest, rate_of
from odonata.machine.fabric.writing import WRITERS
from odonata.machine.template import template

from .fabrics import Cluster, fabric_file, pair

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


def again(fabric, folder, lines=ibnetdiscover_lines):
    """Write a fabric, and read it."""
    path = folder / "net.txt"
    path.write_text("\n".join(lines(fabric, "a test")) + "\n")
    return read_any(path, None, Assumed())


def named(fabric):
    """Return hosts with their links and cables by names and ports, with rates."""
    names = [switch.name for switch in fabric.switches]
    adapters = [
        (a.host, names[a.switch], a.port, fabric.kinds[a.kind].rate) for a in fabric.adapters
    ]
    cables = [
        (*sorted([(names[c.a], c.a_port), (names[c.b], c.b_port)]), fabric.kinds[c.kind].rate)
        for c in fabric.cables
    ]
    return sorted(names), sorted(adapters), sorted(cables)


def several_ports():
    """Return two switches, a host with two adapters, one with two ports, and strangers."""
    cluster = Cluster()
    cluster.add("S", "s1")
    cluster.add("S", "s2")
    cluster.join("s1", "s2")
    cluster.join("s1", "s2", "4xQDR")
    cluster.add("H", "a", "node1 mlx5_0")
    cluster.join("a", "s1")
    cluster.join("a", "s2")
    for name, described, switch in (
        ("b", "node1 mlx5_1", "s1"),
        ("c", "node2", "s1"),
        ("d", "", "s2"),
        ("e", "MT4129 ConnectX7   Mellanox Technologies", "s2"),
    ):
        cluster.add("H", name, described)
        cluster.join(name, switch, "1xHDR")
    return cluster


@pytest.mark.parametrize("cluster", [pair(), several_ports()], ids=["pair", "several ports"])
def test_an_imported_fabric_is_the_same_after_it_was_written(cluster, tmp_path, run_odonata):
    (tmp_path / "net").write_text(cluster.text())
    words = "machines", "import", tmp_path / "net", "-o"
    assert run_odonata(*words, tmp_path / "one.toml")[0] == 0
    out = tmp_path / "out"
    done = run_odonata(
        *("machines", "write", tmp_path / "one.toml"), *("--format", "ibnetdiscover", "-o", out)
    )
    assert done[0] == 0, done[2]
    assert done[2] == ""  # all rates are exact
    assert run_odonata("machines", "import", out, "-o", tmp_path / "two.toml")[0] == 0
    one, two = (read_fabric(tmp_path / f"{name}.fabric") for name in ("one", "two"))
    assert one == two
    first, second = (machine.load(tmp_path / f"{name}.toml") for name in ("one", "two"))
    assert first.link_classes == second.link_classes
    assert [c.bandwidth for c in first.core.classes] == [c.bandwidth for c in second.core.classes]


def test_a_real_cluster_is_the_same_after_it_was_written(tmp_path):
    read = with_usual(
        read_any(fabric_file("gpu-cluster.ibnetdiscover.gz"), None, Assumed()), Assumed()
    )
    there = with_usual(again(read, tmp_path), Assumed())
    assert [a.host for a in there.adapters] == [a.host for a in read.adapters]
    assert [a.label for a in there.adapters] == [a.label for a in read.adapters]
    assert there.checksum() == read.checksum()
    assert (len(there.switches), len(there.adapters), len(there.cables)) == (40, 542, 532)


@st.composite
def fabrics(draw):
    """Draw a fabric with any cables and labels."""
    switches = draw(st.integers(1, 5))
    speeds = ["1xSDR", "4xQDR", "4xEDR", "4xNDR"]
    last = [0] * switches

    def port(switch):
        last[switch] += 1
        return last[switch]

    labels = st.sampled_from(["adapter", "HCA-1", "mlx5_0", "mlx5_0/1", "mlx5_0/2", "port-7"])
    adapters = []
    for host in range(draw(st.integers(1, 4))):
        for label in draw(st.lists(labels, min_size=1, max_size=4)):
            at = draw(st.integers(0, switches - 1))
            adapters.append(Adapter(f"n{host}", label, at, port(at), draw(st.sampled_from(speeds))))
    cables = []
    if switches > 1:
        pairs = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
        for a, b in draw(st.lists(pairs.filter(lambda ends: ends[0] != ends[1]), max_size=8)):
            cables.append(Cable(a, port(a), b, port(b), draw(st.sampled_from(speeds))))
    kinds = {name: replace(kind_of(name), latency="50 ns") for name in speeds}
    names = tuple(Switch(f"s{number}") for number in range(switches))
    return Fabric(names, tuple(adapters), tuple(cables), kinds)


@settings(max_examples=60)
@given(fabric=fabrics())
def test_any_fabric_is_the_same_after_it_was_written(fabric, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawn")
    for lines in (ibnetdiscover_lines, ibsim_lines):
        assert named(again(fabric, folder, lines)) == named(fabric)


MACHINES = {
    "torus": ("torus", {"shape.sizes": [4, 3, 2], "shape.wrap": [1, 1, 0]}),
    "dragonfly": ("dragonfly", {}),
    "fat tree": ("fat-tree", {}),
    "several cables": ("torus", {"shape.links_per_direction": [1, 3, 1]}),
}


@pytest.mark.parametrize("case", [*MACHINES, "summit", "lumi-g", "eos", "jupiter-fdr"])
def test_counts_agree_with_the_machine(case, tmp_path):
    if case in MACHINES:
        family, changes = MACHINES[case]
        (tmp_path / "mine.toml").write_text(template(family, "mine", changes))
        made = machine.load(tmp_path / "mine.toml")
    else:
        made = machine.load(case)
    read = again(fabric_of(made), tmp_path)
    rails = made.num_adapters * 2  # summit's nodes have two
    between = (made.num_links - 2 * made.num_node_ports) // 2
    assert len(read.switches) == made.num_routers - made.num_adapters
    assert len(read.adapters) == (rails or made.num_node_ports)
    assert len(read.cables) == between - rails
    assert len(read.hosts()) == made.num_nodes
    if made.num_adapters:
        return
    links = Counter()
    for a, b in zip(made.link_from.tolist(), made.link_to.tolist(), strict=True):
        links[a, b] += 1
    first = 2 * made.num_node_ports
    there = zip(made.link_from[first:].tolist(), made.link_to[first:].tolist(), strict=True)
    # names are numbered with zeros before them, so that the order of switches is the routers'
    assert Counter((a, b) for a, _, b, _, _ in read.ends()) == Counter(there)
    assert [a.switch for a in read.adapters] == made.port_router.tolist()


def test_hosts_have_the_names_of_the_machine():
    eos = fabric_of(machine.load("eos"))
    assert [a.host for a in eos.adapters[:2]] == ["nid00012", "nid00013"]
    assert fabric_of(machine.load("summit")).adapters[1] == Adapter(
        "node-0000", "HCA-02", 1, 1, "rail"
    )


def test_rates_are_written_by_the_nearest_width_and_speed(tmp_path, run_odonata):
    # between 4xEDR (12.5 GB/s) and 4xHDR (25) the ratio counts: 17.6 is nearer to 12.5
    assert nearest(12_500_000_000) == "4xEDR"
    assert nearest(17_600_000_000, ["EDR"]) == "4xEDR"
    assert nearest(17_700_000_000, ["EDR"]) == "8xEDR"
    out = tmp_path / "eos.net"
    status, said, err = run_odonata(
        "machines", "write", "eos", "--format", "ibsim", "-o", out, "--json"
    )
    assert status == 0
    links = json.loads(said)["links"]
    assert {name: link["bytes_per_second"] for name, link in links.items()} == {
        "injection": 10_200_000_000,
        "green": 4_000_000_000,
        "black": 4_000_000_000,
        "blue": 3_580_000_000,
    }
    assert all(
        link["written_bytes_per_second"] == rate_of(kind_of(link["written"]))
        for link in links.values()
    )
    assert links["green"]["written"] == "4xQDR"
    assert "links.injection: 10.2 GB/s is written as" in err
    assert "links.green" not in err
    assert "# ibsim -s -N 937 -S 193 -P " in out.read_text()  # 744 adapters, 192 switches, one more


def test_ibsim_has_no_addresses_and_starts_at_an_adapter(tmp_path):
    text = "\n".join(ibsim_lines(fabric_of(machine.load("jupiter-fdr")), "a test"))
    assert " lid 0 lmc 0" in text
    assert " lid 1 " not in text
    assert text.index("\nCa\t") < text.index("\nSwitch\t")


def test_ibsim_is_told_how_much_it_has_to_hold():
    """Each is one more than the file has; switches have a port 0, and adapters a spare one."""
    loaded = machine.load("dragonfly-5256")
    lines = list(ibsim_lines(fabric_of(loaded), "a dragonfly"))
    switches, adapters = 876, 5256
    ports = adapters + 2 * 7446 + switches + 2 * adapters
    limits = f"-N {switches + adapters + 1} -S {switches + 1} -P {ports + 1}"
    assert f"# ibsim -s {limits} FILE" in lines


def test_graphs_have_names_rates_and_latencies(tmp_path, run_odonata):
    path = tmp_path / "eos.graphml"
    assert run_odonata("machines", "write", "eos", "--format", "graphml", "-o", path)[0] == 0
    graph = ET.parse(path).getroot().find(f"{GRAPHML}graph")
    nodes = graph.findall(f"{GRAPHML}node")
    edges = [
        {data.get("key"): data.text for data in edge} for edge in graph.findall(f"{GRAPHML}edge")
    ]
    assert (len(nodes), len(edges)) == (744 + 192, 744 + 3120)
    assert {data.get("key"): data.text for data in nodes[192]} == {
        "name": "nid00012",
        "kind": "host",
    }
    blue = next(edge for edge in edges if edge["class"] == "blue")
    eos = machine.load("eos")
    assert int(blue["rate_bytes_per_second"]) == eos.value("links.blue.bandwidth")
    assert int(blue["latency_ps"]) == eos.value("links.blue.latency")
    status, dot, _ = run_odonata("machines", "write", "jupiter-fdr", "--format", "dot")
    assert status == 0
    assert dot.count(" -- ") == 32
    assert 's0 [label="router-0", kind=switch];' in dot
    assert 'rate="6.8 GB/s"' in dot


def test_texts_of_graphs_are_escaped():
    kinds = {"a<b": LinkKind("1 GB/s", "", "", "5 ns")}
    fabric = Fabric((Switch('s"&\x07'),), (Adapter("h<", "x", 0, 1, "a<b"),), (), kinds)
    text = "\n".join(WRITERS["graphml"].lines(fabric, "a --> b"))
    names = [data.text for data in ET.fromstring(text.encode()).iter(f"{GRAPHML}data")]
    assert names[0] == 's"&\\x07'
    assert "h<" in names
    assert 'label="s\\"&\\\\x07"' in "\n".join(WRITERS["dot"].lines(fabric, "a"))


WRONG = {
    "a format": (("eos", "--format", "ibdiscover"), "--format: unknown: 'ibdiscover'"),
    "a machine": (("eoss", "--format", "dot"), "machine: unknown: 'eoss'"),
    "two documents": (("eos", "--format", "dot", "--json"), "--json: only with --output"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_words_are_refused_in_a_line(name, run_odonata):
    words, message = WRONG[name]
    status, out, err = run_odonata("machines", "write", *words)
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"switches": (Switch("a/b"),)}, "not a description"),
        ({"switches": (Switch("a" * 65),)}, "not a description"),
        ({"adapters": (Adapter("n[1]", "x", 0, 1, "k"),)}, "not a description"),
        ({"adapters": (Adapter("n1", "x", 0, 255, "k"),)}, "too many ports of a switch: 255"),
        (
            {"adapters": tuple(Adapter(f"n{i}", "x", 0, 1, "k") for i in range(0xBFFF))},
            "too large a subnet: 49152",
        ),
    ],
    ids=["a name", "a long name", "a host", "a port", "addresses"],
)
def test_fabrics_that_infiniband_cannot_have_are_refused(change, message):
    kinds = {"k": LinkKind("1 GB/s", "", "", "5 ns")}
    small = Fabric((Switch("s"),), (Adapter("n1", "x", 0, 1, "k"),), (), kinds)
    list(ibnetdiscover_lines(small, "a test"))
    with pytest.raises(UserError, match=message):
        list(ibnetdiscover_lines(replace(small, **change), "a test"))
