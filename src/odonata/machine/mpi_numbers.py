"""Numbers of the software, as the engine's options and as machine files call them."""

from __future__ import annotations

__all__ = ["MPI_NUMBERS"]

MPI_NUMBERS = {
    "send_overhead": "send_overhead",
    "recv_overhead": "recv_overhead",
    "send_per_byte": "send_overhead_per_byte",
    "recv_per_byte": "recv_overhead_per_byte",
    "reduce_per_byte": "reduce_per_byte",
    "copy_per_byte": "copy_per_byte",
    "search_per_entry": "search_per_entry",
    "wait_per_request": "wait_per_request",
    "short_threshold": "short_threshold",
    "eager_overhead": "eager_overhead",
    "eager_per_byte": "eager_overhead_per_byte",
    "eager_threshold": "eager_threshold",
    "rendezvous_overhead": "rendezvous_overhead",
    "long_threshold": "long_threshold",
    "long_per_byte": "long_overhead_per_byte",
    "control_bytes": "control_bytes",
    "outstanding": "outstanding",
}
"""Fields of the engine's options, and keys of ``[mpi]``. Keys that a machine lacks keep the
engine's defaults: costs 0, thresholds beyond any message."""
