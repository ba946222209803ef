"""Links by what their loss costs: cases by hand, and the same runs on edited machines."""

from __future__ import annotations

import json

import pytest

from odonata import machine
from odonata.decide import links
from odonata.machine.fabric.as_graph import engine_of

from ..machine.fabrics import pair
from ..machine.opensm import need_opensm, table, torus, two_levels
from ..machine.test_fabric_routes import WAYS

K = 4
BYTES = 2**20
FLOW_PS = BYTES * 10**12 // (25 * 10**9)  # a message on a link of 25 GB/s
EAGER = ("--set", "mpi.eager_threshold=2 MiB")  # no answers that wait behind data


@pytest.fixture
def imported(tmp_path, run_odonata):
    """Import a table of links; the machine file."""

    def call(text, name="mine.toml"):
        (tmp_path / "links.csv").write_text(text)
        words = ("machines", "import", tmp_path / "links.csv", "-o", tmp_path / name)
        assert run_odonata(*words)[0] == 0
        return tmp_path / name

    return call


@pytest.fixture
def ranked(run_odonata):
    """Rank the links of a machine file; the document."""

    def call(path, *options):
        status, said, err = run_odonata("machines", "rank-links", path, *options, "--json")
        assert status == 0, err
        return json.loads(said)

    return call


def test_each_uplink_of_a_full_shift_costs_a_flow(imported, ranked):
    # 4 flows of a leaf on 3 links: two share one
    found = ranked(imported(two_levels()), "--pattern", f"shift:{K}", "--routing", "dmodk", *EAGER)
    assert len(found["links"]) == 2 * K * K
    assert found["complete"]
    base = found["time_ps"]
    assert {link["time_ps"] for link in found["links"]} == {base + FLOW_PS}
    assert {link["ratio"] for link in found["links"]} == {(base + FLOW_PS) / base}
    assert found["links"][0]["a"] == "leaf-0"  # of equal ones the first


def test_links_that_the_run_spares_cost_nothing(imported, ranked, tmp_path):
    (tmp_path / "pairs").write_text("n00 n04\n")  # alone: any spine is as good
    words = ("--pattern", tmp_path / "pairs", "--routing", "dmodk", *EAGER)
    found = ranked(imported(two_levels()), *words)
    assert {link["ratio"] for link in found["links"]} == {1.0}


def test_cut_off_hosts_are_named_first(imported, run_odonata, ranked):
    pairs = [("n0", "a"), ("n1", "a"), ("n2", "b"), ("n3", "c")]
    path = imported(table([*pairs, ("a", "b"), ("b", "a"), ("b", "c"), ("a", "switch:spare")]))
    words = ("machines", "rank-links", path, "--pattern", "shift:2", "--routing", "minhop")
    _, said, _ = run_odonata(*words)
    assert "cuts off n3" in said.splitlines()[2]
    found = {(link["a"], link["b"]): link for link in ranked(*words[2:])["links"]}
    assert found["b", "c"]["cut_off"] == ["n3"]
    assert found["b", "c"]["time_ps"] is None
    assert found["a", "b"]["cables"] == 2  # one of them is lost
    assert found["a", "b"]["ratio"] > 1
    assert found["a", "spare"]["ratio"] == 1.0  # a switch without hosts goes with its last cable


def test_a_rank_for_each_adapter_of_a_host(imported, ranked, tmp_path):
    ends = [(f"host:{host}", leaf) for host in ("h0", "h1") for leaf in "ab"]
    path = imported(table(ends + [(leaf, s) for leaf in "ab" for s in ("spine-1", "spine-2")]))
    times = []
    for pairs in ("0 2\n", "0 2\n1 3\n", "0 2\n0 3\n"):
        (tmp_path / "pairs").write_text(pairs)
        words = ("--pattern", tmp_path / "pairs", "--set", "nic.binding=first", *EAGER)
        times.append(ranked(path, *words)["time_ps"])
    assert times[0] == times[1]  # each by its own adapters and leaf
    assert times[2] > times[1] + FLOW_PS // 2  # both leave by one adapter


def test_the_loss_is_the_run_on_the_edited_machine(imported, ranked, run_odonata, tmp_path):
    path = imported(two_levels())
    words = ("--ranks", 2 * K * K, "--bytes", "16KiB", "--routing", "sssp")
    run, edited = tmp_path / "run.nc", tmp_path / "edited.toml"
    done = run_odonata("simulate", "alltoall", *words, "--machine", path, "-o", run, "--json")
    found = ranked(path, "--job", run, "--sample", 3, "--seed", 5)
    assert len(found["links"]) == 3
    assert found["time_ps"] == round(json.loads(done[1])["time_seconds"] * 1e12)
    for link in found["links"]:
        lost = f"{link['a']}:{link['b']}"
        assert run_odonata("machines", "edit", path, "--remove-link", lost, "-o", edited)[0] == 0
        done = run_odonata("simulate", "alltoall", *words, "--machine", edited, "--json")
        assert link["time_ps"] == round(json.loads(done[1])["time_seconds"] * 1e12)
    again = ranked(path, "--job", run, "--sample", 3, "--seed", 5, "-j", 1)
    assert again == found
    other = ranked(path, "--job", run, "--sample", 3, "--seed", 6)
    assert [link["b"] for link in other["links"]] != [link["b"] for link in found["links"]]
    by = ranked(path, "--job", run, "--sample", 1, "--routing", "shortest")
    assert by["time_ps"] != found["time_ps"]


def test_faults_are_there_in_every_run(imported, ranked, run_odonata, tmp_path):
    """The loss of a second cable of a fabric that has lost one."""
    path, edited = imported(two_levels()), tmp_path / "edited.toml"
    words = ("--pattern", f"shift:{K}", "--routing", "sssp", *EAGER)
    lost = "leaf-0:spine-0"
    assert run_odonata("machines", "edit", path, "--remove-link", lost, "-o", edited)[0] == 0
    assert ranked(path, *words, "--fail", f"link:{lost}") == ranked(edited, *words)
    some = (*words, "--sample", 2)
    slow = ranked(path, *some, "--slow", f"switch:leaf-0={1 / 2**5}", "--fail", "switch:spine-1")
    assert slow["time_ps"] > 31 * FLOW_PS
    assert "spine-1" not in json.dumps(slow)
    _, said, _ = run_odonata("machines", "rank-links", path, *some, "--fail", "switch:spine-1")
    assert said.startswith("with all other cables: ")


def test_faults_that_cut_nodes_off_are_refused(imported, run_odonata):
    words = ("machines", "rank-links", imported(two_levels()), "--pattern", "shift:1")
    status, _, err = run_odonata(*words, "--fail", "node:n03")
    assert status == 2
    assert "rank-links: nodes are cut off by fail node:n03: 'n03'" in err


def test_a_routing_of_another_family_becomes_minimal(run_odonata, tmp_path):
    path, run = tmp_path / "tree.toml", tmp_path / "run.nc"
    path.write_text(run_odonata("machines", "new", "--family", "fat-tree")[1])
    words = ("--ranks", 16, "--routing", "d-mod-k", "--machine", path, "-o", run)
    assert run_odonata("simulate", "barrier", *words)[0] == 0
    words = ("machines", "rank-links", path, "--job", run, "--sample", 1)
    status, said, err = run_odonata(*words)
    assert status == 0
    assert "graphs have no routing d-mod-k: minimal is in its place" in err
    assert "router-" in said


def test_tables_of_opensm_are_computed_for_each_link(imported, ranked, run_odonata, tmp_path):
    need_opensm()
    routed, edited = tmp_path / "routed.toml", tmp_path / "edited.toml"
    words = ("machines", "route", imported(torus(3, 1)), "--opensm", "lash", "-o", routed)
    assert run_odonata(*words)[0] == 0
    assert engine_of(machine.load(routed)) == "lash"
    found = ranked(routed, "--pattern", "shift:4", "--sample", 2)
    for link in found["links"]:
        lost = f"{link['a']}:{link['b']}"
        assert run_odonata("machines", "edit", routed, "--remove-link", lost, "-o", edited)[0] == 0
        alone = ranked(edited, "--pattern", "shift:4", "--sample", 1)
        assert alone["time_ps"] == link["time_ps"]


def test_top_and_tables_of_a_file(imported, run_odonata, tmp_path):
    words = ("machines", "rank-links", imported(two_levels()), "--pattern", "bisect")
    _, said, _ = run_odonata(*words, "--bytes", "1KiB", "--sample", 5, "--top", 2)
    assert len(said.splitlines()) == 5
    assert said.splitlines()[-1] == "and 3 more links"
    (tmp_path / "net").write_text(pair().text())
    (tmp_path / "lfts").write_text(pair().lfts(WAYS))
    path = tmp_path / "pair.toml"
    words = ("machines", "import", tmp_path / "net", "--lfts", tmp_path / "lfts", "-o", path)
    assert run_odonata(*words)[0] == 0
    words = ("machines", "rank-links", path, "--pattern", "shift:1")
    status, _, err = run_odonata(*words)
    assert status == 2
    assert "pair: its tables are of a file, and cannot be computed again; allowed: --opensm" in err
    assert run_odonata(*words, "--routing", "updown")[0] == 0


REFUSED = {
    "no run": ((), "of which run: 'neither'; allowed: --pattern or --job"),
    "two runs": (("--pattern", "bisect", "--job", "run.nc"), "of which run: 'both'"),
    "a pattern": (("--pattern", "shift:x"), "pattern: not a shift"),
    "a routing": (("--pattern", "bisect", "--routing", "dmodc"), "did you mean 'dmodk'?"),
    "two tables": (
        ("--pattern", "bisect", "--routing", "dmodk", "--opensm", "ftree"),
        "--opensm: its tables are routing minimal's: 'dmodk'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name, imported, run_odonata):
    options, message = REFUSED[name]
    status, said, err = run_odonata("machines", "rank-links", imported(two_levels(2)), *options)
    assert (status, said) == (2, "")
    assert message in err


def test_losses_that_lock_up_are_told(imported):
    # routes of a ring are refused for their cycle; without a cable it is a line
    def simulate(made, check):
        made_of_all = made.num_links == whole.num_links
        if not made_of_all:
            raise links.DeadlockError("the network is locked up")
        return type("Run", (), {"length_ps": 7})

    whole = machine.load(imported(two_levels(2)))
    found = links.rank_links(whole, simulate, sample=2)
    assert [link.error for link in found.links] == ["the network is locked up"] * 2
    assert [link.time_ps for link in found.links] == [None, None]


def test_finished_links_of_an_interrupted_ranking_are_printed(
    imported, run_odonata, monkeypatch, capsys
):
    def two(works, workers):
        for at in range(2):
            yield at, works[at](lambda _: None)
        raise KeyboardInterrupt

    monkeypatch.setattr(links, "in_threads", two)
    words = ("machines", "rank-links", imported(two_levels(2)), "--pattern", "shift:1")
    status, said, _ = run_odonata(*words)
    assert status == 130
    assert "2 of 8 links: the list is not complete." in said
