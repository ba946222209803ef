"""Small machines, machine files to break, and the published wiring where it is at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from odonata import _core, machine

from .dumps import EDISON_DIGEST, digest, dump

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ODONATA_DATA", ROOT.parent / "shared" / "data"))


def _link(name: str = "any") -> _core.LinkClass:
    return _core.LinkClass(name, 10**9, 1000, 4096, 1000)


_BASICS = _core.Basics("test", 1, 1000, 1000, 10**9)


@pytest.fixture(scope="session")
def dragonfly() -> Callable[..., _core.Machine]:
    """Make a dragonfly of (p, a, h, g)."""

    def make(p, a, h, g, arrangement="relative", copies=0):
        values = {
            "nodes_per_router": p,
            "routers_per_group": a,
            "global_links_per_router": h,
            "groups": g,
            "arrangement": arrangement,
            **({"links_per_group_pair": copies} if copies else {}),
        }
        return _core.make_machine("dragonfly", _BASICS, values, [_link()] * 4)

    return make


@pytest.fixture(scope="session")
def aries() -> Callable[..., _core.Machine]:
    """Make an Aries machine."""

    def make(groups, blue_links, rows=6, columns=16, nodes=0, service=(), blue_wiring=()):
        values = {
            "groups": groups,
            "rows": rows,
            "columns": columns,
            "nodes_per_router": 4,
            "black_links": 3,
            "service_routers": np.array(service, dtype=np.int32),
            "blue_wiring": np.array(blue_wiring, dtype=np.int32).reshape(-1, 3),
            **({"blue_links": blue_links} if blue_links else {}),
            **({"nodes": nodes} if nodes else {}),
        }
        return _core.make_machine("aries", _BASICS, values, [_link()] * 5)

    return make


@pytest.fixture(scope="session")
def graph() -> Callable[..., _core.Machine]:
    """Make a graph from routers of nodes and one-way links of a single class 'cable'."""

    def make(node_router, links, routers=None):
        links = np.array([(a, b, 2) for a, b in links], dtype=np.int32).reshape(-1, 3)
        values = {
            "routers": routers or 1 + max(node_router),
            "node_router": np.array(node_router, dtype=np.int32),
            "links": links,
        }
        classes = [_link("injection"), _link("ejection"), _link("cable")]
        return _core.make_machine("graph", _BASICS, values, classes)

    return make


@pytest.fixture(scope="session")
def published_path() -> Path:
    """Return the path of the file that CODES publishes, or skip."""
    path = DATA / "edison-links.txt.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not here; set ODONATA_DATA")
    return path


@pytest.fixture(scope="session")
def edison_path(tmp_path_factory) -> Path:
    """Write Edison's published wiring: a dump of the links that have the digest of the published.

    The file that CODES publishes is not ours to ship. The digest of its links says whether our rule
    gives the same.
    """
    links = machine.load("edison").core.links
    places = tuple((r // 96, r // 16 % 6, r % 16) for r in range(15 * 96))
    wiring = machine.Wiring(places, links[links[:, 2] >= 2] - [0, 0, 2])
    assert digest(wiring) == EDISON_DIGEST, "Edison's rule gives other links than published"
    path = tmp_path_factory.mktemp("edison") / "edison-links.txt"
    path.write_text(dump(wiring))
    return path


@pytest.fixture(scope="session")
def edison_wiring(edison_path) -> machine.Wiring:
    """Read Edison's published wiring."""
    return machine.read_wiring(edison_path)


@pytest.fixture
def shipped(tmp_path) -> Callable[..., Path]:
    """Write a machine that comes with Odonata to a file, with pieces of its text replaced."""

    def write(name: str, *replacements: tuple[str, str]) -> Path:
        source = ROOT / "src" / "odonata" / "data" / "machines" / f"{name}.toml"
        text = source.read_text()
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        path = tmp_path / f"{name}.toml"
        path.write_text(text)
        return path

    return write


@pytest.fixture
def graph_file(tmp_path) -> Callable[[str], Path]:
    """Write a machine file of the family graph with a ``[shape]`` of one's own."""

    def number(value: str) -> str:
        return f'{{ value = {value}, source = "a test", status = "assumed" }}'

    def write(**shape: str) -> Path:
        star = (ROOT / "src/odonata/data/machines/dragonfly-5256.toml").read_text()
        rest = star[star.index("[router]") :]
        lines = ['name = "mine"', 'family = "graph"', 'description = "A test."', "[shape]"]
        lines += [f"{key} = {number(value)}" for key, value in shape.items()]
        for name in ("injection", "ejection", "cable"):
            lines += [f"[links.{name}]", f"bandwidth = {number(chr(34) + '1 GB/s' + chr(34))}"]
            lines += [f"latency = {number(chr(34) + '10 ns' + chr(34))}"]
            if name != "ejection":
                lines += [f"buffer = {number(chr(34) + '8 KiB' + chr(34))}"]
                lines += [f"credit_delay = {number(chr(34) + '10 ns' + chr(34))}"]
        path = tmp_path / "mine.toml"
        path.write_text("\n".join([*lines, rest]))
        return path

    return write
