"""Tables: their contents, and their shape wherever they are printed."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata import explain, machine, placement, simulate, workload
from odonata.report import Table, comparison_table, link_class_table, summary_table
from odonata.report.comparison import _word
from odonata.report.difference import change_table
from odonata.report.explanation import part_table
from odonata.report.printing import print_table, print_tables
from odonata.report.tables import _time_range, hot_links, where_the_time_goes
from odonata.result import Result
from odonata.result.overview import seconds

CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5))
def test_markdown_is_one_line_a_row_and_one_cell_a_column(rows):
    lines = str(Table(["name", "value"], rows)).split("\n")
    assert len(lines) == 2 + len(rows)
    for line in lines:
        assert line.replace(r"\|", "").count("|") == 3


def test_columns_line_up():
    lines = str(Table(["name", "value"], [["a", "1"], ["größer", "1,024"]])).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[1] == "|:-------|------:|"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_pipes_get_markdown_and_terminals_a_drawing():
    table = Table(["class", "busy"], [["[red]", "38 %"]], title="Links")
    pipe, terminal = io.StringIO(), Terminal()
    print_table(table, pipe)
    print_table(table, terminal)
    assert pipe.getvalue() == f"Links\n\n{table}\n"
    assert "─" in terminal.getvalue()
    assert "[red]" in terminal.getvalue(), "names are text, not markup"


def test_tables_without_rows_are_left_out():
    table, pipe = Table(["class", "busy"], [["local", "38 %"]]), io.StringIO()
    print_tables([table, Table(["link", "busy"], []), table], pipe)
    assert pipe.getvalue() == f"{table}\n\n{table}\n\n"


def test_notebooks_get_html_that_cannot_bite():
    html = Table(["<b>", "x"], [["<script>", "1"]])._repr_html_()
    assert "<script>" not in html
    assert html.count("<tr>") == 2


def test_summary(allgather):
    rows = dict(summary_table(allgather()).rows)
    assert rows["ranks"] == "16"
    assert rows["messages"] == "240"
    assert rows["placement"] == "random, block"
    assert "offered load" not in rows


def test_link_classes(allgather):
    table = link_class_table(allgather())
    assert [row[0] for row in table.rows] == ["injection", "ejection", "local", "global"]
    assert [row[1] for row in table.rows] == ["72", "72", "108", "72"]
    assert table.rows[0][2] == "16"


def test_hot_links_name_nodes_and_routers(allgather):
    table = hot_links(allgather(), 200)
    ends = {row[0]: (row[1].split()[0], row[2].split()[0]) for row in table.rows}
    assert ends["injection"] == ("node", "router")
    assert ends["ejection"] == ("router", "node")
    assert ends["local"] == ends["global"] == ("router", "router")
    assert len(hot_links(allgather(), 3).rows) == 3


def test_comparison_has_a_column_for_what_differs_only(allgather):
    runs = [allgather("ring"), allgather("bruck")]
    assert list(comparison_table(runs).columns)[:3] == ["algorithm", "ranks", "time"]
    runs.append(allgather("ring", background=0.3))
    table = comparison_table(runs)
    assert list(table.columns)[:3] == ["algorithm", "background", "ranks"]
    assert [row[:2] for row in table.rows] == [["ring", ""], ["bruck", ""], ["ring", "uniform:0.3"]]


def test_comparison_of_loads(adversarial):
    runs = [adversarial(0.05), adversarial(0.3), adversarial(0.3, "valiant")]
    table = comparison_table(runs)
    assert list(table.columns)[-3:] == ["offered", "accepted", "warnings"]
    assert [row[-3] for row in table.rows] == ["0.05", "0.3", "0.3"]


def test_comparison_of_different_workloads(allgather, adversarial):
    table = comparison_table([allgather(), adversarial(0.3)])
    assert table.columns[0] == "workload"
    assert [row[0] for row in table.rows] == ["allgather/ring", "traffic/adversarial+1"]


def test_one_sentence_says_where_the_time_goes(allgather, adversarial):
    quiet = where_the_time_goes(allgather())
    assert quiet.startswith("Busiest class: ")
    assert quiet.endswith("no packet waited for credit.")
    stuck = where_the_time_goes(adversarial(0.3))
    assert stuck.startswith("Busiest class: global (")
    assert "buffers filled." in stuck
    assert "this engine has no buffers" in where_the_time_goes(allgather(engine="analytic"))
    assert where_the_time_goes(allgather(ranks=1)) == "No link was used."


@pytest.mark.parametrize("table", [summary_table, link_class_table, hot_links])
def test_a_run_in_which_nothing_happened(allgather, table):
    assert str(table(allgather(ranks=1)))


def test_a_summary_without_numbers_is_a_short_table(allgather):
    bare = Result(replace(allgather().run, summary={"machine": None, "ranks": "many"}))
    assert "many" not in str(summary_table(bare))
    assert comparison_table([bare]).rows[0][1] == ""


def computing(time):
    """Return an explained run of two ranks that compute, and the second waits for the first."""

    def body(rank):
        yield rank.compute(time if rank.index == 0 else "1 us")
        yield rank.barrier()

    theta = machine.load("theta")
    job = simulate.Job(workload.Program(body), placement.place(theta, 2))
    return explain.explain(simulate.simulate(theta, [job], explain=True))


def test_parts_have_their_shares_of_all_ranks():
    found = computing("3 us")
    shares = {row[0]: row[-1] for row in part_table(found, "functions").rows}
    whole = sum(part.total_ps for part in found.functions)
    outside = sum(part.total_ps for part in found.functions if not part.name)
    assert outside == 4_000_000  # 3 us and 1 us
    assert f"{100 * outside / whole:.0f} %" in shares.values()
    assert sum(float(text.removesuffix(" %")) for text in shares.values()) == pytest.approx(100)


@pytest.mark.parametrize(
    ("times", "said"), [(("1 us", "3 us"), "+2 us"), (("3 us", "1 us"), "-2 us")]
)
def test_a_change_has_its_sign(times, said):
    found = explain.Difference(*map(computing, times))
    (row, *_) = change_table(found, "functions").rows
    assert row[:4] == ["outside of MPI", *times, said]


def test_a_scale_of_computing_is_told_and_so_is_none():
    assert _word("compute_scale", 0.5) == "compute x 0.5"
    assert _word("compute_scale", 0.0) == "no compute"


def test_two_runs_have_a_range_of_times_and_one_has_none(allgather):
    quick, slow = allgather(size="1 KiB"), allgather(size="4 KiB")
    times = [seconds(run.run.summary["time_seconds"]) for run in (quick, slow)]
    assert _time_range([slow, quick]) == " to ".join(times)
    assert _time_range([quick]) == ""
