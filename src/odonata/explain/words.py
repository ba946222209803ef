"""Words for the categories of time."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["CATEGORIES", "words_of"]

CATEGORIES: Mapping[str, str] = {
    "computing": "computing",
    "send_overhead": "send overhead",
    "receive_overhead": "receive overhead",
    "copying": "copying",
    "reducing": "reducing",
    "matching": "searching queues, looking at requests, polling",
    "pausing": "pausing until a time of its own",
    "late_sender": "waiting for a late sender",
    "late_receiver": "waiting for a late receiver",
    "late_in_collective": "waiting for others in a collective",
    "rendezvous": "rendezvous handshake",
    "inside_node": "crossing a node's memory",
    "injection_queue": "waiting for the node's NIC",
    "serialization": "serialization at the NIC",
    "wire_and_routers": "wires and routers",
    "transmission": "transmission on slower links",
    "ejection": "ejection",
}
"""Words for what a rank, or the message that it waits for, does in each category.

Beside them are ``queueing.CLASS`` and ``credit.CLASS`` for every class of links.
"""


def words_of(category: str) -> str:
    """Return the words for a category.

    Parameters
    ----------
    category
        Its name.

    Examples
    --------
    >>> words_of("queueing.global")
    'queueing for global links'
    """
    kind, dot, link_class = category.partition(".")
    if not dot:
        return CATEGORIES[category]
    if kind == "queueing":
        return f"queueing for {link_class} links"
    return f"waiting for credit of {link_class} links"
