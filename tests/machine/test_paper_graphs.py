"""Graphs of papers: Slim Fly, Jellyfish and tapered trees, with the numbers of the papers."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.machine.fabric.galois import Field
from odonata.machine.fabric.paper_graphs import jellyfish, slim_fly, tree
from odonata.machine.fabric.writing import WRITERS

POWERS = (3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19)


def neighbours(fabric):
    """Return the switches that each switch is joined to, each cable once."""
    joined = [[] for _ in fabric.switches]
    for cable in fabric.cables:
        joined[cable.a].append(cable.b)
        joined[cable.b].append(cable.a)
    assert all(len(set(others)) == len(others) for others in joined)
    assert all(at not in others for at, others in enumerate(joined))
    return joined


def distances(joined, start):
    found, line = {start: 0}, [start]
    for switch in line:
        for other in joined[switch]:
            if other not in found:
                found[other] = found[switch] + 1
                line.append(other)
    return found


@pytest.mark.parametrize("q", [2, 3, 4, 5, 8, 9, 25, 27, 32, 49])
def test_fields_have_sums_and_products(q):
    field = Field(q)
    assert sorted(field.powers) == list(range(1, q))
    some = range(0, q, max(1, q // 6))
    for a, b, c in itertools.product(some, repeat=3):
        assert field.multiply(a, field.add(b, c)) == field.add(
            field.multiply(a, b), field.multiply(a, c)
        )
        assert field.multiply(a, field.multiply(b, c)) == field.multiply(field.multiply(a, b), c)
        assert field.add(a, b) == field.add(b, a)
    for a in range(q):
        assert [field.add(a, b) for b in range(q)].count(0) == 1
        assert (field.multiply(a, 1), field.add(a, 0)) == (a, a)


@pytest.mark.parametrize("q", [0, 1, 6, 12, 15, 100])
def test_other_numbers_have_no_field(q):
    with pytest.raises(UserError, match="q: not the power of a prime"):
        Field(q)


@pytest.mark.parametrize("q", POWERS)
def test_slim_fly_has_degree_and_diameter_of_the_paper(q):
    # Besta and Hoefler, SC14, II-B: 2 q^2 switches of degree (3 q - d) / 2, q = 4 w + d, diameter 2
    fabric = slim_fly(q)
    joined = neighbours(fabric)
    rest = {0: 0, 1: 1, 3: -1}[q % 4]
    degree = (3 * q - rest) // 2
    assert len(joined) == 2 * q * q
    assert {len(others) for others in joined} == {degree}
    assert len(fabric.adapters) == 2 * q * q * -(-degree // 2)
    for start in range(0, len(joined), max(1, len(joined) // 50)):
        assert max(distances(joined, start).values()) == 2


def test_slim_fly_of_q_5_is_the_hoffman_singleton_graph():
    # the Moore graph of degree 7: 50 switches, two of them joined by exactly one way of up to two
    # links; so no triangles and no squares
    joined = [set(others) for others in neighbours(slim_fly(5))]
    for a, b in itertools.combinations(range(50), 2):
        assert len(joined[a] & joined[b]) == (0 if b in joined[a] else 1)


def test_slim_fly_of_q_19_has_the_size_of_the_paper():
    # SC14, V: 722 routers of network radix 29 and 15 endpoints each, 10,830 in all
    fabric = slim_fly(19)
    assert (len(fabric.switches), len(fabric.adapters)) == (722, 10_830)
    assert len(fabric.cables) == 722 * 29 // 2


@settings(max_examples=40)
@given(st.integers(4, 40), st.integers(3, 12), st.integers(0, 2**32))
def test_jellyfish_is_regular_and_connected(switches, degree, seed):
    assume(degree < switches and switches * degree % 2 == 0)
    fabric = jellyfish(switches, degree, 2, seed)
    joined = neighbours(fabric)
    assert {len(others) for others in joined} == {degree}
    assert len(distances(joined, 0)) == switches
    assert jellyfish(switches, degree, 2, seed) == fabric


def test_jellyfish_draws_by_its_seed():
    assert jellyfish(20, 3, 1, 1) != jellyfish(20, 3, 1, 2)


def test_jellyfish_is_as_near_as_in_the_paper():
    # Singla et al., NSDI 2012, figure 1: with the switches of a fat tree for 686 servers (245 of 14
    # ports, about 11 of them to switches) more than 99.5 % of the servers are fewer than 6 links
    # apart, links of servers included
    joined = neighbours(jellyfish(246, 11, 3, 1))
    apart = Counter(
        links for start in range(246) for links in distances(joined, start).values() if links
    )
    assert sum(apart.values()) == 246 * 245
    assert sum(number for links, number in apart.items() if links <= 3) > 0.995 * 246 * 245


def test_pairs_of_switches_are_joined_as_often_in_all_jellyfish():
    # 3 of 5 other switches: each pair in 60 % of the graphs; 4 standard deviations of 400 draws
    found = Counter(
        (cable.a, cable.b) for seed in range(400) for cable in jellyfish(6, 3, 1, seed).cables
    )
    assert len(found) == 15
    assert all(abs(number - 240) < 4 * (400 * 0.6 * 0.4) ** 0.5 for number in found.values())


def test_trees_have_tapers_at_any_level():
    # 64 leaves of 4 hosts have 4 / 2 links up: two switches above each 4 leaves. These have 4 / 4
    # up, so two switches are above each 16 leaves, with 4 / 1 up: to 8 above all
    fabric = tree([4, 4, 4, 4], [2, 4, 1])
    levels = Counter(switch.name[:3] for switch in fabric.switches)
    assert levels == {"l1-": 64, "l2-": 16 * 2, "l3-": 4 * 2, "l4-": 8}
    joined = neighbours(fabric)
    assert [len(joined[0]), len(joined[64]), len(joined[96]), len(joined[104])] == [2, 5, 8, 4]
    assert {adapter.switch for adapter in fabric.adapters} == set(range(64))


GRAPHS = {
    "slim-fly": ["--q", "3"],
    "jellyfish": ["--switches", "10", "--degree", "3", "--hosts", "2", "--seed", "5"],
    "tree": ["--down", "2,3,2", "--taper", "2,1"],
}


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("routing", ["minimal", "valiant"])
def test_machines_of_graphs_are_free_of_deadlock(kind, routing, tmp_path, run_odonata):
    toml = tmp_path / "mine.toml"
    status, out, err = run_odonata("machines", "graph", kind, *GRAPHS[kind], "-o", toml, "--json")
    assert (status, err) == (0, "")
    counts = json.loads(out)
    status, out, _ = run_odonata("machines", "check", toml, "--routing", routing, "--json")
    found = json.loads(out)
    assert (status, found["deadlock_free"], found["connected"]) == (0, True, True)
    assert found["switch_links"] == counts["switch_links"]
    ways = 1 if routing == "minimal" else 2  # a lane for each link of the longest route
    assert found["classes"][-1]["vcs"] == ways * found["diameter"]
    status, _, _ = run_odonata("machines", "write", toml, "--format", next(iter(WRITERS)))
    assert status == 0
    words = ["alltoall", "--machine", toml, "--ranks", "12", "--routing", routing]
    assert run_odonata("simulate", *words)[0] == 0


def test_rates_and_names_of_graphs(tmp_path, run_odonata):
    toml = tmp_path / "sf.toml"
    words = ["--q", "3", "--rate", "12.5 GB/s", "--set", "node.cores=4", "--hosts", "2"]
    assert run_odonata("machines", "graph", "slim-fly", *words, "-o", toml)[0] == 0
    made = machine.load(toml)
    assert (made.name, made.num_nodes, made.cores_per_node) == ("sf", 36, 4)
    assert made.value("links.cable.bandwidth") == 12_500_000_000
    assert made.numbers["links.cable.bandwidth"].status == "assumed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["slimfly", "--q", "5"], "graph: unknown: 'slimfly'; did you mean 'slim-fly'?"),
        (["slim-fly"], "--q: slim-fly needs it"),
        (["slim-fly", "--q", "5", "--degree", "3"], "--degree: is not for slim-fly: 3; allowed"),
        (["slim-fly", "--q", "6"], "q: out of range: 6; allowed: powers of primes from 3 to 97"),
        (["slim-fly", "--q", "15"], "q: not the power of a prime: 15"),
        (["slim-fly", "--q", "101"], "q: out of range: 101"),
        (["slim-fly", "--q", "5", "--hosts", "0"], "hosts of a switch: out of range: 0"),
        (["slim-fly", "--q", "97", "--hosts", "9999"], "hosts: out of range"),
        (["jellyfish", "--switches", "5", "--degree", "3", "--hosts", "1"], "ends of links is odd"),
        (["jellyfish", "--switches", "5", "--degree", "5", "--hosts", "1"], "degree: out of range"),
        (["jellyfish", "--switches", "9", "--degree", "1", "--hosts", "1"], "degree: the number"),
        (["jellyfish", "--switches", "8", "--degree", "1", "--hosts", "1"], "no connected graph"),
        (["jellyfish", "--switches", "30000", "--degree", "4", "--hosts", "1"], "switches: out of"),
        (["tree", "--down", "4,x"], "--down: not a list: '4,x'"),
        (["tree", "--down", "4,4", "--taper", "3,3"], "shape.taper"),
        (["tree", "--down", "4000,4000,4000"], "out of range"),
    ],
)
def test_graphs_that_are_not_there(words, said, tmp_path, run_odonata):
    status, out, err = run_odonata("machines", "graph", *words, "-o", tmp_path / "mine.toml")
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
