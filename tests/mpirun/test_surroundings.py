"""What programs see of their surroundings, and what is said of programs that never call MPI."""

import pytest

EOS = ["--machine", "eos", "--compute", "none"]
FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])


@FIBERS
def test_a_processor_has_the_name_of_the_node(mpirun, compiled, fibers, monkeypatch):
    monkeypatch.setenv("ODONATA_NODE", "nid99999")  # as in a run within a run
    how = ["--fibers"] if fibers else []
    program = compiled("whoami", shared=fibers)
    done = mpirun("-n", 4, "--ranks-per-node", 2, *EOS, *how, "--", program)
    assert sorted(done.stdout.splitlines()) == [
        "0 nid00000",
        "1 nid00000",
        "2 nid00001",
        "3 nid00001",
    ]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_program_without_mpi_is_no_success(mpirun, tmp_path, options):
    trace = tmp_path / "ls.trace"
    done = mpirun("-n", 2, *EOS, *options, "--record", trace, "--", "true")
    assert done.returncode == 4
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "no rank called MPI_Init" in done.stderr


def test_its_own_failure_is_still_its_own(mpirun):
    done = mpirun("-n", 2, *EOS, "--", "false")
    assert done.returncode == 1
    assert "ended before MPI_Init, exit code 1" in done.stderr


def test_options_behind_the_program_are_named(mpirun, compiled):
    program = compiled("pass_round")
    done = mpirun("-n", 2, "--machine", "eos", "--json", "--", program, 1, "--seed=3", "--compute")
    assert done.returncode == 0
    warnings = [line for line in done.stderr.splitlines() if "warning" in line]
    assert len(warnings) == 1
    assert "--seed, --compute: passed to the program" in warnings[0]
    done = mpirun("-n", 2, "--machine", "eos", "--json", "--", program, 1, "--help", "-n", "--sed")
    assert "warning" not in done.stderr
