"""The cost of a message is the cost of its calls, less the same calls to MPI_PROC_NULL."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from odonata.measure.overheads import measure_overheads

NOBODY = -1
CALL, SEND, RECEIVE, COPY = 7.0, 2.0, 3.0, 0.25  # any call; a start; a receive; a byte received


class Machine:
    """One rank of two, whose clock advances with each call and stands still otherwise."""

    def __init__(self, rank):
        self.now = 0.0
        self.rank = rank
        self.mpi = SimpleNamespace(PROC_NULL=NOBODY, Wtime=lambda: self.now, Request=self)
        self.comm = self

    def Send_init(self, buffer, peer, tag):  # noqa: N802
        return self.request(SEND if peer != NOBODY else 0.0)

    def Recv_init(self, buffer, peer, tag):  # noqa: N802
        return self.request(RECEIVE + COPY * len(buffer) if peer != NOBODY else 0.0)

    def request(self, seconds):
        def start():
            self.now += CALL + seconds

        return SimpleNamespace(Start=start, Wait=lambda: None, Free=lambda: None)

    def Send(self, *_):  # noqa: N802
        self.now += 1000.0

    Recv = Waitall = Send

    def share(self, values, _):
        return np.asarray(values)


@pytest.mark.parametrize(("rank", "cost"), [(0, SEND), (1, RECEIVE + 8 * COPY)])
def test_calls_to_nobody_are_subtracted(rank, cost):
    """Each call takes 7 s of its own, which are not the message's."""
    found = measure_overheads(Machine(rank), (0, 1), 8, 3)
    assert found.send.value == pytest.approx(cost)  # of this rank, as no other is there
    assert found.receive.value == pytest.approx(cost)
    assert found.copy is None


def test_a_copy_is_told_from_a_receive_by_two_sizes():
    found = measure_overheads(Machine(1), (0, 1), 4096, 3)
    assert found.copy.value == pytest.approx(COPY)
    assert found.receive.value == pytest.approx(RECEIVE)
