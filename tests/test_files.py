"""Files that grow beside their place, and files that are read within bounds."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import tracemalloc
from typing import Annotated

import msgspec
import pytest

from odonata import files
from odonata.errors import UserError
from odonata.files import NewFile, checked, open_regular, read_beginning, read_bytes
from odonata.machine import wiring
from odonata.machine.files import read as read_machine
from odonata.measure import benchmarks, levels
from odonata.model import hierarchy
from odonata.placement import read_order
from odonata.result import Result
from odonata.trace import Reader


def test_a_file_takes_its_name_when_it_is_complete(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    new = NewFile(tmp_path / "a")
    new.write(b"ne")
    new.write(b"w")
    assert (tmp_path / "a").read_bytes() == b"old"
    new.finish()
    assert new.closed
    assert (tmp_path / "a").read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_two_writers_of_one_file_do_not_meet(tmp_path):
    first, second = NewFile(tmp_path / "a"), NewFile(tmp_path / "a")
    second.write(b"second")
    first.write(b"first")
    second.finish()
    first.finish()
    assert (tmp_path / "a").read_bytes() == b"first"


def test_what_there_is_can_be_left(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a.part").write_bytes(b"older")
    new = NewFile(tmp_path / "a")
    new.write(b"half")
    assert new.leave() == tmp_path / "a.part"
    assert (tmp_path / "a.part").read_bytes() == b"half"
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a", "a.part"]


@pytest.mark.parametrize("name", ["a" * 255, "ä" * 127])
def test_a_long_name_is_no_obstacle(name, tmp_path):
    new = NewFile(tmp_path / name)
    new.write(b"new")
    new.finish()
    assert os.listdir(tmp_path) == [name]


def test_no_more_is_read_than_there_may_be(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(UserError, match="thing: too long; allowed: 4 bytes"):
        read_bytes(tmp_path / "a", 4, what="thing")


def test_a_pipe_is_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE_SECONDS", 60)
    os.mkfifo(tmp_path / "a")
    content = bytes(200_000)
    writer = threading.Thread(target=(tmp_path / "a").write_bytes, args=(content,))
    writer.start()
    assert read_bytes(tmp_path / "a", 2**20) == content
    writer.join()


def test_a_slow_writer_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE_SECONDS", 0)
    reads, writes = os.pipe()
    later = threading.Timer(0.05, lambda: (os.write(writes, b"late"), os.close(writes)))
    later.start()
    assert read_bytes(f"/dev/fd/{reads}", 10) == b"late"
    later.join()
    os.close(reads)


READERS = [
    lambda path: read_bytes(path, 10),
    open_regular,
    Reader,
    Result.load,
    benchmarks.read_benchmark,
    hierarchy.load_document,
    levels.read_levels,
    lambda path: read_order(path, [2]),
    read_machine,
    wiring.read_edges,
    wiring.read_wiring,
]


@pytest.mark.parametrize("read", READERS)
def test_a_pipe_without_a_writer_is_not_waited_for(read, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE_SECONDS", 0)
    os.mkfifo(tmp_path / "a")
    with pytest.raises(UserError, match=r"a: cannot be read: (no process writes|it is a pipe)"):
        read(tmp_path / "a")


def test_a_short_file_takes_no_more_memory_than_it_has(tmp_path):
    (tmp_path / "a").write_bytes(b"short")
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "a", 2**31) == b"short"
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_all_of_a_long_file_is_read_up_to_the_limit(tmp_path):
    (tmp_path / "a").write_bytes(bytes(200_000))
    assert read_bytes(tmp_path / "a", 200_000) == bytes(200_000)
    with pytest.raises(UserError, match="too long; allowed: 199999 bytes"):
        read_bytes(tmp_path / "a", 199_999)


@pytest.mark.parametrize("read", READERS)
def test_a_device_without_an_end_is_refused(read):
    with pytest.raises(UserError, match=r"too long|not a trace|cannot be read"):
        read("/dev/zero")


@pytest.mark.parametrize("read", READERS)
def test_a_folder_is_refused(read, tmp_path):
    with pytest.raises(
        UserError, match=r"cannot be read: (Is a directory|it is a pipe)|holds no trace"
    ):
        read(tmp_path)


class Side(msgspec.Struct):
    length: Annotated[float, msgspec.Meta(ge=0, multiple_of=1)]
    name: str = ""


class Box(msgspec.Struct):
    sides: Annotated[list[Side], msgspec.Meta(max_length=2)]
    corner: tuple[int, int] = (0, 0)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "a.json: box: not an object of JSON"),
        ({}, "a.json:sides: sides: missing"),
        ({"sides": 3}, "a.json:sides: sides: not a list: 3"),
        (
            {"sides": [{}, {}, {}]},
            "a.json:sides: sides: out of range; allowed: a list of length <= 2",
        ),
        ({"sides": [{}]}, "a.json:sides[0].length: length: missing"),
        (
            {"sides": [{"length": 1}, {"length": "1"}]},
            "a.json:sides[1].length: length: not a number: '1'",
        ),
        ({"sides": [{"length": 1.5}]}, "a.json:sides[0].length: length: not a whole number: 1.5"),
        (
            {"sides": [{"length": -1}]},
            "a.json:sides[0].length: length: out of range: -1; allowed: a number >= 0",
        ),
        ({"sides": [{"length": 1, "name": 7}]}, "a.json:sides[0].name: name: not a text: 7"),
        ({"sides": [], "corner": [1]}, "a.json:corner: corner: not a list of length 2"),
    ],
)
def test_wrong_json_is_said_with_its_place(document, said):
    with pytest.raises(UserError) as caught:
        checked(document, Box, what="box", where="a.json")
    assert str(caught.value) == said


def test_a_part_of_a_document_has_its_place_before_the_key():
    with pytest.raises(UserError) as caught:
        checked({"sides": [{}]}, Box, what="box", where="a.json:boxes[4]")
    assert caught.value.where == "a.json:boxes[4].sides[0].length"
    assert checked({"sides": [{"length": 2.0}]}, Box, what="box", where="").sides == [Side(2.0)]


LEAVES = """
import os, sys
from odonata.files import NewFile
made = NewFile(sys.argv[1])
os.kill(os.getpid(), 9)
"""


def test_what_a_kill_left_is_removed_when_the_file_is_written_again(tmp_path):
    subprocess.run([sys.executable, "-c", LEAVES, str(tmp_path / "a")], check=False)
    subprocess.run([sys.executable, "-c", LEAVES, str(tmp_path / "b")], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    NewFile(tmp_path / "a").finish()
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left[0] == "a"
    assert left[1].startswith("b.")
    assert len(left) == 2


@pytest.mark.parametrize("name", ["a.part", "a.1-2.part", "a.99999999-0123456.part", "a.bak"])
def test_other_files_beside_it_stay(tmp_path, name):
    (tmp_path / name).write_bytes(b"mine")
    NewFile(tmp_path / "a").finish()
    assert (tmp_path / name).read_bytes() == b"mine"


def test_a_pipe_has_no_beginning_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert read_beginning(tmp_path / "pipe", 8) == b""
