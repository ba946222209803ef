"""Small machines whose times can be worked out by hand: 1 B takes 1 ns on every link."""

from __future__ import annotations

from odonata import _core
from odonata.machine import Machine
from odonata.machine.files import describe, parse
from odonata.machine.template import template

RATE = 10**9  # B/s: 1 B/ns
WIRE = 7_000  # ps
ROUTER = 50_000  # ps
CREDIT = 11_000  # ps


def link(name, *, rate=RATE, latency=WIRE, buffer=4096, credit=CREDIT):
    return _core.LinkClass(name, rate, latency, buffer, credit)


def basics(cores=4):
    return _core.Basics("test", cores, ROUTER, 3_000, 2 * RATE)


def star(nodes, **kinds):
    classes = {kind: link(kind) for kind in ("injection", "ejection")} | kinds
    return _core.make_machine("star", basics(), {"nodes": nodes}, list(classes.values()))


def dragonfly(p=2, a=4, h=2, **kinds):
    names = ("injection", "ejection", "local", "global")
    classes = {name: link(name) for name in names} | kinds
    return _core.make_machine("dragonfly", basics(), shape(p, a, h), list(classes.values()))


def fat_tree(taper=1, **changes):
    """Return an 8 x 8 fat tree: 10 GB/s, 50 ns a wire, 100 ns a router, no costs of MPI."""
    free = {
        "shape.down": [8, 8],
        "shape.taper": [taper],
        "mpi.send_overhead": "0 ns",
        "mpi.recv_overhead": "0 ns",
        "mpi.copy_per_byte": "0 ps/B",
        "mpi.eager_threshold": "1 TiB",
    } | changes
    return Machine(describe(parse(template("fat-tree"), "fat tree"), None, free), free)


def shape(p, a, h):
    return {
        "nodes_per_router": p,
        "routers_per_group": a,
        "global_links_per_router": h,
        "groups": a * h + 1,
    }


def simulate(machine, jobs, *, log=False, seed=0, digest=False, shuffle=0, record=True, **engine):
    """Run jobs of (nodes, program) and return the simulation."""
    options = _core.SimulationOptions()
    options.seed, options.keep_log, options.digest = seed, log, digest
    options.shuffle_insertions = shuffle
    mpi, chosen = options.mpi, options.engine
    chosen.routing_seed = seed
    for key, value in engine.items():
        setattr(mpi if hasattr(mpi, key) else chosen, key, value)
    options.engine, options.mpi = chosen, mpi
    simulation = _core.Simulation(machine, options)
    for nodes, program in jobs:
        simulation.add(list(nodes), program, False, record)
    assert simulation.run(None)
    return simulation


def program(body):
    """Make a rank program of a generator function of a raw rank."""
    return _core.python_program(body)


def one_message(nbytes):
    """Rank 0 sends once to rank 1."""

    def body(rank):
        if rank.index == 0:
            yield rank.wait([rank.isend(1, nbytes, 0)])
        elif rank.index == 1:
            yield rank.wait([rank.irecv(0, nbytes, 0)])

    return program(body)


def pairs(machine, targets, *, load=1.0, nbytes=1000, messages=100, seed=0, periodic=False):
    """Traffic from every node to a fixed target, -1 for none."""
    options = _core.PatternOptions()
    options.name, options.targets = "pairs", list(targets)
    nodes = list(range(machine.num_nodes))
    made = _core.traffic(machine, nodes, options, load, nbytes, messages, periodic, seed)
    return nodes, made


def traffic(machine, pattern, *, shift=1, load=1.0, nbytes=1000, messages=300, seed=0):
    options = _core.PatternOptions()
    options.name, options.shift = pattern, shift
    nodes = list(range(machine.num_nodes))
    made = _core.traffic(machine, nodes, options, load, nbytes, messages, False, seed)
    return nodes, made


def accepted(simulation, machine, senders=None):
    """Return what a sender gets through in the steady window, in units of its link."""
    job = simulation.job(0)
    span = (job["window_end"] - job["window_begin"]) * RATE / 1e12
    return job["window_bytes"] / span / (senders or machine.num_nodes)
