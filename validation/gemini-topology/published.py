"""Numbers that the paper has in print: Peña et al., EuroMPI 2013."""

from __future__ import annotations

SAVED = {
    ("row", "alltoall"): 74,
    ("row", "allgather"): 54,
    ("plane", "alltoall"): 59,
    ("plane", "allgather"): 53,
}
"""Largest reductions of the time [%]: rows along y against x; planes with y against xz."""
