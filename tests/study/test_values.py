"""Values of axes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odonata.errors import UserError
from odonata.study.values import is_met, listed


def test_a_range_of_sizes_has_their_unit():
    assert listed({"from": "1KiB", "to": "1MiB", "factor": 32}, "") == ["1KiB", "32KiB", "1MiB"]


@given(first=st.integers(1, 50), step=st.integers(1, 20), number=st.integers(1, 30))
def test_a_range_has_all_steps_and_its_end(first, step, number):
    last = first + step * (number - 1)
    expected = [str(first + step * at) for at in range(number)]
    assert listed({"from": first, "to": last, "step": step}, "") == expected


def test_a_range_of_tenths_has_its_end():
    assert listed({"from": 0.1, "to": 0.5, "step": 0.1}, "") == ["0.1", "0.2", "0.3", "0.4", "0.5"]


@pytest.mark.parametrize(
    "given",
    [
        [],
        "eos",
        ["eos", "eos"],
        [["eos"]],
        {"from": 1, "to": 8},
        {"from": 8, "to": 1, "step": 1},
        {"from": 1, "to": 8, "factor": 1},
        {"from": 0, "to": 8, "factor": 2},
        {"from": 1, "to": 10**9, "step": 1},
        {"from": "x", "to": 8, "step": 1},
    ],
)
def test_what_is_no_axis_is_refused_with_its_place(given):
    with pytest.raises(UserError) as refused:
        listed(given, "study.toml:3:axes.bytes")
    assert str(refused.value).startswith("study.toml:3:axes.bytes: ")


@pytest.mark.parametrize(
    ("value", "condition", "expected"),
    [
        ("64KiB", "> 1024", True),
        ("64KiB", "<= 64KiB", True),
        ("64KiB", ">= 65537", False),
        ("eos", "> 4", False),
        ("4", 4, True),
        (True, True, True),
        (False, "False", False),
    ],
)
def test_conditions(value, condition, expected):
    assert is_met(value, condition) is expected
