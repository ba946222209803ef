"""``odonata doctor``: present, missing and broken parts."""

from __future__ import annotations

import json

import pytest

import odonata
from odonata.errors import UserError
from odonata.live import parts


@pytest.fixture
def document(run_odonata):
    """Run ``odonata doctor --json``; its status and its parts by name."""

    def call():
        status, out, err = run_odonata("doctor", "--json")
        got = json.loads(out)
        assert err == ""
        assert got["works"] == (status == 0)
        return status, {part["name"]: part for part in got["core"] + got["optional"]}

    return call


def test_everything_has_a_line(document):
    status, found = document()
    assert status == 0
    assert set(found) >= {
        *("simulator", "Python", "processors", "shared memory", "memory maps"),
        *("MPICH programs", "Open MPI programs", "MPI-5 standard programs"),
        *(
            "odonata-amg",
            "mpi4py",
            "pymetis",
            "scipy",
            "mtkahypar",
            "otf2",
            "perfetto",
            "hypothesis",
        ),
    }
    for part in found.values():
        assert set(part) == {"name", "state", "found", "purpose", "get"}
        assert bool(part["get"]) == (part["state"] == "missing")
    assert found["simulator"]["found"] == odonata._core.__file__
    assert found["MPICH programs"]["found"].endswith("lib/mpich/libmpi.so.12")


def test_the_table_says_the_same(run_odonata):
    status, out, _ = run_odonata("doctor")
    assert status == 0
    assert "| simulator " in out
    assert "| MPICH programs " in out


def test_a_missing_part_says_how_to_get_it(monkeypatch, document, run_odonata):
    def none(_abi):
        raise UserError("abi: no library")

    monkeypatch.setattr(parts, "library", none)
    monkeypatch.setattr(parts.shutil, "which", lambda _: None)
    monkeypatch.setattr(parts.sysconfig, "get_path", lambda _: "nowhere")
    status, found = document()
    assert status == 0
    assert found["MPICH programs"]["state"] == "missing"
    assert "pip install mpich" in found["MPICH programs"]["get"]
    assert "libopenmpi-dev" in found["Open MPI programs"]["get"]
    assert "libhypre-dev" in found["odonata-amg"]["get"]
    _, out, _ = run_odonata("--help")
    said = " ".join(out.split())
    missing = said.partition("missing: ")[2]
    for name in ("MPICH programs", "Open MPI programs", "odonata-amg", "odonata doctor"):
        assert name in missing


def test_a_part_that_cannot_be_loaded_is_broken(monkeypatch, document, tmp_path):
    (tmp_path / "libmpi.so.12").write_bytes(b"no library")
    right = parts.library

    def library(abi):
        return tmp_path / abi.library if abi.name == "mpich" else right(abi)

    monkeypatch.setattr(parts, "library", library)
    status, found = document()
    assert status == 1
    assert found["MPICH programs"]["state"] == "broken"
    assert "libmpi.so.12" in found["MPICH programs"]["found"]
    assert found["MPICH programs in Fortran"]["state"] == "broken"
    assert found["simulator"]["state"] == "there"


def test_a_simulator_that_fails_is_broken(monkeypatch, document):
    def fail(*_):
        raise RuntimeError("no such symbol")

    monkeypatch.setattr("odonata.simulate.run", fail)
    status, found = document()
    assert (status, found["simulator"]["state"]) == (1, "broken")
    assert "no such symbol" in found["simulator"]["found"]


def test_help_points_to_the_doctor(run_odonata):
    _, out, _ = run_odonata("--help")
    assert "see odonata doctor" in " ".join(out.split())


def test_the_package_lists_its_parts():
    names = [part.name for part in odonata.optional_parts()]
    assert names[:2] == ["MPICH programs", "Open MPI programs"]
