"""One object has the options of a run, for Python and for the command line."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

import pytest

from odonata import machine, placement, simulate, workload
from odonata.cli.option_groups import Network, Outcome
from odonata.errors import UserError
from odonata.simulate.options import Keywords, Options

EOS = machine.load("eos")
RING = simulate.Job(workload.Collective("allgather", "ring"), placement.place(EOS, 8))


def test_keywords_are_the_fields_with_their_types():
    hints = get_type_hints(Options)
    assert get_type_hints(Keywords) == {each.name: hints[each.name] for each in fields(Options)}


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 5},
        {"engine": "analytic", "packet_bytes": "512 B"},
        {"samples": 7, "log": True, "digest": True, "explain": True},
        {"routing": "adaptive", "bias_bytes": 10, "record_messages": False},
    ],
)
def test_an_object_and_its_fields_by_name_are_the_same_run(changed):
    one = simulate.run(EOS, [RING], Options(**changed))
    other = simulate.run(EOS, [RING], **changed)
    assert (one.end, one.options, one.summary["digest"]) == (
        other.end,
        other.options,
        other.summary["digest"],
    )
    assert simulate.simulate(EOS, RING, Options(**changed)).run.end == one.end


def test_a_field_by_name_counts_before_the_object():
    done = simulate.simulate(EOS, RING, Options(seed=3, digest=True), seed=4)
    assert (done.summary["seed"], done.summary["digest"] is None) == (4, False)


def test_an_unknown_name_is_refused():
    with pytest.raises(TypeError, match="sed"):
        simulate.simulate(EOS, RING, sed=4)
    with pytest.raises(UserError, match="seed: out of range"):
        simulate.simulate(EOS, RING, seed=-1)


def test_the_command_line_has_the_same_defaults():
    told = {each.name: each.default for each in [*fields(Network), *fields(Outcome)]}
    usual = Options()
    assert (told["engine"], told["routing"]) == (usual.engine, usual.routing)
    assert int(told["bias"]) == usual.bias_bytes
    assert (told["packet_bytes"], told["digest"]) == (usual.packet_bytes, usual.digest)
    assert told["explain"] == usual.explain
