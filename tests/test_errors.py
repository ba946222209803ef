"""Errors carry their values as fields, and print one line."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from odonata import _core, errors
from odonata.errors import (
    ConservationError,
    DeadlockError,
    InternalError,
    NoMpiError,
    OdonataError,
    ReadError,
    UserError,
    near_miss,
)
from odonata.machine import load


def test_the_message_has_every_part_in_one_line():
    error = UserError(
        "algorithm: unknown",
        value="brukc",
        allowed="bruck, ring",
        where="run.toml:3:algorithm",
        near="bruck",
    )
    assert str(error) == (
        "run.toml:3:algorithm: algorithm: unknown: 'brukc'; did you mean 'bruck'?"
        "; allowed: bruck, ring"
    )


def test_the_offending_values_are_fields_and_survive_pickling():
    error = pickle.loads(pickle.dumps(UserError("ranks: too many", value=9, allowed="1 to 8")))
    assert (error.what, error.value, error.allowed) == ("ranks: too many", 9, "1 to 8")
    assert str(error) == "ranks: too many: 9; allowed: 1 to 8"


def test_hostile_values_stay_on_one_short_line():
    message = str(UserError("name:\nunknown", value="a\nb\x1b[31m" + "x" * 10_000))
    assert "\n" not in message
    assert "\x1b" not in message
    assert len(message) < 300


def test_numbers_of_numpy_are_written_as_numbers():
    assert str(UserError("ranks", value=np.int64(9), allowed="1")) == "ranks: 9; allowed: 1"
    assert str(UserError("rate", value=np.float32(0.5))) == "rate: 0.5"


def test_only_what_the_user_gave_is_a_wrong_value():
    assert issubclass(UserError, OdonataError)
    assert issubclass(UserError, ValueError)
    for other in (DeadlockError, InternalError, NoMpiError):
        assert issubclass(other, OdonataError)
        assert not issubclass(other, ValueError)


def test_what_cpp_finds_has_the_fields_of_an_error():
    core = load("dragonfly-5256").core
    with pytest.raises(UserError) as caught:
        _core.fluid_bound(core, "minimul", "uniform", 1)
    error = caught.value
    assert (error.what, error.value) == ("routing: unknown", "minimul")
    assert error.allowed == "minimal, valiant, ugal-l, ugal-g, par"
    with pytest.raises(UserError) as caught:
        _core.fluid_bound(core, "minimal", "adversarial", 73)
    error = caught.value
    assert (error.value, error.allowed) == (73, "1 to 72")  # of 73 groups
    assert str(error) == "pattern adversarial: shift: out of range: 73; allowed: 1 to 72"
    with pytest.raises(UserError) as caught:
        _core.fluid_bound(core, "par", "uniform", 1)
    assert (caught.value.value, caught.value.allowed) == ("par", "minimal, valiant")


def test_what_is_lost_is_said_by_fields_that_survive_pickling():
    lost = ConservationError("link 7: 3 of 5 B", place="link 7", found=3, expected=5)
    assert isinstance(lost, InternalError)
    again = pickle.loads(pickle.dumps(lost))
    assert (again.place, again.found, again.expected, str(again)) == ("link 7", 3, 5, str(lost))


def test_a_file_that_cannot_be_read_is_what_the_user_gave():
    error = ReadError.of(PermissionError(13, "Permission denied"), "mine.toml")
    assert isinstance(error, UserError)
    assert str(error) == "mine.toml: cannot be read: Permission denied"
    assert str(ReadError.of(ValueError("embedded null byte"), "a")).endswith("embedded null byte")


@pytest.mark.parametrize(
    ("name", "near"), [("brukc", "bruck"), ("RING", "ring"), ("xyz", None), ("", None)]
)
def test_near_miss(name, near):
    assert near_miss(name, ["ring", "bruck"]) == near


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("lulesh.odp", "lulesh2.odp"),
        ("Lulesh2.odp", "lulesh2.odp"),
        ("lulesh", "lulesh2.odp"),  # without a suffix any will do
        ("lulesh2.opd", "lulesh2.odp"),
        ("lulesh2.nc", None),  # the suffix is of other files
        ("runn.nc", "run.nc"),
        ("run.trac", "run.trace"),
        ("halo.nc", None),
        ("none/run.nc", None),
    ],
)
def test_a_missing_file_is_near_one_of_its_folder(given, near, tmp_path):
    (tmp_path / "lulesh2.odp").mkdir()
    for name in ("run.nc", "run.trace"):
        (tmp_path / name).touch()
    error = ReadError.of(FileNotFoundError(2, "No such file or directory"), tmp_path / given)
    assert error.near == (near and str(tmp_path / near))
    asked = f"directory; did you mean {str(tmp_path / near)!r}?" if near else "directory"
    assert str(error).endswith(asked)


def test_a_file_that_is_there_is_near_nothing(tmp_path, monkeypatch):
    (tmp_path / "run.nc").symlink_to("nowhere")
    (tmp_path / "ran.nc").touch()
    missing = FileNotFoundError(2, "No such file or directory")
    assert ReadError.of(missing, tmp_path / "run.nc").near == str(tmp_path / "ran.nc")
    assert ReadError.of(PermissionError(13, "denied"), tmp_path / "rn.nc").near is None
    monkeypatch.chdir(tmp_path)
    assert ReadError.of(missing, "rann.nc").near == "ran.nc"


def test_a_folder_of_very_many_files_is_not_looked_through(tmp_path, monkeypatch):
    for name in ("a.nc", "b.nc", "run.nc"):
        (tmp_path / name).touch()
    missing = FileNotFoundError(2, "No such file or directory")
    monkeypatch.setattr(errors, "MOST_NEIGHBOURS", 3)
    assert ReadError.of(missing, tmp_path / "runn.nc").near
    monkeypatch.setattr(errors, "MOST_NEIGHBOURS", 2)
    assert ReadError.of(missing, tmp_path / "runn.nc").near is None


def test_a_key_of_3_mb_is_not_repeated():
    key = "k" * 3_000_000
    message = str(UserError(f"{key}: unknown key", value=key, where=f"mine.toml:1:{key}"))
    assert len(message) < 2_000
    assert message.startswith("mine.toml:1:kkk")
    assert "kkk: unknown key: 'kkk" in message
