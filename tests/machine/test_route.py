"""``odonata machines route``: tables of the real OpenSM over ibsim, for any machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from odonata import machine
from odonata.errors import DeadlockError, UserError
from odonata.machine.congestion import congestion
from odonata.machine.fabric import opensm
from odonata.machine.fabric.of_machine import fabric_of
from odonata.machine.fabric.routes_file import encode, tables_of
from odonata.placement import place
from odonata.simulate import Job, simulate
from odonata.workload import Collective, Program

from .opensm import need_opensm, three_levels, torus, two_levels

BYTES = 2**20
FLOW_PS = BYTES * 10**12 // (25 * 10**9)  # a message on a link of 25 GB/s


@pytest.fixture
def imported(tmp_path, run_odonata):
    """Import a table of links; the machine file."""

    def call(text):
        (tmp_path / "links.csv").write_text(text)
        words = ("machines", "import", tmp_path / "links.csv", "-o", tmp_path / "mine.toml")
        status, _, err = run_odonata(*words)
        assert status == 0, err
        return tmp_path / "mine.toml"

    return call


@pytest.fixture
def routed(imported, run_odonata, tmp_path):
    """Let OpenSM route a table of links; machine and document."""
    need_opensm()

    def call(text, engine):
        out = tmp_path / f"{engine}.toml"
        words = ("machines", "route", imported(text), "--opensm", engine, "-o", out, "--json")
        status, said, err = run_odonata(*words)
        assert status == 0, err
        return machine.load(out), json.loads(said)

    return call


def shift(size, step):
    """Each rank sends to the rank `step` on, before it receives."""

    def send(rank):
        yield rank.sendrecv((rank.index + step) % size, BYTES, (rank.index - step) % size, BYTES)

    return Program(send)


def times(made):
    """Return the time of every shift [ps], and of one flow over the longest route alone."""
    eager = made.with_values({"mpi.eager_threshold": "2 MiB"})  # no answers behind data
    size = made.num_nodes

    def one(rank):
        if rank.index == 0:
            yield rank.send(size // 2, BYTES)
        elif rank.index == size // 2:
            yield rank.recv(0, BYTES)

    def length(program):
        run = simulate(eager, Job(program, place(eager, size))).run
        return run.length_ps

    return [length(shift(size, step)) for step in range(1, size)], length(Program(one))


def most_flows(made, routing="minimal"):
    steps = range(1, made.num_nodes)
    return [congestion(made, f"shift:{step}", routing=routing).most_flows for step in steps]


@pytest.mark.parametrize("tree", [two_levels(), three_levels()], ids=["two", "three"])
def test_ftree_gives_every_shift_the_time_of_one_flow(tree, routed):
    made, found = routed(tree, "ftree")
    assert found["deadlock_free"]
    assert max(most_flows(made)) == 1
    assert max(most_flows(made, "dmodk")) == 1  # our own has as few
    shifts, alone = times(made)
    assert set(shifts) == {alone}


def test_the_time_of_a_shift_by_minhop_follows_its_flows(routed):
    made, _ = routed(three_levels(), "minhop")
    flows = most_flows(made)
    assert Counter(flows) == {1: 8, 2: 8, 3: 8, 4: 39}  # as the issue counted them with OpenSM
    shifts, alone = times(made)
    assert shifts == [alone + (most - 1) * FLOW_PS for most in flows]


def test_a_torus_by_minhop_has_a_cycle_and_locks_up(routed, run_odonata, tmp_path):
    made, found = routed(torus(), "minhop")
    assert (found["lanes"], found["deadlock_free"], found["channels_in_cycles"]) == (1, False, 216)
    words = ("simulate", "barrier", "--ranks", 4, "--machine", tmp_path / "minhop.toml")
    status, _, err = run_odonata(*words)
    assert status == 2
    assert "has a cycle of" in err
    small = made.with_values(
        {f"links.{c}.buffer": "4 KiB" for c in made.link_classes if c != "ejection"}
    )
    job = Job(Collective("alltoall", "scattered", bytes=1 << 18), place(small, 72))
    with pytest.raises(DeadlockError, match="the network is locked up"):
        simulate(small, job, allow_cycles=True)


def test_a_torus_by_dfsssp_is_free_of_deadlock_by_its_lanes(routed, run_odonata, tmp_path):
    made, found = routed(torus(), "dfsssp")
    assert (found["lanes"], found["deadlock_free"], found["missing_levels"]) == (8, True, 0)
    assert (found["unreachable_pairs"], found["channels_in_cycles"]) == (0, 0)
    one = made.with_values({"shape.lanes": 1}).routing("minimal").count_routes()
    assert one.channels_in_cycles > 0  # the lanes, not the routes, cut the cycles
    words = ("simulate", "barrier", "--ranks", 72, "--machine", tmp_path / "dfsssp.toml")
    assert run_odonata(*words)[0] == 0


def test_numbers_and_names_of_any_machine_stay(run_odonata, tmp_path, monkeypatch):
    need_opensm()
    monkeypatch.chdir(tmp_path)
    template = run_odonata("machines", "new", "--family", "torus")[1]
    (tmp_path / "mine.toml").write_text(template)
    words = ("machines", "route", "mine.toml", "--opensm", "lash", "--set", "router.delay=77 ns")
    status, said, err = run_odonata(*words, "--set", "shape.sizes=[3,3,3]")
    assert status == 0, err
    assert "computed by OpenSM" in said
    assert "deadlock-free" in said
    before = machine.load("mine.toml", {"router.delay": "77 ns", "shape.sizes": [3, 3, 3]})
    made = machine.load("mine-lash.toml")
    assert (made.num_nodes, made.num_routers, made.num_links) == (54, 27, before.num_links)
    same = [key for key in before.numbers if key.split(".")[0] not in ("shape", "names")]
    assert {key: made.value(key) for key in same} == {key: before.value(key) for key in same}
    assert fabric_of(made).hosts() == fabric_of(before).hosts()
    again = ("machines", "route", "mine-lash.toml", "--opensm", "dor", "-o", "again.toml")
    assert run_odonata(*again)[0] == 0  # a machine with tables may get others
    assert machine.load("again.toml").value("router.delay") == before.value("router.delay")


REFUSED = {
    "a misspelt engine": ("dfssp", "OpenSM: unknown engine: 'dfssp'; did you mean 'dfsssp'?"),
    "an engine of files": ("file", "allowed: minhop, updn"),
    "a tree's engine": (
        "ftree",
        "OpenSM: ftree cannot route this fabric: Found more than one root",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_are_one_line(name, imported, run_odonata, tmp_path):
    need_opensm()
    engine, message = REFUSED[name]
    out = tmp_path / "out.toml"
    words = ("machines", "route", imported(torus(4)), "--opensm", engine, "-o", out)
    status, said, err = run_odonata(*words)
    assert (status, said, err.count("\n")) == (2, "", 1)
    assert message in err
    assert not out.exists()


def test_too_short_a_limit_leaves_nothing(imported, run_odonata, tmp_path, monkeypatch):
    need_opensm()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    words = ("machines", "route", "eos", "--opensm", "dfsssp", "-o", tmp_path / "out.toml")
    status, _, err = run_odonata(*words, "--limit", 0.2)
    assert status == 2
    assert "OpenSM: not ready after 0.2 s; --limit allows more" in err
    assert list((tmp_path / "tmp").iterdir()) == []
    assert running_in(tmp_path) == []


def test_missing_programs_are_named(imported, run_odonata, tmp_path, monkeypatch):
    monkeypatch.setattr(opensm, "LIBRARIES", (str(tmp_path),))
    words = ("machines", "route", imported(torus(3)), "--opensm", "minhop")
    status, _, err = run_odonata(*words, "-o", tmp_path / "out.toml")
    assert status == 2
    assert "libumad2sim.so; Debian's packages opensm and ibsim-utils have them" in err


def test_machines_with_rails_are_refused(run_odonata, tmp_path):
    words = ("machines", "route", "summit", "--opensm", "ftree", "-o", tmp_path / "out.toml")
    status, _, err = run_odonata(*words)
    assert status == 2
    assert "summit: a machine with shape.rails cannot become a graph" in err


def test_runs_at_once_do_not_meet(imported):
    need_opensm()
    fabric = fabric_of(machine.load(imported(torus(4))))

    def tables(_=None):
        made = opensm.run_opensm(fabric, "dfsssp")
        return encode(fabric, tables_of(made.fabric, made.forwarding, made.levels, made.lanes))

    with ThreadPoolExecutor(3) as pool:
        assert set(pool.map(tables, range(3))) == {tables()}


def running_in(folder: Path) -> list[str]:
    """Return the command lines of processes that name a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(folder) in words and int(path.parent.name) != os.getpid():
            found.append(words)
    return found


@pytest.fixture
def under_way(tmp_path):
    """Start a command that lets OpenSM route a machine; its process while OpenSM runs."""
    need_opensm()
    (tmp_path / "tmp").mkdir()
    default = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{default}; import odonata.cli as cli; cli.main()"
    words = [sys.executable, "-c", code, "machines", "route", "eos", "--opensm", "dfsssp"]
    process = subprocess.Popen(
        [*words, "-o", str(tmp_path / "out.toml")],
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stderr=subprocess.PIPE,
    )
    wait_until(lambda: len(running_in(tmp_path / "tmp")) >= 2)  # ibsim and OpenSM
    yield process
    process.kill()
    process.communicate()


def wait_until(is_so):
    until = time.monotonic() + 60
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
    assert is_so()


@pytest.mark.parametrize(("by", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_no_process_and_no_folder(by, status, under_way, tmp_path):
    under_way.send_signal(by)
    _, err = under_way.communicate(timeout=60)
    assert under_way.returncode == status, err
    assert running_in(tmp_path / "tmp") == []
    assert list(tmp_path.rglob("*")) == [tmp_path / "tmp"]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv of util-linux")
def test_a_killed_run_leaves_no_process(under_way, tmp_path):
    under_way.kill()
    wait_until(lambda: running_in(tmp_path / "tmp") == [])


def test_a_program_that_ends_is_told_with_its_words(tmp_path, monkeypatch, imported):
    need_opensm()
    fabric = fabric_of(machine.load(imported(torus(3))))
    fake = tmp_path / "ibsim"
    fake.write_text("#!/bin/sh\necho no memory; exit 7\n")
    fake.chmod(0o755)
    known = opensm.find_programs()
    monkeypatch.setattr(
        opensm, "find_programs", lambda: opensm.Programs(known.opensm, str(fake), known.library)
    )
    with pytest.raises(UserError, match="OpenSM: ibsim has ended with 7: no memory"):
        opensm.run_opensm(fabric, "minhop")


def test_drawn_levels_of_dfsssp_are_chosen_by_addresses():
    # lane 0 was split in two, lane 1 not: levels 0 and 1 are drawn, level 2 is not
    counts = {"Paths per VL (before balancing)": (80, 30, 0), "(after balancing)": (40, 40, 30)}
    lines = []
    for title, paths in counts.items():
        lines.append(f"x -> dfsssp_remove_deadlocks: {title}:")
        lines += [f"x -> dfsssp_remove_deadlocks:    {n}. lane: {p}" for n, p in enumerate(paths)]
    drawn = np.array([[1, 2, 0], [1, 2, 1], [1, 3, 1], [1, 3, 0], [2, 3, 2]], np.uint16)
    log = "\n".join(lines)
    assert opensm.settled(drawn, log)[:, 2].tolist() == [1, 1, 0, 0, 2]
    assert opensm.settled(drawn, "").tolist() == drawn.tolist()  # nothing was split
