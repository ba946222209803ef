"""``odonata machines edit``: switches, spines, cables and tapers, and their effect."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.machine.congestion import congestion
from odonata.machine.fabric.editing import Changes, edited, levels_of, parts_with_hosts
from odonata.machine.fabric.fabric import Adapter, Cable, Fabric, LinkKind, Switch, read_fabric

from .opensm import need_opensm, three_levels, torus, two_levels

K = 4


@pytest.fixture
def edit(tmp_path, run_odonata):
    """Edit a table of links, or a machine file; the machine, and the document."""

    def call(source, *options, out="out.toml"):
        if isinstance(source, str):
            (tmp_path / "links.csv").write_text(source)
            source = tmp_path / "mine.toml"
            words = ("machines", "import", tmp_path / "links.csv", "-o", source)
            assert run_odonata(*words)[0] == 0
        words = ("machines", "edit", source, *options, "-o", tmp_path / out, "--json")
        status, said, err = run_odonata(*words)
        if status:
            raise UserError(err)
        return machine.load(tmp_path / out), json.loads(said)

    return call


def test_spines_are_copies_and_carry_their_part(edit, tmp_path):
    made, found = edit(two_levels(), "--add-spines", 4)
    assert found["switches_added"] == [f"spine-{n}" for n in range(4, 8)]
    assert found["before"]["uplinks_of_leaves"] == {"4": 8}
    assert found["after"]["uplinks_of_leaves"] == {"8": 8}
    # 8 leaves with 4 uplinks of 25 GB/s each: 16 cross the middle, with 8 spines twice as many
    assert found["before"]["bisection_bytes_per_second"] == 400 * 10**9
    assert found["after"]["bisection_bytes_per_second"] == 800 * 10**9
    assert made.value("links.kind0.bandwidth") == 25 * 10**9
    fabric = read_fabric(tmp_path / "out.fabric")
    assert len({(c.a, c.a_port) for c in fabric.cables}) == len(fabric.cables)


def test_a_spine_of_three_levels_joins_its_own_group(edit):
    _, found = edit(three_levels(), "--add-spines", 1)
    assert (found["before"]["switches"], found["after"]["switches"]) == (48, 49)
    assert found["after"]["switch_links"] == found["before"]["switch_links"] + K  # as top-00
    assert found["after"]["uplinks_of_leaves"] == {"4": 16}


TAPERS = {
    # cables left, cables of leaves, switches that go: half of those above
    "two levels": (two_levels(), "0:2", 2 * K * 2, {"2": 2 * K}, 2),
    "leaves of three": (three_levels(), "0:2", K**3, {"2": K * K}, 8 + 8),
    "middle of three": (three_levels(), "1:2", K**3 + K**3 // 2, {"4": K * K}, 8),
    "not whole": (two_levels(), "0:1.5", 2 * K * 3, {"3": 2 * K}, 1),
}


@pytest.mark.parametrize("name", TAPERS)
def test_tapers_take_whole_switches_where_they_can(name, edit):
    tree, taper, cables, uplinks, fewer = TAPERS[name]
    made, found = edit(tree, "--taper", taper)
    assert found["after"]["uplinks_of_leaves"] == uplinks
    assert found["after"]["switches"] == found["before"]["switches"] - fewer
    assert found["after"]["switch_links"] == cables
    assert found["after"]["unreachable_pairs"] == 0
    assert made.num_nodes == found["before"]["hosts"]


def test_a_tapered_tree_shares_its_links(edit):
    made, _ = edit(two_levels(), "--taper", "0:2")
    # 4 hosts of a leaf send to the next one over 2 uplinks
    assert congestion(made, f"shift:{K}", routing="dmodk").most_flows == 2


def test_cables_keep_or_change_their_rate(edit):
    options = ("--add-link", "leaf-0:leaf-1", "--add-link", "leaf-0:leaf-2=4xNDR")
    made, found = edit(two_levels(), *options, "--add-link", "leaf-1:leaf-2=40 GB/s")
    assert found["after"]["switch_links"] == found["before"]["switch_links"] + 3
    rates = {key: made.value(key) for key in made.numbers if key.endswith(".bandwidth")}
    assert rates["links.4xNDR.bandwidth"] == 50 * 10**9
    assert rates["links.40GBs.bandwidth"] == 40 * 10**9
    assert made.value("links.4xNDR.buffer") == made.value("links.kind0.buffer")
    assert made.numbers["links.4xNDR.bandwidth"].status == "published"
    assert made.numbers["links.40GBs.bandwidth"].status == "assumed"
    again, _ = edit(two_levels(), "--add-link", "leaf-0:leaf-1=25 GB/s")
    assert again.link_classes == ("injection", "ejection", "kind0")  # a rate that is there


def test_parallel_cables_go_one_by_one_or_all(edit):
    thick = two_levels().replace(",1,50 ns", ",2,50 ns")
    _, found = edit(thick, "--remove-link", "spine-0:leaf-0")
    assert found["after"]["uplinks_of_leaves"] == {"7": 1, "8": 7}
    _, found = edit(thick, "--remove-link", "spine-0:leaf-0=all")
    assert found["after"]["uplinks_of_leaves"] == {"6": 1, "8": 7}
    # of parallel cables one of each goes before a spine loses its last
    _, found = edit(thick, "--taper", "0:1.2")
    assert (found["after"]["switches"], found["after"]["uplinks_of_leaves"]) == (12, {"7": 8})
    _, found = edit(thick, "--taper", "0:2")
    assert (found["after"]["switches"], found["after"]["uplinks_of_leaves"]) == (12, {"4": 8})


def test_a_leaf_leaves_with_its_hosts(edit):
    made, found = edit(two_levels(), "--remove-switch", "leaf-3", "--remove-switch", "spine-1")
    assert found["hosts_removed"] == ["n12", "n13", "n14", "n15"]
    assert found["switches_removed"] == ["leaf-3", "spine-1"]
    assert (made.num_nodes, found["after"]["uplinks_of_leaves"]) == (28, {"3": 7})


def test_a_machine_of_another_family_keeps_its_numbers(edit, run_odonata, tmp_path):
    text = run_odonata("machines", "new", "--family", "torus")[1]
    (tmp_path / "torus.toml").write_text(text)
    before = machine.load(tmp_path / "torus.toml")
    made, found = edit(tmp_path / "torus.toml", "--remove-link", "router-00:router-01")
    assert found["after"]["deadlock_free"]
    assert made.num_links == before.num_links - 2
    same = [key for key in before.numbers if not key.startswith("shape")]
    assert {key: made.value(key) for key in same} == {key: before.value(key) for key in same}


def test_tables_of_opensm_are_computed_again(edit, run_odonata, tmp_path):
    need_opensm()
    (tmp_path / "links.csv").write_text(torus(4))
    words = ("machines", "import", tmp_path / "links.csv", "-o", tmp_path / "mine.toml")
    assert run_odonata(*words)[0] == 0
    routed = tmp_path / "routed.toml"
    words = ("machines", "route", tmp_path / "mine.toml", "--opensm", "lash", "-o", routed)
    assert run_odonata(*words)[0] == 0
    made, found = edit(routed, "--remove-link", "s00:s01")
    assert found["routes"].endswith("with lash, over ibsim")
    assert (found["after"]["unreachable_pairs"], found["after"]["deadlock_free"]) == (0, True)
    assert made.numbers["shape.routes"].source == found["routes"]
    made, found = edit(routed, "--remove-link", "s00:s01", "--opensm", "dor")
    assert found["routes"].endswith("with dor, over ibsim")
    made, found = edit(routed, "--remove-link", "s00:s01", "--opensm", "none")
    assert (found["routes"], "shape.routes" in made.numbers) == (None, False)


def test_tables_of_a_file_are_left_out_with_a_note(edit, run_odonata, tmp_path):
    from .fabrics import pair  # a fabric with addresses
    from .test_fabric_routes import WAYS

    (tmp_path / "net").write_text(pair().text())
    (tmp_path / "lfts").write_text(pair().lfts(WAYS))
    words = ("machines", "import", tmp_path / "net", "--lfts", tmp_path / "lfts")
    assert run_odonata(*words, "-o", tmp_path / "pair.toml")[0] == 0
    words = ("machines", "edit", tmp_path / "pair.toml", "--remove-switch", "spine-2")
    status, said, err = run_odonata(*words, "-o", tmp_path / "out.toml")
    assert status == 0
    assert "the tables of pair are of the fabric before" in err
    assert "switches removed: spine-2" in said
    assert "shape.routes" not in machine.load(tmp_path / "out.toml").numbers


REFUSED = {
    "nothing": ((), "machines edit: no changes"),
    "unknown switch": (("--remove-switch", "spine-9"), "did you mean 'spine-3'?"),
    "unknown end": (("--add-link", "leaf-0:leaf-11"), "--add-link: no such switch: 'leaf-11'"),
    "a host": (("--remove-link", "n00:leaf-0"), "--remove-link: no such switch: 'n00'"),
    "no link": (("--remove-link", "leaf-0:leaf-1"), "allowed: to spine-0, spine-1"),
    "how many": (("--remove-link", "leaf-0:spine-1=7"), "--remove-link: how many"),
    "one end": (("--add-link", "leaf-0"), "--add-link: not a link"),
    "a loop": (("--add-link", "leaf-0:leaf-0"), "both ends are the same switch"),
    "a rate": (("--add-link", "leaf-0:leaf-1=fast"), "--add-link"),
    "a taken name": (("--add-switch", "leaf-0"), "the name is taken"),
    "no name": (("--add-switch", "a b"), "--add-switch: not a name"),
    "cut off": (("--add-switch", "new"), "machines edit: cut off: new"),
    "hosts cut off": (
        [f"--remove-link=leaf-0:spine-{n}" for n in range(4)],
        "cut off: leaf-0 with the hosts n00, n01, n02, n03",
    ),
    "no hosts left": ([f"--remove-switch=leaf-{n}" for n in range(8)], "no adapters are left"),
    "no taper": (("--taper", "half"), "--taper: not a taper: 'half'; allowed: LEVEL:RATIO"),
    "no ratio": (("--taper", "0:0"), "--taper: not a taper"),
    "no level": (("--taper", "1:2"), "--taper: no such level: '1:2'; allowed: levels 0 to 0"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, edit, tmp_path):
    options, message = REFUSED[name]
    with pytest.raises(UserError) as raised:
        edit(two_levels(), *options)
    assert message in str(raised.value)
    assert not (tmp_path / "out.toml").exists()


def test_a_torus_has_neither_spines_nor_levels(edit):
    for options in (("--add-spines", 1), ("--taper", "0:2")):
        with pytest.raises(UserError, match=r"none is a spine|a machine with levels"):
            edit(torus(3), *options)


@st.composite
def fabrics(draw):
    """Draw switches in a chain, with further cables and hosts."""
    count = draw(st.integers(2, 8))
    ends = [(at, at + 1) for at in range(count - 1)]
    number = st.integers(0, count - 1)
    ends += draw(st.lists(st.tuples(number, number).filter(lambda e: e[0] != e[1]), max_size=8))
    used = [0] * count

    def port(switch):
        used[switch] += 1
        return used[switch]

    hosts = draw(st.lists(number, min_size=1, max_size=6))
    adapters = tuple(
        Adapter(f"h{n}", "HCA-1", s, port(s), "injection") for n, s in enumerate(hosts)
    )
    cables = tuple(Cable(a, port(a), b, port(b), "wire") for a, b in ends)
    kinds = {name: LinkKind("10 GB/s", "a test", "") for name in ("injection", "wire")}
    return Fabric(tuple(Switch(f"s{n}") for n in range(count)), adapters, cables, kinds)


@settings(max_examples=100)
@given(fabrics(), st.data())
def test_drawn_edits_use_each_port_once_and_undo_each_other(fabric, data):
    names = [switch.name for switch in fabric.switches]
    a, b = data.draw(st.permutations(names))[:2]
    more = edited(fabric, Changes(add_switches=["new"], add_links=[f"{a}:{b}", f"new:{a}"]))
    ends = [(x.switch, x.port) for x in more.adapters]
    ends += [end for c in more.cables for end in ((c.a, c.a_port), (c.b, c.b_port))]
    assert len(set(ends)) == len(ends)
    assert len(more.cables) == len(fabric.cables) + 2
    back = edited(more, Changes(remove_links=[f"{b}:{a}"], remove_switches=["new"]))
    assert back == fabric
    assert len(parts_with_hosts(fabric)) == 1  # the chain
    levels = levels_of(fabric)
    assert min(levels) == 0
    assert all(abs(levels[c.a] - levels[c.b]) <= 1 for c in fabric.cables)
