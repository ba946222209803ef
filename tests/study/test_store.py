"""Records and claims: lines that a kill has cut off, a full disk, workers that are gone."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import WriteError
from odonata.study import claims as claiming
from odonata.study.claims import Claims, remove_claims
from odonata.study.plan import CHUNK_SECONDS, divided
from odonata.study.records import Reading, RecordFile, forget_failed
from odonata.study.shapes import Record


def lines(folder):
    return [line for _, _, line in Reading(folder).new_lines()]


def test_a_line_is_given_once(tmp_path):
    reading = Reading(tmp_path)
    records = RecordFile(tmp_path)
    records.begin("a", 1)
    assert len(list(reading.new_lines())) == 1
    records.end(Record("a", 1, "odonata"))
    assert [line for _, _, line in reading.new_lines()] == [
        b'{"key":"a","seed":1,"command":"odonata"}'
    ]
    assert list(reading.new_lines()) == []
    records.close()


def test_a_line_that_is_cut_off_is_no_record_until_it_is_whole(tmp_path):
    reading = Reading(tmp_path)
    path = tmp_path / "runs" / "other.jsonl"
    path.parent.mkdir()
    path.write_bytes(b'{"begun":"a","seed":1}\n{"key":"a","se')
    assert len(list(reading.new_lines())) == 1
    with path.open("ab") as file:
        file.write(b'ed":1}\n')
    assert [line for _, _, line in reading.new_lines()] == [b'{"key":"a","seed":1}']


def test_a_full_disk_leaves_whole_lines(tmp_path):
    records = RecordFile(tmp_path)
    records.begin("a", 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
        with pytest.raises(WriteError) as full:
            records.end(Record("a", 1, "x" * 200))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert full.value.errno == errno.EFBIG
    records.close()
    (path,) = (tmp_path / "runs").iterdir()
    assert path.read_bytes() == b'{"begun":"a","seed":1}\n'


def test_failed_runs_are_forgotten_and_others_kept(tmp_path):
    for key in "ab":
        records = RecordFile(tmp_path)
        for seed, error in ((1, None), (2, "out of memory")):
            records.begin(key, seed)
            records.end(Record(key, seed, "odonata", error=error))
        records.close()
    assert forget_failed(tmp_path) == 2
    kept = sorted(line for line in lines(tmp_path) if b"command" in line)
    assert kept == [b'{"key":"%c","seed":1,"command":"odonata"}' % key for key in b"ab"]
    assert len(lines(tmp_path)) == 4


def test_a_chunk_has_one_owner(tmp_path):
    first, second = Claims(tmp_path, "plan", 2), Claims(tmp_path, "plan", 2)
    mine, theirs = first.take(), second.take()
    assert (mine.chunk, theirs.chunk) == (0, 1)
    assert first.take() is None
    first.finish(mine)
    second.give_up(theirs)
    assert second.look() == 1
    again = first.take()
    assert (again.chunk, again.is_new) == (1, False)
    first.finish(again)
    assert first.look() == second.look() == 0
    first.close()
    second.close()


def claim_of_another_process(folder):
    """Return the claim of a process that ends at once."""
    script = (
        "import sys; from pathlib import Path; from odonata.study.claims import Claims; "
        "import os; print(Claims(Path(sys.argv[1]), 'plan', 1).take()); sys.stdout.flush(); "
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", script, folder], check=True, stdout=subprocess.DEVNULL)
    return folder / "claims" / "plan" / "0.0"


def test_a_claim_of_a_process_that_is_gone_is_taken_over_at_once(tmp_path):
    claim_of_another_process(tmp_path)
    claims = Claims(tmp_path, "plan", 1)
    taken = claims.take()
    assert (taken.path.name, taken.is_new) == ("0.1", False)
    claims.close()


def test_a_claim_of_another_system_is_lost_when_it_is_not_touched(tmp_path):
    path = claim_of_another_process(tmp_path)
    path.write_text("another-system/pid:[1] 1 1", encoding="utf-8")
    claims = Claims(tmp_path, "plan", 1)
    assert claims.take() is None
    long_ago = time.time() - claiming.LOST_SECONDS - 1
    os.utime(path, (long_ago, long_ago))
    assert claims.take() is not None
    claims.close()


@given(seconds=st.lists(st.floats(0, 100), max_size=60))
def test_chunks_have_each_work_once_and_are_short(seconds):
    chunks = divided(seconds)
    assert sorted(at for chunk in chunks for at in chunk) == list(range(len(seconds)))
    for chunk in chunks:
        assert len(chunk) == 1 or sum(seconds[at] for at in chunk) <= CHUNK_SECONDS
    firsts = [seconds[chunk[0]] for chunk in chunks]
    assert firsts == sorted(firsts, reverse=True)


def test_the_last_chunks_are_single_works():
    sizes = [len(chunk) for chunk in divided([0.1] * 1000)]
    assert sizes[0] > 50
    assert sizes[-10:] == [1] * 10


def test_a_chunk_whose_claims_were_removed_is_not_new(tmp_path):
    """Another worker has found that all is done while this one slept."""
    first, late = Claims(tmp_path, "plan", 2), Claims(tmp_path, "plan", 2)
    assert late.look() == 2
    for _ in range(2):
        first.finish(first.take())
    remove_claims(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert not (tmp_path / "claims").exists()
    assert late.take().is_new is False
    late.close()
    first.close()
