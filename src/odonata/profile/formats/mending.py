"""Calls of another format written as a trace of ours, so that it can be played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from odonata import _core
from odonata.profile.formats.report import Conversion
from odonata.trace import Block, Header, Writer

__all__ = ["write_mended"]

REASONS = {
    "sends": "messages that no recorded call receives",
    "receives": "receives of messages that no recorded call sends",
    "probes": "probes for messages that no recorded call sends",
    "collectives": "collectives that not all members of the communicator have recorded alike",
}


def write_mended(
    path: str | Path,
    header: Header,
    source: Callable[[], _core.TraceSource],
    account: Conversion,
) -> None:
    """Write a trace of the calls of a source; those without a counterpart become local calls.

    Parameters
    ----------
    path
        The trace.
    header
        Its description; its functions are ours.
    source
        Gives the calls from the beginning, each time that it is called.
    account
        Takes the numbers of calls that were left out.

    Raises
    ------
    UserError
        The calls are damaged.
    WriteError
        The trace could not be written; nothing is left behind.
    """
    mender = _core.Mender(header.ranks)
    mender.count(source())
    mender.match(source())
    with Writer(path, header) as writer:
        mender.write(source(), lambda columns: writer.write(Block.of_bytes(columns)))
    for name, reason in REASONS.items():
        account.leave_out(reason, getattr(mender.mended, name))
    account.calls = sum(mender.calls)
    if mender.mended.named:
        account.notes.append(
            f"{mender.mended.named} receives from any source or of any tag got the first message "
            "that was there: the trace does not say which"
        )
    if mender.mended.buffered:
        account.notes.append(
            f"{mender.mended.buffered} synchronous or large sends do not wait for their receive: "
            "calls without which ranks would wait for each other are not in the trace"
        )
