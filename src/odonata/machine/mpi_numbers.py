"""Numbers of the software, as the engine's options and as machine files call them."""

from __future__ import annotations

__all__ = ["MPI_NUMBERS"]

MPI_NUMBERS = {
    "send_overhead": "mpi.send_overhead",
    "recv_overhead": "mpi.recv_overhead",
    "node_send_overhead": "node.send_overhead",
    "node_recv_overhead": "node.recv_overhead",
    "send_per_byte": "mpi.send_overhead_per_byte",
    "recv_per_byte": "mpi.recv_overhead_per_byte",
    "reduce_per_byte": "mpi.reduce_per_byte",
    "copy_per_byte": "mpi.copy_per_byte",
    "search_per_entry": "mpi.search_per_entry",
    "wait_per_request": "mpi.wait_per_request",
    "short_threshold": "mpi.short_threshold",
    "eager_overhead": "mpi.eager_overhead",
    "eager_per_byte": "mpi.eager_overhead_per_byte",
    "fetch_latency": "mpi.fetch_latency",
    "eager_threshold": "mpi.eager_threshold",
    "rendezvous_overhead": "mpi.rendezvous_overhead",
    "long_threshold": "mpi.long_threshold",
    "long_per_byte": "mpi.long_overhead_per_byte",
    "control_bytes": "mpi.control_bytes",
    "outstanding": "mpi.outstanding",
}
"""Fields of the engine's options, and keys of machine files. Keys that a machine lacks keep the
engine's defaults: costs 0, thresholds beyond any message, and inside a node as elsewhere."""
