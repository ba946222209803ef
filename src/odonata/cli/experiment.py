"""An experiment of ``odonata simulate``, and the runs that it stands for.

A comma stands between several values of an option. In a list of allocations, a part that begins
with a digit goes on with the list of nodes before it: ``random,0-15,32`` are two allocations. A
semicolon always begins another allocation: ``0-15,32;16-31``.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from odonata.cli.setting import Setting, listed_nodes, lists_nodes, packet_bytes_of
from odonata.cli.setting import split as split_values
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.placement import BLOCK, Placement
from odonata.simulate import Job
from odonata.workload import Collective, Traffic, operations
from odonata.workload.build import Workload
from odonata.workload.names import check_algorithm

if TYPE_CHECKING:
    from odonata.workload import Fft, Halo, Sedov

__all__ = ["MOST_ROWS", "Experiment", "split_allocations", "split_machines", "whole_number"]

MOST_ROWS = 1000

SIZE = "1 KiB"
LOAD = "0.5"

OTHERS = ("halo", "sedov", "fft", "traffic")
"""Workloads that are no operation of registered algorithms."""

REDUCED_TO = {"sedov": "allreduce", "fft": "alltoall"}
"""Operation whose algorithm can be chosen in an application."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False, match_args=False)
class Experiment(Setting):
    """The options of ``odonata simulate``, as they were given.

    Each of ``machine, allocation, routing, algorithm, size, ranks, load, sides, distribution,
    points, busy`` and ``seeds`` may list several values; `rows` makes experiments of one value
    each.
    """

    operation: str
    algorithm: str
    ranks: str | None
    size: str | None
    root: int
    repetitions: int
    pattern: str | None
    load: str | None
    packets_per_node: int | None
    warm_up: str | None
    window: str | None
    sides: str | None
    distribution: str | None
    cells: str | None
    cell_bytes: str | None
    pack: str | None
    periodic: bool | None
    ghosts: int | None
    exchanges: int | None
    cell_time: str | None
    points: str | None
    flop_time: str | None
    groups: str | None
    nodes_per_router: str
    seeds: str

    def rows(self) -> list[Experiment]:
        """Return the runs, each an experiment for one value of every option."""
        self._check_operation()
        self._check_options()
        values: dict[str, list[str]] = {
            "machine": split_machines(self.machine),
            "allocation": split_allocations(self.allocation),
            "routing": split_values("routing", self.routing),
            "algorithm": split_values("algorithm", self.algorithm),
        }
        for field in ("size", "ranks", "load", "sides", "distribution", "points", "busy"):
            given = getattr(self, field)
            if given is not None:
                values[field] = split_values({"size": "bytes"}.get(field, field), given)
        values["seeds"] = split_values("seed", self.seeds)
        rows = list(itertools.product(*values.values()))
        if len(rows) > MOST_ROWS:
            raise UserError("comparison: too long", value=len(rows), allowed=f"{MOST_ROWS} runs")
        return [self._one(dict(zip(values, row, strict=True))) for row in rows]

    def jobs(self, machine: Machine) -> list[Job]:
        """Return the jobs of an experiment for one run."""
        workload = self._workload(machine)
        placements = self._divided(self.place(machine, self._num_ranks(machine)))
        return [
            *(Job(workload, placement) for placement in placements),
            *self.behind(machine, placements),
        ]

    def _divided(self, placement: Placement) -> list[Placement]:
        """Return the placements of the communicators."""
        listed = self.groups is not None and Path(self.groups).is_file()
        if self.nodes_per_router != "all" and (self.groups is None or listed):
            what = "nodes per router: there is no division that could leave some out"
            raise UserError(what, value=self.nodes_per_router, allowed="all, without --groups BY")
        if self.groups is None:
            return [placement]
        from odonata.placement import colours_of, groups, read_colours, split

        if listed:
            return split(placement, read_colours(self.groups), by=Path(self.groups).name)
        members = groups(placement.machine, self.groups, nodes_per_router=self.nodes_per_router)
        return split(placement, colours_of(placement, members), by=self.groups)

    def _one(self, values: dict[str, str]) -> Experiment:
        seed = whole_number("seed", values["seeds"])
        return replace(self, seed=seed, **values)  # type: ignore[arg-type]

    def _workload(self, machine: Machine) -> Workload:
        if self.operation == "halo":
            return self._halo()
        if self.operation == "sedov":
            return self._sedov()
        if self.operation == "fft":
            return self._fft(self._num_ranks(machine))
        if self.operation == "traffic":
            packets = self.packets_per_node
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
            root=self.root,
            repetitions=self.repetitions,
        )

    def _halo(self) -> Halo:
        from odonata.workload import Halo

        said = self._said("distribution", "cells", "cell_bytes", "periodic") | self._packed()
        return Halo(self._grid(), repetitions=self.repetitions, **said)

    def _grid(self) -> str | Sequence[int]:
        """Return the process grid of a halo exchange, or the squarest one of its ranks."""
        if self.sides is not None:
            return self.sides
        if self.ranks is None:
            allowed = "--sides 4x4x4, or --ranks 64"
            raise UserError("sides: a halo exchange needs them", allowed=allowed)
        from odonata.workload.sedov import squarest

        ranks = whole_number("ranks", self.ranks)
        dimensions = 3 if self.cells is None or "x" not in self.cells else self.cells.count("x") + 1
        return squarest((ranks,) * dimensions, ranks)

    def _sedov(self) -> Sedov:
        from odonata.workload import Sedov

        if self.cells is None:
            raise UserError("cells: sedov needs them", allowed="--cells 8192x8192")
        if self.sides is None and self.ranks is None:
            allowed = "--ranks 4096, or --sides 64x64"
            raise UserError("ranks: sedov needs them", allowed=allowed)
        names = ("sides", "distribution", "cell_bytes", "periodic", "ghosts", "exchanges")
        said = self._said(*names, "cell_time", "algorithm") | self._packed()
        ranks = None if self.ranks is None else whole_number("ranks", self.ranks)
        return Sedov(self.cells, ranks=ranks, repetitions=self.repetitions, **said)

    def _fft(self, ranks: int) -> Fft:
        from odonata.workload import Fft

        if self.points is None:
            raise UserError("points: fft needs them", allowed="--points 768")
        said = self._said("flop_time", "algorithm", "pack")
        return Fft(self.points, ranks=ranks, repetitions=self.repetitions, **said)

    def _said(self, *names: str) -> dict[str, Any]:
        """Return the options of these names that were given."""
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def _packed(self) -> dict[str, Any]:
        return {} if self.pack is None else {"pack": self.pack.split(",")}

    def _check_operation(self) -> None:
        operation = REDUCED_TO.get(self.operation, self.operation)
        if operation in OTHERS:
            return
        if operation not in operations():
            raise _unknown_operation(operation)
        for name in split_values("algorithm", self.algorithm):
            check_algorithm(operation, name)

    def _check_options(self) -> None:
        """Refuse what would not count."""
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
        """Return options that are not for all workloads: for which, and what was said."""
        collective, grids = ("collective",), ("halo", "sedov")
        algorithm = None if self.algorithm == "auto" else self.algorithm
        repetitions = None if self.repetitions == 1 else self.repetitions
        return {
            "--pattern": (("traffic",), self.pattern),
            "--load": (("traffic",), self.load),
            "--packets-per-node": (("traffic",), self.packets_per_node),
            "--warm-up": (("traffic",), self.warm_up),
            "--window": (("traffic",), self.window),
            "--algorithm": ((*collective, "sedov", "fft"), algorithm),
            "--bytes": (collective, self.size),
            "--root": (collective, self.root or None),
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
        nodes = listed_nodes(self.allocation, machine)
        if self.allocation.startswith(BLOCK):
            from odonata.placement import allocated_block

            nodes = allocated_block(machine, self.allocation)
        return (machine.num_nodes if nodes is None else len(nodes)) * self.ranks_per_node


def split_allocations(text: str) -> list[str]:
    """Return the allocations of a list.

    Parameters
    ----------
    text
        Allocations with commas or semicolons between them. After a comma, a number or a name of a
        node goes on with the list of nodes before it.

    Raises
    ------
    UserError
        An allocation is empty or there twice.

    Examples
    --------
    >>> split_allocations("random,0-15,32,contiguous")
    ['random', '0-15,32', 'contiguous']
    >>> split_allocations("0-15,32;nid[00012,00020],nid00030")
    ['0-15,32', 'nid[00012,00020],nid00030']
    """
    found: list[str] = []
    for listed in text.split(";"):
        nodes = False  # whether the allocation before is a list of nodes that may go on
        for part in (part.strip() for part in listed.split(",")):
            if nodes and (lists_nodes(part) or "[" in found[-1].rpartition("]")[2]):
                found[-1] += f",{part}"
            else:
                found.append(part)
            nodes = lists_nodes(found[-1])
    if "" in found or len(set(found)) < len(found):
        allowed = "different allocations with commas between them, as in random,0-15,32"
        raise UserError("allocation: not a list", value=text, allowed=allowed)
    return found


def split_machines(text: str) -> list[str]:
    """Return the machines of a list; a file may have a comma in its name.

    Parameters
    ----------
    text
        Names or files, with commas between them.

    Raises
    ------
    UserError
        One is empty or there twice.
    """
    return [text] if Path(text).is_file() else split_values("machine", text)


def whole_number(what: str, text: str) -> int:
    """Return the whole number that a text stands for.

    Parameters
    ----------
    what
        Name of the number in errors.
    text
        The text.

    Raises
    ------
    UserError
        It is none.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        allowed = "whole numbers, with commas between them"
        raise UserError(f"{what}: not a number", value=text, allowed=allowed)
    return int(text)


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
