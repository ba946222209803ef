"""Matrices of the Matrix Market as problems of ``odonata-amg``: any that is one, no other."""

from __future__ import annotations

import os
import resource
import threading

import numpy as np
import pytest

from .test_odonata_amg import PROGRAM, alone, run, simulated

pytestmark = pytest.mark.skipif(not PROGRAM, reason="built without hypre: there is no odonata-amg")

BANNER = "%%MatrixMarket matrix coordinate real general\n"
N = 6
"""Points along each side of the grid."""


def laplacian(functions=1):
    """Return the entries of the 7-point Laplacian on N³ points, each unknown so many times."""
    index = np.arange(N**3).reshape(N, N, N)
    entries = {(i, i): 6 for i in range(N**3)}
    for axis in range(3):
        low = np.delete(index, N - 1, axis).ravel()
        high = np.delete(index, 0, axis).ravel()
        entries |= {(int(i), int(j)): -1 for i, j in zip(low, high, strict=True)}
        entries |= {(int(j), int(i)): -1 for i, j in zip(low, high, strict=True)}
    return {
        (functions * i + k, functions * j + k): value
        for (i, j), value in entries.items()
        for k in range(functions)
    }


def write(path, entries, banner=BANNER):
    rows = max(i for i, _ in entries) + 1
    lines = [f"{i + 1} {j + 1} {value}" for (i, j), value in entries.items()]
    path.write_text(f"{banner}% a comment\n\n{rows} {rows} {len(lines)}\n" + "\n".join(lines))
    return path


def levels_of(document):
    return [(level["rows"], level["nnz"]) for level in document["levels"]]


@pytest.fixture(scope="module")
def generated():
    return alone("--points", f"{N}x{N}x{N}", "--cycles", 0)


@pytest.mark.parametrize("field", ["real", "integer"])
@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_a_laplacian_from_a_file_is_the_laplacian(tmp_path, generated, field, symmetry):
    entries = laplacian()
    if symmetry == "symmetric":
        entries = {(i, j): value for (i, j), value in entries.items() if i >= j}
    banner = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n"
    path = write(tmp_path / "laplacian.mtx", entries, banner)
    found = alone("--problem", path, "--cycles", 0)
    assert found["problem"] == "laplacian.mtx"
    assert "points_per_rank" not in found
    assert levels_of(found) == levels_of(generated)
    assert found["iterations"] == generated["iterations"]
    assert found["residual"] == pytest.approx(generated["residual"], rel=1e-6)


def test_entries_may_come_in_any_order_and_in_parts(tmp_path, generated):
    entries = list(laplacian().items())
    np.random.default_rng(4).shuffle(entries)
    halves = [f"{i + 1} {j + 1} {value / 2}" for (i, j), value in entries for _ in range(2)]
    path = tmp_path / "halves.mtx"
    path.write_text(f"{BANNER}{N**3} {N**3} {len(halves)}\n" + "\n".join(halves) + "\n")
    found = alone("--problem", path, "--cycles", 0)
    assert levels_of(found) == levels_of(generated)


def test_rows_are_shared_by_the_ranks_with_those_of_a_point_together(tmp_path):
    path = write(tmp_path / "two.mtx", laplacian(functions=2))
    options = ["--problem", path, "--functions", 2, "--cycles", 0, "--aggressive-levels", 0]
    found = simulated(5, *options, file=tmp_path / "amg.json")
    finest = found["levels"][0]
    assert finest["rows"] == 2 * N**3
    assert finest["max_rows_per_rank"] == 2 * -(-(N**3) // 5)
    assert finest["active_ranks"] == 5
    assert found["functions"] == 2
    assert found["converged"]


def test_a_pattern_has_ones(tmp_path):
    path = tmp_path / "ones.mtx"
    path.write_text("%%MatrixMarket MATRIX Coordinate Pattern General\n2 2 2\n1 1\n2 2\n")
    assert alone("--problem", path, "--cycles", 0)["levels"][0]["nnz"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: empty"),
        ("hello\n", ":1: no Matrix Market file"),
        ("%%MatrixMarket matrix array real general\n2 2\n", "format: unknown: array"),
        ("%%MatrixMarket matrix coordinate complex general\n", "field: unknown: complex"),
        (
            "%%MatrixMarket matrix coordinate real symetric\n",
            ":1: symmetry: unknown: symetric (did you mean symmetric?)",
        ),
        (BANNER + "% only this\n", ":2: ends before the sizes"),
        (BANNER + "2 3 1\n", ":2: not square: 2 x 3"),
        (BANNER + "0 0 0\n", ":2: number of rows is no whole number, or out of range: 0"),
        (BANNER + "2 2 5\n", "out of range: 5; allowed: 0 to 4"),
        (BANNER + "2 2 -1\n", "out of range: -1"),
        (BANNER + "2 2 1 9\n", ":2: more than expected: 9"),
        (BANNER + "99999999999999 99999999999999 1\n", "more rows than this hypre can count"),
        (
            BANNER + "2000000000 2000000000 4000000000000000000\n1 1 1\n",
            ":3: ends after 1 of the 4000000000000000000 entries that line 2 promises",
        ),
        (BANNER + "2 2 1\n1 1 1\n2 2 1\n", ":4: more than the 1 entries that line 2 promises"),
        (BANNER + "2 2 1\n1 3 1\n", ":3: column is no whole number, or out of range: 3"),
        (BANNER + "2 2 1\n1 x 1\n", ":3: column is no whole number, or out of range: x"),
        (BANNER + "2 2 1\n1 1\n", ":3: value is missing"),
        (BANNER + "2 2 1\n1 1 nan\n", ":3: value is no finite number: nan"),
        (BANNER + "2 2 1\n1 1 1e999\n", ":3: value is no finite number: 1e999"),
        (BANNER + "2 2 2\n1 1 1\n2 1 1\n", ": row 2 has nothing on its diagonal"),
        (BANNER + "2000000000 2000000000 0\n", ": row 1 has nothing on its diagonal"),
        (BANNER + "x" * 5000, ":2: longer than 1024 characters"),
        (
            BANNER.replace("general", "symmetric") + "2 2 1\n1 2 1\n",
            ":3: above the diagonal",
        ),
    ],
)
def test_what_is_no_matrix_is_refused_with_its_line(tmp_path, text, message):
    path, output = tmp_path / "a.mtx", tmp_path / "amg.json"
    path.write_text(text)
    done = run(PROGRAM, "--problem", path, "-o", output, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("odonata-amg: ")
    assert done.stderr.count("\n") == 1
    assert "a.mtx:" in done.stderr
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_what_has_no_end_is_refused(tmp_path):
    pipe = tmp_path / "pipe.mtx"
    os.mkfifo(pipe)
    for path, message in (
        (pipe, f"--problem: no process writes to this pipe: {pipe}"),
        ("/dev/zero", "/dev/zero:1: longer than 1024 characters"),
        (tmp_path, f"--problem: can't be read: {tmp_path}"),
    ):
        done = run(PROGRAM, "--problem", path, check=False)
        assert (done.returncode, done.stderr) == (2, f"odonata-amg: {message}\n")


def test_a_pipe_is_read(tmp_path):
    pipe = tmp_path / "pipe.mtx"
    os.mkfifo(pipe)
    writer = threading.Thread(target=write, args=(pipe, laplacian()))
    writer.start()
    assert alone("--problem", pipe, "--cycles", 0)["levels"][0]["rows"] == N**3
    writer.join()


@pytest.mark.parametrize(
    "claim", ["2000000000 2000000000 2000000000\n", "2000000000 2000000000 2000000000\n1 1 1\n"]
)
def test_nothing_is_allocated_for_what_a_header_claims(tmp_path, claim):
    path = tmp_path / "claims.mtx"
    path.write_text(BANNER + claim)
    most = (2**30, 2**30)  # a row of each claimed one would take 4 B or more
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, most)  # noqa: E731
    done = run(PROGRAM, "--problem", path, check=False, preexec_fn=limit)
    assert (done.returncode, "that line 2 promises" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--functions", 5], "not a divisor of the 216 rows"),
        (["--points", "6x6x6"], "not with a matrix from a file"),
        (["--ranks-grid", "1x1x1"], "not with a matrix from a file"),
    ],
)
def test_options_that_do_not_fit_a_file_are_refused(tmp_path, options, message):
    path = write(tmp_path / "a.mtx", laplacian())
    done = run(PROGRAM, "--problem", path, *options, check=False)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("last", ["2 2 1\n1 1 1\n2 2 1\n", "9 9 2\n1 1 1\n2 2 nan\n"])
def test_all_ranks_end_when_one_finds_a_file_wrong(tmp_path, last):
    path = tmp_path / "a.mtx"
    path.write_text(BANNER + last)
    done = simulated(3, "--problem", path, file=tmp_path / "amg.json", check=False)
    assert done.returncode == 2
    assert done.stderr.count("odonata-amg: ") == 1
