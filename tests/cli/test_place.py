"""``odonata place``: names of nodes and files for launchers on the command line."""

from __future__ import annotations

import json

import pytest

from odonata import machine
from odonata.placement.launchers import FORMATS
from odonata.placement.topology import read_switches, switches_of

DARTER = ("--machine", "darter")


def rows(out):
    """Return the cells of a table, and the lines behind it."""
    lines = out.splitlines()
    table = [line for line in lines if line.startswith("|")]
    cells = [" ".join(line.replace("|", " ").split()) for line in table]
    return [cells[0], *cells[2:]], lines[len(table) :]


def test_where_prints_number_names_router_and_coordinates(run_odonata):
    status, out, _ = run_odonata("place", "where", *DARTER, "nid00012", "c3-0c1s7n2")
    assert status == 0
    assert rows(out) == (
        [
            "node nid cname router position group row column",
            "0 nid00012 c0-0c0s3n0 3 0 0 0 3",
            "650 nid00670 c3-0c1s7n2 167 2 1 4 7",
        ],
        ["", "2 nodes, average node distance 658"],
    )


def test_where_reads_files_and_prints_json(run_odonata, tmp_path):
    (tmp_path / "nodes.txt").write_text("nid[00013-00014]\n")
    words = ["place", "where", *DARTER, "0", "--nodes", tmp_path / "nodes.txt", "--json"]
    status, out, _ = run_odonata(*words)
    assert status == 0
    found = json.loads(out)
    assert found["machine"] == "darter"
    assert found["mean_node_distance"] == 1
    assert found["nodes"][2] == {
        "node": 2,
        "nid": "nid00014",
        "cname": "c0-0c0s3n2",
        "router": 3,
        "position": 2,
        "coordinates": {"group": 0, "row": 0, "column": 3},
    }


def test_where_needs_no_names(run_odonata):
    status, out, _ = run_odonata("place", "where", "--machine", "dragonfly-5256", "80")
    assert status == 0
    assert rows(out) == (["node router position group row column", "80 13 2 1 0 1"], [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*DARTER,), "nodes: none given"),
        ((*DARTER, "nid12345"), "no compute node of darter has this name"),
        ((*DARTER, "nid00012", "c0-0c0s3n0"), "node 0 is listed twice (as nid00012)"),
        (("--machine", "dragonfly-5256", "nid00012"), "dragonfly-5256 has no names of nodes"),
        ((*DARTER, "nid00012;id"), "not a host name"),
    ],
)
def test_where_refuses_what_is_no_node(run_odonata, words, said):
    status, out, err = run_odonata("place", "where", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_converted_to_the_same_nodes(run_odonata, tmp_path, format):
    words = [*DARTER, "-n", 6, "--ranks-per-node", 2, "--mapping", "random", "--seed", 5]
    file, back = tmp_path / "file", tmp_path / "back"
    assert run_odonata("place", "write", *words, "--format", format, "-o", file)[0] == 0
    direct = run_odonata("place", "write", *words, "--format", "nodes")
    convert = ["place", "convert", file, back, "--from", format, "--to", "nodes", *DARTER]
    if FORMATS[format].slots:
        convert += ["--hosts", "nid[00012-00014]", "--ranks-per-node", 2]
    assert run_odonata(*convert) == (0, "", "")
    assert direct == (0, back.read_text(), "")


def test_write_takes_an_order_and_hosts_of_ones_own(run_odonata, tmp_path):
    (tmp_path / "order").write_text("2 0 1\n")
    words = ["place", "write", "--machine", "dragonfly-5256", "-n", 3, "--format"]
    reorder = ["--reorder", tmp_path / "order"]
    assert run_odonata(*words, "nodes", *reorder)[1] == "2\n0\n1\n"
    assert run_odonata(*words, "slurm", *reorder, "--hosts", "a[1-3]")[1] == "a3\na1\na2\n"
    assert run_odonata(*words, "order", *reorder)[1] == "2\n0\n1\n"
    assert run_odonata(*words, "mpich-order", *reorder)[1] == "1\n2\n0\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "slrm", *DARTER), "format: unknown: 'slrm'; did you mean 'slurm'"),
        (("--format", "slurm", "--machine", "dragonfly-5256"), "no names of nodes"),
        (("--format", "slurm", *DARTER, "--hosts", "a[1-2]"), "hosts: too few: 2; allowed: 3"),
        (("--format", "slurm", *DARTER, "--hosts", "a1,a1,a2"), "listed twice: 'a1'"),
        (("--format", "slurm", *DARTER, "--hosts", "a1,a2,a`id`"), "not a host name"),
        (("--format", "slurm", *DARTER, "--reorder", "ORDER"), "not a rank, or listed twice: '1'"),
    ],
)
def test_write_refuses_what_no_launcher_could_do(run_odonata, tmp_path, words, said):
    (tmp_path / "order").write_text("1 0 1\n")
    given = [str(tmp_path / "order") if word == "ORDER" else word for word in words]
    status, out, err = run_odonata("place", "write", "-n", 3, *given)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_convert_refuses_more_ranks_than_cores_and_too_few_slots(run_odonata, tmp_path):
    file, out = tmp_path / "file", tmp_path / "out"
    file.write_text("nid00012*17\n")
    convert = ["place", "convert", file, out, "--from", "slurm", "--to", "openmpi", *DARTER]
    status, _, err = run_odonata(*convert)
    assert status == 2
    assert "17 ranks on node 0; allowed: 16" in err
    file.write_text("0,1,2\n")
    few = ["--from", "mpich-order", "--to", "slurm", "--hosts", "nid[00012-00013]"]
    status, _, err = run_odonata("place", "convert", file, out, *few)
    assert status == 2
    assert "slots: too few for 3 ranks: 2" in err
    assert not out.exists()


def test_the_topology_of_a_machine_is_written_and_checked(run_odonata, tmp_path):
    file = tmp_path / "topology.conf"
    assert run_odonata("place", "topology", *DARTER, "-o", file) == (0, "", "")
    check = ["place", "topology", "--check", file, "--machine"]
    assert run_odonata(*check, "darter") == (0, "202 of 202 switches of darter are the same\n", "")
    status, out, _ = run_odonata(*check, "eos")
    assert status == 1
    assert out.splitlines()[1].startswith("missing or different: ")
    named = ["--hosts", "n[0-747]", "-o", file]
    assert run_odonata("place", "topology", *DARTER, *named)[0] == 0
    assert read_switches(file) == switches_of(machine.load("darter"), "n{}".format)
    status, _, err = run_odonata("place", "topology", *DARTER, "--hosts", "n[0-3]")
    assert status == 2
    assert "748 different names" in err


def test_allocations_are_lists_of_names_and_files_too(run_odonata, tmp_path):
    (tmp_path / "nodes.txt").write_text("c0-0c0s3n3 nid00012\n")
    words = ["place", "write", *DARTER, "-n", 2, "--format", "slurm", "--allocation"]
    for allocation in (f"@{tmp_path / 'nodes.txt'}", "nid[00015,00012]", "c0-0c0s3n[3,0]", "3,0"):
        assert run_odonata(*words, allocation)[1] == "nid00015\nnid00012\n"
    status, _, err = run_odonata(*words, "nid[00015,00015]")
    assert status == 2
    assert "node 3 is listed twice" in err
    runs = ["simulate", "barrier", *DARTER, "--ranks", 2, "--json", "--allocation"]
    status, out, _ = run_odonata(*runs, "nid[00015,00012],nid00020,contiguous")
    assert status == 0
    assert [run["allocation"] for run in json.loads(out)["runs"]] == ["0,3", "contiguous"]


def test_formats_are_listed(run_odonata):
    status, out, _ = run_odonata("place", "formats")
    assert status == 0
    assert all(f"| {name} " in out for name in FORMATS)
