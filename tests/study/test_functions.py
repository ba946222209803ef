"""Studies of Python functions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from odonata.errors import UserError, WorkerError
from odonata.study import Study, make_cases


def square(number, sign="+"):
    if number == 13:
        raise ValueError("an unlucky number")
    return {"square": number**2, "parts": [number, sign]}


def test_results_are_in_the_order_of_the_cases(tmp_path, run_odonata):
    cases = [{"number": number, "sign": sign} for number in (3, 1, 2) for sign in "+-"]
    rows = make_cases(tmp_path, square, cases, workers=2)
    assert [(row["number"], row["sign"], row["square"]) for row in rows[:3]] == [
        *((3, "+", 9), (3, "-", 9), (1, "+", 1)),
    ]
    assert rows[0]["parts"] == [3, "+"]
    written = {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()}
    assert make_cases(tmp_path, square, cases) == rows
    assert {path.name: path.read_bytes() for path in (tmp_path / "runs").iterdir()} == written
    more = [*cases, {"number": 4, "sign": "+"}]
    assert make_cases(tmp_path, square, more)[:-1] == rows
    assert len(Study(tmp_path).frame) == 7
    status, told, _ = run_odonata("study", "show", tmp_path, "--of", "square", "--by", "number")
    assert status == 0
    assert "| 4      |    1 |     16 |    16 |   16 |" in told
    status, _, said = run_odonata("study", "run", tmp_path)
    assert (status, said.count("\n")) == (2, 1)


def test_an_error_is_told_with_its_case(tmp_path):
    with pytest.raises(WorkerError, match="number=13: ValueError: an unlucky number"):
        make_cases(tmp_path, square, [{"number": 12}, {"number": 13}])


def test_cases_that_are_wrong_are_told(tmp_path):
    with pytest.raises(UserError, match="same run"):
        make_cases(tmp_path, square, [{"number": 1}, {"number": 1}])
    assert make_cases(tmp_path, square, []) == []


def test_cases_may_lack_arguments(tmp_path):
    rows = make_cases(tmp_path, square, [{"number": 2}, {"sign": "-", "number": 2}])
    assert [row["parts"] for row in rows] == [[2, "+"], [2, "-"]]
    assert [[*row] for row in rows] == [
        ["number", "square", "parts"],
        ["sign", "number", "square", "parts"],
    ]


SCRIPT = """
import sys, time
from odonata.study import make_cases

def slow(number):
    time.sleep(0.05)
    return {"twice": 2 * number}

rows = make_cases(sys.argv[1], slow, [{"number": n} for n in range(40)])
assert [row["twice"] for row in rows] == [2 * n for n in range(40)]
"""


def test_a_script_that_is_killed_continues(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    for seconds in (0.8, 1.0, 1.2):
        process = subprocess.Popen([sys.executable, script, tmp_path / "runs of it"])
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
    subprocess.run([sys.executable, script, tmp_path / "runs of it"], check=True)
    assert Study(tmp_path / "runs of it").complete
