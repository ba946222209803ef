"""The command ``odonata`` from its first moment on; ``python -m odonata`` is the same."""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["main"]

INTERRUPTED = 130


def main() -> None:
    """Run the command line.

    Its imports take longer than a user may wait: until they are done, Ctrl-C is answered here.
    """
    _open_closed_streams()
    listens = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listens:
        signal.signal(signal.SIGINT, _leave)
    from odonata.cli import entry  # late, so that Ctrl-C is answered meanwhile

    if listens:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        entry.main()
    finally:
        if listens:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter takes its time to end


def _leave(*_: object) -> None:
    os.write(2, b"odonata: interrupted\n")
    os._exit(INTERRUPTED)


def _open_closed_streams() -> None:
    """Give a standard stream that is closed (``>&-``) something to stand on.

    Otherwise the next file that is opened would take its place. Writing to standard output fails as
    it should; text for standard error is dropped.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            how = os.O_WRONLY if name == "stderr" else os.O_RDONLY
            os.set_inheritable(os.open(os.devnull, how), True)
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            stream = open(number, mode, errors="backslashreplace", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


if __name__ == "__main__":
    main()
