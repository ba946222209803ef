"""Costs of protocols from the knees of a curve that is known."""

from __future__ import annotations

import pytest

from odonata.measure import find_knees
from odonata.measure.network import curve_sizes
from odonata.measure.protocols import protocols_of

SIZES = curve_sizes()
SPENT, WIRE, BYTE = 0.8e-6, 0.5e-6, 1e-10


def seconds(size, short=None, eager=8192, more=0.0, long=None, further=0.0, rendezvous=0.0):
    """Return the time of a message: overheads, wire, and what its protocol costs on both sides."""
    time = SPENT + WIRE + size * BYTE
    if size > eager:
        time += 2 * (WIRE + 64 * BYTE) + 2 * rendezvous
        return time + (2 * further * max(0, size - long) if long else 0.0)
    return time + (2 * (more + size * 1e-10) if short and size > short else 0.0)


def found(eager=8192, **how):
    curve = [seconds(size, eager=eager, **how) for size in SIZES]
    return protocols_of(find_knees(SIZES, curve), eager, SPENT)


def test_a_straight_line_has_no_protocols():
    assert protocols_of([], None, SPENT) == protocols_of([], 8192, SPENT)
    assert protocols_of([], 8192, SPENT).short is None


def test_a_rendezvous_that_its_round_trip_explains_has_no_overhead():
    assert found().rendezvous_overhead is None
    assert found().short is None
    assert found(rendezvous=1e-6).rendezvous_overhead == pytest.approx(1e-6, rel=1e-6)


def test_a_jump_below_the_rendezvous_is_the_end_of_the_mailbox():
    protocols = found(short=1024, more=3e-7)
    assert (protocols.short.low, protocols.short.high) == (1024, 1536)
    assert protocols.eager_overhead == pytest.approx(3e-7, rel=1e-6)
    assert protocols.eager_per_byte == pytest.approx(1e-10, rel=1e-6)
    assert protocols.rendezvous_overhead is None


def test_the_highest_jump_may_be_that_of_the_mailbox():
    protocols = found(short=1024, more=4e-6, rendezvous=4.5e-6)
    assert protocols.short.low == 1024
    assert protocols.rendezvous_overhead == pytest.approx(4.5e-6, rel=1e-6)


def test_a_bend_beyond_is_where_its_lines_cross():
    protocols = found(long=100_000, further=2e-11)
    assert protocols.long_bytes == pytest.approx(100_000, rel=1e-3)
    assert protocols.long_per_byte == pytest.approx(2e-11, rel=1e-6)
    assert found(long=100_000, further=-2e-11).long_bytes is None
