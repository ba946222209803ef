"""The packet engine and its readable twin do the same, event by event."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from odonata import _core, reference

from .cases import ALGORITHMS, Options, examples, placements, worlds
from .compare import Job, assert_agree


def collective_job(draw: st.DrawFn, machine: _core.Machine, packet: int) -> Job:
    operation, name = draw(st.sampled_from(ALGORITHMS))
    nodes = draw(placements(machine))
    size = draw(st.integers(0, 4 * packet))
    root = draw(st.integers(0, len(nodes) - 1))
    return Job(
        nodes,
        _core.repeat_algorithm(operation, name, size, root, 1),
        reference.collective(operation, name, size, root),
    )


def traffic_job(draw: st.DrawFn, machine: _core.Machine, options: Options) -> Job:
    nodes = draw(placements(machine, least=2))
    copy = reference.copy_machine(machine)
    patterns = {
        "uniform": reference.uniform(len(nodes)),
        "permutation": reference.permutation(len(nodes), options.seed),
    }
    if machine.groups > 1:
        patterns["adversarial"] = reference.adversarial(copy, nodes, 1)
    name = draw(st.sampled_from(sorted(patterns)))
    load = draw(st.sampled_from([0.1, 0.5, 1.0, 3.0]))
    size, count = draw(st.integers(0, 3 * options.network["packet_bytes"])), 8
    pattern = _core.PatternOptions()
    pattern.name = name
    seed = options.seed
    return Job(
        nodes,
        _core.traffic(machine, nodes, pattern, load, size, count, False, seed),
        reference.traffic(reference.Traffic(patterns[name], load, size, count)),
    )


@examples(60)
@given(worlds(), st.data())
def test_collectives(world, data):
    machine, options = world
    packet = options.network["packet_bytes"]
    jobs = [collective_job(data.draw, machine, packet) for _ in range(data.draw(st.integers(1, 2)))]
    assert_agree(machine, options, jobs)


@examples(60)
@given(worlds(), st.data())
def test_traffic(world, data):
    machine, options = world
    assert_agree(machine, options, [traffic_job(data.draw, machine, options)])


@examples(30)
@given(worlds(), st.data())
def test_collectives_in_traffic(world, data):
    machine, options = world
    packet = options.network["packet_bytes"]
    jobs = [
        collective_job(data.draw, machine, packet),
        traffic_job(data.draw, machine, options),
    ]
    assert_agree(machine, options, jobs)
