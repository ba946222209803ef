"""Small fabrics as ibnetdiscover prints them, and files of OpenSM for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared" / "data"
FABRICS = Path(os.environ.get("ODONATA_DATA", SHARED)) / "fabrics"


def fabric_file(name: str) -> Path:
    """Return a file of the shared fabrics."""
    path = FABRICS / name
    if not path.exists():
        pytest.skip("the fabrics are not shipped; set ODONATA_DATA")
    return path


class Cluster:
    """A fabric that is cabled step by step, with ports in the order of the cables."""

    def __init__(self, speed: str = "4xEDR") -> None:
        self.speed = speed
        self.nodes: dict[str, tuple[str, int, str]] = {}  # kind, GUID and description by name
        self.ports: dict[str, list[tuple[str, int, str]]] = {}  # ends of the ports from 1 on

    def add(self, kind: str, name: str, description: str | None = None) -> str:
        """Add a switch (S) or an adapter (H)."""
        guid = (0x100 if kind == "S" else 0x1000) + len(self.nodes)
        self.nodes[name] = kind, guid, name if description is None else description
        self.ports[name] = []
        return name

    def join(self, a: str, b: str, speed: str | None = None) -> None:
        """Join the next ports of two nodes."""
        at = len(self.ports[a]) + 1, len(self.ports[b]) + 1
        self.ports[a].append((b, at[1], speed or self.speed))
        self.ports[b].append((a, at[0], speed or self.speed))

    def lid(self, name: str) -> int:
        """Return the address of a node."""
        return 1 + list(self.nodes).index(name)

    def text(self, *, grouped: bool = False) -> str:
        """Return what ibnetdiscover prints."""
        lines = ["#", "# Topology file: generated on Fri Nov 27 00:00:00 2026", "#"]
        lines += ["Non-Chassis Nodes"] if grouped else []
        for name, (kind, guid, description) in self.nodes.items():
            word = {"S": "Switch", "H": "Ca"}[kind]
            tail = f" base port 0 lid {self.lid(name)} lmc 0" if kind == "S" else ""
            own = "switchguid" if kind == "S" else "caguid"
            lines += ["", "vendid=0x2c9", "devid=0xcf09", f"sysimgguid={guid:#x}"]
            lines += [f"{own}={guid:#x}({guid:x})" + ("\t# " if grouped else "")]
            lines += [f'{word}\t36 "{kind}-{guid:016x}"\t\t# "{description}"{tail}']
            for port, (peer, peer_port, speed) in enumerate(self.ports[name], 1):
                lines.append(self._port(name, port, peer, peer_port, speed))
        return "\n".join(lines) + "\n"

    def _port(self, name: str, port: int, peer: str, peer_port: int, speed: str) -> str:
        kind, guid, _ = self.nodes[name]
        peer_kind, peer_guid, described = self.nodes[peer]
        begin = f"[{port}]" + (f"({guid + 1:x}) " if kind == "H" else "")
        back = f"({peer_guid + 1:x}) " if peer_kind == "H" else ""
        lid = f"lid {self.lid(name)} lmc 0 " if kind == "H" else ""
        end = f'"{peer_kind}-{peer_guid:016x}"[{peer_port}]{back}'
        return f'{begin}\t{end}\t\t# {lid}"{described}" lid {self.lid(peer)} {speed}'

    def lfts(self, ways: dict[tuple[str, str], int], form: str = "dump_lfts") -> str:
        """Return tables: the port of each switch for each adapter, 255 if it is not named."""
        colon, head = (
            (":", "switch DR path slid 0; dlid 0; 0,1")
            if form == "dump_lfts"
            else (
                "#",
                "switch Lid 1",
            )
        )
        lines = []
        for switch, (kind, guid, _) in self.nodes.items():
            if kind != "S":
                continue
            lines.append(f"Unicast lids [0x0-0x30] of {head} guid {guid:#018x} ({switch}):")
            lines += ["  Lid  Out   Destination", "       Port     Info "]
            for name, (peer_kind, peer_guid, _) in self.nodes.items():
                if (switch, name) not in ways or peer_kind != "H":
                    continue
                about = f"Channel Adapter portguid {peer_guid + 1:#018x}: '{name}'"
                about = f"({about})" if form == "dump_lfts" else about
                lines.append(f"0x{self.lid(name):04x} {ways[switch, name]:03d} {colon} {about}")
            lines.append("4 valid lids dumped")
        return "\n".join(lines) + "\n"


def pair() -> Cluster:
    """Return two leaves with two hosts each, two cables to one spine and one to another."""
    cluster = Cluster()
    for name in ("leaf-a", "leaf-b", "spine-1", "spine-2"):
        cluster.add("S", name)
    for host, leaf in (("n1", "leaf-a"), ("n2", "leaf-a"), ("n3", "leaf-b"), ("n4", "leaf-b")):
        cluster.add("H", host, f"{host} HCA-1")
        cluster.join(host, leaf)
    for leaf in ("leaf-a", "leaf-b"):
        cluster.join(leaf, "spine-1")
        cluster.join(leaf, "spine-1")
        cluster.join(leaf, "spine-2")
    return cluster


def ring(switches: int) -> Cluster:
    """Return a ring with one host at each switch."""
    cluster = Cluster()
    for at in range(switches):
        cluster.add("S", f"s{at}")
    for at in range(switches):
        cluster.add("H", f"n{at}")
        cluster.join(f"n{at}", f"s{at}")
    for at in range(switches):
        cluster.join(f"s{at}", f"s{(at + 1) % switches}")
    return cluster


def one_way(cluster: Cluster, switches: int) -> dict[tuple[str, str], int]:
    """Return the tables that send all packets of a ring one way round."""
    return {
        (f"s{at}", f"n{to}"): 1 if at == to else forward(cluster, at, switches)
        for at in range(switches)
        for to in range(switches)
    }


def forward(cluster: Cluster, at: int, switches: int) -> int:
    """Return the port to the next switch of a ring."""
    peers = [peer for peer, _, _ in cluster.ports[f"s{at}"]]
    return 1 + peers.index(f"s{(at + 1) % switches}")
