"""Files for launchers: written, read back the same, and refused where they say nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import machine
from odonata.errors import UserError
from odonata.placement import Placement, place
from odonata.placement.launchers import FORMATS, read_hosts, text_of, write_hosts
from odonata.placement.launchers.files import hosts_in, lost_in
from odonata.placement.launchers.slots import Slots
from odonata.placement.order import check_order, inverse, read_order

HOSTS = ["nid00012", "nid00013", "nid00012", "nid00020"]
SLOTS = Slots(("nid00012", "nid00013", "nid00020"), 2)
TEXTS = {
    "slurm": "nid00012\nnid00013\nnid00012\nnid00020\n",
    "pals": "nid00012\nnid00013\nnid00012\nnid00020\n",
    "hydra": "nid00012:1\nnid00013:1\nnid00012:1\nnid00020:1\n",
    "openmpi": "rank 0=nid00012 slot=0\nrank 1=nid00013 slot=0\n"
    "rank 2=nid00012 slot=1\nrank 3=nid00020 slot=0\n",
}


@pytest.mark.parametrize("format", TEXTS)
def test_each_format_is_what_its_launcher_reads(format):
    assert text_of(format, HOSTS) == TEXTS[format]
    assert hosts_in(format, TEXTS[format]) == HOSTS


def test_rank_orders_are_relative_to_the_places_that_the_launcher_fills():
    """Places: a a b b. Ranks 0 and 3 are on a, ranks 1 and 2 on b."""
    hosts = ["a", "b", "b", "a"]
    assert text_of("mpich-order", hosts) == "0,3\n1,2\n"
    assert text_of("order", hosts) == "0\n2\n3\n1\n"
    assert text_of("order", hosts, Slots(("b", "a"), 2)) == "2\n0\n1\n3\n"
    assert text_of("mpich-order", ["a", "b", "a"], Slots(("a", "b", "c"), 2)) == "0,2\n1\n"


def test_without_slots_hosts_stand_by_their_numbers_and_the_last_may_have_less():
    assert text_of("order", ["n10", "n9"]) == "1\n0\n"
    assert text_of("mpich-order", ["n10", "n9", "n9"]) == "1,2\n0\n"


def test_an_order_and_the_rank_order_of_mpich_undo_each_other():
    """With one rank a host, line i of one file is rank r where line r of the other is rank i."""
    hosts = ["c", "a", "d", "b"]
    order = tuple(map(int, text_of("order", hosts).split()))
    assert order == (2, 0, 3, 1)
    assert tuple(map(int, text_of("mpich-order", hosts).split())) == inverse(order)


@st.composite
def placed(draw):
    """Draw slots, and ranks on the first of them in any order."""
    hosts = draw(st.lists(st.integers(0, 10**5), min_size=1, max_size=12, unique=True))
    per_host = draw(st.integers(1, 4))
    slots = Slots(tuple(map(str, hosts)), per_host)
    ranks = draw(st.integers(1, len(hosts) * per_host))
    return slots, draw(st.permutations(slots.take(ranks)))


@pytest.mark.parametrize("format", FORMATS)
@given(drawn=placed())
def test_what_is_written_is_read_back_the_same(format, drawn):
    slots, hosts = drawn
    used = slots if FORMATS[format].slots else None
    assert hosts_in(format, text_of(format, hosts, used), used) == hosts


@given(placed())
def test_any_format_can_be_made_of_any_other(drawn):
    slots, hosts = drawn
    read = hosts
    for format, form in FORMATS.items():
        used = slots if form.slots else None
        read = hosts_in(format, text_of(format, read, used), used)
    assert read == hosts


def test_files_are_written_and_read(tmp_path):
    for format in FORMATS:
        hosts = ["3", "4"] if format == "nodes" else HOSTS[:2]
        used = Slots(tuple(hosts)) if FORMATS[format].slots else None
        write_hosts(tmp_path / format, format, hosts, used)
        assert read_hosts(tmp_path / format, format, used) == hosts


def test_what_people_write_is_read_too():
    assert hosts_in("slurm", "# two\na*2, b[1-2]\n\n c # last\n") == ["a", "a", "b1", "b2", "c"]
    assert hosts_in("hydra", "a:2\nb\n") == ["a", "a", "b"]
    assert hosts_in("slurm", "a[1-2]*2\n") == ["a1", "a1", "a2", "a2"]
    assert hosts_in("nodes", "007\n12\n") == ["7", "12"]
    assert hosts_in("openmpi", "rank 1 = b slots=1\nrank 0=b slot=0\n") == ["b", "b"]
    assert hosts_in("openmpi", "rank 1=b slot=0\nrank 0=a slot=0\n") == ["a", "b"]
    slots = Slots(("a", "b"), 4)
    assert hosts_in("mpich-order", "# grid\n1-3,0\n4", slots) == ["a"] * 4 + ["b"]


@pytest.mark.parametrize(
    "cores",
    ["7", "0-3", "4,5", "0-3,8-11", "0:0", "1:0-2", "0:*", "*", "0:0,2", "0:0;1:0", "p4", "P0:1"],
)
def test_cores_of_rankfiles_are_read_and_told_not_to_be_kept(tmp_path, cores):
    path = tmp_path / "ranks"
    path.write_text(f"rank 1=b slot={cores}\nrank 0=a slot=0  # first\nrank 2=a slot=1\n")
    assert read_hosts(path, "openmpi") == ["a", "b", "a"]
    assert "cores of the ranks were not kept" in lost_in(path, "openmpi")


def test_nothing_is_lost_where_ranks_take_cores_in_order(tmp_path):
    path = tmp_path / "ranks"
    path.write_text("rank 2=a slot=1\nrank 1=b slot=0\nrank 0=a slot=0\n")
    assert lost_in(path, "openmpi") is None
    path.write_text("a\nb\n")
    assert lost_in(path, "slurm") is None


WRONG = [
    ("slurm", "", "f: .*no ranks|no ranks in the file"),
    ("slurm", "a\nb;rm\n", "f:2: host: not a host name: 'b;rm'"),
    ("slurm", "a\n$(id)\n", "f:2: host: not a host name"),
    ("slurm", "a[1\n", "a bracket is alone"),
    ("slurm", "a*0\n", "out of range"),
    ("slurm", "a*999999999\n", "out of range"),
    ("hydra", "a:b\n", "not a host name"),
    ("nodes", "3\nx\n", "f:2: nodes: not a node: 'x'"),
    ("nodes", "-3\n", "not a node"),
    ("openmpi", "rank 0=a\n", "f:1: rankfile: line not understood"),
    ("openmpi", "rank 0=a slot=0\nrank 0=b slot=0\n", "f:2: rankfile: no such rank, or listed"),
    ("openmpi", "rank 1=a slot=0\n", "no such rank.*1; allowed: 0 to 0"),
    ("openmpi", "rank 0=a slot=x\n", "cores of rank 0 on a: 'x'; allowed: cores such as 0"),
    ("openmpi", "rank 0=a slot=0:\n", "cores of rank 0 on a: '0:'"),
    ("openmpi", "rank 0=a slot=0-\n", "cores of rank 0 on a"),
    ("openmpi", "rank 0=a slot=0 1\n", "cores of rank 0 on a"),
    ("openmpi", "rank 0=a`id` slot=0\n", "not a host name"),
    ("mpich-order", "2\n0,1,1\n", "f:2: mpich-order: not a rank, or listed twice: '1'"),
    ("mpich-order", "0,2\n", "not a rank, or listed twice: '2'; allowed: 0 to 1"),
    ("mpich-order", "0,x\n", "f:1: mpich-order: not a rank: 'x'"),
    ("mpich-order", "3-0\n", "not a rank"),
    ("mpich-order", "0-999999999\n", "not a rank"),
    ("mpich-order", "0-6\n", "too few for 7 ranks: 6"),
    ("order", "1\n0 0\n", "f:2: order: not a rank, or listed twice"),
    ("order", "0 1 2 3 4 5 6\n", "too few for 7 ranks: 6; allowed: 7 or more; there are 3 hosts"),
]


@pytest.mark.parametrize(("format", "text", "said"), WRONG)
def test_files_that_say_nothing_are_refused(format, text, said):
    with pytest.raises(UserError, match=said):
        hosts_in(format, text, SLOTS, where="f")


def test_a_rank_order_means_nothing_without_its_hosts():
    with pytest.raises(UserError, match="order: lists ranks, not hosts"):
        hosts_in("order", "0\n")


def test_what_the_launcher_could_not_do_is_refused():
    with pytest.raises(UserError, match="2 has 1 ranks; allowed: 2 on"):
        text_of("mpich-order", ["2", "3", "3"])
    with pytest.raises(UserError, match="a has more ranks than the launcher puts there: 3"):
        text_of("order", ["a", "a", "a", "b"], Slots(("a", "b"), 2))
    with pytest.raises(UserError, match="rank 1 is on another host: 'c'"):
        text_of("order", ["a", "c"], Slots(("a", "b"), 2))
    with pytest.raises(UserError, match="too few for 3 ranks: 2"):
        text_of("mpich-order", ["a", "b", "b"], Slots(("a", "b")))


def test_slots_and_hosts_are_checked():
    for hosts, said in [((), "none listed"), (("a", "a"), "twice"), (("a b",), "not a host")]:
        with pytest.raises(UserError, match=said):
            Slots(hosts)
    with pytest.raises(UserError, match="ranks per node: out of range: 0"):
        Slots(("a",), 0)
    with pytest.raises(UserError, match="no ranks"):
        text_of("slurm", [])
    for format in FORMATS:
        with pytest.raises(UserError, match="not a host name: 'a&b'"):
            text_of(format, ["a&b"])
    with pytest.raises(UserError, match="format: unknown: 'opnmpi'; did you mean 'openmpi'"):
        text_of("opnmpi", ["a"])
    with pytest.raises(UserError, match="rank 0 is on a named host: 'a'"):
        text_of("nodes", ["a"])


def test_files_are_read_within_bounds(tmp_path, monkeypatch):
    monkeypatch.setattr("odonata.placement.launchers.files.MOST_BYTES", 10)
    (tmp_path / "hosts").write_text("nid00012\nnid00013\n")
    with pytest.raises(UserError, match="too long; allowed: 10 bytes"):
        read_hosts(tmp_path / "hosts", "slurm")
    monkeypatch.setattr("odonata.placement.launchers.files.MOST_HOSTS", 2)
    with pytest.raises(UserError, match="too many lines; allowed: at most 2"):
        hosts_in("slurm", "a\nb\nc\n")
    (tmp_path / "hosts").write_bytes(b"\xff")
    with pytest.raises(UserError, match="not UTF-8"):
        read_hosts(tmp_path / "hosts", "slurm")


@pytest.mark.parametrize(
    ("format", "text", "said"),
    [
        ("slurm", "a*2\nb*2\n", "f:2: host: number of its ranks.*'b\\*2'; allowed: 1 to 3 tog"),
        ("mpich-order", "0-1\n0-1\n", "f:2: mpich-order: not a rank: '0-1'"),
    ],
)
def test_counts_of_several_lines_are_added_up(monkeypatch, format, text, said):
    for module in ("hosts", "ranks"):
        monkeypatch.setattr(f"odonata.placement.launchers.{module}.MOST_HOSTS", 3)
    with pytest.raises(UserError, match=said):
        hosts_in(format, text, SLOTS, where="f")


def test_a_placement_is_reordered_as_mpi_reorders():
    """Rank i takes the place of rank order[i]."""
    where = place(machine.load("eos"), 4, ranks_per_node=2)
    assert list(where.reordered([3, 0, 1, 2]).node_of) == [1, 0, 0, 1]
    for wrong in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], [0, 1, 2, -1]):
        with pytest.raises(UserError, match="reorder"):
            where.reordered(wrong)
    order = read_order_of(where.reordered([3, 0, 1, 2]))
    assert sorted(order) == [0, 1, 2, 3]
    assert list(where.reordered(order).node_of) == [1, 0, 0, 1]


def read_order_of(where: Placement) -> tuple[int, ...]:
    return check_order(text_of("order", [str(node) for node in where.node_of]).split())


def test_an_order_file_is_a_permutation(tmp_path):
    file = tmp_path / "order"
    file.write_text("2 0\n1")
    assert read_order(file, [3]) == (2, 0, 1)
    with pytest.raises(UserError, match=r"another number of entries.*3; allowed: 4 or 2"):
        read_order(file, [4, 2])
    file.write_text("2 0\n\n0")
    with pytest.raises(UserError, match=r"order:3: reorder: not a rank.*: '0'"):
        read_order(file, [3])


def test_an_order_file_has_16_mib_at_most(tmp_path):
    file = tmp_path / "order"
    file.write_text("1 0".ljust(2**24))
    assert read_order(file, [2]) == (1, 0)
    file.write_text("1 0".ljust(2**24 + 1))
    with pytest.raises(UserError, match="order"):
        read_order(file, [2])


# ---- the launchers themselves


AGENT = """#!/bin/sh
until [ "${1#nid}" != "$1" ]; do shift; done
HOST=$1 && export HOST && shift && exec sh -c "$*"
"""
"""Program in the place of ssh that starts everything here, and tells it on which host it is."""


def test_open_mpi_places_and_binds_ranks_by_our_rankfile(tmp_path, under_open_mpi):
    cores = sorted(os.sched_getaffinity(0))
    hosts = ["nid00013", "nid00012", "nid00013", "nid00012"][: 2 * min(len(cores), 2)]
    write_hosts(tmp_path / "rankfile", "openmpi", hosts)
    agent = tmp_path / "agent"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    script = (
        "import os, sys; name = os.environ.get; "
        "file = open(f'{sys.argv[1]}/rank{name(\"OMPI_COMM_WORLD_RANK\")}', 'w'); "
        "print(name('HOST'), *os.sched_getaffinity(0), file=file)"
    )
    told = ["--mca", "plm_rsh_agent", agent, "--host", "nid00012:2,nid00013:2"]
    told += ["--rankfile", tmp_path / "rankfile"]
    under_open_mpi(len(hosts), *told, sys.executable, "-c", script, tmp_path)
    for rank, host in enumerate(hosts):
        core = cores[hosts[:rank].count(host)]
        assert (tmp_path / f"rank{rank}").read_text() == f"{host} {core}\n"


def test_hydra_starts_ranks_on_the_hosts_of_our_file(tmp_path):
    """Every host of the file is this one, by `-launcher fork`; Hydra prints the host it means."""
    mpiexec = Path(sys.executable).parent / "mpiexec"
    if (
        not mpiexec.exists()
        or "HYDRA"
        not in subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    ):
        pytest.skip("needs MPICH's mpiexec")
    hosts = ["nid00012", "nid00012", "nid00013", "nid00012"]
    write_hosts(tmp_path / "hosts", "hydra", hosts)
    command = [mpiexec, "-launcher", "fork", "-f", tmp_path / "hosts", "-n", "4"]
    words = [*command, "-prepend-pattern", "%r %h ", shutil.which("echo"), "here"]
    for _ in range(5):  # Hydra may end by SIGPIPE where programs end before it has started all
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        if done.returncode != -signal.SIGPIPE:
            break
    assert done.returncode == 0, done.stderr
    assert dict(line.split()[:2] for line in done.stdout.splitlines()) == {
        str(rank): host for rank, host in enumerate(hosts)
    }
