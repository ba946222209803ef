"""Options of a run, resolved: what the caller said, and the machine file for all else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine, routing_policy
from odonata.machine.mpi_numbers import MPI_NUMBERS
from odonata.result import Scalar

__all__ = ["ENGINES", "Options"]

ENGINES = ("packet", "analytic")
"""Engines: packets, buffers and credits, or messages without contention."""


MOST_SAMPLES = 1_000_000


@dataclass(frozen=True)
class Options:
    """Options of a run.

    Parameters
    ----------
    engine, routing
        One of `ENGINES`; name or alias of a routing policy of the machine's family.
    seed
        Seed of all random choices.
    bias_bytes
        How many bytes more may wait on the minimal side before adaptive routing leaves it [B].
    samples
        Most samples of the bytes that wait; 0: none.
    digest, log
        Whether the event log is hashed, and whether it is kept.
    shuffle_insertions
        Not 0: events of equal time are inserted in another order, which must change nothing.
    explain
        Whether account is kept of where the time of the ranks goes (`odonata.explain`);
        ``breakdown``: without what the critical path needs, which takes less time and memory.
    acts
        Whether an explanation has the acts of programs, for schedules (see `odonata.result`).

    Raises
    ------
    UserError
        A name is unknown or a number out of range.
    """

    engine: str = "packet"
    routing: str = "minimal"
    seed: int = 0
    bias_bytes: int = 0
    samples: int = 0
    digest: bool = False
    log: bool = False
    shuffle_insertions: int = 0
    explain: bool | Literal["breakdown"] = False
    acts: bool = False

    def __post_init__(self) -> None:
        routing_policy(self.routing)
        if self.engine not in ENGINES:
            near, allowed = near_miss(self.engine, ENGINES), ", ".join(ENGINES)
            raise UserError("engine: unknown", value=self.engine, allowed=allowed, near=near)
        if self.explain not in (False, True, "breakdown"):
            allowed = "True, False or 'breakdown'"
            raise UserError("explain: unknown", value=str(self.explain), allowed=allowed)
        for what, value, most in (
            ("seed", self.seed, 2**64 - 1),
            ("bias", self.bias_bytes, 2**40),
            ("samples", self.samples, MOST_SAMPLES),
            ("shuffle", self.shuffle_insertions, 2**64 - 1),
        ):
            if not 0 <= value <= most:
                raise UserError(f"{what}: out of range", value=value, allowed=f"0 to {most}")

    def on(self, machine: Machine) -> Options:
        """Return the options with the full name of the routing, as the machine's family has it.

        Raises
        ------
        UserError
            The family has no such policy.
        """
        return replace(self, routing=routing_policy(self.routing, machine.family))

    def for_engine(self, machine: Machine) -> _core.SimulationOptions:
        """Return what the engine takes: these, and ``[nic]`` and ``[mpi]`` of the machine."""
        options = _core.SimulationOptions()
        options.seed = self.seed
        options.digest = self.digest
        options.keep_log = self.log
        options.most_samples = self.samples
        options.explain = bool(self.explain)
        options.acts = self.acts
        options.explain_path = self.explain != "breakdown"
        options.shuffle_insertions = self.shuffle_insertions
        options.engine = self._engine_options(machine)
        options.mpi = _mpi_options(machine)
        return options

    def record(self) -> dict[str, Scalar]:
        """Return the options by name."""
        return dict(asdict(self))

    def _engine_options(self, machine: Machine) -> _core.EngineOptions:
        options = _core.EngineOptions()
        options.engine = self.engine
        options.routing = self.routing
        options.routing_seed = self.seed
        options.bias_bytes = self.bias_bytes
        options.packet_bytes = _whole(machine, "nic.packet_bytes")
        options.header_bytes = _whole(machine, "nic.header_bytes")
        options.window_bytes = _whole(machine, "nic.window")
        if "nic.message_gap" in machine.numbers:
            options.message_gap = _whole(machine, "nic.message_gap")
        return options


def _whole(machine: Machine, key: str) -> int:
    value = machine.value(key)
    assert isinstance(value, int), key
    return value


def _mpi_options(machine: Machine) -> _core.MpiOptions:
    options = _core.MpiOptions()
    for field, key in MPI_NUMBERS.items():
        if f"mpi.{key}" in machine.numbers:
            setattr(options, field, machine.value(f"mpi.{key}"))
    return options
