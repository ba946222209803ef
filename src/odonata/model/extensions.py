"""Terms of many small messages, which the paper's scenarios don't have, with their sources."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from odonata.errors import UserError
from odonata.model.hierarchy import Hierarchy
from odonata.model.parameters import Links, Mix, Parameters

__all__ = ["EXTENSIONS", "EXTRA", "Extra", "extra_of"]

EXTRA = ("rate", "queue", "wait", "contention")
"""Additional terms: rates of a node, searched queues, requests of a wait, bytes of shared links."""

EXTENSIONS: Mapping[str, frozenset[str]] = {
    "max_rate": frozenset({"distance", "rate"}),
    "queue_search": frozenset({"distance", "rate", "queue"}),
    "many_waits": frozenset({"distance", "rate", "queue", "wait"}),
    "contention": frozenset({"distance", "rate", "queue", "wait", "contention"}),
}
"""Scenarios beside the paper's; each adds one term to the scenario before it."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Extra:
    """Additional costs of the messages of each level, arrays of shape (levels,).

    Parameters
    ----------
    message, value
        Time of a message, and of a value [s].
    square
        Time that is multiplied by the square of the number of messages [s].
    """

    message: Floats
    value: Floats
    square: float

    def of(self, sends: Floats, values: Floats, at: slice) -> Floats:
        """Return the additional time of some levels [s].

        Parameters
        ----------
        sends, values
            Messages and values that a rank sends on each of these levels.
        at
            The levels.
        """
        linear = sends * self.message[at] + values * self.value[at]
        return np.asarray(linear + self.square * sends**2)


def extra_of(
    hierarchy: Hierarchy,
    parameters: Parameters,
    terms: Collection[str],
    mix: Mix,
    alpha: Floats,
    links: Links | None,
) -> Extra:
    """Return the sum of some terms of `EXTRA`.

    Parameters
    ----------
    hierarchy, parameters, mix, links
        The same as in `odonata.model.cycle_time`.
    terms
        Names of `EXTRA`.
    alpha
        Time of a message without them on each level, shape (levels,) [s].

    Raises
    ------
    UserError
        Contention has no links.

    Notes
    -----
    With g = ``nic.message_gap``, q = ``mpi.search_per_entry``, w = ``mpi.wait_per_request``,
    δ = ``model.contention``, and k_i = max(1, ceil(t P_i/P)) active ranks a node:

    - rate: a message takes max(α, k_i g), a value max(β, k_i 8/B_max): the node's share;
    - queue: (q/2) p², which is γ n² of the source, where receives are found in the opposite order
      of their posting;
    - wait: 2 w p, for the sends and for as many receives;
    - contention: δ times the bytes of a link, 8 n P_i D / l, if all values go the diameter D over l
      links that share them alike.

    References
    ----------
    Gropp, Olson and Samfass, Modeling MPI communication performance on SMP nodes: is it time to
    retire the ping pong test, EuroMPI 2016 (rate). Bienz, Gropp and Olson, Improving performance
    models for irregular point-to-point communication, EuroMPI 2018, arXiv:1806.02030 (queue,
    contention).
    """
    h, p = hierarchy, parameters
    message, value = np.zeros(h.num_levels), np.zeros(h.num_levels)
    if "rate" in terms:
        near = np.maximum(1.0, np.ceil(mix.tasks * h.active_ranks / h.ranks))
        message += np.maximum(0.0, near * p.message_gap - alpha)
        value += np.maximum(0.0, near * 8 / p.peak_bandwidth - p.beta)
    if "wait" in terms:
        message += 2 * p.wait_per_request
    if "contention" in terms:
        if links is None:
            raise UserError("links: contention needs their number")
        count = links.count(math.ceil(h.ranks / mix.tasks))
        value += p.contention * 8 * h.active_ranks * p.diameter / count
    return Extra(message, value, p.search_per_entry / 2 if "queue" in terms else 0.0)
