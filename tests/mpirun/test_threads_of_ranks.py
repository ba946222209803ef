"""Ranks with threads of their own compute as long as the busiest thread."""

import pytest

LEAST, MOST = 0.3, 0.8  # of one thread's time that two take: half, and what a busy machine adds


@pytest.mark.parametrize("policy", [None, "active"])
def test_two_threads_share_the_work_of_one(mpirun, compiled, monkeypatch, policy):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if policy is not None:
        monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    program = compiled("share", flags=("-fopenmp",))
    done = mpirun("-n", 1, "--machine", "eos", "--", program)
    assert done.returncode == 0, done.stderr
    one, two, said = done.stdout.split()
    assert said == (policy or "passive")
    if policy is None:  # threads that spin on shared cores compute for all we know
        assert LEAST < int(two) / int(one) < MOST
