"""Small trees and tori as tables of links, and a skip where OpenSM is not installed."""

from __future__ import annotations

import itertools

import pytest

from odonata.errors import UserError
from odonata.machine.fabric.opensm import find_programs

HEAD = "a,b,rate,count,latency\n"


def need_opensm() -> None:
    """Skip a test where OpenSM or ibsim is missing."""
    try:
        find_programs()
    except UserError as error:
        pytest.skip(str(error))


def table(pairs) -> str:
    """Return a table of links of 4xHDR."""
    return HEAD + "".join(f"{a},{b},4xHDR,1,50 ns\n" for a, b in pairs)


def two_levels(k=4) -> str:
    """Return 2k leaves with k nodes each, and k spines."""
    every = list(itertools.product(range(2 * k), range(k)))
    hosts = [(f"n{leaf * k + at:02d}", f"leaf-{leaf}") for leaf, at in every]
    return table(hosts + [(f"leaf-{leaf}", f"spine-{spine}") for leaf, spine in every])


def three_levels(k=4) -> str:
    """Return a k-ary tree of three levels: k^2 switches at each, k^3 nodes."""
    every = list(itertools.product(range(k), range(k), range(k)))
    pairs = [
        (f"n{k * (k * pod + at) + up:02d}", f"leaf-{k * pod + at:02d}") for pod, at, up in every
    ]
    pairs += [(f"leaf-{k * pod + at:02d}", f"mid-{k * pod + up:02d}") for pod, at, up in every]
    pairs += [(f"mid-{k * pod + at:02d}", f"top-{k * at + up:02d}") for pod, at, up in every]
    return table(pairs)


def torus(side=6, hosts=2) -> str:
    """Return a torus of side x side switches."""
    pairs = []
    for x, y in itertools.product(range(side), range(side)):
        here = f"s{x}{y}"
        pairs += [(f"n{x}{y}{at}", here) for at in range(hosts)]
        pairs += [(here, f"s{(x + 1) % side}{y}"), (here, f"s{x}{(y + 1) % side}")]
    return table(pairs)
