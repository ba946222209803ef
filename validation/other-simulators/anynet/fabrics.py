"""Graphs that BookSim's anynet and Odonata run alike: machine files, and anynet's input."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from odonata.machine.fabric.fabric import Fabric, read_fabric
from odonata.machine.fabric.forwarding import read_forwarding
from odonata.machine.fabric.importing import Assumed, read_any
from odonata.machine.fabric.routes_file import DELIVERS, NONE, Tables, encode, tables_of

STRIDE = 100_000
"""Cable k to router r is router r + k STRIDE in the network file of the changed anynet."""

ROUTES = {"slim-fly": ("shortest",), "gpu-cluster": ("dfsssp", "even")}
"""Routes of each graph: the only shortest ones, OpenSM's tables, and tables of `even_tables`."""

Ways = NDArray[np.uint16]


def machine_of(graph: str, routes: str, folder: Path, data: Path) -> Path:
    """Write the machine file of a graph, and return its path.

    Parameters
    ----------
    graph, routes
        Names of `ROUTES`.
    folder
        Folder for the files.
    data
        Folder of the GPU cluster's fabric and tables.
    """
    path = folder / f"{graph}-{routes}.toml"
    if graph == "slim-fly":
        odonata("graph", graph, "--q", "5", "--hosts", "4", "-o", path)
        return path
    found = gzip.decompress((data / "gpu-cluster.ibnetdiscover.gz").read_bytes()).decode()
    text = folder / "gpu-cluster.txt"
    text.write_text(each_adapter_a_host(found))
    lfts = data / "gpu-cluster.dfsssp.lfts.gz"
    odonata("import", text, "--lfts", lfts, "-o", path)
    if routes == "even":
        fabric = read_any(text, None, Assumed())
        path.with_suffix(".routes").write_bytes(encode(fabric, even_tables(fabric)))
    return path


def odonata(*words: str | Path) -> None:
    """Run a command of ``odonata machines``."""
    command = [sys.executable, "-m", "odonata", "machines", *map(str, words), "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def each_adapter_a_host(text: str) -> str:
    """Return the output of ibnetdiscover with a host of its own for each adapter.

    A node of anynet has one link. Aggregation nodes, which are no hosts, keep their description.
    """

    def own(found: re.Match[str]) -> str:
        if "Aggregation" in found[3]:
            return found[0]
        return f'{found[1]}"H-{found[2]}"\t\t# "a{found[2]} HCA-1"'

    return re.sub(r'^(Ca\t\d+ )"H-([0-9a-f]+)"\t+# "(.*)"$', own, text, flags=re.MULTILINE)


def network_lines(fabric: Fabric) -> Iterator[str]:
    """Yield the lines of anynet's network file."""
    nodes = [[f"node {n}" for n in own] for own in _nodes_of(fabric)]
    for router, keys in enumerate(cables_of(fabric)):
        yield " ".join([f"router {router}", *nodes[router], *(f"router {key}" for key in keys)])


def table_lines(fabric: Fabric, out: Ways) -> Iterator[str]:
    """Yield the lines of the table that the changed anynet reads: router, node, next router.

    The next router of a node's own router is -1.
    """
    keys = cables_of(fabric)
    for (router, node), way in np.ndenumerate(out):
        if way != NONE:
            yield f"{router} {node} {-1 if way == DELIVERS else keys[router][way]}"


def cables_of(fabric: Fabric) -> list[list[int]]:
    """Return anynet's names of the links out of each switch, in the order of the ways."""
    keys: list[list[int]] = [[] for _ in fabric.switches]
    before: Counter[tuple[int, int]] = Counter()
    for a, _, b, _, _ in fabric.ends():
        keys[a].append(b + STRIDE * before[a, b])
        before[a, b] += 1
    return keys


def tables(path: Path, data: Path) -> Tables:
    """Return OpenSM's tables of the GPU cluster for a machine file of it."""
    fabric = read_any(path.with_name("gpu-cluster.txt"), None, Assumed())
    return tables_of(fabric, read_forwarding(data / "gpu-cluster.dfsssp.lfts.gz"))


def write_inputs(folder: Path, data: Path) -> None:
    """Write the network files of all graphs, and the tables of the GPU cluster."""
    for graph, kinds in ROUTES.items():
        for routes in kinds:
            path = machine_of(graph, routes, folder, data)
            fabric = read_fabric(path.with_suffix(".fabric"))
            path.with_suffix(".anynet").write_text("\n".join(network_lines(fabric)) + "\n")
            if graph == "gpu-cluster":
                made = tables(path, data) if routes == "dfsssp" else even_tables(fabric)
                lines = "\n".join(table_lines(fabric, made.out)) + "\n"
                path.with_suffix(".table").write_text(lines)


def even_tables(fabric: Fabric, rounds: int = 6) -> Tables:
    """Return tables of a fabric of two levels that spread all-to-all traffic evenly.

    A destination's route from a leaf takes the cables up and down whose fuller one has the fewest
    flows; each is chosen anew `rounds` times.
    """
    spread = _Spread(fabric)
    spread.choose_all()
    for _ in range(rounds):
        spread.choose_all()
    return Tables(spread.out, 1, None, None, (), (), 0)


def _nodes_of(fabric: Fabric) -> list[list[int]]:
    """Return the nodes of each switch: one for each adapter, in order."""
    nodes: list[list[int]] = [[] for _ in fabric.switches]
    for number, adapter in enumerate(fabric.adapters):
        nodes[adapter.switch].append(number)
    return nodes


@dataclass
class _Spread:
    """Routes so far, and the flows on each link."""

    fabric: Fabric
    down: dict[tuple[int, int], int] = field(default_factory=dict)
    """Way of a spine to a destination."""
    users: Counter[tuple[int, int]] = field(default_factory=Counter)
    """Leaves that send to a destination through a spine."""

    def __post_init__(self) -> None:
        self.nodes = _nodes_of(self.fabric)
        self.ways = [[key % STRIDE for key in keys] for keys in cables_of(self.fabric)]
        self.flows = [[0] * len(ways) for ways in self.ways]
        shape = len(self.fabric.switches), len(self.fabric.adapters)
        self.out = np.full(shape, NONE, np.uint16)
        for router, own in enumerate(self.nodes):
            self.out[router, own] = DELIVERS

    def choose_all(self) -> None:
        """Choose the route of each leaf to each destination, leaves in turn."""
        leaves = [router for router, own in enumerate(self.nodes) if own]
        most = max(len(own) for own in self.nodes)
        for turn in range(most):
            for to in (leaf for leaf in leaves if turn < len(self.nodes[leaf])):
                for leaf in leaves:
                    if leaf != to:
                        self._choose(leaf, to, self.nodes[to][turn])

    def _choose(self, leaf: int, to: int, node: int) -> None:
        self._leave(leaf, node)
        weight = len(self.nodes[leaf])
        ups = range(len(self.ways[leaf]))
        ways = [(up, down) for up in ups for down in self._downs(leaf, up, to, node)]
        up, down = min(ways, key=lambda way: self._fullness(leaf, *way))
        spine = self.ways[leaf][up]
        self.flows[leaf][up] += weight
        self.flows[spine][down] += weight
        self.users[spine, node] += 1
        self.out[leaf, node], self.out[spine, node] = up, down
        self.down[spine, node] = down

    def _downs(self, leaf: int, up: int, to: int, node: int) -> list[int]:
        """Return the ways down of the spine behind a way up: one, where it has a route already."""
        spine = self.ways[leaf][up]
        if (spine, node) in self.down:
            return [self.down[spine, node]]
        return [way for way, leaf in enumerate(self.ways[spine]) if leaf == to]

    def _fullness(self, leaf: int, up: int, down: int) -> tuple[int, int]:
        both = self.flows[leaf][up], self.flows[self.ways[leaf][up]][down]
        return max(both), sum(both)

    def _leave(self, leaf: int, node: int) -> None:
        """Take a route away, if there is one."""
        up = int(self.out[leaf, node])
        if up == NONE:
            return
        spine, weight = self.ways[leaf][up], len(self.nodes[leaf])
        self.flows[leaf][up] -= weight
        self.flows[spine][self.down[spine, node]] -= weight
        self.users[spine, node] -= 1
        if not self.users[spine, node]:
            del self.down[spine, node]
            self.out[spine, node] = NONE
