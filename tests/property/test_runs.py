"""Properties of any job on any machine."""

import pytest
from hypothesis import HealthCheck, given, settings

from odonata.simulate import Options, run
from odonata.testing import jobs, usable_routings

few = settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.mark.parametrize("which", range(5))
@few
@given(job=jobs())
def test_what_is_sent_arrives_and_no_link_is_faster_than_its_rate(which, job):
    machine = job.placement.machine
    offered = usable_routings(machine.core)
    routing = offered[which % len(offered)]
    done = run(machine, [job], Options(routing=routing, seed=3))  # raises unless bytes balance
    end = max(int(done.jobs[0].finished.max()), done.jobs[0].totals["last_delivered"])
    assert (done.links["busy"] <= end).all()
    rates = {c.name: c.bandwidth for c in machine.core.classes}
    for number, c in enumerate(machine.core.classes):
        sent = done.links["bytes"][done.links["class"] == number]
        busy = done.links["busy"][done.links["class"] == number]
        assert (sent * 10**12 <= busy * rates[c.name] + rates[c.name]).all()
    for used, capacity in zip(done.buffers["peak"], done.buffers["capacity"], strict=True):
        assert used <= capacity


@few
@given(job=jobs())
def test_without_contention_nothing_takes_longer(job):
    """Bytes, messages and shortest routes equal the packet engine's."""
    machine = job.placement.machine
    packet = run(machine, [job], Options(seed=3)).jobs[0].totals
    analytic = run(machine, [job], Options(seed=3, engine="analytic")).jobs[0].totals
    for key in ("messages", "bytes", "packets", "packet_hops"):
        assert packet[key] == analytic[key]
