"""Lists of the workloads."""

from __future__ import annotations

from odonata.report import Table
from odonata.report.printing import print_line, print_table
from odonata.workload import DISTRIBUTIONS, PATTERNS, algorithms, collectives

__all__ = ["list_workloads"]


def list_workloads() -> None:
    """Print all operations, algorithms, distributions and patterns."""
    operations = [
        [row.name, "yes" if row.rooted else "no", row.block, row.summary]
        for row in collectives().values()
    ]
    print_table(Table(["operation", "root", "a block is", "effect"], operations, left=4))
    print_line()
    rows = [
        [operation, name, summary]
        for operation, named in algorithms().items()
        for name, summary in named.items()
    ]
    rows += [["sedov", "", "steps of a blast wave: allreduce, work and ghost exchanges"]]
    rows += [["fft", "", "Poisson solves: alltoalls in sub-communicators, and FFTs between them"]]
    rows += [["halo", name, summary] for name, summary in DISTRIBUTIONS.items()]
    rows += [["traffic", pattern, summary] for pattern, summary in PATTERNS.items()]
    print_table(Table(["operation", "algorithm, distribution, pattern", "how"], rows, left=3))
