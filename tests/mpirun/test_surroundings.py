"""Surroundings as programs see them, and reports on programs that never call MPI."""

import json
import os
import re
import subprocess
import sys

import pytest

from .compilers import BIN, EOS

FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


@FIBERS
def test_a_processor_has_the_name_of_the_node(mpirun, compiled, fibers, monkeypatch):
    monkeypatch.setenv("ODONATA_NODE", "nid99999")  # as in a run within a run
    how = ["--fibers"] if fibers else []
    program = compiled("whoami", shared=fibers)
    done = mpirun("-n", 4, "--ranks-per-node", 2, *EOS, *how, "--", program)
    assert sorted(done.stdout.splitlines()) == [
        "0 nid00012",  # the first three blades of eos carry service nodes
        "1 nid00012",
        "2 nid00013",
        "3 nid00013",
    ]


@FIBERS
@pytest.mark.parametrize(
    ("ex", "row", "names"),
    [
        ("lumi-g", 11, ["nid005000", "nid005249"]),
        ("frontier", 10, ["frontier00001", "frontier00258"]),
    ],
)
def test_a_site_has_its_own_form_of_names(mpirun, compiled, fibers, ex, row, names):
    """The second place of the third cabinet, of 124 nodes on LUMI and 128 on Frontier."""
    how = ["--fibers"] if fibers else []
    nodes = f"x{row}00c0s0b0n0,x{row}02c0s0b1n0"
    where = ["--machine", ex, "--allocation", nodes, "--compute", "none"]
    done = mpirun("-n", 2, *where, *how, "--", compiled("whoami", shared=fibers))
    assert sorted(done.stdout.splitlines()) == [f"{rank} {name}" for rank, name in enumerate(names)]


def test_processors_have_the_hosts_of_the_machine(mpirun, compiled):
    where = ["--machine", "leonardo", "--allocation", "lrdn[0041,3421]", "--compute", "none"]
    done = mpirun("-n", 2, *where, "--", compiled("whoami"))
    assert sorted(done.stdout.splitlines()) == ["0 lrdn0041", "1 lrdn3421"]


CROWDED = """
import ctypes, mmap, sys
import numpy, odonata.cli.mpirun, odonata.live.run
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
LOCK_WHAT_COMES, WHEN_USED = 2, 4  # the kernel marks no guards in locked memory
if libc.mlockall(LOCK_WHAT_COMES | WHEN_USED) != 0:
    sys.exit("locking is not allowed")
most = int(open("/proc/sys/vm/max_map_count").read())
pieces = most - 4096 - len(open("/proc/self/maps").readlines()) - 120  # 4,096 are left for others
area = libc.mmap(None, pieces * 4096, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
for page in range(0, pieces, 2):
    libc.mprotect(ctypes.c_void_p(area + page * 4096), 4096, 0)
from odonata.cli import main
main()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may lock so much memory")
def test_fibers_without_guard_pages_are_told(compiled):
    """So many mappings are taken that 60 of 64 stacks could have a guard, were there no others."""
    words = ["mpirun", "-n", 64, "--machine", "eos", "--compute", "none", "--fibers", "--"]
    program = compiled("whoami", shared=True)
    command = [sys.executable, "-c", CROWDED, *map(str, words), program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 64
    told = re.match(r"odonata: warning: fibers: the stacks of ranks (\d+) and above", done.stderr)
    assert told is not None, done.stderr
    assert 0 < int(told[1]) <= 60


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_program_without_mpi_is_no_success(mpirun, tmp_path, options):
    trace = tmp_path / "ls.trace"
    done = mpirun("-n", 2, *EOS, *options, "--record", trace, "--", "true")
    assert done.returncode == 4
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no rank called MPI_Init" in done.stderr


def test_its_own_failure_is_still_its_own(mpirun):
    done = mpirun("-n", 2, *EOS, "--", "false")
    assert done.returncode == 1
    assert "ended before MPI_Init, exit code 1" in done.stderr


def test_options_behind_the_program_are_named(mpirun, compiled):
    program = compiled("pass_round")
    done = mpirun("-n", 2, "--machine", "eos", "--json", "--", program, 1, "--seed=3", "--compute")
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert "--seed, --compute: passed to the program" in warnings[0]
    done = mpirun("-n", 2, "--machine", "eos", "--json", "--", program, 1, "--help", "-n", "--sed")
    assert "warning" not in done.stderr


def test_options_on_both_sides_of_the_program_are_meant(mpirun, compiled):
    words = ["--machine", "eos", "--json", "--seed", 4]
    done = mpirun("-n", 2, *words, "--", compiled("pass_round"), 1, "--seed=3", "--compute")
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert "warning: --compute: passed to the program" in warnings[0]


VARIABLES = {
    "openmpi,mpich": ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK", "PMI_SIZE"],
    "slurm": ["SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS"],
}
TOLD = {
    "openmpi,mpich": ["0 0 0 3", "1 1 1 3", "2 0 2 3"],
    "slurm": ["0 0 0 3", "1 1 0 3", "2 0 1 3"],
}


@pytest.mark.parametrize("style", VARIABLES)
def test_launchers_variables_tell_the_rank(mpirun, compiled, style, monkeypatch):
    monkeypatch.setenv("SLURM_PROCID", "77")  # of the shell in which we are
    names = [name for each in VARIABLES for name in VARIABLES[each]]
    options = [] if style == "openmpi,mpich" else ["--env-style", style]
    where = ["-n", 3, "--ranks-per-node", 2, *EOS]
    done = mpirun(*where, *options, "--", compiled("whoami"), *names)
    told = {each: TOLD[each] if each == style else ["- - - -"] * 3 for each in VARIABLES}
    nodes = ["0 nid00012", "1 nid00012", "2 nid00013"]
    expected = [
        f"{nodes[rank]} {told['openmpi,mpich'][rank]} {told['slurm'][rank]}" for rank in range(3)
    ]
    assert sorted(done.stdout.splitlines()) == expected


def test_an_unknown_launcher_is_refused(mpirun):
    done = mpirun(*EOS, "--env-style", "slum", "--", "true")
    assert done.returncode == 2
    assert "did you mean 'slurm'" in done.stderr


PROBED = [
    "file: unsupported",
    "handler of a communicator of 2: unsupported",
    "put: unsupported",
    "tools: cannot be",
    "window: unsupported",
]


@FIBERS
def test_programs_that_probe_go_on_without(mpirun, compiled, fibers):
    how = ["--fibers"] if fibers else []
    done = mpirun("-n", 4, *EOS, *how, "--", compiled("probes", shared=fibers))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == PROBED


@pytest.mark.parametrize(
    ("how", "name", "why"),
    [
        ("default", "MPI_Win_create_dynamic", "one-sided communication is absent"),
        ("file", "MPI_File_open", "input and output through MPI are absent"),
    ],
)
def test_by_default_an_absent_function_ends_the_run(mpirun, compiled, how, name, why):
    done = mpirun("-n", 2, *EOS, "--", compiled("probes"), how)
    assert done.returncode not in (0, 3, 4)
    assert "MPI_ERR_UNSUPPORTED_OPERATION" in done.stderr
    assert f"{name} is not supported: {why}" in done.stderr


def test_two_threads_at_once_are_named(mpirun, compiled):
    done = mpirun("-n", 2, *EOS, "--", compiled("threads"), "at-once")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "odonata: rank 0: MPI_Send was called while another thread is in MPI_Recv: "
        "MPI_THREAD_SERIALIZED is provided, not MPI_THREAD_MULTIPLE"
    ]
    assert "provided serialized" in done.stdout


def test_a_launcher_inside_of_the_program_is_named(mpirun, compiled, tmp_path):
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f"#!/bin/sh\nexec {BIN}/mpiexec -n 2 {compiled('idles')}\n")
    wrapper.chmod(0o755)
    done = mpirun("-n", 2, *EOS, "--", wrapper)
    assert done.returncode == 2
    assert "a second process has called MPI_Init" in done.stderr
    assert "give odonata mpirun the program behind it" in done.stderr


def test_a_deadlock_of_threads_names_its_cause(mpirun, compiled):
    done = mpirun(*EOS, "--", compiled("threads"), "at-once")
    assert done.returncode == 3
    assert "deadlock" in done.stderr
    assert "need MPI_THREAD_MULTIPLE, and MPI_THREAD_SERIALIZED is provided" in done.stderr
    done = mpirun("-n", 2, *EOS, "--", compiled("go_wrong"), "deadlock")
    assert done.returncode == 3
    assert "MPI_THREAD" not in done.stderr


def test_threads_may_take_turns(mpirun, compiled):
    done = mpirun(*EOS, "--", compiled("threads"))
    assert done.stdout.splitlines() == ["provided serialized", "received 42 in another thread"]


def test_copies_of_a_communicator_share_what_members_say(mpirun, compiled):
    program = compiled("copies", shared=True)

    def peak(*arguments):
        done = mpirun(
            "-n",
            2048,
            *EOS,
            "--ranks-per-node",
            16,
            "--fibers",
            "--json",
            "--",
            program,
            *arguments,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["peak_memory_bytes"]

    # 68 where each rank keeps a copy of what every member says; 16 where it lists all members in
    # full for the simulator, once in its ring and once in the player, and 8 where that keeps them.
    without = peak()
    assert (peak("copy") - without) / 2048**2 < 4
    # 4 are the list of members that each rank has; 40 more where a table of hashes finds them.
    assert (peak("reverse") - without) / 2048**2 < 8
