"""Messages in the network, as their NICs see them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Message:
    """A message in the network."""

    number: int
    source: int  # port
    target: int  # port
    to_inject: int  # [B]
    to_deliver: int  # [B]
    tell_injected: bool
    handed: int  # [ps]
    fetch: int  # [ps] until its NIC has the first of its bytes from memory
    started: bool = False
    own: int = 0  # [ps] transmission of its packets so far, at the NIC
    granted: bool = False  # its next packet, by a gate
    held_since: int = 0  # [ps] the begin of its last wait at a gate
    held: list[tuple[int, int]] = field(default_factory=list)  # [ps] its waits there
