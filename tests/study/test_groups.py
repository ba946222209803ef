"""The best value of an axis, by groups made by hand."""

from __future__ import annotations

import pytest

from odonata.study.groups import Best, Group, best_of

BY = ["machine", "algorithm"]


def group(machine, algorithm, median, least, most):
    return Group((machine, algorithm), 5, 0, median, least, most)


@pytest.mark.parametrize(("most", "least", "apart"), [(3.0, 4.0, True), (4.0, 4.0, False)])
def test_ranges_are_apart_if_the_slowest_of_the_best_is_faster(most, least, apart):
    groups = [group("eos", "ring", 5.0, least, 6.0), group("eos", "bruck", 2.0, 1.0, most)]
    assert best_of(groups, BY, "algorithm") == [Best(("eos",), "bruck", 2.0, "ring", 2.5, apart)]


def test_each_combination_of_the_other_axes_has_a_best_value():
    groups = [
        group("eos", "ring", 2.0, 2.0, 2.0),
        group("theta", "ring", 1.0, 1.0, 1.0),
        group("eos", "bruck", 1.0, 1.0, 1.0),
        group("theta", "bruck", None, None, None),
    ]
    assert best_of(groups, BY, "algorithm") == [
        Best(("eos",), "bruck", 1.0, "ring", 2.0, True),
        Best(("theta",), "ring", 1.0, None, None, False),
    ]
