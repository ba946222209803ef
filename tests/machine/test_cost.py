"""Cost and power of fabrics: hand-computed parts, layouts, and refused files."""

from __future__ import annotations

import json

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.fabric.cost import cost_of
from odonata.machine.fabric.prices import TEMPLATE, Prices
from odonata.machine.template import template

from .fabrics import Cluster

PRICES = """\
currency = "EUR"
[switch]
price = 1000
power = 100
[port]
price = 1
power = 0
[adapter]
price = 200
power = 10
[cable.copper]
price = 10
price_per_metre = 2
power = 0
[cable.optical]
price = 100
price_per_metre = 5
power = 3
"""

RACKS = "name,x,y\ns1,0,0  # the first\ns2,10,4\nn3,11,4\n"


@pytest.fixture
def two(tmp_path, run_odonata):
    """Make two switches with two cables between them, two hosts at one and one at the other."""
    cluster = Cluster()
    for name in ("s1", "s2"):
        cluster.add("S", name)
    for host, switch in (("n1", "s1"), ("n2", "s1"), ("n3", "s2")):
        cluster.add("H", host)
        cluster.join(host, switch)
    cluster.join("s1", "s2")
    cluster.join("s1", "s2")
    (tmp_path / "net").write_text(cluster.text())
    (tmp_path / "racks.csv").write_text(RACKS)
    (tmp_path / "prices.toml").write_text(PRICES)
    assert run_odonata("machines", "import", tmp_path / "net", "-o", tmp_path / "two.toml")[0] == 0
    return tmp_path


def test_a_cost_that_is_computed_by_hand(two, run_odonata):
    words = ("machines", "cost", two / "two.toml", "--racks", two / "racks.csv")
    status, out, err = run_odonata(*words, "--prices", two / "prices.toml", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["switch"] == {"number": 2, "price": 2000, "power_watts": 200}
    assert found["port"] == {"number": 3 + 4, "price": 7, "power_watts": 0}
    assert found["adapter"] == {"number": 3, "price": 600, "power_watts": 30}
    # n1 and n2 are in the rack of s1: 2 m of slack; n3 a metre beside s2: 3 m, which copper reaches
    copper = {"kind": "copper", "power_watts": 0}
    assert found["cables"] == [
        {**copper, "metres": 2, "number": 2, "price": 2 * (10 + 2 * 2)},
        {**copper, "metres": 3, "number": 1, "price": 10 + 3 * 2},
        # 10 m along, 4 across and 2 of slack are sold as 20 m
        {
            "kind": "optical",
            "metres": 20,
            "number": 2,
            "price": 2 * (100 + 20 * 5),
            "power_watts": 6,
        },
    ]
    assert found["price"] == 2000 + 7 + 600 + 28 + 16 + 400
    assert found["power_watts"] == 200 + 30 + 6
    assert found["places"] == "by racks.csv"
    assert set(found["assumed"]) == {
        *("layout.slack", "layout.lengths", "layout.boards"),
        *("cable.copper.up_to", "cable.optical.up_to"),
    }
    status, out, _ = run_odonata(*words, "--prices", two / "prices.toml")
    rows = [line.split() for line in out.splitlines()]
    assert ["all", "3051.00", "236.0"] in rows
    assert ["part", "number", "price", "[EUR]", "power", "[W]"] in rows


def test_parts_are_counted_without_prices(two, run_odonata):
    status, out, _ = run_odonata("machines", "cost", two / "two.toml", "--racks", two / "racks.csv")
    assert status == 0
    assert "price" not in out
    assert ["optical", "cable,", "20", "m", "2"] in [line.split() for line in out.splitlines()]
    assert "assumed: layout.slack = 2" in out


def test_a_layout_of_the_file_is_not_assumed(two, run_odonata):
    more = '[layout]\nslack = 0\nlengths = [14, 1]\nboards = ["injection"]\n'
    (two / "prices.toml").write_text(PRICES.replace("optical]\n", "optical]\nup_to = 14\n") + more)
    words = ("machines", "cost", two / "two.toml", "--racks", two / "racks.csv")
    found = json.loads(run_odonata(*words, "--prices", two / "prices.toml", "--json")[1])
    assert found["assumed"] == {"cable.copper.up_to": 3}
    assert [(c["metres"], c["number"]) for c in found["cables"]] == [(14, 2)]
    assert found["links_on_boards"] == 3
    assert found["port"]["number"] == 4


def test_racks_of_the_rule_are_filled_by_groups(tmp_path):
    # groups of 5 routers fill racks of 4 and 1; rows have 3 racks: 0 0 0 0 1 | 2 2 2 2 3 | ...
    changes = {"shape.routers_per_group": 5, "shape.groups": 2, "shape.nodes_per_router": 1}
    changes |= {"shape.global_links_per_router": 1, "shape.links_per_group_pair": 1}
    (tmp_path / "mine.toml").write_text(template("dragonfly", "mine", changes))
    made = machine.load(tmp_path / "mine.toml")
    layout = {
        "switches_per_rack": 4,
        "racks_per_row": 3,
        "rack_pitch": 10,
        "row_pitch": 100,
        "slack": 1,
    }
    found = cost_of(made, Prices(layout=layout, lengths=tuple(map(float, range(1, 400)))))
    cables = {part.length: part.number for part in found.parts if part.length}
    # each group: 6 cables inside the rack of four, 4 to the fifth; 10 nodes beside their routers
    # racks 0, 1 and 2 are in the first row, rack 3 in the next: 20 m back along it, 100
    # across; the global link leads from rack 0 to rack 2
    assert cables == {1: 10 + 2 * 6, 11: 4, 121: 4, 21: 1}


def test_cabinets_come_from_the_names_of_nodes():
    # eos has four cabinets in a row (c0-0 to c3-0): no cable is longer than 3 x 0.6 + 2 m
    found = cost_of(machine.load("eos"), Prices())
    assert found.rule == "by cnames of nodes"
    assert max(part.length for part in found.parts) == 5
    cables = sum(part.number for part in found.parts if part.length)
    green = machine.load("eos").link_class.tolist().count(2) // 2
    assert found.links_on_boards == 744 + green
    assert cables == 3120 - green
    assert cost_of(machine.load("lumi-g"), Prices()).rule == "by xnames of nodes"


def test_the_template_has_blanks_that_are_named_with_their_place(two, run_odonata):
    path = two / "new.toml"
    status, out, _ = run_odonata("machines", "cost", "--template", "-o", path)
    assert (status, out, path.read_text()) == (0, "", TEMPLATE)
    assert run_odonata("machines", "cost", "--template")[1] == TEMPLATE
    text, seen = TEMPLATE, []
    while text.count('""') > 1:  # the comment at the top has one
        path.write_text(text)
        status, out, err = run_odonata("machines", "cost", two / "two.toml", "--prices", path)
        assert (status, out, len(err.splitlines())) == (2, "", 1)
        line = int(err.split(f"{path}:")[1].split(":")[0])
        key = err.split(f"{path}:{line}:")[1].split(":")[0]
        assert f"{key}: blank" in err
        lines = text.splitlines(keepends=True)
        assert key.rpartition(".")[2] in lines[line - 1]
        lines[line - 1] = lines[line - 1].replace('""', '"EUR"' if key == "currency" else "1", 1)
        text = "".join(lines)
        seen.append(key)
    assert len(seen) == len(set(seen)) == 1 + 3 * 2 + 2 * 3
    path.write_text(text)
    assert run_odonata("machines", "cost", two / "two.toml", "--prices", path)[0] == 0


WRONG = {
    "a key": (("[switch]\n", "[switch]\npriec = 1\n"), "switch.priec: unknown key"),
    "a missing key": (("[port]\nprice = 1\n", "[port]\n"), "port.price: missing"),
    "a text": (("price = 1000", 'price = "a lot"'), "switch.price: not a number: 'a lot'"),
    "a negative price": (("price = 1000", "price = -1"), "switch.price: out of range"),
    "infinity": (("price = 1000", "price = inf"), "switch.price: out of range"),
    "truth": (("price = 1000", "price = true"), "switch.price: not a number"),
    "no TOML": (("[switch]", "[switch"), "price file: not TOML"),
    "no length": (("[cable.optical]", "[cable.glass]"), "cable.glass.up_to: missing"),
    "short cables": (
        ("[cable.optical]\n", "[cable.optical]\nup_to = 4\n"),
        "by cable.optical.up_to",
    ),
    "lengths": (("[cable.copper]", "[layout]\nlengths = [5]\n[cable.copper]"), "by layout.lengths"),
    "a half rack": (
        ("[cable.copper]", "[layout]\nswitches_per_rack = 1.5\n[cable.copper]"),
        "layout.switches_per_rack: not a whole number",
    ),
    "a class": (
        ("[cable.copper]", '[layout]\nboards = ["green"]\n[cable.copper]'),
        "layout.boards: no such class: 'green'",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_prices_are_refused_in_a_line(name, two, run_odonata):
    (before, after), message = WRONG[name]
    (two / "prices.toml").write_text(PRICES.replace(before, after, 1))
    words = ("machines", "cost", two / "two.toml", "--racks", two / "racks.csv")
    status, out, err = run_odonata(*words, "--prices", two / "prices.toml")
    assert (status, out, len(err.splitlines())) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s1,0,0\n", "racks: a switch is missing: 's2'"),
        ("s1,0\n", "racks: not a line"),
        ("s1,0,nan\n", "racks: not a place: 'nan'"),
        ("s1,0,0\ns1,0,0\n", "racks: a name too many: 's1'"),
    ],
)
def test_wrong_places_are_refused_in_a_line(text, message, two, run_odonata):
    (two / "racks.csv").write_text(text)
    words = ("machines", "cost", two / "two.toml", "--racks", two / "racks.csv")
    status, _, err = run_odonata(*words)
    assert (status, len(err.splitlines())) == (2, 1)
    assert message in err
    assert f"{two}/racks.csv" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [(("eos", "-o", "x"), "--output: only with --template"), (("--json",), "no machine")],
)
def test_words_that_do_not_belong_together_are_refused(words, message, run_odonata):
    status, _, err = run_odonata("machines", "cost", *words)
    assert status == 2
    assert message in err


def test_a_cable_that_is_too_long_says_how_the_racks_stand():
    """72 routers, 4 a rack; each of 9 groups begins a rack."""
    loaded = machine.load(
        "dragonfly-5256",
        {
            "shape.nodes_per_router": 2,
            "shape.routers_per_group": 8,
            "shape.global_links_per_router": 1,
            "shape.groups": 9,
        },
    )
    with pytest.raises(UserError) as refused:
        cost_of(loaded, Prices(lengths=(3.0,)))
    assert "up to 3 m" in str(refused.value)
    assert "fill 18 racks, rows: racks by groups" in str(refused.value)
    assert "--racks FILE" in str(refused.value)
