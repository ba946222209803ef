"""Cost of a run to this process: processor time and memory."""

from __future__ import annotations

import contextlib
import resource
import time
from pathlib import Path

__all__ = ["Meter"]

_STATUS = Path("/proc/self/status")
_RESET = Path("/proc/self/clear_refs")


class Meter:
    """Counts from its making.

    Parameters
    ----------
    already_seconds
        Processor time that was spent before and counts as well [s].
    of_thread
        Whether the time of this thread alone counts, beside which other threads simulate, too.

    Notes
    -----
    The peak of memory begins anew where the system can do that (Linux). There it is ``VmHWM``:
    ``ru_maxrss`` of elsewhere can't be reset, and on Linux it includes the process before it became
    this program.
    """

    def __init__(self, already_seconds: float = 0.0, *, of_thread: bool = False) -> None:
        with contextlib.suppress(OSError):
            _RESET.write_text("5")
        self._now = time.thread_time if of_thread else time.process_time
        self._began = self._now() - already_seconds

    def cpu_seconds(self) -> float:
        """Return the processor time of this process, or of this thread [s]."""
        return self._now() - self._began

    def peak_memory_bytes(self) -> int:
        """Return the most memory of this process, with all its threads, that was resident [B]."""
        with contextlib.suppress(OSError):
            for line in _STATUS.read_text().splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
