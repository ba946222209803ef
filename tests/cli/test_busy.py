"""`--busy`, `--busy-with` and `--allocation distance:D` on the command line."""

from __future__ import annotations

import json

import pytest

RING = ["simulate", "allgather", "--machine", "darter", "--ranks", "16", "--algorithm", "ring"]
BUSY = ["--busy", "80%", "--busy-with", "uniform:0.3"]


def test_a_job_beside_busy_ones(run_odonata):
    where = ["--allocation", "distance:20", "--seed", "3"]
    status, out, _ = run_odonata(*RING, *where, *BUSY, "--json")
    found = json.loads(out)
    assert status == 0
    assert found["mean_node_distance"] == 20
    assert found["allocation"] == "distance:20"
    assert found["busy"] == pytest.approx(0.8, abs=0.5 / 700)
    assert found["background_jobs"] > 2
    assert found["background"] == f"{found['background_jobs']} × traffic/uniform"
    status, out, _ = run_odonata(*RING, *where, *BUSY)
    assert status == 0
    assert "80 % of the others" in out
    assert "average node distance" in out


def test_a_comparison_of_shares_and_distances(run_odonata):
    several = ["--busy", "0%,60%", "--allocation", "distance:2,distance:40", "--seed", "1,2"]
    status, out, _ = run_odonata(*RING, *several, "--json")
    assert status == 0
    runs = json.loads(out)["runs"]
    assert len(runs) == 8
    assert [round(one["busy"], 2) for one in runs] == [0, 0, 0.6, 0.6] * 2
    assert [round(one["mean_node_distance"]) for one in runs] == [2] * 4 + [40] * 4
    status, out, _ = run_odonata(*RING, *several)
    assert status == 0
    rows = [line for line in out.splitlines() if line.startswith("| ring")]
    assert len(rows) == 4  # the seeds share a row, whatever the number of busy jobs
    assert sum("60 %" in row for row in rows) == 2


def test_an_order_is_simulated_on_a_busy_machine(run_odonata, tmp_path):
    pairs = "".join(f"{r},{(r + 8) % 16},65536\n" for r in range(16))
    (tmp_path / "pairs.csv").write_text(f"source,target,bytes\n{pairs}")
    job = ["place", "map", "--matrix", str(tmp_path / "pairs.csv"), "--machine", "darter"]
    job += ["--allocation", "distance:40", "--method", "swaps", "--json"]
    times = []
    for more in ([], ["--busy", "80%", "--busy-with", "uniform:0.6"]):
        status, out, _ = run_odonata(*job, *more)
        assert status == 0
        times.append(json.loads(out)["before"]["simulated_seconds"])
    assert times[1] > times[0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--busy", "80"], "did you mean '80%'?"),
        (["--busy", "120%"], "0% to 100%"),
        (["--busy-with", "uniform:0.3"], "no nodes are busy"),
        ([*BUSY, "--background", "uniform:0.3"], "--busy or --background"),
        (["--busy", "80%", "--busy-with", "unifrm:0.3"], "did you mean 'uniform'?"),
        (["--busy", "80%", "--busy-with", "uniform:2"], "busy with: not understood"),
        (["--allocation", "distance:64"], "1 to 50.3333"),
        (["--allocation", "distanse:4"], "distance:D"),
    ],
)
def test_mistakes_are_one_line(run_odonata, more, message):
    status, out, err = run_odonata(*RING, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
