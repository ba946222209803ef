"""Runs of the study: a problem, a machine, and the switched levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

FLOPS = {1: "1.59ns,0.806ns,0.545ns", 2: "1.6548ns,0.83887ns,0.56723ns",
         4: "1.60243ns,0.81230ns,0.54926ns"}  # fmt: skip
"""Time of a flop on level 0, 1, and 2 and below, by threads of a rank: t_i b_1 / (j b_j) with the
paper's Tables 1 and 2."""

EOS_MODEL = ("--alpha", "0.238us", "--beta", "0.858ns", "--gamma", "0.416us", "--hops", "5")
MODELS = {
    "eos": (*EOS_MODEL, "--cache", "2.5MiB"),
    "eos, as simulated": ("--alpha", "0.792us", "--beta", "0.858ns", "--gamma", "0us", "--hops",
                          "5", "--cache", "2.5MiB"),
    "eos, any size": EOS_MODEL,
    "edison": ("--alpha", "0.25us", "--beta", "0.858ns", "--gamma", "0.69us", "--hops", "5",
               "--cache", "2.5MiB"),
    "theta": ("--alpha", "0.5us", "--beta", "1.6ns", "--gamma", "0.28us", "--hops", "5",
              "--cache", "0.5MiB"),
}  # fmt: skip
"""Parameters of the decision, by name. Eos: Table 1 of the paper, 40 MiB of cache for 16 ranks."""

RANKS_PER_NODE = {"eos": 16, "edison": 24, "theta": 64}


@dataclass(frozen=True)
class Case:
    """One run.

    Parameters
    ----------
    problem
        Points of a rank, such as ``12x12x12``, or ``beam 16``: elements along its short sides.
    ranks
        Number of ranks.
    threads
        Threads of a rank, which share its flops.
    machine, engine
        Where it runs, and the engine.
    costs
        Things that take time besides messages: the flops of the solve (``flops``), nothing
        (``messages``), or all computing, as on the computer that simulates (``measured``).
    switch
        ``off``, ``never``, ``model``, a level and a number of groups, or ``refused``: the model
        decides, and no gain is enough for it.
    model
        Parameters of the decision, one of `MODELS`.
    poll
        Time of a test that finds nothing, if not the machine's 100 ns.
    iterations
        Iterations of the solve, if it ends before its residual is small enough.
    """

    problem: str
    ranks: int
    switch: str
    threads: int = 1
    machine: str = "eos"
    engine: str = "analytic"
    costs: str = "flops"
    model: str = "eos"
    poll: str = ""
    iterations: int = 0

    @property
    def ranks_per_node(self) -> int:
        """Ranks of a node, which with their threads fill it."""
        return RANKS_PER_NODE[self.machine] // self.threads

    @property
    def decides(self) -> bool:
        """Whether a model decides."""
        return self.switch in ("model", "refused")

    @property
    def key(self) -> str:
        """Name of the run in results.json."""
        parts = [self.problem, str(self.ranks), f"{self.ranks_per_node}x{self.threads}",
                 self.machine, self.engine, self.costs]  # fmt: skip
        if self.poll:
            parts.append(f"poll {self.poll}")
        if self.iterations:
            parts.append(f"{self.iterations} iterations")
        if self.decides:
            parts.append(self.model)
        return " | ".join([*parts, self.switch])

    def program(self) -> list[str]:
        """Return the command of the program."""
        name, _, size = self.problem.partition(" ")
        beam = ["--problem", "elasticity", "--elements", size]
        command = ["odonata-amg", *(beam if size else ["--points", name])]
        command += ["--redistribute", "model" if self.decides else self.switch]
        flops = FLOPS[self.threads]
        if self.costs == "flops":
            command += ["--flop-seconds", flops]
        if self.iterations:
            command += ["--max-iterations", str(self.iterations)]
        if self.switch == "off":
            command += ["--cycles", "0"]
        if self.switch == "refused":
            command += ["--least-gain", "1"]
        if self.decides:
            command += [*MODELS[self.model], "--model-flops", flops]
            command += ["--ranks-per-node", str(self.ranks_per_node)]
        return command

    def command(self) -> list[str]:
        """Return the whole command."""
        compute = "measured" if self.costs == "measured" else "none"
        poll = ["--set", f"mpi.poll={self.poll}"] if self.poll else []
        return ["odonata", "mpirun", "-n", str(self.ranks), "--machine", self.machine,
                "--ranks-per-node", str(self.ranks_per_node), "--engine", self.engine,
                "--compute", compute, "--fibers", "--stack", "1MiB", *poll, "--json",
                "--", *self.program()]  # fmt: skip


SMALL = Case("12x12x12", 128, "never")
BEAM = replace(SMALL, problem="beam 16")
LARGE = replace(SMALL, problem="50x50x25")
TINY = Case("6x6x6", 16, "never")
SHORT = replace(SMALL, problem="6x6x6", poll="1 us", iterations=5)
"""The cheapest run that shows the effect: for thousands of ranks."""
FULL_NODES = (
    replace(SHORT, problem="12x6x6", ranks=2048, threads=2),
    replace(SHORT, problem="12x12x6", ranks=1024, threads=4),
    replace(SHORT, problem="12x6x6", ranks=4000, threads=2),
    replace(SHORT, problem="12x12x6", ranks=2000, threads=4),
)
"""Ranks with threads, on 4,096 and 8,000 cores."""
GROUPS = (1, 2, 4, 8, 16, 32, 64)
ON_512 = tuple(
    (level, groups)
    for level, least, most in ((1, 8, 128), (2, 4, 64), (3, 2, 64), (4, 1, 32))
    for groups in (1, 2, 4, 8, 16, 32, 64, 128)
    if least <= groups <= most
)
"""Switches that are forced on 512 ranks of 12 x 12 x 12 points: all that may be the best."""
SEARCHED = {
    1024: ((1, 8), (1, 16), (1, 32), (1, 64), (2, 4), (2, 16), (2, 32), (3, 4), (3, 8), (3, 16)),
    4096: ((2, 32),),
}
"""Levels and numbers of groups that are forced on many ranks, beside the model's choice."""


def pair(case: Case) -> Iterator[Case]:
    """Yield a case without a switch, and with the model's choice."""
    yield replace(case, switch="never")
    yield replace(case, switch="model")


def forced(case: Case, *switches: tuple[int, int]) -> Iterator[Case]:
    """Yield a case with switches that are forced."""
    for level, groups in switches:
        yield replace(case, switch=f"{level}:{groups}")


def every() -> Iterator[Case]:
    """Yield all runs, the cheap ones first."""
    messages = replace(SMALL, costs="messages")
    yield from pair(TINY)
    yield from pair(SMALL)
    for switch in ("off", "refused"):
        yield replace(messages, switch=switch)
    yield from pair(messages)
    yield from forced(SMALL, *((level, c) for level in (2, 1, 3) for c in GROUPS[:6]))
    yield from pair(replace(SMALL, engine="packet"))
    for model in ("eos, as simulated", "eos, any size"):
        yield from pair(replace(SMALL, model=model))
    for machine in ("edison", "theta"):
        yield from pair(replace(SMALL, machine=machine, model=machine))
    yield from pair(replace(SMALL, costs="measured"))
    yield from pair(BEAM)
    yield from pair(replace(SMALL, ranks=512))
    yield from pair(replace(SMALL, problem="24x24x12", threads=4))
    yield from pair(replace(SMALL, problem="24x12x12", ranks=256, threads=2))
    yield from pair(replace(SMALL, problem="30x30x30"))
    yield from pair(replace(SMALL, problem="30x30x30", costs="measured"))
    yield from pair(LARGE)
    yield from forced(LARGE, (5, 2))
    elsewhere = replace(LARGE, machine="edison", model="edison")
    yield from pair(elsewhere)
    yield from forced(elsewhere, (5, 2))
    yield from pair(replace(SMALL, problem="30x30x30", ranks=512))
    yield from pair(replace(SMALL, problem="beam 32"))
    yield replace(SMALL, problem="30x30x30", switch="model", model="eos, as simulated")
    yield from forced(replace(SMALL, ranks=512), *ON_512)
    yield from forced(BEAM, (1, 8), (1, 16), (2, 8), (3, 8), (3, 16))
    for ranks in (512, 1024):
        yield from pair(replace(SMALL, problem="6x6x6", ranks=ranks))
    for ranks in (512, 1024):
        yield from pair(replace(SMALL, problem="6x6x6", ranks=ranks, engine="packet"))
    for ranks in (256, 1024, 4096, 8000):
        yield from pair(replace(SHORT, ranks=ranks))
    yield from pair(replace(SHORT, ranks=256, poll=""))
    for case in FULL_NODES:
        yield from pair(case)
    for problem, ranks in (("beam 16", 128), ("beam 16", 1024), ("beam 32", 1024),
                           ("beam 16", 2048), ("beam 16", 8192), ("beam 64", 1024)):  # fmt: skip
        yield from pair(replace(SHORT, problem=problem, ranks=ranks))
    for ranks, switches in SEARCHED.items():
        yield from forced(replace(SHORT, ranks=ranks), *switches)
