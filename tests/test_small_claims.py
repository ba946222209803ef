"""Small files that claim much: each reader refuses them, or takes little time and memory.

Each claim is read in a process of its own, which begins with everything imported.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import odonata
from odonata import cli
from odonata.interchange import goal_schedule
from odonata.machine.template import template
from odonata.trace import Call, Collective, Header, Receive, Send, Writer, function_names
from odonata.trace.calls import Block
from odonata.trace.views import Communicator, Phase

SECONDS, MEGABYTES = 1.0, 100
"""Processor time, and memory beyond the imports."""

PATIENCE = 30
"""Seconds after which a reader is ended."""

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")

Words = list[object]
Claim = Callable[[Path], Words]


def kilobytes(key: str) -> int:
    """Return a line of the status of this process: memory now, or its most [kB]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def in_child(words: Words, answer: int, said: int) -> None:
    """Run a command, and tell its status, processor time [s] and memory [MB]."""
    sys.argv = ["odonata", *map(str, words)]
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(said, 2)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    before, began = kilobytes("VmRSS"), time.process_time()
    status: object
    try:
        cli.main()
    except SystemExit as left:
        status = left.code or 0
    except BaseException as error:
        status = repr(error)
    sys.stderr.flush()
    taken = time.process_time() - began
    told = [status, taken, (kilobytes("VmHWM") - before) / 1000]
    os.write(answer, json.dumps(told).encode())


def read(words: Words, folder: Path) -> tuple[int, float, float, str]:
    """Return the status, the time, the memory and the errors of a command."""
    from odonata.cli import place, predict, profile, replay, trace  # noqa: F401

    told, answer = os.pipe()
    errors = folder / "errors"
    with errors.open("wb") as said:
        child = os.fork()
        if child == 0:
            in_child(words, answer, said.fileno())
            os._exit(0)
    os.close(answer)
    if not select.select([told], [], [], PATIENCE)[0]:
        os.kill(child, signal.SIGKILL)
    content = os.read(told, 4096)
    os.close(told)
    os.waitpid(child, 0)
    assert content, "the reader took too long, or crashed"
    status, seconds, memory = json.loads(content)
    return status, seconds, memory, errors.read_text()


def written(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def trace_of(folder: Path, *calls: Call, ranks: int = 2) -> Path:
    ends = [Call(rank, "MPI_Finalize", "finalize") for rank in range(2)]
    with Writer(folder / "a.trace", Header(ranks=ranks)) as writer:
        writer.write(Block.of([*calls, *ends], function_names()))
    return folder / "a.trace"


MANY = 2**20
CALLS = {
    "bytes": [
        Call(0, "MPI_Send", "send", Send(1, 1, 2**50)),
        Call(1, "MPI_Recv", "recv", Receive(0, 1, 2**50)),
    ],
    "collective": [
        Call(rank, "MPI_Allgather", "collective", Collective(2**40, operation="allgather"))
        for rank in range(2)
    ],
    "communicator": [
        Call(*(0, "MPI_Comm_dup", "communicator", Communicator(5, 0)), comm=2**31 - 2, words=(0, 1))
    ],
    "request": [Call(0, "MPI_Irecv", "irecv", Receive(1, 1, 5), request=2**31 - 2)],
    "phase": [Call(0, "MPI_Pcontrol", "phase", Phase(2**31 - 1))],
}


def of_traces() -> Iterator[tuple[str, Claim]]:
    """Yield claims of our traces, for each way of reading them."""
    ways: dict[str, Callable[[Path, Path], Words]] = {
        "show": lambda path, _: ["trace", "show", path],
        "matrix": lambda path, _: ["trace", "show", path, "--matrix"],
        "profile": lambda path, _: ["profile", "show", path],
        "to goal": lambda path, at: ["trace", "convert", path, at / "o.goal"],
        "to ti": lambda path, at: ["trace", "convert", path, at / "o.ti"],
        "to odonata": lambda path, at: ["trace", "convert", path, at / "o.trace"],
    }
    for way, words in ways.items():
        yield f"ranks: {way}", lambda at, words=words: words(trace_of(at, ranks=MANY), at)
        for name, calls in CALLS.items():
            yield (
                f"{name}: {way}",
                lambda at, words=words, calls=calls: words(trace_of(at, *calls), at),
            )
    yield "ranks: replay", lambda at: ["replay", trace_of(at, ranks=MANY), "--machine", "eos"]
    for name in ("bytes", "communicator", "request"):
        yield (
            f"{name}: replay",
            lambda at, name=name: ["replay", trace_of(at, *CALLS[name]), "--machine", "eos"],
        )


def binary_goal(ranks: int, operations: int) -> bytes:
    head = struct.pack("<QIBB", goal_schedule.COOKIE, ranks, 0, 0)
    return head + struct.pack("<QQ", 30, 38) + struct.pack("<II", operations, 0)


GOAL = {
    "ranks": "num_ranks 1048576\n",
    "idle ranks": "num_ranks 4000\nrank 0 { a: send 1099511627776b to 1 tag 2147483647 }\n"
    "rank 1 { a: recv 1099511627776b from 0 tag 2147483647 }\n",
    "binary ranks": binary_goal(MANY, 1),
    "most binary ranks": binary_goal(2**32 - 1, 1),
    "binary operations": binary_goal(1, 2**32 - 1),
}
TI = {
    "ranks": "1048575 init\n",
    "a rank": "0 init\n1048575 init\n",
    "digits": "99999999999 init\n",
    "sizes": "0 init\n0 alltoallv " + "9" * 30 + "\n",
    "bytes": "0 init\n0 bcast 1e300 0\n",
    "work": "0 init\n0 compute 1e308\n",
    "a source": "0 init\n0 irecv 1048575 0 1\n0 finalize\n1 init\n1 finalize\n",
}
META = "hostname=a\nnumprocs={}\nusername=u\nstartime=1\nfileprefix=dumpi-test\n"
MPIP = """@ mpiP
@ Command : a
@ Version                  : 3.5.0
@ MPI Task Assignment      : 999999999 host
@--- MPI Time (seconds) ---
Task    AppTime    MPITime     MPI%
999999999  1 1 1
@--- End of Report ---
"""
IPM = """<?xml version="1.0" encoding="iso-8859-1"?>
<ipm_job_profile>
<task ipm_version="2.0.6" mpi_rank="{0}" mpi_size="1000000000" stamp_init="1" stamp_final="2">
<job nhosts="1" ntasks="1000000000" start="1" final="2" code="x">1</job>
<regions n="1"><region label="a" nexits="1" wtime="1" utime="0" id="0">
<func name="MPI_Send" count="1e300" bytes="1e308"> 1 </func></region></regions>
</task></ipm_job_profile>
"""
SWITCHES = "".join(f"SwitchName=s{at} Switches=s{at + 1}\n" for at in range(3000))
TOPOLOGIES = {
    "nodes": "SwitchName=s Nodes=n[0-999999999]\n",
    "levels": f"{SWITCHES}SwitchName=s3000 Nodes=a\n",
}
RANKFILES = {
    "a rank": ("openmpi", "rank 999999999=a slot=0\n"),
    "cores": ("openmpi", "rank 0=a slot=0-999999999\n"),
    "slots": ("openmpi", "a slots=999999999\n"),
    "ranks of a host": ("mpich", "a:999999999\n"),
    "hosts": ("slurm", "n[0-999999999]\n"),
    "long numbers": ("mpich", "a:" + "9" * 5000 + "\n"),
}
ORDERS = {"a rank": "999999999\n0\n", "a range": "0-999999999\n", "digits": "9" * 5000 + "\n1\n"}
SHAPES = {
    "dragonfly-5256": ("groups", "routers_per_group", "nodes_per_router"),
    "eos": ("groups",),
    "jupiter-fdr": ("nodes",),
}
LOGS = {
    "a size": "# OSU MPI Latency Test v7.0\n# Size  Latency (us)\n" + "9" * 5000 + " 1.0\n",
    "a time": "# OSU MPI Latency Test v7.0\n# Size  Latency (us)\n1  1e400\n2  1e308\n",
}
LAPLACE = (Path(odonata.__file__).parent / "data" / "hierarchies" / "laplace.json").read_text()
COORDINATES = "%%MatrixMarket matrix coordinate real general\n"
MATRIX_MARKET = {
    f"{rows} rows, {entries} entries": f"{COORDINATES}{rows} {rows} {entries}\n1 {rows} 1.0\n"
    for rows in (10**6, 10**30)
    for entries in (1, 10**18)
}
CSV = {
    "a rank of a pair": "source,target,bytes\n0,999999,1\n",
    "a rank, digits": "source,target,bytes\n0," + "9" * 5000 + ",1\n",
    "bytes": "source,target,bytes\n0,1,1e308\n1,0,1e308\n",
    "columns": "0," * 50_000 + "0\n",
}
HIERARCHIES = {
    "numbers": re.sub(r": \d+\b", ": 1000000000000000000", LAPLACE),
    "digits": re.sub(r": \d+\b", ": " + "9" * 5000, LAPLACE, count=3),
    "depth": "[" * 100_000,
}


FILES = (  # format, file, contents by claim, command
    ("goal", "a.goal", GOAL, "trace convert FILE OUT"),
    ("ti", "a.ti", TI, "trace convert FILE OUT"),
    (
        "dumpi",
        "dumpi-test.meta",
        {f"{ranks} ranks": META.format(ranks) for ranks in (16_777_216, 10**9, 10**30)},
        "trace convert --from dumpi FILE OUT",
    ),
    ("mpiP", "a.1.mpiP", {"ranks": MPIP}, "profile show FILE"),
    (
        "IPM",
        "a.ipm.xml",
        {f"rank {rank}": IPM.format(rank) for rank in (0, 999_999_999)},
        "profile show FILE",
    ),
    ("benchmark", "osu.txt", LOGS, "measure --from FILE"),
    ("hierarchy", "h.json", HIERARCHIES, "predict amg --machine theta --hierarchy FILE"),
    ("Matrix Market", "a.mtx", MATRIX_MARKET, "place map --machine eos --matrix FILE -o OUT"),
    ("CSV", "a.csv", CSV, "place map --machine eos --matrix FILE -o OUT"),
    ("topology", "topology.conf", TOPOLOGIES, "place topology --machine eos --check FILE"),
)


def claim_of(file: str, content: str | bytes, command: str) -> Claim:
    """Return a command on a file; FILE and OUT in it stand for that and for one to be made."""

    def words(at: Path) -> Words:
        places = {"FILE": written(at / file, content), "OUT": at / "o.trace"}
        return [places.get(word, word) for word in command.split()]

    return words


def of_files() -> Iterator[tuple[str, Claim]]:
    """Yield claims of files of others, by the format."""
    for kind, file, contents, command in FILES:
        for name, content in contents.items():
            yield f"{kind}, {name}", claim_of(file, content, command)


def of_places() -> Iterator[tuple[str, Claim]]:
    """Yield claims of machines and of files of launchers."""
    yield (
        "hosts",
        lambda _: ["place", "topology", "--machine", "eos", "--hosts", "n[0-999999999]"],
    )
    for name, (kind, text) in RANKFILES.items():
        command = f"place convert FILE OUT --from {kind} --to openmpi"
        yield f"launcher, {name}", claim_of("hosts", text, command)
    for name, text in ORDERS.items():
        yield (
            f"order, {name}",
            lambda at, text=text: [
                *("replay", trace_of(at), "--machine", "eos"),
                *("--reorder", written(at / "order.txt", text)),
            ],
        )
    for machine, keys in SHAPES.items():
        for key in keys:
            for number in (10**5, 10**9, 10**30):
                yield (
                    f"machine, {number} {key} of {machine}",
                    lambda _, machine=machine, key=key, number=number: [
                        *("machines", "show", machine, "--set", f"shape.{key}={number}")
                    ],
                )
    yield "machine, list", lambda at: ["machines", "show", written(at / "m.toml", big_graph())]


def big_graph() -> str:
    """Return a machine file with a link to a router of a high number."""
    made = template("graph", "mine", {})
    begin = made.index("[shape]")
    end = made.index("\n[", begin + 2)
    return made[:begin] + re.sub(r"\b\d+\b", "99999", made[begin:end]) + made[end:]


CLAIMS: dict[str, Claim] = dict([*of_traces(), *of_files(), *of_places()])


@pytest.mark.parametrize("name", CLAIMS)
def test_a_small_file_takes_little_whatever_it_claims(tmp_path, name):
    words = CLAIMS[name](tmp_path)
    small = sum(path.stat().st_size for path in tmp_path.iterdir() if path.is_file())
    assert small < 200_000
    status, seconds, memory, said = read(words, tmp_path)
    assert status in (0, 1, 2), said
    assert "Missing argument" not in said
    assert "No such option" not in said
    assert seconds < SECONDS
    assert memory < MEGABYTES
