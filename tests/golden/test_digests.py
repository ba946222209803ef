"""The event log of one small run is the same in the release build as in the C++ tests' debug build.

`cpp/tests/simulate/golden_test.cpp` makes the same run, and holds the digests.
"""

import re
from pathlib import Path

import pytest

from odonata import _core

HELD = Path(__file__).parents[2] / "cpp" / "tests" / "simulate" / "golden.inc"
GOLDEN = re.findall(r'\{"([a-z-]+)", (\d+)ULL\}', HELD.read_text())


def machine():
    def link(name, rate=5_250_000_000):
        return _core.LinkClass(name, rate, 10_000, 4096, 10_000)

    basics = _core.Basics("golden", 1, 100_000, 1_000, 10_000_000_000)
    near = [link(name) for name in ("injection", "ejection", "local")]
    shape = {
        "nodes_per_router": 2,
        "routers_per_group": 4,
        "global_links_per_router": 2,
        "groups": 9,
    }
    classes = [*near, link("global", 4_700_000_000)]
    return _core.make_machine("dragonfly", basics, shape, classes)


@pytest.mark.parametrize(("routing", "digest"), GOLDEN)
def test_the_event_log_is_the_golden_one(routing, digest):
    made, options = machine(), _core.SimulationOptions()
    engine = options.engine
    engine.routing, engine.routing_seed = routing, 7
    options.engine, options.seed, options.digest = engine, 7, True
    simulation = _core.Simulation(made, options)
    rest = list(range(36, 72))
    behind = _core.traffic(made, rest, _core.PatternOptions(), 0.7, 1024, 0, False, 7)
    front = _core.repeat_algorithm("alltoall", "pairwise", 3000, 0, 2)
    simulation.add(list(range(36)), front, False, False)
    simulation.add(rest, behind, True, False)
    assert simulation.run(None)
    assert simulation.digest == int(digest)


def test_every_routing_has_its_digest():
    assert len(GOLDEN) == 5
