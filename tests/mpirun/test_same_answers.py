"""Programs give the same answers on a simulated machine as with a real MPI, to the last digit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parent / "programs"
BIN = Path(sys.executable).parent
MPIEXEC = BIN / "mpiexec"
# So that MPICH's ranks give way to each other where there are more of them than cores.
OVERSUBSCRIBED = {
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "16",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "MPIR_CVAR_POLLS_BEFORE_YIELD": "16",
}


def lines(command, **environment):
    """Return what the ranks print, sorted: they may come in any order."""
    result = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return sorted(result.stdout.splitlines())


def real(ranks, *program):
    return lines([MPIEXEC, "-n", ranks, *program], **OVERSUBSCRIBED)


def simulated(ranks, *program):
    run = [BIN / "odonata", "mpirun", "-n", ranks, "--machine", "dragonfly-5256"]
    return lines([*run, "--compute", "none", "--engine", "analytic", "--", *program])


@pytest.mark.parametrize("ranks", [1, 2, 7, 8, 16])
@pytest.mark.parametrize(
    "program", ["point_to_point", "collectives", "communicators", "datatypes", "files", "sparse"]
)
def test_python_programs_print_what_they_print_under_mpich(program, ranks):
    script = PROGRAMS / f"{program}.py"
    assert simulated(ranks, sys.executable, script) == real(ranks, sys.executable, script)


@pytest.mark.parametrize("ranks", [1, 2, 7])
@pytest.mark.parametrize("how", [[], ["session"]], ids=["world", "session"])
def test_what_mpi_4_added_prints_what_it_prints_under_mpich(compiled, how, ranks):
    program = compiled("mpi4")
    assert simulated(ranks, program, *how) == real(ranks, program, *how)
