"""Tori, a HyperX and tapered fat trees, against another simulator and against closed forms."""

import numpy as np
import pytest
from small import ROUTER, WIRE, accepted, basics, fat_tree, link, simulate, traffic

from odonata import _core
from odonata.placement import place
from odonata.simulate import Job, Options, run
from odonata.workload import Collective

LENGTH = 1_000_000  # [ps] a packet of 1,000 B at 1 B/ns
NEVER_FULL = 1 << 30  # [B]


def torus(k, buffer):
    kinds = [link(name, buffer=buffer) for name in ("injection", "ejection", "x", "y")]
    return _core.make_machine("torus", basics(1), {"sizes": [k, k], "nodes_per_router": 1}, kinds)


def at_source(source, sent):
    """Return how long each message waits for earlier messages of its node, in packet times."""
    wait = np.empty(len(sent))
    for node in np.unique(source):
        (own,) = np.nonzero(source == node)
        own = own[np.argsort(sent[own], kind="stable")]
        behind = np.arange(len(own)) * LENGTH
        wait[own] = np.maximum.accumulate(sent[own] - behind) + behind - sent[own]
    return wait / LENGTH


@pytest.mark.parametrize(("load", "booksim"), [(0.3, 0.53), (0.6, 1.84), (0.8, 4.35)])
def test_packets_wait_on_a_torus_as_in_booksim(load, booksim):
    """BookSim 2 (28f43299), 7 x 7, dimension order, uniform: the wait behind the sender's NIC."""
    machine = torus(7, NEVER_FULL)
    waits = []
    for seed in (1, 2, 3):
        offered = traffic(machine, "uniform", load=load, messages=6000, seed=seed)
        run = simulate(machine, [offered], routing="dimension-order", packet_bytes=1000, seed=seed)
        found = {key: np.asarray(values) for key, values in run.messages(0).items()}
        sent, routers = found["sent"], found["routers"]
        idle = (routers + 1) * WIRE + routers * ROUTER + LENGTH
        wait = (found["delivered"] - sent - idle) / LENGTH - at_source(found["source"], sent)
        steady = (sent > 0.1 * sent.max()) & (sent < 0.9 * sent.max())
        waits.append(wait[steady].mean())
    assert np.mean(waits) == pytest.approx(booksim, rel=0.03)


@pytest.mark.parametrize(("packets", "least"), [(16, 0.95), (64, 0.97)])
@pytest.mark.parametrize("k", [4, 8, 9])
def test_the_largest_load_of_a_torus_is_the_closed_form(k, packets, least):
    """A packet goes k/8 links each way along a ring in the mean, if it never goes to its own node.

    That is exact on odd rings, and k^2 / (k^2 - 1) times as much on even ones. Buffers that have
    room for few packets cost the rest.
    """
    most = min(1, 8 / k if k % 2 else 8 * (k**2 - 1) / k**3)
    machine = torus(k, packets * 1000)
    assert _core.fluid_bound(machine, "minimal", "uniform", 1).load == pytest.approx(most)
    run = simulate(machine, [traffic(machine, "uniform", messages=2000)], packet_bytes=1000)
    assert least * most <= accepted(run, machine) <= most


@pytest.mark.parametrize(("buffer", "least"), [(16_000, 0.97), (1 << 20, 0.995)])
def test_the_largest_load_of_a_hyperx_is_the_closed_form(buffer, least):
    """4 x 4 routers of 8 nodes each: a link along x carries 8 x 32 / 127 times a node's load.

    If packets go along x first, it carries packets of 8 nodes to the 32 of a line along y. If they
    go along y first, it carries packets of the 32 nodes of such a line to 8.
    """
    kinds = [link(name, buffer=buffer) for name in ("injection", "ejection", "x", "y")]
    shape = {"sizes": [4, 4], "nodes_per_router": 8}
    machine = _core.make_machine("hyperx", basics(1), shape, kinds)
    most = 127 / 256
    assert _core.fluid_bound(machine, "minimal", "uniform", 1).load == pytest.approx(most)
    offered = traffic(machine, "uniform", messages=4000)
    run = simulate(machine, [offered], packet_bytes=1000, record=False)
    assert least * most <= accepted(run, machine) <= 1.002 * most


@pytest.mark.parametrize("taper", [1, 2, 4, 8])
def test_an_alltoall_on_a_tapered_fat_tree_is_as_fast_as_its_links(taper):
    """Each of 64 nodes sends 63 blocks; the u links up of 8 nodes carry their 8 x 56 blocks."""
    block, rate = 65_536, 10**10  # [B], [B/s]
    bound = max(63, 448 / (8 / taper)) * block / rate
    tree = fat_tree(taper)
    work = Collective("alltoall", "scattered", bytes=block)
    job = Job(work, place(tree, 64))
    found = run(tree, [job], Options(routing="d-mod-k")).end * 1e-12
    assert bound <= found <= 1.05 * bound
