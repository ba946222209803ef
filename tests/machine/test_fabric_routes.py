"""Routes of fabrics: tables of OpenSM, lanes, cycles, and the numbers that were counted apart."""

from __future__ import annotations

import json

import numpy as np
import pytest

from odonata import machine
from odonata.errors import DeadlockError, UserError
from odonata.machine.congestion import congestion
from odonata.machine.fabric.forwarding import read_forwarding
from odonata.machine.fabric.lanes import read_lane_maps, read_service_levels
from odonata.placement import place
from odonata.simulate import Job, simulate
from odonata.workload import Collective

from .fabrics import fabric_file, one_way, pair, ring


@pytest.fixture
def imported(tmp_path, run_odonata):
    """Import files by their contents; the machine."""

    def call(text, lfts, *, sl2vl=None, levels=None):
        words = [tmp_path / "net", "-o", tmp_path / "mine.toml"]
        files = {"--lfts": lfts, "--sl2vl": sl2vl, "--service-levels": levels}
        (tmp_path / "net").write_text(text)
        for option, content in files.items():
            if content is not None:
                (tmp_path / option[2:]).write_text(content)
                words += [option, tmp_path / option[2:]]
        status, _, err = run_odonata("machines", "import", *words)
        assert status == 0, err
        return machine.load(tmp_path / "mine.toml")

    return call


WAYS = {
    ("leaf-a", "n1"): 1,
    ("leaf-a", "n2"): 2,
    ("leaf-a", "n3"): 3,
    ("leaf-a", "n4"): 5,
    ("leaf-b", "n1"): 4,
    ("leaf-b", "n2"): 5,
    ("leaf-b", "n3"): 1,
    ("leaf-b", "n4"): 2,
    ("spine-1", "n1"): 2,
    ("spine-1", "n2"): 1,
    ("spine-1", "n3"): 3,
    ("spine-1", "n4"): 4,
    ("spine-2", "n2"): 1,
    ("spine-2", "n4"): 2,
}
"""Ports to hosts: n3 from leaf-a by cable 3 to spine-1, n4 by cable 5 to spine-2, and so on."""


@pytest.mark.parametrize("form", ["dump_lfts", "opensm-lfts.dump"])
def test_packets_follow_the_tables(imported, form):
    made = imported(pair().text(), pair().lfts(WAYS, form))
    routing = made.routing("minimal")
    ends = [(int(made.link_from[link]), int(made.link_to[link])) for link in range(8, 20)]
    # from leaf-a (0) to n3's leaf (1): the first port on leaf-b is n3's, by spine-1 (2)
    hops = [ends[link - 8] for link, _ in routing.route(made.core, 0, 1, 0)]
    assert hops == [(0, 2), (2, 1)]
    counts = routing.count_routes()
    assert counts.pairs_of == [0, 4, 0, 8]
    assert (counts.unreachable_pairs, counts.channels_in_cycles) == (0, 0)
    # n1 -> n3 and n2 -> n4 take different cables, and so do the answers
    assert congestion(made, "shift:2").most_flows == 1
    assert congestion(made, "alltoall").most_flows == 2


def test_a_route_that_is_missing_loops_or_ends_elsewhere_is_none(imported, tmp_path):
    gone = {key: port for key, port in WAYS.items() if key != ("leaf-a", "n3")}
    loops = WAYS | {("spine-1", "n3"): 1}  # back to leaf-a
    elsewhere = WAYS | {("leaf-b", "n3"): 2}  # to n4
    for ways in (gone, loops, elsewhere):
        made = imported(pair().text(), pair().lfts(ways))
        lost = 3 if ways is elsewhere else 2  # n4, on n3's own leaf, too
        counts = made.routing("minimal").count_routes()
        assert counts.unreachable_pairs == lost
        assert not made.check("minimal").passed
        with pytest.raises(UserError, match=r"no route leads from port . to port 2"):
            simulate(made, Job(Collective("alltoall", "pairwise"), place(made, 4)))


def test_adapters_without_an_address_are_reported_and_cut_off(tmp_path, run_odonata):
    lone = pair()
    lone.add("H", "n5", "n5 HCA-1")
    lone.join("n5", "leaf-b")
    (tmp_path / "net").write_text(lone.text().replace(f"lid {lone.lid('n5')} lmc", "lid 0 lmc"))
    (tmp_path / "lfts").write_text(pair().lfts(WAYS))
    words = ("machines", "import", tmp_path / "net", "--lfts", tmp_path / "lfts", "--json")
    status, out, _ = run_odonata(*words, "-o", tmp_path / "mine.toml")
    assert status == 0
    assert json.loads(out)["routes"]["missing_adapters"] == ["n5 HCA-1"]
    counts = machine.load(tmp_path / "mine.toml").routing("minimal").count_routes()
    assert counts.unreachable_pairs == 4  # from n1 to n4 to n5; n5 itself reaches all


WRONG = {
    "another fabric": (
        "Unicast lids [0x0-0x9] of switch Lid 1 guid 0x9 (x):\n0x0001 001 : ()\n",
        "of another fabric",
    ),
    "no tables": ("\n", "no tables"),
    "garbage": (pair().lfts(WAYS) + "garbage\n", "line not understood"),
    "twice": (pair().lfts(WAYS) + pair().lfts(WAYS), "there twice"),
    "a LID": (pair().lfts(WAYS).replace("0x0005 001", "0xffff 001", 1), "LID out of range"),
    "a port": (pair().lfts(WAYS).replace("0x0005 001", "0x0005 999", 1), "port out of range"),
    "an address": (
        pair().lfts(WAYS).replace("0x0006 002", "0x0005 002", 1),
        "the address is there twice",
    ),
    "no way twice": (
        pair().lfts(WAYS).replace("0x0005 001", "0x0005 UNREACHABLE\n0x0005 UNREACHABLE", 1),
        "the address is there twice",
    ),
    "an entry first": ("0x0001 001 : (x)\n", "an address before any switch"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables_are_refused_with_their_place(name, tmp_path, run_odonata):
    text, message = WRONG[name]
    (tmp_path / "net").write_text(pair().text())
    (tmp_path / "lfts").write_text(text)
    words = ("machines", "import", tmp_path / "net", "--lfts", tmp_path / "lfts")
    status, _, err = run_odonata(*words, "-o", tmp_path / "out.toml")
    assert status == 2
    assert message in err
    assert not (tmp_path / "out.toml").exists()


def test_tables_of_a_changed_fabric_are_refused(imported, tmp_path):
    imported(pair().text(), pair().lfts(WAYS))
    path = tmp_path / "mine.fabric"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("cable 1 5 ")))
    with pytest.raises(UserError, match="belong to another fabric"):
        machine.load(tmp_path / "mine.toml")


@pytest.mark.parametrize("cut", [10, 17, 49, 60, -1])
def test_damaged_files_of_routes_are_refused(imported, tmp_path, cut):
    imported(pair().text(), pair().lfts(WAYS))
    path = tmp_path / "mine.routes"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match="routes"):
        machine.load(tmp_path / "mine.toml")
    imported(pair().text(), pair().lfts(WAYS))
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(UserError, match="bytes behind"):
        machine.load(tmp_path / "mine.toml")


def lanes(ring_of, maps):
    """Return a dump of lanes: the row of a pair of ports of each switch."""
    lines = []
    for name, (kind, guid, _) in ring_of.nodes.items():
        if kind != "S":
            continue
        lines.append(f'Switch {guid:#018x}, base LID {ring_of.lid(name)}, "{name}"')
        lines += ["#in out : 0 1", "#----"]
        for a in range(4):
            for b in range(1, 4):
                row = " ".join(str(lane) for lane in maps(name, a, b))
                lines.append(f"{a} {b} : {row}")
    return "\n".join(lines) + "\n"


def test_a_ring_one_way_round_is_a_cycle_and_two_lanes_cut_it(imported, run_odonata, tmp_path):
    four = ring(4)
    made = imported(four.text(), four.lfts(one_way(four, 4)))
    report = made.check("minimal")
    assert not report.deadlock_free
    assert [made.link_from[link] for link, _ in report.cycle] == [0, 1, 2, 3]
    assert report.channels_in_cycles == 8  # four links, and four to nodes behind them
    status, out, _ = run_odonata("machines", "check", tmp_path / "mine.toml")
    assert status != 0
    assert "cycle of 4 channels: s0[2] vc 0 -> s1[3] vc 0 -> s2[3] vc 0 -> s3[3] vc 0" in out

    # a packet that comes from s3 to s0 leaves it in lane 1: the dateline of Dally and Seitz
    def dateline(name, a, b):
        behind = (name == "s0" and a == 3) or name in ("s1", "s2")
        return [0, 1 if behind and a != 1 else 0, *range(2, 16)]

    crossing = [
        f"{four.lid(f'n{a}')},{four.lid(f'n{b}')},{int(b < a)}" for a in range(4) for b in range(4)
    ]
    levels = "slid,dlid,sl\n" + "\n".join(crossing)
    safe = imported(
        four.text(), four.lfts(one_way(four, 4)), sl2vl=lanes(four, dateline), levels=levels
    )
    assert safe.routing("minimal").num_vcs(2) == 2
    counts = safe.routing("minimal").count_routes()
    assert counts.channels_in_cycles == 0
    assert counts.unreachable_pairs == 0
    one = safe.with_values({"shape.lanes": 1}).routing("minimal").count_routes()
    assert one.channels_in_cycles == 8


def test_a_cycle_needs_to_be_allowed_and_really_locks_up(imported, run_odonata, tmp_path):
    four = ring(4)
    made = imported(four.text(), four.lfts(one_way(four, 4)))
    small = made.with_values({"links.4xEDR.buffer": "4 KiB", "links.injection.buffer": "4 KiB"})
    job = Job(Collective("alltoall", "scattered", bytes=1 << 20), place(small, 4))
    with pytest.raises(UserError, match=r"cycle of 4 channels .*s0\[2\] vc 0"):
        simulate(small, job)
    with pytest.raises(DeadlockError, match="the network is locked up") as raised:
        simulate(small, job, allow_cycles=True)
    assert "s0[2] vc 0 -> s1[3] vc 0" in raised.value.__notes__[0]
    words = ("simulate", "barrier", "--ranks", 4, "--machine", tmp_path / "mine.toml")
    assert run_odonata(*words)[0] == 2
    assert run_odonata(*words, "--allow-cycles")[0] == 0


def test_several_addresses_a_port_are_chosen_by_rule(imported):
    cluster = pair()
    plain = cluster.lfts(WAYS)
    # LMC 1: the second address of n3 is 0x20 and goes by spine-2
    second = {"leaf-a": {"n3": 5}, "spine-2": {"n3": 2}}
    lines = []
    switch = ""
    for line in plain.splitlines():
        lines.append(line)
        if line.startswith("Unicast"):
            switch = line.rpartition("(")[2][:-2]
        elif line.startswith("0x"):
            host = line.split("'")[1]
            port = second.get(switch, {}).get(host, int(line[7:10]))
            guid = cluster.nodes[host][1] + 1
            about = f"(path #2 out of 2: portguid {guid:#018x})"  # as dump_lfts has it
            lines.append(f"0x{0x20 + cluster.lid(host):04x} {port:03d} : {about}")
        if switch == "spine-2" and line.startswith("Unicast"):
            about = f"(Channel Adapter portguid {cluster.nodes['n3'][1] + 1:#018x}: 'n3')"
            lines.append(f"0x{0x20 + cluster.lid('n3'):04x} 002 : {about}")
    made = imported(cluster.text(), "\n".join(lines))
    first = made.routing("minimal").count_routes()
    assert first.unreachable_pairs == 0
    by_source = made.with_values({"shape.addresses": "by-source"})
    # ports 0 and 2 send to the first address, 1 and 3 to the second
    assert congestion(made, "shift:1").most_flows == 1
    pairs = [(0, 2), (1, 2)]
    on, other = made.routing("minimal"), by_source.routing("minimal")
    from odonata import _core  # for the counts alone

    assert _core.count_flows(made.core, on, pairs).most_flows == 2
    assert _core.count_flows(by_source.core, other, pairs).most_flows == 1


GPU = {
    # most flows and links with more than one by shift
    "minhop": {1: (4, 92), 135: (4, 201), 271: (4, 245)},
    "dfsssp": {1: (3, 127), 135: (4, 200), 271: (5, 198)},
}


@pytest.mark.parametrize("engine", GPU)
def test_the_gpu_cluster_has_the_numbers_that_were_counted_apart(engine, run_odonata, tmp_path):
    net = fabric_file("gpu-cluster.ibnetdiscover.gz")
    lfts = fabric_file(f"gpu-cluster.{engine}.lfts.gz")
    path = tmp_path / "gpu.toml"
    assert run_odonata("machines", "import", net, "--lfts", lfts, "-o", path)[0] == 0
    status, out, _ = run_odonata("machines", "check", path, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["adapters"], found["switches"], found["switch_links"]) == (542, 40, 532)
    assert found["switches_per_route"] == {"1": 8_954, "3": 284_268}
    assert (found["unreachable_pairs"], found["channels_in_cycles"]) == (0, 0)
    for shift, wanted in GPU[engine].items():
        words = ("machines", "congestion", path, "--pattern", f"shift:{shift}", "--json")
        flows = json.loads(run_odonata(*words)[1])
        assert (flows["most_flows"], flows["links_with_more_than_one"]) == wanted


def test_the_torus_has_the_numbers_that_were_counted_apart(run_odonata, tmp_path):
    net = fabric_file("torus-6x6.ibnetdiscover.gz")
    lfts = fabric_file("torus-6x6.minhop.lfts.gz")
    path = tmp_path / "torus.toml"
    assert run_odonata("machines", "import", net, "--lfts", lfts, "-o", path)[0] == 0
    status, out, _ = run_odonata("machines", "check", path, "--json")
    found = json.loads(out)
    assert status != 0
    pairs = {"1": 72, "2": 576, "3": 1152, "4": 1440, "5": 1152, "6": 576, "7": 144}
    assert found["switches_per_route"] == pairs
    assert (found["adapters"], found["unreachable_pairs"]) == (72, 0)
    assert found["channels_in_cycles"] == 216
    flows = congestion(machine.load(path), "shift:1")
    assert (flows.most_flows, flows.links_with_more_than_one) == (1, 0)


@pytest.mark.parametrize(
    ("lanes", "channels", "cyclic"), [(8, 1236, 0), (4, 846, 593), (2, 432, 431), (1, 216, 216)]
)
def test_the_lanes_of_the_torus_have_the_channels_that_were_counted_apart(
    lanes, channels, cyclic, run_odonata, tmp_path
):
    files = {
        "--lfts": "torus-6x6.dfsssp.lfts.gz",
        "--sl2vl": "torus-6x6.sl2vl.dump.gz",
        "--service-levels": "torus-6x6.dfsssp.service-levels.csv.gz",
    }
    words = [word for option, name in files.items() for word in (option, fabric_file(name))]
    path = tmp_path / "torus.toml"
    net = fabric_file("torus-6x6.ibnetdiscover.gz")
    words += ["--set", f"shape.lanes={lanes}"]
    assert run_odonata("machines", "import", net, *words, "-o", path)[0] == 0
    counts = machine.load(path).routing("minimal").count_routes()
    assert (counts.channels, counts.channels_in_cycles) == (channels, cyclic)


def test_readers_of_lanes_and_levels_refuse_wrong_lines(tmp_path):
    path = tmp_path / "f"
    for text, read, message in (
        ("0 1 : 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", read_lane_maps, "wrong row"),
        ("Switch 0x1, x\n0 1 : 1 2\n", read_lane_maps, "line not understood"),
        ("Switch 0x1, x\nSwitch 0x1, x\n", read_lane_maps, "there twice"),
        ("1,2\n", read_service_levels, "line not understood"),
        ("1,2,16\n", read_service_levels, "out of range"),
        ("0,2,1\n", read_service_levels, "out of range"),
    ):
        path.write_text(text)
        with pytest.raises(UserError, match=message):
            read(path)


def test_usual_and_other_lines_of_tables_are_read_alike(tmp_path):
    usual = pair().lfts(WAYS)
    odd = usual.replace("0x0005 001", "0x00005  1")
    (tmp_path / "a").write_text(usual)
    (tmp_path / "b").write_text(odd)
    (tmp_path / "c").write_text(usual.replace("\n", "\r\n"))
    first, second, third = (read_forwarding(tmp_path / name) for name in "abc")
    assert first.ports == second.ports == third.ports
    assert {table.shape for table in first.tables.values()} == {(2, 2), (2, 4)}  # lines alone
    for guid, table in first.tables.items():
        assert np.array_equal(table, second.tables[guid])
        assert np.array_equal(table, third.tables[guid])
