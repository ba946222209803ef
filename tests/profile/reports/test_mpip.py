"""Reports of mpiP. The texts are our own, with the columns of mpiP 3.5."""

from __future__ import annotations

from pathlib import Path

import pytest

from odonata.errors import UserError
from odonata.profile import Views, compare_views, read

HEAD = """@ mpiP
@ Command : ./ring 3
@ Version                  : 3.5.0
@ MPI Task Assignment      : 0 one
@ MPI Task Assignment      : 1 two

---------------------------------------------------------------------------
@--- MPI Time (seconds) ---------------------------------------------------
---------------------------------------------------------------------------
Task    AppTime    MPITime     MPI%
   0          2       0.51    25.50
   1          4          1    25.00
   *          6       1.51    25.17
"""
TOP = """---------------------------------------------------------------------------
@--- Aggregate Time (top twenty, descending, milliseconds) ----------------
---------------------------------------------------------------------------
Call                 Site       Time    App%    MPI%      Count
Allreduce               1   1.25e+03   20.83   82.78         40
Isend                   2        260    4.33   17.22         30
---------------------------------------------------------------------------
@--- Aggregate Sent Message Size (top twenty, descending, bytes) ----------
---------------------------------------------------------------------------
Call                 Site      Count      Total       Avrg  Sent%
Isend                   2         30   1.97e+06  6.55e+04  99.98

Total send/collective operation calls >= 1024 bytes : 30 of 70 operations
"""
TIMES = """---------------------------------------------------------------------------
@--- Callsite Time statistics (all, milliseconds): 4 ----------------------
---------------------------------------------------------------------------
Name              Site Rank  Count      Max     Mean      Min   App%   MPI%
Allreduce            1    0     20       30       25       20  25.00  98.04
Allreduce            1    1     20       50     37.5       20  18.75  75.00
Allreduce            1    *     40       50     31.2       20  20.83  82.78

Isend                2    0     10        2        1        1   0.50   1.96
Isend                2    1     15       20       10        5   3.75  15.00
Isend                2    *     25       20      6.4        1   2.67  10.60

Isend                3    1      5       20       20       20   2.50  10.00
Isend                3    *      5       20       20       20   1.67   6.62
"""
SENT = """---------------------------------------------------------------------------
@--- Callsite Message Sent statistics (all, sent bytes) -------------------
---------------------------------------------------------------------------
Name              Site Rank   Count       Max      Mean       Min       Sum
Allreduce            1    0      20         8         8         8       160
Allreduce            1    1      20         8         8         8       160
Allreduce            1    *      40         8         8         8       320

Isend                2    0      11      1234      1234      1234 1.357e+04
Isend                2    1      15 6.554e+04 6.554e+04 6.554e+04  9.83e+05
Isend                2    *      25 6.554e+04 3.982e+04      1234 9.955e+05

Isend                3    1       5      4000      2200       100   1.1e+04
Isend                3    *       5      4000      2200       100   1.1e+04
"""
END = """---------------------------------------------------------------------------
@--- End of Report --------------------------------------------------------
---------------------------------------------------------------------------
"""
WHOLE = HEAD + TOP + TIMES + SENT + END


def views(folder: Path, text: str) -> Views:
    path = folder / "ring.2.1.1.mpiP"
    path.write_text(text)
    return Views(read(path))


def test_call_sites_add_up(tmp_path: Path) -> None:
    found = views(tmp_path, WHOLE)
    document = found.plain()
    assert (document["ranks"], document["source"], document["program"]) == (2, "mpiP", "./ring 3")
    assert document["complete"] is True
    assert {name: call["count"] for name, call in document["calls"].items()} == {
        "MPI_Allreduce": 40,
        "MPI_Isend": 30,  # 10 and 15 at site 2, 5 at site 3
    }
    assert found.calls["MPI_Allreduce"].seconds == pytest.approx(20 * 0.025 + 20 * 0.0375)
    assert found.mpi_seconds.tolist() == pytest.approx([0.51, 0.75 + 0.15 + 0.1])
    assert found.wall_seconds.tolist() == [2, 4]


def test_bytes_are_exact_where_digits_suffice(tmp_path: Path) -> None:
    found = views(tmp_path, WHOLE)
    assert found.calls["MPI_Isend"].bytes == 11 * 1234 + 983_000 + 11_000
    assert found.sent_bytes.tolist() == [13_574, 994_000]
    assert (found.message_bytes, found.collective_bytes) == (1_007_574, 320)
    assert found.total_bytes == 1_007_894
    # 65,536 is printed as 6.554e+04, which is above it; 100 to 4,000 is of no one class.
    sizes = [(one.most, one.messages) for one in found.sizes()]
    assert sizes == [(None, 5), (8, 40), (2048, 11), (65_536, 15)]
    assert not found.plain()["matrix"]


def test_a_short_report_has_sums_of_all_ranks(tmp_path: Path) -> None:
    found = views(tmp_path, HEAD + TOP + END)
    assert found.calls["MPI_Allreduce"].count == 40
    assert found.calls["MPI_Allreduce"].mean_seconds == pytest.approx(1.25 / 2)
    assert found.calls["MPI_Allreduce"].longest_rank_seconds is None
    assert found.message_bytes == 1_970_000
    time = found.plain()["time"]
    assert (time["wall_seconds"], time["mpi_seconds"]) == (None, None)
    assert any("twenty longest" in note for note in found.profile.notes)


CONCISE = """@ mpiP
@ Command : ./ring 3
@ Version                  : 3.5.0

---------------------------------------------------------------------------
@--- Task Time Statistics (seconds) ---------------------------------------
---------------------------------------------------------------------------
                     AppTime           MPITime   MPI%   App Task   MPI Task
Max                 4.000000          1.000000                 1          1
Mean                3.000000          0.755000
Min                 2.000000          0.510000                 0          0
Stddev              1.414214          0.346482
Aggregate           6.000000          1.510000  25.17
"""


def test_a_concise_report_has_the_number_of_its_tasks(tmp_path: Path) -> None:
    found = views(tmp_path, CONCISE + TOP + END)
    assert found.profile.ranks == 2  # 6 s of all tasks, 3 s of a task on average
    assert found.wall_seconds.sum() == 6
    assert found.calls["MPI_Isend"].count == 30


def test_rows_below_a_threshold_are_counted(tmp_path: Path) -> None:
    lines = [
        line for line in WHOLE.splitlines() if not line.startswith("Isend                2    0")
    ]
    found = views(tmp_path, "\n".join(lines))
    assert any(note.startswith("10 calls are in the report's sums") for note in found.profile.notes)


def test_unknown_sections_are_named(tmp_path: Path) -> None:
    section = "@--- Callsite Dance statistics (all) ---\nWaltz 1 0 3\nWaltz 1 1 3\n"
    found = views(tmp_path, HEAD + TIMES + section + END)
    assert found.profile.unknown == {"section 'Callsite Dance statistics (all)'": 2}


def test_two_reports_are_compared(tmp_path: Path) -> None:
    one = views(tmp_path, WHOLE)
    other = views(tmp_path, WHOLE.replace("  15 6.554e+04", "  15 3.277e+04"))
    assert compare_views(one, one)["same"]
    assert not compare_views(one, other)["same"]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (END, "", "cut off: its End of Report is missing"),
        (
            "Allreduce            1    0     20",
            "Allreduce            1    0     2x",
            "ring.2.1.1.mpiP:31",
        ),
        ("Allreduce            1    0     20", "Allreduce            1    7     20", "rank: 7"),
        ("   1          4          1", "   0          4          1", "task: '0'"),
        (
            "Isend                3    1      5",
            "Isend/0              3    1      5",
            "name of a func",
        ),
        ("      1234 1.357e+04", "      1234 nan", "column 8: not a number"),
    ],
)
def test_damage_is_one_error(tmp_path: Path, old: str, new: str, what: str) -> None:
    assert old in WHOLE
    with pytest.raises(UserError) as error:
        views(tmp_path, WHOLE.replace(old, new, 1))
    assert what in str(error.value)
