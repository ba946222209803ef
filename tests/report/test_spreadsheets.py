"""Tables as CSV: numbers with full precision, units in the names, and no formulas."""

from __future__ import annotations

import copy
import csv
import io
import pickle

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.report import Table
from odonata.report.printing import print_line, print_tables, printed
from odonata.report.spreadsheets import csv_of, csv_of_records, escape_formula
from odonata.result.overview import count, part, seconds, share, size
from odonata.units import Written

ROWS = [
    ["ring", seconds(1.23456789e-6), size(1536), share(0.123456), count(2.0), "52 of 96"],
    ["bruck", "", size(1), "", count(1047552), "-"],
]
RUNS = Table(["algorithm", "time", "bytes", "busy", "ranks", "filled"], ROWS)


def test_numbers_have_full_precision_and_their_unit_in_the_name():
    assert csv_of(RUNS) == (
        "algorithm,time [s],bytes [B],busy [%],ranks,filled\n"
        "ring,1.23456789e-06,1536,12.3456,2,52 of 96\n"
        "bruck,,1,,1047552,\n"
    )


def test_pandas_reads_it():
    read = pd.read_csv(io.StringIO(csv_of(RUNS)))
    assert read["time [s]"].tolist()[0] == 1.23456789e-6
    assert read["ranks"].tolist() == [2, 1047552]


def test_units_that_differ_have_a_column():
    rows = [["time", seconds(1e-3)], ["ranks", count(16)], ["share", part(1, 3)], ["name", "a"]]
    assert csv_of(Table(["what", "value"], rows)).splitlines() == [
        "what,value,unit of value",
        "time,0.001,s",
        "ranks,16,",
        "share,33.333333333333336,%",
        "name,a,",
    ]
    assert csv_of(Table(["what", ""], rows)).startswith("what,value,unit\n")


def test_a_name_with_a_unit_keeps_it():
    table = Table(["level", "best [ms]"], [["0", Written("1.234", 1.23449, "ms")]])
    assert csv_of(table) == "level,best [ms]\n0,1.23449\n"


@pytest.mark.parametrize("start", [*"=+-@", "\t=", "\r", "\n", "\uff1d", "\uff0b"])
def test_texts_that_begin_as_formulas_are_escaped(start):
    text = f"{start}HYPERLINK(1)"
    assert escape_formula(text) == f"'{text}"
    records = csv.reader(io.StringIO(csv_of_records([{text: text}]), newline=""))
    assert list(records) == [[escape_formula(" ".join(text.split()))]] * 2


@pytest.mark.parametrize("text", ["-1", "+1.5", "-1,024", "-1.5e-06", "MPI_Send", "a=1", "", "12"])
def test_numbers_and_other_texts_stay(text):
    assert escape_formula(text) == text


def test_records_have_numbers_and_no_lines_without_records():
    assert csv_of_records([{"call": "=1", "seconds": -0.5}]) == "call,seconds\n'=1,-0.5\n"
    assert csv_of_records([]) == ""


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=4))
def test_a_row_is_a_line_and_no_cell_a_formula(rows):
    text = csv_of(Table(["name", "value"], rows))
    read = list(csv.reader(io.StringIO(text)))
    assert len(read) == len(text.splitlines()) == 1 + len(rows)
    for cell in (cell for row in read for cell in row):
        assert escape_formula(cell) == cell


def test_tables_have_an_empty_line_between_them_and_texts_go_elsewhere(capsys):
    with printed("csv"):
        print_tables([Table(["a"], [["1"]], title="First"), Table(["b"], [["2"]])])
        print_tables([Table(["c"], [])])
        print_line("A sentence.")
    assert capsys.readouterr() == ("a\n1\n\nb\n2\n", "First\nA sentence.\n")


def test_copies_of_texts_keep_their_numbers():
    for made in (copy.deepcopy(seconds(0.5)), pickle.loads(pickle.dumps(seconds(0.5)))):
        assert (made, made.value, made.unit) == ("500 ms", 0.5, "s")
