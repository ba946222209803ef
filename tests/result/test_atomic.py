"""Files are whole or not there."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from odonata.errors import OdonataError, WriteError
from odonata.files import require_writable, write_whole
from odonata.result import Result


def fail_with(code):
    def fail(*_):
        raise OSError(code, os.strerror(code))

    return fail


def test_a_file_is_written(tmp_path):
    write_whole(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_it_may_be_read_by_whom_the_user_lets(tmp_path):
    old = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", b"")
    finally:
        os.umask(old)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(run, tmp_path, monkeypatch, call):
    (tmp_path / "run.nc").write_bytes(b"old")
    monkeypatch.setattr(os if call == "fsync" else Path, call, fail_with(errno.ENOSPC))
    with pytest.raises(WriteError) as caught:
        Result(run).save(tmp_path / "run.nc")
    assert str(caught.value) == f"{tmp_path / 'run.nc'}: cannot be written: No space left on device"
    assert caught.value.errno == errno.ENOSPC
    assert isinstance(caught.value, OdonataError)
    assert isinstance(caught.value, OSError)
    assert (tmp_path / "run.nc").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["run.nc"]


def test_an_interrupt_leaves_nothing(run, tmp_path, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Result(run).save(tmp_path / "run.nc")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is full")
def test_a_device_is_written_and_not_replaced(run):
    require_writable("/dev/full")
    with pytest.raises(WriteError, match="No space left"):
        Result(run).save("/dev/full")
    assert not Path("/dev/full").is_file()


@pytest.mark.parametrize("attempt", [require_writable, lambda path: write_whole(path, b"")])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("none/run.nc", "No such file"),
        ("", "directory"),
        ("f/run.nc", "directory"),
        ("a\0b", "null"),
    ],
)
def test_places_where_nothing_can_be(tmp_path, attempt, name, reason):
    (tmp_path / "f").touch()
    with pytest.raises(WriteError, match=reason):
        attempt(f"{tmp_path}/{name}")
    assert os.listdir(tmp_path) == ["f"]


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "file").read_bytes() == b"new"


def test_asking_changes_nothing(tmp_path):
    (tmp_path / "run.nc").write_bytes(b"old")
    require_writable(tmp_path / "run.nc")
    require_writable(tmp_path / "other.nc")
    assert os.listdir(tmp_path) == ["run.nc"]
    assert (tmp_path / "run.nc").read_bytes() == b"old"
