"""Numbers that the paper has in print: Peña et al., EuroMPI 2013."""

from __future__ import annotations

LEFT = {
    ("row", "alltoall"): 0.26,
    ("row", "allgather"): 0.46,
    ("plane", "alltoall"): 0.41,
    ("plane", "allgather"): 0.47,
}
"""Least times of rows along y over those along x, and of planes with y over those along xz."""

Z_OVER_X = "1.45 at 2 to 6 hops, 1.60 at 12"
TWO_PAIRS = "1, 2, 1"

LINES = {"x": "5.71", "y": "2.85, 1.63", "z": "9.14"}
"""Rates [GB/s] over the middle of lines of four routers of Blue Waters, for y of two jobs.

Each of 64 ranks, 16 a node, sends a message of 64 KiB two routers on (Bienz, Gropp and Olson 2018,
arXiv:1806.02030; data in github.com/bienz2/BlueWatersModel, bw_output/contention, BSD 2).
"""
