"""Methods whose packages or files are not here."""

from __future__ import annotations

import pytest

from odonata import decide
from odonata.decide import methods
from odonata.errors import UserError
from odonata.live.reordering import parse_mapper
from odonata.machine import load
from odonata.placement import place


@pytest.fixture
def without_processors(monkeypatch, tmp_path):
    """Hide the folder in which Mt-KaHyPar looks for processors; it would abort this process."""
    monkeypatch.setattr(methods, "find_spec", lambda name: name)
    monkeypatch.setattr(methods, "PROCESSORS", tmp_path / "cpu")


@pytest.mark.usefixtures("without_processors")
def test_only_the_method_that_needs_sys_is_left_out():
    reasons = {name: methods.why_not_here(name) for name in decide.METHODS}
    assert [name for name, reason in reasons.items() if reason] == ["kahypar"]
    assert reasons["kahypar"].endswith("cpu, where Mt-KaHyPar looks for processors")


@pytest.mark.usefixtures("without_processors")
def test_who_asks_for_it_is_told_in_one_line():
    with pytest.raises(UserError, match=r"^mapper: kahypar needs .*cpu, where Mt-KaHyPar"):
        parse_mapper("hop-bytes:kahypar")
    ring = decide.Communication(4, [0, 1, 2, 3], [1, 2, 3, 0], [8, 8, 8, 8])
    with pytest.raises(UserError, match=r"^method: kahypar needs .*cpu, where Mt-KaHyPar"):
        decide.map_ranks(ring, place(load("eos"), 4), methods=["kahypar"])


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr(methods, "find_spec", lambda name: None)
    assert (
        methods.why_not_here("bisection") == "needs pymetis and scipy (pip install odonata[place])"
    )
