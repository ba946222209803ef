"""Halo exchanges and their readable twin do the same, event by event."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference

from .cases import examples, worlds
from .compare import Job, assert_agree


@st.composite
def halo_jobs(draw: st.DrawFn, machine: _core.Machine, packet: int) -> Job:
    sides = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    count = math.prod(sides)
    node = st.integers(0, machine.num_nodes - 1)
    nodes = draw(st.lists(node, min_size=count, max_size=count))
    faces = [draw(st.integers(0, 3 * packet)) for _ in sides]
    pack = [draw(st.sampled_from([0.0, 0.5, 3.0])) for _ in sides]
    name, places = draw(
        st.sampled_from([("plain", reference.plain(sides)), ("cart", reference.cart(sides))])
    )
    periodic, repetitions = draw(st.booleans()), draw(st.integers(1, 2))
    return Job(
        nodes,
        _core.halo(machine, nodes, sides, faces, pack, name, periodic, repetitions),
        reference.halo(reference.Halo(sides, faces, pack, places, periodic, repetitions)),
    )


@examples(60)
@given(worlds(), st.data())
def test_halo_exchanges(world, data):
    machine, options = world
    job = data.draw(halo_jobs(machine, options.network["packet_bytes"]))
    assert_agree(machine, options, [job])
