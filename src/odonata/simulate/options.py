"""Options of a run, resolved: the caller's, and the machine file for all else."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, TypedDict

from odonata import _core
from odonata.errors import UserError, near_miss
from odonata.machine import Machine
from odonata.machine.mpi_numbers import MPI_NUMBERS
from odonata.machine.policies import routing_policy
from odonata.result.run import Scalar

__all__ = ["ENGINES", "Keywords", "Options"]

ENGINES = ("packet", "analytic")
"""Engines: packets, buffers and credits, or messages without contention."""


MOST_SAMPLES = 1_000_000


class Keywords(TypedDict, total=False):
    """Options by name, for functions that take them as keywords; see `Options`."""

    engine: str
    routing: str
    seed: int
    packet_bytes: int | str | None
    bias_bytes: int
    samples: int
    record_messages: bool | Literal["auto"]
    digest: bool
    log: bool
    explain: bool | Literal["breakdown"]
    shuffle_insertions: int
    acts: bool
    allow_cycles: bool


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a run: `simulate`, `replay` and `odonata.mpirun` take them, or their fields.

    Parameters
    ----------
    engine
        ``packet``: packets, buffers, credits; ``analytic``: no contention.
    routing
        Name of one of its family's policies (`odonata.machine.routings`); ``minimal`` is the plain
        one of every family.
    seed
        Seed of all random choices: the same seed gives the same result.
    packet_bytes
        Largest payload of a packet [B], or text such as ``"1 KiB"``; None: the machine's.
    bias_bytes
        How many bytes more may wait on the minimal side before adaptive routing leaves it [B].
    samples
        Most samples of the bytes that wait for links, over time; 0: none.
    record_messages
        Whether each message is recorded, of jobs that are not background; ``auto``: if there are
        few enough. The same says whether an explanation keeps every step of the ranks.
    digest, log
        Whether the event log is hashed, and whether it is kept.
    explain
        Whether account is kept of where the time of the ranks goes (`odonata.explain`);
        ``breakdown``: without the critical path, which takes less time and memory.
    shuffle_insertions
        Not 0: events of equal time are inserted in another order, which must change nothing.
    acts
        Whether an explanation has the acts of programs, for schedules (see `odonata.result`).
    allow_cycles
        Whether a run may begin on routes where packets may wait for each other in a cycle.

    Raises
    ------
    UserError
        A name is unknown or a number out of range.

    Examples
    --------
    >>> from odonata import machine, placement, simulate, workload
    >>> eos = machine.load("eos")
    >>> job = simulate.Job(workload.Collective("barrier"), placement.place(eos, 4))
    >>> exact = simulate.Options(seed=7, digest=True)
    >>> simulate.simulate(eos, job, exact).time == simulate.simulate(eos, job, seed=7).time
    True
    """

    engine: str = "packet"
    routing: str = "minimal"
    seed: int = 0
    packet_bytes: int | str | None = None
    bias_bytes: int = 0
    samples: int = 0
    record_messages: bool | Literal["auto"] = "auto"
    digest: bool = False
    log: bool = False
    explain: bool | Literal["breakdown"] = False
    shuffle_insertions: int = 0
    acts: bool = False
    allow_cycles: bool = False

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

    def machine(self, machine: Machine) -> Machine:
        """Return the machine with the size of packets that the options ask for.

        Raises
        ------
        UserError
            The machine does not take it.
        """
        if self.packet_bytes is None:
            return machine
        size = self.packet_bytes
        return machine.with_values(
            {"nic.packet_bytes": f"{size} B" if isinstance(size, int) else size}
        )

    def on(self, machine: Machine) -> Options:
        """Return the options with the full name of the routing, as the machine has it.

        Raises
        ------
        UserError
            The family has no such policy.
        """
        return replace(self, routing=machine.policy(self.routing))

    def for_engine(self, machine: Machine) -> _core.SimulationOptions:
        """Return the engine's options: these, and ``[nic]`` and ``[mpi]`` of the machine."""
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
        """Return the options by name, without the machine's and what messages are recorded."""
        known = asdict(self)
        del known["packet_bytes"], known["record_messages"]
        if not self.allow_cycles:
            del known["allow_cycles"]
        return known

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
        if "nic.order" in machine.numbers:
            options.in_turns = machine.value("nic.order") == "turns"
        if "nic.congestion_window" in machine.numbers:
            options.congestion_bytes = _whole(machine, "nic.congestion_window")
        if "nic.congestion_delay" in machine.numbers:
            options.congestion_delay = _whole(machine, "nic.congestion_delay")
        return options


def _whole(machine: Machine, key: str) -> int:
    value = machine.value(key)
    assert isinstance(value, int), key
    return value


def _mpi_options(machine: Machine) -> _core.MpiOptions:
    options = _core.MpiOptions()
    for field, key in MPI_NUMBERS.items():
        if key in machine.numbers:
            setattr(options, field, machine.value(key))
    return options
