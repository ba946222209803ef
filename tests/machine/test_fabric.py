"""Fabrics of clusters: readers of each format, the report, and refused files."""

from __future__ import annotations

import gzip
import json

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.fabric.fabric import read_fabric
from odonata.machine.fabric.findings import find
from odonata.machine.fabric.importing import FORMATS, Assumed, read_any
from odonata.machine.fabric.rates import kind_of, rate_of

from .fabrics import Cluster, pair


@pytest.fixture
def imported(tmp_path, run_odonata):
    """Import a text; the machine, the report, and the path of the machine file."""

    def call(text, *options, name="net.txt"):
        (tmp_path / name).write_text(text)
        words = ("machines", "import", tmp_path / name, "-o", tmp_path / "mine.toml", "--json")
        status, out, err = run_odonata(*words, *options)
        assert status == 0, err
        return machine.load(tmp_path / "mine.toml"), json.loads(out)

    return call


@pytest.mark.parametrize("grouped", [False, True])
def test_a_fabric_has_its_names_ports_and_rates(imported, grouped):
    made, report = imported(pair().text(grouped=grouped))
    assert (made.num_nodes, made.num_routers, made.num_node_ports) == (4, 4, 4)
    assert [machine.Names(made).host(node) for node in range(4)] == ["n1", "n2", "n3", "n4"]
    assert made.node_router.tolist() == [0, 0, 1, 1]
    assert made.link_from[8:].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3]
    assert made.value("links.4xEDR.bandwidth") == 12_500_000_000  # 4 lanes of 25 Gb/s
    assert made.value("links.injection.bandwidth") == 12_500_000_000
    assert made.numbers["links.4xEDR.bandwidth"].status == "published"
    assert made.numbers["links.4xEDR.latency"].status == "assumed"
    assert report["switch_links"] == 6
    assert report["few_uplinks"] == report["slow_links"] == report["parts"] == []


def test_a_compressed_fabric_is_the_same(tmp_path, imported):
    made, _ = imported(pair().text())
    (tmp_path / "net").write_bytes(gzip.compress(pair().text().encode()))
    fabric = read_any(tmp_path / "net", None, Assumed())
    assert fabric.checksum() == read_fabric(tmp_path / "mine.fabric").checksum()
    assert made.num_links == 20


def test_adapters_of_a_host_are_its_ports(imported):
    cluster = Cluster()
    cluster.add("S", "s1")
    cluster.add("S", "s2")
    cluster.join("s1", "s2")
    for name, described, switch in (
        ("a", "node2 mlx5_1", "s2"),
        ("b", "node2 mlx5_0", "s1"),
        ("c", "node10 HCA-1", "s1"),
        ("d", "MT4129 ConnectX7   Mellanox Technologies", "s1"),
        ("e", "Mellanox Technologies Aggregation Node", "s1"),
        ("f", "", "s2"),
    ):
        cluster.add("H", name, described)
        cluster.join(name, switch)
    made, report = imported(cluster.text())
    names = machine.Names(made)
    # in the order of descriptions; an adapter without a description is first
    assert [names.host(node) for node in range(made.num_nodes)] == [
        "guid-0000000000001007",
        "guid-0000000000001005",
        "node10",
        "node2",
    ]
    assert made.port_router.tolist() == [1, 0, 0, 0, 1]  # mlx5_0 is on s1, mlx5_1 on s2
    assert [made.first_port(node) for node in range(4)] == [0, 1, 2, 3]
    assert report["adapters_of_hosts"] == {"1": 3, "2": 1}
    assert "up to 2 ports" in repr(made)
    one, _ = imported(cluster.text(), "--port", "2")
    assert one.port_router.tolist() == [1, 0, 0, 1]


def test_adapters_of_another_speed_have_links_of_their_own(imported):
    cluster = pair()
    cluster.add("H", "n5", "n5 HCA-1")
    cluster.join("n5", "leaf-b", "4xQDR")
    made, _ = imported(cluster.text())
    assert made.value("links.injection-4xQDR.bandwidth") == 4_000_000_000
    assert "links.ejection-4xQDR.buffer" not in made.numbers
    names = [made.link_classes[number] for number in made.link_class]
    assert names[:5] == ["injection"] * 4 + ["injection-4xQDR"]
    assert names[5:10] == ["ejection"] * 4 + ["ejection-4xQDR"]
    assert all(count.vcs == 1 for count in made.check("minimal").classes if "ion" in count.name)


def test_the_report_names_few_uplinks_slow_cables_parts_and_duplicates(tmp_path):
    cluster = Cluster()
    for name in ("l1", "l2", "l3", "spine", "alone"):
        cluster.add("S", name)
    for name, leaf in (("n1", "l1"), ("n2", "l2"), ("n3", "l3")):
        cluster.add("H", name, "n9 HCA-1" if name == "n1" else f"{name} HCA-1")
        cluster.join(name, leaf)
    for leaf, number in (("l1", 2), ("l2", 2), ("l3", 1)):
        for _ in range(number):
            cluster.join(leaf, "spine")
    cluster.join("l2", "spine", "4xSDR")
    cluster.join("l1", "spine", "1xEDR")
    cluster.add("H", "n9")
    cluster.join("n9", "alone")
    cluster.nodes["n9"] = ("H", cluster.nodes["n9"][1], "n9 HCA-1")
    (tmp_path / "net").write_text(cluster.text())
    found = find(read_any(tmp_path / "net", None, Assumed()))
    assert found.few_uplinks == [("alone", 0, 3), ("l3", 1, 3)]
    assert found.slow_links == [
        ("l1[4]", "spine[7]", "1xEDR", "4xEDR"),
        ("l2[4]", "spine[6]", "4xSDR", "4xEDR"),
    ]
    assert found.parts == [["l1", "l2", "l3", "spine"], ["alone"]]
    assert found.duplicate_names == ["n9 HCA-1"]


def test_speeds_have_the_rates_of_their_coding():
    # 8b/10b leaves 4/5 of 4 x 10 Gb/s, 64b/66b of 4 x 14.0625; NDR is 400 Gb/s by four lanes
    assert rate_of(kind_of("4xQDR")) == 4_000_000_000
    assert rate_of(kind_of("4xFDR")) == pytest.approx(4 * 14.0625e9 * 64 / 66 / 8, rel=1e-5)
    assert rate_of(kind_of("4xNDR")) == 50_000_000_000
    assert rate_of(kind_of("2xXDR")) == 50_000_000_000
    with pytest.raises(UserError, match="3xNDR"):
        kind_of("3xNDR")


SLURM = """
# a tree
SwitchName=l1 Nodes=n[1-2]
SwitchName=l2 Nodes=n[3-4] LinkSpeed=4
switchname=top switches=l[1-2]
"""
YAML = """---
- topology: default
  cluster_default: true
  tree:
    switches:
      - switch: top
        children: l[1-2]
      - switch: l1
        nodes: n[1-2]
      - switch: l2
        nodes: n[3-4]
- topology: other
  tree:
    switches:
      - switch: x
        nodes: y
"""


@pytest.mark.parametrize("text", [SLURM, YAML])
def test_slurms_files_give_a_tree_with_assumed_links(imported, text):
    made, report = imported(text, "--links", "2", "--rate", "100 Gb/s")
    assert [machine.Names(made).host(node) for node in range(4)] == ["n1", "n2", "n3", "n4"]
    assert report["switch_links"] == 4
    number = made.numbers["links.cable.bandwidth"]
    assert (number.value, number.status) == (12_500_000_000, "assumed")
    assert made.routing("minhop").count_routes().pairs_of == [0, 4, 0, 8]


LINKS = """a,b,rate,count,latency
leaf,n1,100 Gb/s,2,
leaf,n2,4xQDR,,
leaf, switch:spine ,50 GB/s,3,250 ns
"""


def test_a_table_of_links_is_a_fabric(imported):
    made, report = imported(LINKS)
    assert (made.num_nodes, made.num_node_ports, made.num_routers) == (2, 3, 2)
    assert report["switch_links"] == 3
    assert made.value("links.kind2.latency") == 250_000
    assert made.value("links.kind2.bandwidth") == 50_000_000_000
    assert made.value("links.injection.bandwidth") == 12_500_000_000
    assert made.value("links.injection-4xQDR.bandwidth") == 4_000_000_000


WRONG = {
    "no such format": ("hello\n", "unknown format"),
    "garbage": (pair().text() + "garbage\n", "line not understood"),
    "a port before any node": ('vendid=0x1\n[1]\t"S-01"[1]\n', "a port before any node"),
    "a port twice": (pair().text().replace("\n[2]", "\n[1]", 1), "port 1 is in line"),
    "a port out of range": (pair().text().replace("\n[2]", "\n[99]", 1), "no such port: 99"),
    "one side": ("\n".join(pair().text().split("\n")[:-9]), "one side only"),
    "another port": (
        pair().text().replace('"S-0000000000000102"[1]', '"S-0000000000000102"[2]', 1),
        "its other end leads elsewhere",
    ),
    "a node twice": (pair().text() + 'Switch 36 "S-0000000000000100" # "x"\n', "this node is in"),
    "a speed": (pair().text().replace("4xEDR", "4xABC", 1), "4xABC"),
    "a LID": (pair().text().replace("# lid 5 lmc", "# lid 99999 lmc"), "LID out of range: 99999"),
    "no nodes": ("SwitchName=a Switches=b\nSwitchName=b\n", "no nodes"),
    "a switch that is missing": ("SwitchName=a Switches=b Nodes=n\n", "no such switch: 'b'"),
    "a node of two switches": ("SwitchName=a Nodes=n\nSwitchName=b Nodes=n\n", "the node is in"),
    "a block": ("BlockName=b1 Nodes=n[1-2]\n", "line not understood"),
    "a million names": ("SwitchName=a Nodes=n[1-2000000]\n", "too many names"),
    "a column": ("a,b,colour\n", "columns: 'a,b,colour'"),
    "a count": ("a,b,count\ns,n,0\n", "count out of range: '0'"),
    "a name": ("a,b\ns,n\x1b[31m\n", "not a host name"),
    "two hosts": ("a,b\ns,n\n", "a link between hosts"),
    "itself": ("a,b\ns,s\n", "its own end"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_their_place(name, tmp_path, run_odonata):
    text, message = WRONG[name]
    (tmp_path / "net").write_text(text)
    status, _, err = run_odonata(
        "machines", "import", tmp_path / "net", "-o", tmp_path / "out.toml"
    )
    assert status == 2
    assert message in err
    assert f"{tmp_path}/net" in err
    assert "\x1b" not in err
    assert not (tmp_path / "out.toml").exists()


def test_names_with_control_characters_become_words(imported):
    made, _ = imported(pair().text().replace("n1 HCA-1", "n1\x1b[31m\x07 HCA"))
    assert machine.Names(made).host(0).startswith("guid-")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("cable 0 29 9 9 4xEDR", "no such switch: 9"),
        ("cable 0 1 1 30 4xEDR", "has a link already"),
        ("adapter n1 HCA-2 0 30 -", "stand apart"),
        ("switch late", "a switch too many"),
        ("nonsense", "line not understood"),
    ],
)
def test_wrong_lines_of_a_fabrics_own_file_are_refused(imported, tmp_path, line, message):
    imported(pair().text())
    path = tmp_path / "mine.fabric"
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UserError, match=message) as raised:
        machine.load(tmp_path / "mine.toml")
    assert f"mine.fabric:{len(path.read_text().splitlines())}" in str(raised.value)


def test_every_format_is_known_by_its_beginning():
    texts = dict(zip(FORMATS, (pair().text(), SLURM, YAML, LINKS), strict=True))
    for name, text in texts.items():
        assert next(known for known, form in FORMATS.items() if form.recognise(text)) == name
