"""Programs of a run: how they are read, and which MPI they need."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from odonata.errors import UserError
from odonata.live import ABIS
from odonata.live.abi import detect
from odonata.live.command import environment, parse_commands
from odonata.live.elf import read_dynamic
from odonata.live.request import Launch


def test_programs_are_separated_by_colons():
    words = ["a", "-n", "3", ":", "-n", "4", "b", ":", "-np", "5", "--", "c", "--", "d"]
    assert [(one.words, one.ranks) for one in parse_commands(words, 2)] == [
        (("a", "-n", "3"), 2),
        (("b",), 4),
        (("c", "--", "d"), 5),
    ]


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["a", ":"],
        ["a", ":", "b"],
        ["a", ":", "-n", "x", "b"],
        ["a", ":", "-n", "1"],
        ["a", ":", "-n", "0", "b"],
        ["a\0b"],
    ],
)
def test_wrong_commands_are_refused(words):
    with pytest.raises(UserError):
        parse_commands(words, 1)


def test_the_abi_is_what_a_program_needs(compiled):
    assert detect(compiled("pass_round")).name == "mpich"
    assert detect(Path(sys.executable)).name == "mpich"  # mpi4py says later which MPI it wants
    assert detect(Path(__file__)).name == "mpich"


def test_needed_libraries_are_read(compiled):
    dynamic = read_dynamic(compiled("pass_round"))
    assert dynamic is not None
    assert "libmpi.so.12" in dynamic.needed
    assert any(name.startswith("libc.so") for name in dynamic.needed)
    assert dynamic.starts


def test_a_shared_object_is_for_fibers(compiled):
    commands = parse_commands([str(compiled("pass_round", shared=True))], 2)
    with pytest.raises(UserError, match=r"pass_round\.so: is a shared object.*--fibers"):
        Launch(commands=commands)
    Launch(commands=commands, fibers=True)


def test_a_program_need_not_be_readable(tmp_path):
    assert read_dynamic(tmp_path) is None  # nor a file
    assert read_dynamic(tmp_path / "nothing") is None


def test_an_unknown_mpi_is_named(compiled, tmp_path):
    strange = tmp_path / "strange"
    strange.write_bytes(
        compiled("pass_round").read_bytes().replace(b"libmpi.so.12", b"libmpi.so.20")
    )
    with pytest.raises(UserError, match=r"libmpi\.so\.20"):
        detect(strange)


def test_damaged_files_do_no_harm(compiled, tmp_path):
    whole = compiled("pass_round").read_bytes()
    draws = random.Random(3)
    for turn in range(300):
        damaged = bytearray(whole[: draws.randrange(len(whole))] if turn % 3 == 0 else whole)
        for _ in range(draws.randrange(1, 20)):
            if damaged:
                damaged[draws.randrange(min(len(damaged), 1200))] = draws.randrange(256)
        path = tmp_path / "damaged"
        path.write_bytes(damaged)
        read_dynamic(path)


def test_the_linker_asks_us_where_libraries_are():
    library = Path("/opt/my odonata/lib/mpich/libmpi.so.12")
    inherited = {"LD_PRELOAD": "other.so", "LD_AUDIT": "their.so", "SLURM_PROCID": "7"}
    got = dict(entry.split("=", 1) for entry in environment(ABIS["mpich"], library, inherited))
    assert got["LD_AUDIT"] == "/opt/my odonata/lib/libodonata_audit.so:their.so"
    assert got["ODONATA_LIBRARIES"] == "/opt/my odonata/lib"
    assert got["LD_PRELOAD"] == "other.so"
    assert got["MPI4PY_MPIABI"] == "mpich"
    assert "SLURM_PROCID" not in got  # of another run


def test_environments_need_not_be_text(mpirun, compiled, monkeypatch):
    monkeypatch.setitem(os.environ, "ODD", os.fsdecode(b"\xff\xfe"))
    assert mpirun("--machine", "eos", "--", compiled("pass_round")).returncode == 0
