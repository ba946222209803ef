"""The command line: quick to start, one line and a telling status when it fails."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import warnings

import pytest
import typer

import odonata
from odonata import cli
from odonata.cli import failures
from odonata.cli.commands import BLAS_THREADS, NAMES
from odonata.errors import InternalError, UserError

SLOW = {"h5netcdf", "h5py", "matplotlib", "pandas", "scipy", "xarray"}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``odonata`` in a process of its own."""
    script = (
        f"import sys; sys.argv = ['odonata', *{arguments!r}]; import odonata.cli as c; c.main()"
    )
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"odonata {odonata.__version__}\n")


@pytest.mark.parametrize("module", ["odonata", "odonata.cli"])
def test_nothing_slow_is_imported_at_the_start(module):
    script = f"import sys, {module}; print(*sorted({SLOW!r} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", script], text=True).split() == []


RUN = ["simulate", "allgather", "--ranks", "2", "--machine", "dragonfly-5256", "--json"]
UNUSED = {
    *("h5netcdf", "h5py", "matplotlib", "msgspec", "numpy", "pandas", "pydantic", "rich"),
    *("importlib.metadata", "importlib.resources", "scipy", "xarray"),
    *("odonata.live.launching", "odonata.machine.checks", "odonata.machine.wiring"),
    *("odonata.measure.session", "odonata.model.cycle", "odonata.report.figures"),
    *("odonata.result.loads", "odonata.result.reading", "odonata.result.variables"),
    *("odonata.result.writing", "odonata.trace.calls"),
}


def modules_after(*arguments: str) -> set[str]:
    """Return what a command has imported when it is done."""
    script = (
        f"import sys; sys.argv = ['odonata', *{arguments!r}]; import odonata.cli as c\n"
        "try: c.main()\nfinally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0
    return set(done.stderr.split())


TRAFFIC = ["simulate", "traffic", "--machine", "theta", "--packets-per-node", "2", "--json"]


@pytest.mark.parametrize(
    "arguments",
    [
        RUN,
        [*RUN, "--mapping", "cyclic", "--background", "uniform:0.01"],
        [*RUN, "--ranks", "2,4", "--allocation", "random,7-9,12,40", "--digest", "--samples", "9"],
        [*TRAFFIC, "--pattern", "adversarial+1", "--warm-up", "1us", "--packets-per-node", "99"],
    ],
)
def test_a_simulation_imports_what_it_needs_and_no_more(arguments):
    there = modules_after(*arguments)
    assert there & UNUSED == set()
    assert there & {f"odonata.cli.{name}" for name in NAMES} == {"odonata.cli.simulate"}
    ours = {name for name in there if name.startswith("odonata")}
    threads = 12 if "2,4" in arguments else 0  # a comparison has threads
    assert len(ours) <= 73, sorted(ours)
    assert len(there) <= 242 + threads, len(there)


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("machines",)])
def test_what_computes_nothing_imports_no_numpy(arguments):
    assert "numpy" not in modules_after(*arguments)


@pytest.mark.parametrize("command", NAMES)
def test_the_help_of_a_command_is_there_at_once(command):
    """A module takes 0.3 ms, and rich, which draws the help, has 240 of these.

    A tenth of a second is for these numbers of modules, which a fifth of a second is not.
    """
    there = modules_after(command, "--help")
    assert there & (UNUSED - {"rich", "importlib.metadata", "importlib.resources"}) == set()
    assert len({name for name in there if name.startswith("odonata")}) <= 75
    assert len(there) <= 400


THREADS = """
import os
from odonata.cli.commands import BLAS_THREADS, import_numpy
import_numpy()
import numpy
print(len(os.listdir("/proc/self/task")), *(os.environ.get(name) for name in BLAS_THREADS))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="threads are not listed")
@pytest.mark.parametrize("asked", [None, "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_no_thread_is_started_unasked_and_the_environment_stays(asked):
    plain = {name: text for name, text in os.environ.items() if name not in BLAS_THREADS}
    env = plain if asked is None else {**plain, asked: "3"}
    out = subprocess.check_output([sys.executable, "-c", THREADS], text=True, env=env)
    threads, *left = out.split()
    assert left == ["3" if name == asked else "None" for name in BLAS_THREADS]
    assert asked is not None or threads == "1"


def test_help_names_the_commands():
    done = run("--help")
    assert done.returncode == 0
    assert "machines" in done.stdout
    assert "simulate" in done.stdout


@pytest.mark.parametrize("arguments", [("--verson",), ("simulat",), ("simulate", "--no-such")])
def test_wrong_usage_is_one_line_and_status_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("odonata: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (UserError("ranks: too many", value=9, allowed="1 to 8"), 2, "ranks: too many: 9"),
        (InternalError("credits are missing"), 70, "this is a bug: InternalError: credits"),
        (KeyError("x"), 70, "this is a bug: KeyError"),
        (MemoryError(), 71, "out of memory"),
        (OSError(errno.ENOSPC, "No space left on device", "run.nc"), 74, "run.nc: No space left"),
        (OSError("a message alone"), 74, "a message alone"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (typer.Abort(), 130, "interrupted"),
    ],
)
def test_each_failure_has_its_status_and_one_line(error, status, said, monkeypatch, run_odonata):
    monkeypatch.setattr(cli.entry, "app", raiser(error))
    left, _, message = run_odonata()
    assert left == status
    assert message.startswith(f"odonata: {said}")
    assert message.count("\n") == 1


def test_a_traceback_only_on_demand(monkeypatch, capsys):
    monkeypatch.setenv("ODONATA_DEBUG", "1")
    failures.report(UserError("ranks: too many"))
    assert "UserError" in capsys.readouterr().err


def test_a_reader_that_has_gone_is_no_failure_to_talk_about():
    script = (
        "import sys; from odonata.cli.failures import report; sys.exit(report(BrokenPipeError()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (141, "", "")


def test_a_warning_is_one_line(monkeypatch, run_odonata):
    def app(**_options: object) -> None:
        warnings.warn("fibers: no\nguards", RuntimeWarning, stacklevel=1)

    monkeypatch.setattr(cli.entry, "app", app)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert run_odonata() == (0, "", "odonata: warning: fibers: no; guards\n")


def raiser(error: BaseException):
    """Return an app that fails with this error."""

    def app(**_options: object) -> None:
        raise error

    return app
