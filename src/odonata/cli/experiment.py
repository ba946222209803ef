"""An experiment of ``odonata simulate``, and the runs that it stands for.

A comma stands between several values of an option, see `odonata.cli.axes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from odonata import placement as placements
from odonata import workload as workloads
from odonata.cli.axes import (
    combinations,
    split,
    split_allocations,
    split_machines,
    whole_number,
)
from odonata.cli.setting import Setting, listed_nodes, packet_bytes_of
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement import Placement
from odonata.placement.placing import shaped_nodes
from odonata.simulate import Job
from odonata.workload import Collective, Traffic, operations
from odonata.workload.build import Workload
from odonata.workload.names import check_algorithm
from odonata.workload.sedov import squarest

__all__ = ["Experiment"]

SIZE = "1 KiB"
LOAD = "0.5"

OTHERS = ("halo", "sedov", "fft", "traffic")
"""Workloads that are no operation of registered algorithms."""

REDUCED_TO = {"sedov": "allreduce", "fft": "alltoall"}
"""Operation whose algorithm can be chosen in an application."""


AXES = (
    *("size", "ranks", "load", "sides", "distribution", "points", "cells", "cell_bytes", "pattern"),
    *("root", "repetitions", "packets_per_node", "ghosts", "exchanges"),
    *("ranks_per_nodes", "seeds"),
)
"""Options of a workload, and options of whole numbers, that may list several values."""

WRITTEN_AS = {"size": "bytes", "ranks_per_nodes": "ranks per node", "seeds": "seed"}
"""Names of fields on the command line, where these differ."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class Experiment(Setting):
    """The options of ``odonata simulate``, as they were given.

    Each of `AXES`, of the setting's own and ``machine``, ``allocation`` and ``algorithm`` may list
    several values; `rows` makes experiments of one value each.
    """

    operation: str
    algorithm: str
    ranks: str | None
    size: str | None
    root: str
    repetitions: str
    pattern: str | None
    load: str | None
    packets_per_node: str | None
    warm_up: str | None
    window: str | None
    sides: str | None
    distribution: str | None
    cells: str | None
    cell_bytes: str | None
    pack: str | None
    periodic: bool | None
    ghosts: str | None
    exchanges: str | None
    cell_time: str | None
    points: str | None
    flop_time: str | None
    reorder: Path | None
    groups: str | None
    nodes_per_router: str
    ranks_per_nodes: str
    seeds: str

    def rows(self) -> list[Experiment]:
        """Return the runs, each an experiment for one value of every option."""
        self._check_operation()
        self._check_options()
        axes: dict[str, Sequence[Any]] = {
            "machine": split_machines(self.machine),
            "allocation": split_allocations(self.allocation),
            **self.shared_axes(),
            "algorithm": split("algorithm", self.algorithm),
        }
        for field in AXES:
            given = getattr(self, field)
            if given is not None:
                axes[field] = split(WRITTEN_AS.get(field, field.replace("_", " ")), given)
        return [self._one(values) for values in combinations(axes)]

    def jobs(self, machine: Machine) -> list[Job]:
        """Return the jobs of an experiment for one run."""
        workload = self._workload(machine)
        ranks = self._num_ranks(machine)
        placed = self.place(machine, ranks)
        if self.reorder is not None:
            placed = placed.reordered(placements.read_order(self.reorder, [ranks]))
        parts = self._divided(placed)
        return [
            *(Job(workload, placement) for placement in parts),
            *self.behind(machine, parts),
        ]

    def _divided(self, placement: Placement) -> list[Placement]:
        """Return the placements of the communicators."""
        listed = self.groups is not None and Path(self.groups).is_file()
        if self.nodes_per_router != "all" and (self.groups is None or listed):
            what = "nodes per router: there is no division that could leave some out"
            raise UserError(what, value=self.nodes_per_router, allowed="all, without --groups BY")
        if self.groups is None:
            return [placement]
        if listed:
            return placements.split(
                placement, placements.read_colours(self.groups), by=Path(self.groups).name
            )
        members = placements.groups(
            placement.machine, self.groups, nodes_per_router=self.nodes_per_router
        )
        return placements.split(
            placement, placements.colours_of(placement, members), by=self.groups
        )

    def _one(self, values: dict[str, Any]) -> Experiment:
        seed = whole_number("seed", values["seeds"])
        each = whole_number("ranks per node", values["ranks_per_nodes"])
        return replace(self, seed=seed, ranks_per_node=each, **values)

    def _workload(self, machine: Machine) -> Workload:
        if self.operation == "halo":
            return self._halo()
        if self.operation == "sedov":
            return self._sedov()
        if self.operation == "fft":
            return self._fft(self._num_ranks(machine))
        if self.operation == "traffic":
            packets = self._number("packets_per_node")
            if packets is not None and not 1 <= packets <= 10**9:
                allowed = "1 to 1000000000"
                raise UserError("packets per node: out of range", value=packets, allowed=allowed)
            return Traffic(
                self.pattern or "uniform",
                load=_load(LOAD if self.load is None else self.load),
                bytes=packet_bytes_of(machine),
                messages_per_rank=packets,
                warm_up=self.warm_up,
                window=self.window,
            )
        return Collective(
            self.operation,
            self.algorithm,
            bytes=SIZE if self.size is None else self.size,
            root=whole_number("root", self.root),
            repetitions=self._repetitions,
        )

    def _halo(self) -> workloads.Halo:
        said = self._said("distribution", "cells", "cell_bytes", "periodic") | self._packed()
        return workloads.Halo(self._grid(), repetitions=self._repetitions, **said)

    def _grid(self) -> str | Sequence[int]:
        """Return the process grid of a halo exchange, or the squarest one of its ranks."""
        if self.sides is not None:
            return self.sides
        if self.ranks is None:
            allowed = "--sides 4x4x4, or --ranks 64"
            raise UserError("sides: a halo exchange needs them", allowed=allowed)

        ranks = whole_number("ranks", self.ranks)
        dimensions = 3 if self.cells is None or "x" not in self.cells else self.cells.count("x") + 1
        return squarest((ranks,) * dimensions, ranks)

    def _sedov(self) -> workloads.Sedov:
        if self.cells is None:
            raise UserError("cells: sedov needs them", allowed="--cells 8192x8192")
        if self.sides is None and self.ranks is None:
            allowed = "--ranks 4096, or --sides 64x64"
            raise UserError("ranks: sedov needs them", allowed=allowed)
        names = ("sides", "distribution", "cell_bytes", "periodic", "cell_time", "algorithm")
        layers = {name: self._number(name) for name in ("ghosts", "exchanges")}
        said = self._said(*names) | self._packed()
        said |= {name: number for name, number in layers.items() if number is not None}
        return workloads.Sedov(
            self.cells, ranks=self._number("ranks"), repetitions=self._repetitions, **said
        )

    def _fft(self, ranks: int) -> workloads.Fft:
        if self.points is None:
            raise UserError("points: fft needs them", allowed="--points 768")
        said = self._said("flop_time", "algorithm", "pack")
        return workloads.Fft(self.points, ranks=ranks, repetitions=self._repetitions, **said)

    def _said(self, *names: str) -> dict[str, Any]:
        """Return the options of these names that were given."""
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def _repetitions(self) -> int:
        return whole_number("repetitions", self.repetitions)

    def _number(self, name: str) -> int | None:
        """Return an option that is a whole number; None: not said."""
        text = getattr(self, name)
        return None if text is None else whole_number(name.replace("_", " "), text)

    def _packed(self) -> dict[str, Any]:
        return {} if self.pack is None else {"pack": self.pack.split(",")}

    def _check_operation(self) -> None:
        operation = REDUCED_TO.get(self.operation, self.operation)
        if operation in OTHERS:
            return
        if operation not in operations():
            raise _unknown_operation(operation)
        for name in split("algorithm", self.algorithm):
            check_algorithm(operation, name)

    def _check_options(self) -> None:
        """Refuse options without an effect."""
        if self.record_messages and not self.kept:
            raise UserError("--record-messages: there is no file for them", allowed="-o run.nc")
        kind = self.operation if self.operation in OTHERS else "collective"
        for option, (kinds, value) in self._special().items():
            if value is not None and kind not in kinds:
                traffic = "; its messages are packets, see --packet-bytes"
                hint = traffic if kind == "traffic" and "halo" not in kinds else ""
                what = f"{option}: is not for {self.operation}{hint}"
                raise UserError(what, value=value)

    def _special(self) -> dict[str, tuple[tuple[str, ...], object]]:
        """Return options that are not for all workloads: for which, and their values."""
        collective, grids = ("collective",), ("halo", "sedov")
        algorithm = None if self.algorithm == "auto" else self.algorithm
        repetitions = None if self.repetitions == "1" else self.repetitions
        return {
            "--pattern": (("traffic",), self.pattern),
            "--load": (("traffic",), self.load),
            "--packets-per-node": (("traffic",), self.packets_per_node),
            "--warm-up": (("traffic",), self.warm_up),
            "--window": (("traffic",), self.window),
            "--algorithm": ((*collective, "sedov", "fft"), algorithm),
            "--bytes": (collective, self.size),
            "--root": (collective, None if self.root == "0" else self.root),
            "--repetitions": ((*collective, *grids, "fft"), repetitions),
            "--sides": (grids, self.sides),
            "--distribution": (grids, self.distribution),
            "--cells": (grids, self.cells),
            "--cell-bytes": (grids, self.cell_bytes),
            "--pack": ((*grids, "fft"), self.pack),
            "--periodic": (grids, self.periodic),
            "--ghosts": (("sedov",), self.ghosts),
            "--exchanges": (("sedov",), self.exchanges),
            "--cell-time": (("sedov",), self.cell_time),
            "--points": (("fft",), self.points),
            "--flop-time": (("fft",), self.flop_time),
        }

    def _num_ranks(self, machine: Machine) -> int:
        if self.ranks is not None:
            return whole_number("ranks", self.ranks)
        if self.operation == "halo" and self.groups is None:
            return self._halo().ranks
        if self.operation == "sedov" and self.groups is None:
            return math.prod(self._sedov().grid)
        shaped = shaped_nodes(machine, self.allocation)
        nodes = listed_nodes(self.allocation, machine) if shaped is None else shaped
        joined = machine.num_nodes - len(machine.cut_nodes)
        return (joined if nodes is None else len(nodes)) * self.ranks_per_node


def _load(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError("load: not a number", value=text, allowed="above 0 to 1") from None


def _unknown_operation(name: str) -> UserError:
    known = (*operations(), *OTHERS)
    return UserError(
        "operation: unknown", value=name, allowed=", ".join(known), near=near_miss(name, known)
    )
