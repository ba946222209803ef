"""Names and command lines of any bytes: saved, and read again."""

from __future__ import annotations

import os

import pytest

from odonata.report.style import house_style, new_figure
from odonata.text import for_file

NAMES = [b"a\xffb.nc", b"a\rb.nc", b"a\x1b[31mb.nc", b"a\nb.nc", "ä$x^{.nc".encode(), b"=cmd.nc"]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_a_result_of_any_name_is_saved_and_read_again(run_odonata, tmp_path, name):
    path = tmp_path / os.fsdecode(name)
    words = ["allgather", "--algorithm", "ring", "--ranks", "4", "--machine", "theta"]
    assert run_odonata("simulate", *words, "-o", path)[0] == 0
    status, out, err = run_odonata("show", path)
    assert (status, err) == (0, "")
    assert out


def test_what_files_hold_is_printable():
    text = "".join(map(chr, range(0x100))) + "\udc80\udcff\u2028\U0001f409"
    held = for_file(text)
    assert held.replace("\n", "").replace("\t", "").isprintable()
    assert held.encode().decode() == held
    assert for_file(held) == held


def test_a_dollar_in_a_figure_is_a_dollar():
    with house_style():
        figure = new_figure(2, 1)
        figure.text(0, 0, "$x^{ of 5 $")
        figure.draw_without_rendering()
