"""The first moments of the command: closed streams, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest


def run(*arguments, closed=(), path=None):
    """Run ``odonata`` with some of its standard streams closed."""
    closing = " ".join(f"{number}>&-" for number in closed)
    command = f'exec "$0" -m odonata "$@" {closing}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **({} if path is None else {"PYTHONPATH": str(path)})},
        # a shell in the background ignores Ctrl-C, and its children inherit that
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def test_closed_output_is_a_failure_to_write():
    done = run("--version", closed=[1])
    assert done.returncode == 74
    assert done.stderr == "odonata: standard output: it is closed\n"


@pytest.mark.parametrize(
    ("closed", "arguments", "status", "said"),
    [
        ([0], ["--version"], 0, "odonata "),
        ([2], ["--version"], 0, "odonata "),
        ([0, 2], ["--version"], 0, "odonata "),
        ([2], ["--verson"], 2, ""),
        ([0, 1, 2], ["--version"], 74, ""),
    ],
)
def test_other_closed_streams_are_missed_by_nobody(closed, arguments, status, said):
    done = run(*arguments, closed=closed)
    assert done.returncode == status
    assert done.stdout.startswith(said)
    assert done.stderr == ""


@pytest.mark.parametrize("swallows", [False, True])
def test_an_interrupt_while_modules_are_imported(swallows, tmp_path):
    """The first import of another package interrupts, as a user would."""
    stub = "os.kill(os.getpid(), signal.SIGINT); time.sleep(9)"
    if swallows:
        stub = f"try: {stub}\nexcept BaseException: pass"
    (tmp_path / "typer.py").write_text(f"import os, signal, time\n{stub}\n")
    done = run("--version", path=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "odonata: interrupted\n")
