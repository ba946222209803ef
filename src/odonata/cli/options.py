"""Options that several commands have, with one help text for each.

>>> from odonata.cli.options import Seed
>>> Seed.__metadata__[0].help
'Seed of all random choices.'
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "APPLICATION",
    "HALO",
    "MACHINE_HELP",
    "NETWORK",
    "OUT",
    "RUN",
    "SAMPLES",
    "WHERE",
    "Allocation",
    "Background",
    "Bias",
    "Busy",
    "BusyWith",
    "Changes",
    "Collectives",
    "Digest",
    "Engine",
    "Json",
    "Machine",
    "Mapping",
    "NodesPerRouter",
    "Output",
    "PacketBytes",
    "Plot",
    "RanksPerNode",
    "RanksPerNodes",
    "Reorder",
    "Routing",
    "Samples",
    "Seed",
    "Seeds",
]

SAMPLES = 200
"""Samples of a run that is kept or drawn."""

# Headings in the help text.
RUN = "The workload"
HALO = "Halo exchange"
APPLICATION = "Applications"
WHERE = "Placement"
NETWORK = "The network"
OUT = "Output"

MACHINE_HELP = "A machine (see odonata machines), or a .toml file."
Machine = Annotated[str, typer.Option(help=MACHINE_HELP, show_default=False)]
Seed = Annotated[int, typer.Option(help="Seed of all random choices.")]
Seeds = Annotated[str, typer.Option(help="Seeds of all random choices, separated by commas.")]

Background = Annotated[
    str | None,
    typer.Option(
        help="Traffic on all other nodes, such as uniform:0.3, or none.", rich_help_panel=RUN
    ),
]
Busy = Annotated[
    str | None,
    typer.Option(
        help="Share of the other nodes that other jobs keep busy, such as 80%; their sizes are "
        "drawn, also from the jobs of a real machine ('80% like:lumi', '80% like:leonardo').",
        rich_help_panel=RUN,
    ),
]
BusyWith = Annotated[
    str | None,
    typer.Option(
        "--busy-with",
        help="Traffic inside each of these jobs: uniform, permutation or hotspot, and a load.",
        show_default="uniform:0.3",
        rich_help_panel=RUN,
    ),
]
Collectives = Annotated[
    list[str] | None,
    typer.Option(
        "--collective",
        metavar="OPERATION=ALGORITHM",
        help="Algorithm of an operation, such as allgather=ring; auto=mpich or auto=openmpi: the "
        "choices of this MPI for the others; may be repeated.",
        show_default="auto: the choice of the machine's MPI",
        rich_help_panel=RUN,
    ),
]

Allocation = Annotated[
    str | None,
    typer.Option(
        help="Nodes of the job: contiguous (or contiguous:FIRST), random, random-routers, "
        "random-groups, a block of routers such as block:4x2x8 (or block:4x2x8@0x2x0, from there "
        "on), a virtual torus of Fugaku such as torus:4x4x4, nodes with an average distance such "
        "as distance:1.5, nodes in groups as real jobs had them (like:lumi, like:leonardo), a list "
        "such as 0-15,32 or "
        "'nid[00012-00015]', or @FILE with a list.",
        show_default="contiguous",
        rich_help_panel=WHERE,
    ),
]
Mapping = Annotated[
    str | None,
    typer.Option(
        help="Order in which ranks fill the nodes: block, cyclic or random.",
        show_default="block",
        rich_help_panel=WHERE,
    ),
]
Reorder = Annotated[
    Path | None,
    typer.Option(
        help="File with an order of ranks: its i-th number is the rank whose node rank i gets.",
        rich_help_panel=WHERE,
    ),
]
RanksPerNode = Annotated[
    int | None,
    typer.Option(
        "-N",
        "--ranks-per-node",
        help="Largest number of ranks on a node.",
        show_default="1",
        rich_help_panel=WHERE,
    ),
]
RanksPerNodes = Annotated[
    str | None,
    typer.Option(
        "-N",
        "--ranks-per-node",
        help="Largest numbers of ranks on a node, separated by commas.",
        show_default="1",
        rich_help_panel=WHERE,
    ),
]

NodesPerRouter = Annotated[
    str,
    typer.Option(
        help="Nodes of a router that a group has: all, 1 (the first), or each (one, and the others "
        "are in groups of their own).",
        rich_help_panel=WHERE,
    ),
]

Engine = Annotated[
    str,
    typer.Option(help="Engine: packet, or analytic (without contention).", rich_help_panel=NETWORK),
]
Routing = Annotated[
    str,
    typer.Option(
        help="Routing policy of the machine's family (odonata machines families); minimal and "
        "adaptive are names of every family.",
        rich_help_panel=NETWORK,
    ),
]
Bias = Annotated[
    str,
    typer.Option(
        help="Surplus of waiting bytes at which adaptive routing leaves the minimal route.",
        rich_help_panel=NETWORK,
    ),
]
AllowCycles = Annotated[
    bool,
    typer.Option(
        "--allow-cycles",
        help="Run even if packets may wait for each other in a cycle on these routes.",
        rich_help_panel=NETWORK,
    ),
]
PacketBytes = Annotated[
    str | None,
    typer.Option(
        help="Largest payload of a packet.", show_default="the machine's", rich_help_panel=NETWORK
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help='Changed number of the machine, such as links.local.buffer="8 KiB" or '
        'node.compute_scale="0.5"; may be repeated.',
        rich_help_panel=NETWORK,
    ),
]
MachineName = Annotated[str, typer.Argument(help="Name of a machine, or path of a .toml file.")]
MachineChanges = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Changed number, such as links.local.buffer=8KiB."
    ),
]
FaultSeed = Annotated[int, typer.Option("--seed", help="Seed of the shares of --fail.", min=0)]
Fail = Annotated[
    list[str] | None,
    typer.Option(
        "--fail",
        metavar="FAULT",
        help="Broken parts: link:S1:S2, links:S1:S2 (all cables of the pair), switch:NAME, "
        "node:NAME, a share of the links between switches such as 1%, or none; may be repeated.",
        rich_help_panel=NETWORK,
    ),
]
Slow = Annotated[
    list[str] | None,
    typer.Option(
        "--slow",
        metavar="FAULT=SPEED",
        help="Slower links, as --fail names them, with lanes (1x), a rate (25GB/s) or a factor "
        "(0.5); may be repeated.",
        rich_help_panel=NETWORK,
    ),
]

Samples = Annotated[
    int | None,
    typer.Option(
        help="Number of samples of the waiting bytes over time.",
        show_default=f"{SAMPLES} for a file or a figure",
        rich_help_panel=OUT,
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Result file, netCDF.", rich_help_panel=OUT)
]
Explained = Annotated[
    Path, typer.Argument(metavar="RUN.nc", help="Result file that --explain -o wrote.")
]
Plot = Annotated[
    Path | None, typer.Option(help="Figure of the run: .png, .pdf, .svg.", rich_help_panel=OUT)
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Say where the time went, for odonata explain too.", rich_help_panel=OUT
    ),
]
Breakdown = Annotated[
    bool,
    typer.Option(
        "--breakdown", help="The same without the critical path: cheaper.", rich_help_panel=OUT
    ),
]
WhatIf = Annotated[
    bool,
    typer.Option(
        "--what-if",
        help="Try each number of the machine 10 % better, by more runs (odonata whatif).",
        rich_help_panel=OUT,
    ),
]
Interval = Annotated[
    str | None,
    typer.Option(
        "--interval",
        metavar="COVERAGE",
        help="Print the interval, such as 90%, in which a measured time is expected; the run is "
        "made with up to four further seeds.",
        rich_help_panel=OUT,
    ),
]
Digest = Annotated[
    bool, typer.Option("--digest", help="Print a hash of the event log.", rich_help_panel=OUT)
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUT)]
