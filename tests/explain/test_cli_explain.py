"""``--explain`` and ``odonata explain``: output and refusals."""

from __future__ import annotations

import json
import re

import h5py
import pytest
from typer.testing import CliRunner

from odonata.cli import app
from odonata.errors import UserError
from odonata.explain import load

RING = "simulate allgather --algorithm ring --ranks 8 --bytes 1KiB --machine theta"


def odonata(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("explained") / "run.nc"
    odonata(*RING.split(), "--explain", "-o", str(path))
    return path


def test_json_has_the_keys_of_the_contract(saved):
    told = json.loads(odonata("explain", str(saved), "--json"))
    assert len(told["ranks"]) == 8
    for rank in told["ranks"]:
        assert sum(rank["categories_ps"].values()) == rank["end_ps"]
        assert min(rank["categories_ps"].values()) >= 0
    path = told["critical_path"]
    assert path["length_ps"] == max(rank["end_ps"] for rank in told["ranks"])
    assert sum(path["categories_ps"].values()) == path["length_ps"]
    before = 0
    for stretch in path["stretches"]:
        assert stretch["begin_ps"] == before < stretch["end_ps"]
        before = stretch["end_ps"]
    assert before == path["length_ps"]
    assert told["slopes"] is None is told["latency_tolerance"]
    assert told["what_if"] == f"odonata whatif {saved}"
    assert told["sentence"].endswith(".")


def test_second_runs_are_in_the_document_if_asked_for(saved):
    told = json.loads(odonata("explain", str(saved), "--json", "--what-if", "--tolerance"))
    assert told["slopes"] == json.loads(odonata("whatif", str(saved), "--json"))["trials"]
    assert [each["longer"] for each in told["latency_tolerance"]] == [0.01, 0.02, 0.05]
    printed = odonata("explain", str(saved), "--what-if")
    assert "makes the run" in printed.splitlines()[-1]


def test_the_parts_of_the_program_add_up_to_the_ranks(saved):
    told = load(saved)
    ends = sum(rank.end_ps for rank in told.ranks)
    for parts in (told.functions, told.phases, told.communicators):
        assert sum(part.total_ps for part in parts) == ends
    assert [part.name for part in told.functions] == ["allgather"]
    assert [part.name for part in told.phases] == ["allgather/ring"]


def test_the_table_ends_with_the_sentence(saved):
    printed = odonata("explain", str(saved))
    told = load(saved)
    assert printed.rstrip().endswith(told.sentence)
    assert "send overhead" in printed
    assert "10 longest of" in printed


def test_a_run_that_is_explained_prints_its_sentence():
    printed = odonata(*RING.split(), "--explain")
    assert "Where the time goes" in printed
    assert " is overhead of sends and receives (" in printed.splitlines()[-1]


def test_a_run_of_no_time_says_so_and_has_no_empty_table(tmp_path):
    path = str(tmp_path / "run.nc")
    words = "simulate barrier --ranks 1 --machine theta"
    for printed in (
        odonata(*words.split(), "--breakdown"),
        odonata(*words.split(), "--explain", "-o", path),
        odonata("explain", path),
    ):
        assert printed.endswith("\nThe run takes no time.\n")
        assert "Where the time goes" not in printed
        assert "0 longest" not in printed
    compared = odonata("compare", path, path)
    assert compared.endswith(f"\n\n{path} and {path} both take 0 ps.\n")
    assert "|" not in compared
    with pytest.raises(UserError, match="takes no time"):
        odonata("explain", path, "--timeline", str(tmp_path / "a.png"))


def test_no_figure_is_written_if_one_of_two_cannot_be_drawn(saved, tmp_path):
    bars, timeline = tmp_path / "bars.png", tmp_path / "timeline.png"
    words = ["explain", str(saved), "--plot", str(bars), "--timeline", str(timeline)]
    with pytest.raises(UserError, match="no such window"):
        odonata(*words, "--window", "5s:6s")
    assert list(tmp_path.iterdir()) == []
    odonata(*words)
    assert min(bars.stat().st_size, timeline.stat().st_size) > 1000


def test_pauses_are_not_the_network_s():
    words = "simulate traffic --pattern uniform --load 0.1 --ranks 8 --machine theta --explain"
    assert "is pausing (most of it on rank" in odonata(*words.split()).splitlines()[-1]


def test_no_sentence_advises_what_was_not_tried():
    printed = odonata(*RING.split(), "--explain")
    assert not re.search(r"\bhelps?\b", printed)


def test_a_result_without_the_record_says_how_to_run_it_again(tmp_path):
    path = tmp_path / "plain.nc"
    odonata(*RING.split(), "-o", str(path))
    with pytest.raises(UserError, match="run it again with --explain"):
        load(path)


def test_an_account_of_another_version_is_refused(saved, tmp_path):
    path = tmp_path / "old.nc"
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "a") as file:
        said = json.loads(file.attrs["explanation"])
        file.attrs["explanation"] = json.dumps(said | {"version": 0})
    with pytest.raises(UserError, match="another version: 0; allowed: 2; run it again"):
        load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("stretch_rank", 8), ("stretch_category", -1), ("stretch_link", 10**7)],
        *[
            ("stretch_full", 10**7),
            ("stretch_scope", 99),
            ("step_kind", 12),
            ("step_cause", 10**7),
            ("step_time", -1),
        ],
        *[("crossing_from", 8), ("crossing_leg", 5), ("piece_part", 8), ("piece_link", 10**7)],
    ],
)
def test_numbers_of_things_that_are_not_there_are_refused(saved, tmp_path, name, value):
    path = tmp_path / "wrong.nc"
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "a") as file:
        file[name][0] = value
    with pytest.raises(UserError, match="damaged"):
        load(path)
