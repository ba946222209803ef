"""Construction of the engine's rank program from the description of a workload."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from odonata import _core
from odonata.errors import UserError
from odonata.placement import Placement
from odonata.workload.collective import Collective
from odonata.workload.fft import Fft
from odonata.workload.halo import Halo, by_sides
from odonata.workload.names import select
from odonata.workload.played import Played
from odonata.workload.program import Program
from odonata.workload.sedov import Sedov
from odonata.workload.traffic import Traffic

__all__ = ["Built", "Workload", "build"]

Field = int | float | str | bool | None

Workload = Collective | Halo | Sedov | Fft | Traffic | Program | Played


@dataclass(frozen=True)
class Built:
    """A workload on a placement, ready to run.

    Parameters
    ----------
    program
        What the engine runs.
    name
        What results call it.
    fields
        The workload, resolved: ``auto`` has become an algorithm.
    messages
        Messages it will send; None if that is not known beforehand.
    size_bytes
        Size of its largest usual message [B].
    """

    program: _core.Program
    name: str
    fields: Mapping[str, Field]
    messages: int | None
    size_bytes: int


def build(workload: Workload, placement: Placement, *, seed: int = 0) -> Built:
    """Make the rank program of a workload.

    Parameters
    ----------
    workload
        A `Collective`, `PointToPoint`, `Halo`, `Sedov`, `Fft`, `Traffic`, `Program` or `Played`.
    placement
        Where its ranks are.
    seed
        Seed of the random choices.

    Raises
    ------
    UserError
        The workload doesn't fit the ranks: no such root, too few ranks for the pattern.
    """
    if isinstance(workload, Collective):
        return _build_collective(workload, placement)
    if isinstance(workload, Halo):
        return _build_halo(workload, placement)
    if isinstance(workload, Sedov):
        return _build_sedov(workload, placement)
    if isinstance(workload, Fft):
        return _build_fft(workload, placement)
    if isinstance(workload, Traffic):
        return _build_traffic(workload, placement, seed)
    if isinstance(workload, Played) and workload.ranks != placement.ranks:
        what = f"{workload.name}: has another number of ranks than its placement"
        raise UserError(what, value=placement.ranks, allowed=str(workload.ranks))
    more = workload.fields if isinstance(workload, Played) else {}
    fields = {"program": workload.name, **more}
    return Built(workload.bind(placement.machine), workload.name, fields, None, 0)


def _build_collective(workload: Collective, placement: Placement) -> Built:
    ranks, size = placement.ranks, workload.size_bytes
    if workload.root >= ranks:
        raise UserError("root: out of range", value=workload.root, allowed=f"0 to {ranks - 1}")
    if workload.operation == "pingpong" and ranks % 2:
        what = "pingpong: an odd number of ranks, and each needs a partner"
        raise UserError(what, value=ranks, allowed="an even number")
    operation, root, repetitions = workload.operation, workload.root, workload.repetitions
    name = select(placement.machine, operation, workload.algorithm, ranks, size)
    once = _core.messages_of(operation, name, ranks, size, root)
    fields: dict[str, Field] = {
        "operation": operation,
        "algorithm": name,
        "requested_algorithm": workload.algorithm,
        "bytes": size,
        "root": root,
        "repetitions": repetitions,
    }
    return Built(
        _core.repeat_algorithm(operation, name, size, root, repetitions),
        f"{operation}/{name}",
        fields,
        once * repetitions,
        size,
    )


def _build_halo(workload: Halo, placement: Placement) -> Built:
    _check_sides(workload, placement)
    machine, pack = placement.machine, workload.pack_ps(placement.machine)
    program = _core.halo(
        machine.core,
        placement.node_of,
        workload.grid,
        workload.face_bytes,
        pack,
        workload.distribution,
        workload.periodic,
        workload.repetitions,
    )
    fields: dict[str, Field] = {
        "operation": "halo",
        "algorithm": workload.distribution,
        "sides": by_sides(workload.grid),
        "cells": by_sides(workload.box),
        "cell_bytes": int(workload.cell_bytes),
        "pack_ps_per_byte": " ".join(f"{time:g}" for time in pack),
        "periodic": workload.periodic,
        "repetitions": workload.repetitions,
    }
    messages = workload.messages * workload.repetitions
    return Built(
        program, f"halo/{workload.distribution}", fields, messages, max(workload.face_bytes)
    )


def _check_sides(workload: Halo, placement: Placement) -> None:
    if workload.ranks != placement.ranks:
        what = "sides: another number of ranks than the job has"
        sides = f"{by_sides(workload.grid)} = {workload.ranks}"
        raise UserError(what, value=sides, allowed=f"{placement.ranks} in all")


def _build_sedov(workload: Sedov, placement: Placement) -> Built:
    faces = workload.exchange
    _check_sides(faces, placement)
    machine, pack = placement.machine, faces.pack_ps(placement.machine)
    name = select(machine, "allreduce", workload.algorithm, faces.ranks, 8)
    program = _core.sedov(
        machine.core,
        placement.node_of,
        faces.grid,
        faces.face_bytes,
        pack,
        workload.distribution,
        workload.periodic,
        workload.repetitions,
        workload.exchanges,
        workload.step_ps,
        name,
    )
    fields: dict[str, Field] = {
        "operation": "sedov",
        "algorithm": name,
        "requested_algorithm": workload.algorithm,
        "distribution": workload.distribution,
        "sides": by_sides(faces.grid),
        "cells": by_sides(workload.whole),
        "cell_bytes": int(workload.cell_bytes),
        "ghosts": workload.ghosts,
        "exchanges": workload.exchanges,
        "compute_ps": workload.step_ps,
        "pack_ps_per_byte": " ".join(f"{time:g}" for time in pack),
        "periodic": workload.periodic,
        "repetitions": workload.repetitions,
    }
    reduction = _core.messages_of("allreduce", name, faces.ranks, 8, 0)
    messages = (faces.messages * workload.exchanges + reduction) * workload.repetitions
    return Built(program, "sedov", fields, messages, max(faces.face_bytes))


def _build_fft(workload: Fft, placement: Placement) -> Built:
    if workload.ranks != placement.ranks:
        what = "fft: another number of ranks than the job has"
        raise UserError(what, value=workload.ranks, allowed=f"{placement.ranks}")
    machine = placement.machine
    names, blocks, times = workload.algorithms(machine), workload.block_bytes, workload.flops_ps
    pack = workload.pack_ps(machine)
    program = _core.fft(
        workload.ranks,
        workload.side,
        blocks,
        names,
        times[:3],
        times[3],
        pack,
        workload.repetitions,
        "fft",
    )
    fields: dict[str, Field] = {
        "operation": "fft",
        "algorithm": "+".join(dict.fromkeys(names)),
        "requested_algorithm": workload.algorithm,
        "points": by_sides(workload.grid),
        "block_bytes_of_transposes": " ".join(map(str, blocks)),
        "compute_ps": 2 * sum(times[:3]) + times[3],
        "pack_ps_per_byte": f"{pack:g}",
        "repetitions": workload.repetitions,
    }
    messages = sum(
        workload.ranks // size * _core.messages_of("alltoall", name, size, block, 0)
        for name, size, block in zip(names, workload.sizes, blocks, strict=True)
    )
    times_run = 2 * workload.repetitions
    return Built(program, "fft", fields, messages * times_run, max(blocks))


def _build_traffic(workload: Traffic, placement: Placement, seed: int) -> Built:
    ranks, machine = placement.ranks, placement.machine
    if ranks < 2:
        raise UserError("traffic: too few ranks", value=ranks, allowed="2 or more")
    if placement.ranks_per_node > 1:
        raise UserError("traffic: several ranks share a node", allowed="one rank a node")
    workload.check_targets(placement)
    each = workload.messages(machine)
    program = _core.traffic(
        machine.core,
        placement.node_of,
        workload.core_pattern(machine),
        workload.load,
        workload.size_bytes,
        each,
        workload.periodic,
        seed,
    )
    fields: dict[str, Field] = {
        "operation": "traffic",
        "pattern": workload.pattern,
        "load": workload.load,
        "bytes": workload.size_bytes,
        "messages_per_rank": each,
        "warm_up": workload.warm_up,
        "window": workload.window,
        "periodic": workload.periodic,
        "hot_fraction": workload.hot_fraction,
        "targets": " ".join(map(str, workload.targets)),
    }
    return Built(
        program,
        f"traffic/{workload.pattern}",
        fields,
        workload.senders(ranks) * each if each > 0 else None,
        workload.size_bytes,
    )
