"""Wiring dumps that are written for the tests, and the digest of their links."""

from __future__ import annotations

import hashlib
from collections import Counter

from odonata.machine import Wiring

COLOURS = ("green", "black", "blue")
EDISON_DIGEST = "7bd4394b7fcc063b04bc9dd126bcafdf951a00e243e3fb7c81523f0f240fbda6"
"""SHA-256 of the links in `codes-org/codes`, scripts/gen-cray-topo, edison-links.txt: a line
``group:chassis:slot colour group:chassis:slot`` for every direction of every link, sorted, groups
numbered without gaps (the file has no group 12)."""


def digest(wiring: Wiring) -> str:
    """Return the SHA-256 of the links, whatever the ports that they are at."""
    place = [":".join(map(str, router)) for router in wiring.routers]
    links = sorted(f"{place[a]} {COLOURS[c]} {place[b]}\n" for a, b, c in wiring.links)
    return hashlib.sha256("".join(links).encode()).hexdigest()


def dump(wiring: Wiring) -> str:
    """Write a wiring with ports of our own numbering."""
    used = Counter()

    def port(router):
        used[router] += 1
        group, chassis, slot = wiring.routers[router]
        return f"c0-0c{chassis}s{slot}a0l{used[router] - 1:02o}({group}:{chassis}:{slot})"

    lines = []
    for a, b, colour in wiring.links:
        if a < b:
            here, there = port(int(a)), port(int(b))
            name = COLOURS[colour]
            lines += [f"{here} {name} -> {there}", f"{there} {name} -> {here}"]
    return "\n".join(lines)
