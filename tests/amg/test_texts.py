"""Texts of users that odonata-amg prints: none commands the terminal, and its JSON is UTF-8."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDERS = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
PROGRAM = shutil.which("odonata-amg", path=os.pathsep.join(FOLDERS))
MATRIX = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2.0\n2 2 2.0\n"
HOSTILE = {
    b"a\x1b[31m": rb"a\x1b[31m",
    b"a\nb\r\x08": rb"a\x0ab\x0d\x08",
    b"a\xc2\x9b31m": rb"a\xc2\x9b31m",
    b"d\xe9j\xe0": rb"d\xe9j\xe0",
    b"\xed\xa0\x80": rb"\xed\xa0\x80",
    "Zoë 東京 😀".encode(): "Zoë 東京 😀".encode(),
}

pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")


def run(*words: bytes | str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([PROGRAM, *words], capture_output=True, timeout=300)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_of_matrices_are_printed_with_escapes(tmp_path, name):
    path = os.fsencode(tmp_path) + b"/" + name
    missing = run("--problem", path).stderr
    assert missing.count(b"\n") == 1
    assert HOSTILE[name] in missing
    Path(os.fsdecode(path)).write_bytes(MATRIX)
    done = run("--problem", path, "-o", str(tmp_path / "amg.json"))
    assert done.stdout.startswith(HOSTILE[name] + b" on 1 rank")
    document = json.loads((tmp_path / "amg.json").read_bytes().decode())
    assert document["problem"] == HOSTILE[name].decode()


def test_a_long_name_is_cut():
    said = run("--problem", "x" * 100_000).stderr
    assert said.rstrip().endswith(b" bytes)")
    assert len(said) < 5_000
