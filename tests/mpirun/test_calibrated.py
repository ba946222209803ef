"""Compute times corrected by runs of one rank and of all."""

import pytest

from odonata.errors import UserError
from odonata.live import launching
from odonata.live.calibration import Calibration
from odonata.live.command import parse_commands
from odonata.live.launching import Launched
from odonata.live.launching import launch as really_launch
from odonata.live.request import Launch
from odonata.machine import load
from odonata.placement import place

MACHINE = load("eos")


def calibrated(program, ranks, fibers=False):
    commands = parse_commands([str(program)], ranks)
    what = Launch(commands=commands, compute="calibrated", fibers=fibers, output=2)
    return really_launch(what, MACHINE, place(MACHINE, ranks))


@pytest.fixture
def rehearsals(monkeypatch):
    """Pretend that one rank alone computes for 1 s, and each of several for 2,000,000 s."""
    seen = []

    def pretend(what, machine, placement, options, **others):
        seen.append((what, len(placement.nodes)))
        seconds = 1.0 if what.ranks == 1 else 2e6
        return Launched(None, "mpich", {}, 0, 0.0, 0, 0, compute_seconds=seconds)

    monkeypatch.setattr(launching, "launch", pretend)
    return seen


@pytest.mark.parametrize("fibers", [False, True])
def test_compute_times_are_those_of_a_rank_alone(compiled, rehearsals, fibers):
    done = calibrated(compiled("works", shared=fibers), 3, fibers)
    assert done.calibration == Calibration(1.0, 2e6)
    # A 2,000,000th is left of measured time, and all of the time that the program states.
    assert done.compute_seconds == pytest.approx(2e-3, abs=1e-5)
    assert [(what.compute, what.ranks, nodes) for what, nodes in rehearsals] == [
        ("measured", 1, 1),
        ("measured", 3, 3),
    ]
    assert all(what.fibers is fibers and what.record is None for what, _ in rehearsals)


def test_a_rank_that_works_alone_counts_whole(compiled):
    what = Launch(commands=parse_commands([str(compiled("works"))], 1))
    done = really_launch(what, MACHINE, place(MACHINE, 1))
    assert done.calibration is None
    assert done.compute_seconds > 4e-3  # 2 ms said, and five million divisions


def test_rehearsals_without_computing_correct_nothing():
    assert Calibration(alone_seconds=0.0, shared_seconds=1.0).factor == 1
    assert Calibration(alone_seconds=1.0, shared_seconds=0.0).factor == 1
    assert Calibration(alone_seconds=1.0, shared_seconds=4.0).factor == 0.25


def test_several_programs_are_refused(compiled):
    words = [str(compiled("computes")), ":", "-n", "1", "--", str(compiled("computes"))]
    what = Launch(commands=parse_commands(words, 1), compute="calibrated")
    with pytest.raises(UserError, match="calibrated needs one program"):
        really_launch(what, MACHINE, place(MACHINE, 2))
