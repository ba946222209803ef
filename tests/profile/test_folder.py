"""Folders of profiles while they are made: files of others and older profiles stay."""

import sys

import pytest

from odonata.errors import UserError
from odonata.live import profiling
from odonata.profile.folder import NewFolder

OURS = ["functions", "functions.4711", "rank-0.odp", "rank-12.odl", "trace", "trace.part"]
OTHERS = [
    "functions.py",
    "functions.c",
    "trace.csv",
    "trace.tar.gz",
    "trace.part.bak",
    "rank-0.odp.bak",
    "rank-x.odp",
    "notes",
]


def fill(folder, names):
    folder.mkdir()
    for name in names:
        (folder / name).write_text("mine")


@pytest.mark.parametrize("name", OTHERS)
def test_a_folder_with_files_of_others_is_refused(tmp_path, name):
    folder = tmp_path / "run"
    fill(folder, [*OURS, name])
    with pytest.raises(UserError, match="no part of a profile"):
        NewFolder(folder)
    assert {path.name for path in folder.iterdir()} == {*OURS, name}


def test_a_folder_of_that_name_inside_is_refused(tmp_path):
    folder = tmp_path / "run"
    (folder / "trace").mkdir(parents=True)
    with pytest.raises(UserError, match="no part of a profile"):
        NewFolder(folder)


def test_an_older_profile_stays_until_the_new_one_is_there(tmp_path):
    folder = tmp_path / "run"
    fill(folder, OURS)
    made = NewFolder(folder)
    (made.path / "rank-1.odp").write_text("new")
    assert {path.name for path in folder.iterdir()} == set(OURS)
    made.finish()
    assert [path.name for path in folder.iterdir()] == ["rank-1.odp"]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_is_discarded_leaves_an_older_profile_as_it_was(tmp_path):
    folder = tmp_path / "run"
    fill(folder, OURS)
    made = NewFolder(folder)
    (made.path / "rank-1.odp").write_text("new")
    made.discard()
    assert {path.name for path in folder.iterdir()} == set(OURS)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_what_a_kill_has_left_is_removed_by_the_next_run(tmp_path):
    folder = tmp_path / "run"
    fill(folder, OURS)
    (NewFolder(folder).path / "rank-7.odp").write_text("left")
    made = NewFolder(folder)
    assert not any(made.path.iterdir())
    made.finish()
    assert not any(folder.iterdir())


def test_a_new_folder_is_gone_when_nothing_was_recorded(tmp_path):
    NewFolder(tmp_path / "run").discard()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("cores", [1, 4])
def test_ranks_that_share_cores_are_told_of(monkeypatch, tmp_path, capfd, cores):
    def run(words, variables):
        for rank in range(4):
            (tmp_path / "run" / f"rank-{rank}.odp").touch()
        return 0

    monkeypatch.setattr(profiling, "_run", run)
    monkeypatch.setattr(profiling.profile, "ranks_of_hosts", lambda folder: {"here": 4})
    monkeypatch.setattr(profiling.socket, "gethostname", lambda: "here")
    monkeypatch.setattr(profiling.os, "sched_getaffinity", lambda process: set(range(cores)))
    assert profiling.record_profile([sys.executable], tmp_path / "run") == 0
    assert ("4 ranks shared one core" in capfd.readouterr().err) == (cores == 1)
