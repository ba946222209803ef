"""A session of measuring: wanted numbers are measured on all ranks or read from files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from odonata.errors import UserError
from odonata.machine import Machine
from odonata.machine.writing import NewNumber
from odonata.measure.benchmarks import read_benchmark
from odonata.measure.compute import LocalOperator, measure_compute
from odonata.measure.findings import Findings, Reading, of_benchmarks, of_compute, of_network
from odonata.measure.levels import LevelFlops
from odonata.measure.machine_file import unit_of
from odonata.measure.measurement import Measurement
from odonata.measure.network import Thoroughness, measure_network
from odonata.measure.topology import links_between, node_numbers
from odonata.measure.world import World

__all__ = ["USUAL_OPERATORS", "Wanted", "check_here", "measure_here", "read_files"]

USUAL_OPERATORS = (
    LocalOperator(62500, 6.985),
    LocalOperator(4752, 19.225),
    LocalOperator(923, 53.502),
    LocalOperator(101, 81.481),
)
"""Operators of a rank with 50 × 50 × 25 points of a 7-point Laplacian: levels 0 to 3 of hypre on
1,024 ranks, mean rows of a rank and nonzeros of a row."""


@dataclass(frozen=True)
class Wanted:
    """Measurements that are wanted.

    Parameters
    ----------
    network, compute
        Which of the two.
    thoroughness
        Thoroughness of the network's measurement.
    reading
        How α, α(D) and γ are read.
    machine
        The machine on which the ranks are.
    levels
        Levels of a hierarchy, for the time of a flop; by default `USUAL_OPERATORS`.
    """

    network: bool = True
    compute: bool = True
    thoroughness: Thoroughness = field(default_factory=Thoroughness)
    reading: Reading = field(default_factory=Reading)
    machine: Machine | None = None
    levels: LevelFlops | None = None


def measure_here(
    world: World, wanted: Wanted, tell: Callable[[str], None] = lambda _: None
) -> Measurement:
    """Measure the machine that the ranks are on; all ranks call this, and get the same.

    Parameters
    ----------
    world
        All ranks.
    wanted
        The numbers to measure, and how.
    tell
        Called with the name of the current measurement.

    Raises
    ------
    UserError
        A wanted number can't be measured here; all ranks raise it, before any measurement.

    Notes
    -----
    Under ``odonata mpirun`` cores are left out, and so is the network where there is one rank only.
    """
    links = _links(world, wanted)
    findings = Findings()
    network = compute = None
    if wanted.network and world.size > 1:
        network = measure_network(world, wanted.thoroughness, links, tell)
        _merge(findings, of_network(network, wanted.reading))
        _warn_of_crowd(world, findings)
    else:
        why = "left out" if world.size > 1 else "one rank only: start two or more with mpiexec"
        _leave_out(findings, _NETWORK_KEYS, why)
    if wanted.levels is not None and wanted.levels.flop_seconds:
        _merge(findings, wanted.levels.findings())
    if wanted.compute and not world.simulated:
        compute = measure_compute(world, _operators(wanted.levels), tell)
        _merge(findings, of_compute(compute, _name(wanted.levels)))
    else:
        why = "a simulated machine has the cores of this one" if world.simulated else "left out"
        _leave_out(findings, _COMPUTE_KEYS, why)
    nodes = "1 node" if world.num_nodes == 1 else f"{world.num_nodes} nodes"
    origin = f"{world.size} ranks on {nodes}, {world.library}"
    counted = _count(world) | _within_a_node(findings)
    return Measurement(findings, origin, counted, network, compute)


def check_here(world: World, wanted: Wanted) -> None:
    """Fail now if the ranks are not where a measurement wants them.

    Parameters
    ----------
    world
        All ranks.
    wanted
        The numbers to measure, and how.

    Raises
    ------
    UserError
        It wants pairs on two nodes, or nodes of certain names, which the ranks lack.
    """
    _links(world, wanted)


def read_files(paths: Sequence[str | Path], wanted: Wanted) -> Measurement:
    """Read results of other benchmarks, instead of measuring.

    Parameters
    ----------
    paths
        One or more files: see `odonata.measure.read_benchmark`.
    wanted
        Its reading, machine and levels count.

    Raises
    ------
    UserError
        A file is damaged, or none has a latency or a bandwidth.
    """
    benchmarks = [read_benchmark(path) for path in paths]
    findings = of_benchmarks(benchmarks, wanted.reading)
    if wanted.levels is not None and wanted.levels.flop_seconds:
        _merge(findings, wanted.levels.findings())
    _leave_out(findings, (*_NETWORK_KEYS, *_COMPUTE_KEYS), "not in these files")
    origin = ", ".join(f"{b.program} ({Path(b.path).name})" for b in benchmarks)
    return Measurement(findings, origin, {})


_NETWORK_KEYS = ("model.alpha", "model.beta", "model.gamma", "mpi.eager_threshold")
_COMPUTE_KEYS = ("model.t", "model.memory_bandwidth")


def _links(world: World, wanted: Wanted) -> Callable[[int, int], int] | None:
    if not wanted.network or world.size < 2:
        return None
    if wanted.reading.alpha == "network" or wanted.reading.distances == "names":
        _need_two_nodes(world)
    if wanted.reading.distances != "names":
        return None
    if wanted.machine is None:
        raise UserError("distances: names need a machine that has these nodes, with --machine")
    return links_between(wanted.machine, node_numbers(world.names, wanted.machine))


def _need_two_nodes(world: World) -> None:
    if world.num_nodes < 2:
        raise UserError(
            "alpha, distances: no two ranks are on different nodes",
            allowed="--alpha best --distances assumed",
        )


def _operators(levels: LevelFlops | None) -> Sequence[LocalOperator]:
    """Return the operators to multiply with; none if the flops are known."""
    if levels is None:
        return USUAL_OPERATORS
    return () if levels.flop_seconds else levels.operators


def _name(levels: LevelFlops | None) -> str:
    what = "a rank's operators on the levels of "
    usual = "a 7-point Laplacian, 50 x 50 x 25 points a rank, 1,024 ranks"
    return what + (usual if levels is None else levels.source)


def _warn_of_crowd(world: World, findings: Findings) -> None:
    ranks, cores = world.most_on_a_node, len(world.cores)
    if not world.simulated and ranks > cores:
        findings.warnings.append(
            f"{ranks} ranks on a node may use {cores} cores: rings are measured with waiting ranks"
        )


def _count(world: World) -> dict[str, NewNumber]:
    cores, ranks = len(world.cores), world.most_on_a_node
    how = f"cores that the ranks of a node may use: {cores}; most ranks on a node: {ranks}"
    return {
        "shape.nodes": NewNumber(world.num_nodes, "nodes that had ranks"),
        "node.cores": NewNumber(max(cores, ranks), how),
    }


def _within_a_node(findings: Findings) -> dict[str, NewNumber]:
    """Give the star of a single node links as fast as the node, so that B_max equals B."""
    rate = findings.found.get("node.bandwidth")
    if rate is None or "links.injection.bandwidth" in findings.found:
        return {}
    text = unit_of(rate.key).exact(rate.value)
    number = NewNumber(text, "all ranks were on one node: as node.bandwidth", "assumed")
    return {f"links.{link}.bandwidth": number for link in ("injection", "ejection")}


def _merge(findings: Findings, more: Findings) -> None:
    findings.found |= more.found
    findings.unknown |= more.unknown
    findings.warnings += more.warnings
    findings.noisy |= more.noisy
    findings.far = findings.far or more.far


def _leave_out(findings: Findings, keys: Sequence[str], why: str) -> None:
    for key in keys:
        if key not in findings.found:
            findings.unknown.setdefault(key, why)
