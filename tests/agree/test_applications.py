"""The applications and their readable twins do the same, event by event."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference

from .cases import examples, worlds
from .compare import Job, assert_agree

times = st.sampled_from([0, 1, 7000, 123_457])


@st.composite
def sedov_jobs(draw: st.DrawFn, machine: _core.Machine, packet: int) -> Job:
    sides = draw(st.lists(st.integers(1, 3), min_size=1, max_size=2))
    count = math.prod(sides)
    node = st.integers(0, machine.num_nodes - 1)
    nodes = draw(st.lists(node, min_size=count, max_size=count))
    faces = [draw(st.integers(0, 3 * packet)) for _ in sides]
    pack = [draw(st.sampled_from([0.0, 0.5])) for _ in sides]
    periodic, steps = draw(st.booleans()), draw(st.integers(1, 2))
    exchanges, compute = draw(st.integers(1, 3)), draw(times)
    places = reference.plain(sides)
    ghosts = reference.Halo(sides, faces, pack, places, periodic, steps)
    return Job(
        nodes,
        _core.sedov(
            machine,
            nodes,
            sides,
            faces,
            pack,
            "plain",
            periodic,
            steps,
            exchanges,
            compute,
            "recursive_doubling",
        ),
        reference.sedov(reference.Sedov(ghosts, exchanges, compute)),
    )


@st.composite
def fft_jobs(draw: st.DrawFn, machine: _core.Machine, packet: int) -> Job:
    side = draw(st.integers(1, 3))
    count = side**3
    node = st.integers(0, machine.num_nodes - 1)
    nodes = draw(st.lists(node, min_size=count, max_size=count))
    blocks = [draw(st.integers(0, packet)) for _ in range(3)]
    names = [draw(st.sampled_from(["pairwise", "scattered"])) for _ in range(3)]
    transform, multiply = [draw(times) for _ in range(3)], draw(times)
    pack, repetitions = draw(st.sampled_from([0.0, 0.5])), draw(st.integers(1, 2))
    how = (blocks, names, transform, multiply, pack, repetitions)
    return Job(
        nodes,
        _core.fft(count, side, *how, "fft"),
        reference.fft(reference.Fft(side, *how)),
    )


@examples(30)
@given(worlds(), st.data())
def test_steps_of_a_blast_wave(world, data):
    machine, options = world
    job = data.draw(sedov_jobs(machine, options.network["packet_bytes"]))
    assert_agree(machine, options, [job])


@examples(12)
@given(worlds(), st.data())
def test_poisson_solves(world, data):
    machine, options = world
    job = data.draw(fft_jobs(machine, options.network["packet_bytes"]))
    assert_agree(machine, options, [job])
