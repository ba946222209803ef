"""Damaged files of every kind: status 0 or 2, one line, no traceback, bounded memory.

The damage is drawn from a seed, the same in each run. The tests of each reader go further into its
format.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from odonata import machine, placement, simulate, trace, workload
from odonata.machine.files import find
from odonata.machine.template import template

from .machine.fabrics import one_way, pair, ring

CASES = 40
MOST_BYTES = 2**30
"""Memory beyond the imports."""

LONGEST_LINE = 3_000

DRIVER = f"""
import json, os, resource, sys
import h5py, msgspec, numpy, odonata.cli.machines, odonata.cli.replay, odonata.live.run
import odonata.result.reading
from odonata.cli import main
here = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_DATA, (here + {MOST_BYTES},) * 2)
answers = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    sys.argv = ["odonata", *json.loads(line)]
    said = [os.memfd_create(name) for name in ("out", "err")]
    for number, file in enumerate(said, 1):
        os.dup2(file, number)
    try:
        main()
    except SystemExit as end:
        status = end.code or 0
    sys.stdout.flush(), sys.stderr.flush()
    texts = [os.pread(file, 10**6, 0).decode(errors="replace") for file in said]
    print(json.dumps([status, *texts]), file=answers, flush=True)
    for file in said:
        os.close(file)
"""


def damage(content: bytes, rng: random.Random) -> bytes:
    """Return the content with some of it changed, lost, doubled or exaggerated."""
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at, length = rng.randrange(len(made)), rng.choice((1, 2, 4, 8, 50, 500))
        how = rng.randrange(7)
        if how == 0:
            made[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            made[at : at + length] = rng.randbytes(length)
        elif how == 2:
            made[at : at + length] = b"\xff" * length
        elif how == 3:
            del made[at : at + min(length, len(made) - 1)]
        elif how == 4:
            made[at:at] = made[at : at + length]
        elif how == 5:
            del made[max(at, 1) :]
        else:
            numbers = list(re.finditer(rb"[0-9]+", bytes(made)))
            one = rng.choice(numbers or list(re.finditer(rb"(?s).", bytes(made))))
            made[one.start() : one.end()] = rng.choice((b"0", b"-1", b"9" * 30, b"2e9", b"nan"))
    return bytes(made)


def make_machine(path: Path) -> None:
    path.write_bytes(find("eos").read_bytes())


def make_graph(path: Path) -> None:
    path.write_text(template("graph"))


def make_result(path: Path) -> None:
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("allgather"), placement.place(eos, 4))
    simulate.simulate(eos, [job], samples=5).save(path)


def make_explained(path: Path) -> None:
    eos = machine.load("eos")
    job = simulate.Job(workload.Collective("allgather"), placement.place(eos, 4))
    simulate.simulate(eos, [job], explain=True).save(path)


def make_trace(path: Path) -> None:
    """Make a trace in which two ranks take turns in sending."""
    names = trace.function_names()
    views = {"send": trace.Send, "recv": trace.Receive}
    calls = [
        trace.Call(rank, f"MPI_{op.title()}", op, views[op](1 - rank, bytes=100))
        for turn in range(20)
        for rank, op in zip((0, 1), ("send", "recv") if turn % 2 else ("recv", "send"), strict=True)
    ]
    with trace.Writer(path, trace.Header(ranks=2, machine="eos")) as writer:
        for begin in range(0, len(calls), 2):
            writer.write(trace.Block.of(calls[begin : begin + 2], names))


def make_order(path: Path) -> None:
    path.write_text("3 1\n0 2\n")


def make_rankfile(path: Path) -> None:
    hosts = [f"nid{12 + rank % 3:05d}" for rank in range(12)]
    placement.launchers.write_hosts(path, "openmpi", hosts)


def make_rank_order(path: Path) -> None:
    path.write_text("# two nodes\n3,1,4-5\n0,2,6,7\n")


def make_topology(path: Path) -> None:
    eos = machine.load("eos")
    placement.topology.write_switches(path, placement.topology.switches_of(eos))


def make_nodes(path: Path) -> None:
    path.write_text("nid[00012-00015,00020] # a job\nc3-0c1s7n2, 5\n6-7\n")


def make_cables(path: Path) -> None:
    path.write_text(pair().text())


def make_tables(path: Path) -> None:
    """Make the tables of a ring, whose fabric is beside them."""
    path.with_name("ring.txt").write_text(ring(4).text())
    path.write_text(ring(4).lfts(one_way(ring(4), 4)))


def make_slurm_conf(path: Path) -> None:
    path.write_text("SwitchName=a Nodes=n[1-3]\nSwitchName=b Nodes=n4\nSwitchName=c Switches=a,b\n")


def make_slurm_yaml(path: Path) -> None:
    path.write_text(
        "- topology: one\n  tree:\n    switches:\n"
        "      - switch: a\n        nodes: n[1-3]\n      - switch: b\n        nodes: n4\n"
        "      - switch: c\n        children: a,b\n"
    )


def make_links(path: Path) -> None:
    path.write_text(
        "a,b,rate,count,latency\nn1,s1,25 GB/s,1,\nn2,s2,25 GB/s,,\ns1,s2,50 GB/s,2,1 us\n"
    )


IMPORT = ["machines", "import", "--quiet", "-o", "FILE.toml"]
EOS = ["--machine", "eos"]
CONVERT = ["place", "convert", "FILE", "/dev/null", "--to", "slurm", "--from"]
HOSTS = ["--hosts", "nid[00012-00013]", "--ranks-per-node", "4"]
RANKS = ["mpirun", "-n", "4", "--machine", "eos", "--abi", "mpich", "--reorder", "FILE", "true"]
KINDS = {  # how a file is made, its name, what reads it, and the status if it is whole
    "machine": (make_machine, "a.toml", ["machines", "show", "FILE"], 0),
    "graph": (make_graph, "a.toml", ["machines", "show", "FILE"], 0),
    "cables": (make_cables, "ib.txt", [*IMPORT, "FILE"], 0),
    "tables": (make_tables, "lfts", [*IMPORT, "WHOLE/ring.txt", "--lfts", "FILE"], 0),
    "slurm-conf": (make_slurm_conf, "a.conf", [*IMPORT, "FILE"], 0),
    "slurm-yaml": (make_slurm_yaml, "a.yaml", [*IMPORT, "FILE"], 0),
    "links": (make_links, "a.csv", [*IMPORT, "FILE"], 0),
    "result": (make_result, "run.nc", ["show", "FILE"], 0),
    "results": (make_result, "run.nc", ["show", "FILE", "FILE"], 0),
    "figure": (make_result, "run.nc", ["plot", "FILE", "-o", "FILE.svg"], 0),
    "explained": (make_explained, "run.nc", ["explain", "FILE"], 0),
    "compared": (make_explained, "run.nc", ["compare", "FILE", "FILE"], 0),
    "page": (make_explained, "run.nc", ["report", "FILE", "-o", "FILE.html"], 0),
    "summary": (make_trace, "run.trace", ["trace", "show", "FILE"], 0),
    "replay": (make_trace, "run.trace", ["replay", "FILE", "--json"], 0),
    "rankfile": (make_rankfile, "ranks", [*CONVERT, "openmpi"], 0),
    "rank order": (make_rank_order, "MPICH_RANK_ORDER", [*CONVERT, "mpich-order", *HOSTS], 0),
    "topology": (
        make_topology,
        "a.conf",
        ["place", "topology", *EOS, "--check", "FILE"],
        1,
    ),  # other hosts
    "nodes": (make_nodes, "nodes.txt", ["place", "where", *EOS, "--nodes", "FILE"], 0),
    "order": (make_order, "order", RANKS, 4),  # `true` never calls MPI
}


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_end_in_one_line(kind, tmp_path):
    make, name, words, whole = KINDS[kind]
    paths = [tmp_path / str(number) / name for number in range(CASES + 1)]
    for number, path in enumerate(paths):
        path.parent.mkdir()
        if number == 0:
            make(path)
        else:
            path.write_bytes(damage(paths[0].read_bytes(), random.Random(f"{kind} {number}")))
    whole_folder = str(paths[0].parent)
    commands = [
        [word.replace("FILE", str(path)).replace("WHOLE", whole_folder) for word in words]
        for path in paths
    ]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input="".join(json.dumps(command) + "\n" for command in commands),
        capture_output=True,
        text=True,
        timeout=300,
    )
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(ends) == len(paths), f"{paths[len(ends)]}: {done.returncode}"  # a crash
    assert ends[0][0] == whole, ends[0]
    assert sum(status == 2 for status, _, _ in ends) >= CASES // 4
    for path, (status, _, said) in zip(paths, ends, strict=True):
        assert status in (2, whole), (path, status, said)
        assert "Traceback" not in said
        assert len(said) <= LONGEST_LINE
        if status == 2:
            assert said.startswith("odonata: "), (path, said)
            assert said.count("\n") == 1, (path, said)
