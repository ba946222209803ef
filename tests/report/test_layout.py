"""Tables in narrow lines: columns go, headers and words are folded, and no number is cut."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.report import Table
from odonata.report.layout import STAY, fit, fold
from odonata.report.printing import print_line, print_list, print_table, printed

NUMBER = re.compile(r"\d[\d.,]*")

COUNTS = st.integers(0, 10**15).map("{:,}".format)
TIMES = st.floats(0, 1e6).map("{:.3g} us".format)
NUMBERS = st.one_of(COUNTS, TIMES, st.floats(0, 1).map("{:.1%}".format), st.just(""))
WORDS = st.lists(
    st.one_of(st.text("abcxyz-_/", min_size=1, max_size=30), COUNTS, TIMES), max_size=8
).map(" ".join)


@st.composite
def tables(draw):
    words, numbers = draw(st.integers(1, 3)), draw(st.integers(0, 8))
    names = draw(st.lists(WORDS, min_size=words + numbers, max_size=words + numbers))
    row = st.tuples(*[WORDS] * words, *[NUMBERS] * numbers)
    least = draw(st.lists(st.sampled_from(names), max_size=3))
    return Table(names, draw(st.lists(row, max_size=5)), left=words, least=least)


@given(tables(), st.integers(1, 140))
def test_no_number_is_cut_and_no_line_is_longer_than_it_must_be(table, width):
    layout = fit(table, width)
    lines = str(layout).splitlines()
    shown = [row[at] for row in (table.columns, *table.rows) for at in layout.shown]
    assert sorted(NUMBER.findall("\n".join(lines))) == sorted(NUMBER.findall("\n".join(shown)))
    assert max(map(len, lines)) <= layout.width
    assert layout.width <= width or len(layout.shown) <= STAY


@given(tables())
def test_without_a_width_a_row_is_a_line(table):
    layout = fit(table, None)
    assert len(layout.shown) == len(table.columns)
    assert layout.left_out == []
    assert len(layout.body()) == len(table.rows)


def test_headers_are_folded_before_a_column_goes():
    table = Table(["name", "busy, mean of used"], [["local", "38 %"]])
    assert str(fit(table, 11)).splitlines() == [
        "       busy,",
        "        mean",
        "          of",
        "name    used",
        "────────────",
        "local   38 %",
    ]


ROW = Table(
    ["algorithm", "machine", "time", "messages", "latency"],
    [["ring", "eos", "1.25 ms", "1,047,552", "12.3 us"]],
    left=2,
)


@pytest.mark.parametrize(
    ("width", "least", "names"),
    [
        (50, (), ["algorithm", "machine", "time", "messages", "latency"]),
        (40, (), ["algorithm", "machine", "time", "messages"]),  # 27 and 11
        (40, ["messages"], ["algorithm", "machine", "time", "latency"]),  # 27 and 9
        (36, (), ["algorithm", "machine", "time", "latency"]),  # messages would need 38
        (30, (), ["algorithm", "machine", "time"]),
        (20, (), ["algorithm", "time"]),
        (10, (), ["algorithm", "time"]),  # a table needs a number
    ],
)
def test_the_least_important_columns_go_first(width, least, names):
    table = Table(ROW.columns, ROW.rows, left=2, least=least)
    assert [ROW.columns[at] for at in fit(table, width).shown] == names


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 5, []),
        ("1,047,552 of 2,000,000", 4, ["1,047,552", "of", "2,000,000"]),
        ("a time of 1.25 us or so", 9, ["a time of", "1.25 us", "or so"]),
        ("0-3,64-67,128-131", 9, ["0-3,", "64-67,", "128-131"]),
        ("-1.5e-05", 3, ["-1.5e-05"]),
        ("recursive_doubling", 10, ["recursive_", "doubling"]),
        ("größer größer", 6, ["größer", "größer"]),
        ("環環環環", 4, ["環環", "環環"]),
    ],
)
def test_texts_are_folded_around_their_numbers(text, width, lines):
    assert fold(text, width) == lines


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch, width, action):
    """Return the output on a terminal of some width."""
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setattr("sys.stdout", terminal)
    action()
    return terminal.getvalue()


def test_a_line_below_names_what_is_left_out(monkeypatch):
    text = on_terminal(monkeypatch, "20", lambda: print_table(ROW))
    assert text.splitlines()[:3] == ["algorithm     time", "─" * 18, "ring       1.25 ms"]
    below = " ".join(text.splitlines()[3:])
    assert below == "3 columns left out: machine, messages, latency (--wide or --csv has them)"
    assert max(map(len, text.splitlines())) <= 20


def test_wide_tables_have_all_columns(monkeypatch):
    with printed("wide"):
        text = on_terminal(monkeypatch, "20", lambda: print_table(ROW))
    assert text.splitlines()[2].split("  ")[-1] == "12.3 us"
    assert "left out" not in text
    assert "left out" in on_terminal(monkeypatch, "20", lambda: print_table(ROW))


@pytest.mark.parametrize("width", ["", "0", "-5", "wide"])
def test_a_terminal_that_does_not_tell_has_80_columns(monkeypatch, width):
    words = " ".join(["word"] * 30)
    text = on_terminal(monkeypatch, width, lambda: print_line(words))
    assert text == " ".join(["word"] * 16) + "\n" + " ".join(["word"] * 14) + "\n"


def test_columns_do_not_count_in_pipes(monkeypatch):
    """Readline sets the variable for every program that Python starts."""
    monkeypatch.setenv("COLUMNS", "20")
    pipe = io.StringIO()
    print_table(ROW, pipe)
    print_line("a line of more than twenty characters", pipe)
    assert pipe.getvalue() == f"{ROW}\na line of more than twenty characters\n"


def test_lines_keep_their_indent_and_names_of_files_whole(monkeypatch):
    def action():
        print_line("first\n  a/long/path/of/a/file and words")
        print_line("a line that is to be copied", folded=False)

    assert on_terminal(monkeypatch, "12", action).splitlines() == [
        "first",
        "  a/long/path/of/a/file",
        "  and words",
        "a line that is to be copied",
    ]


def test_a_terminal_without_unicode_has_another_rule(monkeypatch):
    raw = io.BytesIO()
    terminal = io.TextIOWrapper(raw, encoding="ascii")
    terminal.isatty = lambda: True
    print_table(ROW, terminal)
    terminal.flush()
    assert b"\n-----" in raw.getvalue()


def test_lists_are_plain_in_pipes(capsys):
    table = Table(["key", "meaning"], [["a", "first"], ["long", "second"]], left=2)
    print_list(table, indent=1, head=False)
    assert capsys.readouterr().out == " a     first\n long  second\n"
    print_list(table)
    assert capsys.readouterr().out == "key   meaning\na     first\nlong  second\n"
