"""Files of other benchmarks: their numbers, and errors for damaged ones."""

from __future__ import annotations

import pytest

from odonata import machine
from odonata.errors import UserError
from odonata.machine.files import find, read
from odonata.measure import Reading, Wanted, read_benchmark, read_files

HPCC = """########################################################################
This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012
Begin of Summary section.
VersionMajor=1
CommWorldProcs=8
SingleSTREAM_Triad=11.106
MaxPingPongLatency_usec=2.318
RandomlyOrderedRingLatency_usec=2.5
MinPingPongBandwidth_GBytes=4.5
NaturallyOrderedRingBandwidth_GBytes=1.25
RandomlyOrderedRingBandwidth_GBytes=0.75
MinPingPongLatency_usec=0.238
AvgPingPongLatency_usec=1.5
MaxPingPongBandwidth_GBytes=9.324
NaturallyOrderedRingLatency_usec=1.75
End of Summary section.
"""
HEAD = """#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part
# Benchmarking PingPong
# #processes = 2
       #bytes #repetitions      t[usec]   Mbytes/sec
"""
SIZES = [0, *(2**k for k in range(23))]


def microseconds(size):
    """Return 1.5 us and 0.1 ns a byte, and 2 us more from 16 KiB on."""
    return 1.5 + size * 1e-4 + (2 if size > 8192 else 0)


def table(width=1):
    rows = (f"{n:>13} {'1000 ' if width == 2 else ''}{microseconds(n):.4f}" for n in SIZES)
    return "\n".join(f"{row} 1.00" if width == 2 else row for row in rows)


IMB = f"{HEAD}{table(2)}\n\n# All processes entering MPI_Finalize\n"
OSU = f"# OSU MPI Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size    Avg Latency(us)\n{table()}\n"
OSU_BW = "# OSU MPI Bandwidth Test v7.4\n# Size  Bandwidth (MB/s)\n1 0.00\n4096 9000.5\n8192 8000\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="run.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_hpcc_gives_the_parameters_of_the_paper(file):
    """With Table 1's latencies and bandwidth, D = 7: gamma = 2.08 / 5 = 0.416 us."""
    measured = read_files([file(HPCC)], Wanted(reading=Reading(diameter=7)))
    found = {key: finding.value for key, finding in measured.findings.found.items()}
    assert found["model.alpha"] == pytest.approx(0.238e-6)
    assert found["model.beta"] == pytest.approx(0.858e-9, rel=1e-3)
    assert found["model.gamma"] == pytest.approx(0.416e-6)
    assert found["model.memory_bandwidth"] == pytest.approx(11.106e9)
    assert measured.findings.far.value == pytest.approx(2.318e-6)
    assert measured.findings.found["model.alpha"].how.endswith("run.txt:12")
    assert measured.findings.unknown["model.t"] == "not in these files"


def test_with_the_rings_alpha_of_d_is_larger(file):
    measured = read_files([file(HPCC)], Wanted(reading=Reading(largest="all", diameter=7)))
    assert measured.findings.far.value == pytest.approx(2.5e-6)


def test_of_several_runs_in_a_file_the_last_counts(file):
    two = HPCC + HPCC.replace("MinPingPongLatency_usec=0.238", "MinPingPongLatency_usec=0.3")
    assert read_benchmark(file(two)).least_latency.value == pytest.approx(0.3e-6)


def not_run(*keys):
    """Return HPCC's summary with -1 for the tests with these words in their names."""
    lines = HPCC.splitlines(keepends=True)
    off = [any(key in line for key in keys) and "=" in line for line in lines]
    pairs = zip(lines, off, strict=True)
    return "".join(line.partition("=")[0] + "=-1\n" if no else line for line, no in pairs)


def test_a_test_of_hpcc_that_was_not_run_is_a_number_that_is_not_there(file):
    found = read_benchmark(file(not_run("STREAM", "Ring")))
    assert (found.triad, found.rings) == (None, ())
    assert found.least_latency.value == pytest.approx(0.238e-6)
    assert read_benchmark(file(not_run("PingPong"))).least_latency is None
    with pytest.raises(UserError, match="were run"):
        read_benchmark(file(not_run("PingPong", "Ring", "STREAM")))


@pytest.mark.parametrize("off", [("PingPong", "Ring", "STREAM"), ("STREAM",), ("Ring",)])
def test_of_several_runs_the_last_that_has_a_number_counts(file, off):
    whole = read_benchmark(file(HPCC, "whole"))
    later = read_benchmark(file(HPCC + not_run(*off), "later"))
    values = [[each and each.value for each in (one.least_latency, one.triad, *one.rings)]
              for one in (whole, later)]  # fmt: skip
    assert values[0] == values[1]


@pytest.mark.parametrize("off", [("PingPong",), ("Ring",), ("STREAM",), ("MaxPingPongLat",)])
def test_what_hpcc_did_run_becomes_a_machine_file(file, off):
    measured = read_files([file(not_run(*off))], Wanted(reading=Reading(diameter=7)))
    assert measured.to_toml(read(find("eos")), "found")


OTHERS = [
    *("Broadcast Latency", "Allreduce Latency", "Bi-Directional Bandwidth", "All-to-All Latency"),
    *("Multi-threaded Latency", "Multi-process Latency", "Multiple Bandwidth / Message Rate"),
    *("Barrier Latency", "Non-blocking Broadcast Latency", "-CUDA Bi-Directional Bandwidth"),
]


@pytest.mark.parametrize("other", [*OTHERS, "_Put Latency", "_Get Bandwidth"])
def test_tables_of_other_tests_are_no_ping_pongs(file, other):
    space = "" if other[0] in "-_" else " "
    title = f"OSU MPI{space}{other} Test"
    text = OSU if "Latency" in other else OSU_BW
    told = text.replace(text.splitlines()[0], f"# {title} v7.4")
    with pytest.raises(UserError, match="another test than a ping-pong") as caught:
        read_benchmark(file(told))
    assert title in str(caught.value)


@pytest.mark.parametrize("kind", ["", " Multi", "-CUDA", "-CUDA Multi", "-ROCM"])
def test_pairs_that_are_alike_and_other_memory_are_ping_pongs(file, kind):
    found = read_benchmark(file(OSU.replace("MPI Latency", f"MPI{kind} Latency")))
    assert found.sizes[-1] == 2**22


NOISE = "WARNING: no preset parameters were found\n\n"
BEHIND = "1 more process has sent help message help.txt / no device\n[n0:4711] 2 more of it\n"


@pytest.mark.parametrize("text", [IMB, OSU, OSU_BW, HPCC], ids=["IMB", "OSU", "BW", "HPCC"])
@pytest.mark.parametrize("label", ["", "[1,0]<stdout>:", "[1,0]<stdout>: ", "[0] ", "0: ", " 3: "])
def test_logs_of_jobs_are_read(file, text, label):
    """Messages stand before and behind a table and in it, and launchers label lines."""
    whole = read_benchmark(file(text, "whole"))
    lines = text.splitlines(keepends=True)
    middle = len(lines) - 3
    noisy = NOISE + "".join(lines[:middle]) + "libfabric: a message\n" + "".join(lines[middle:])
    told = "".join(label + line for line in (noisy + BEHIND).splitlines(keepends=True))
    found = read_benchmark(file(told, "job.log"))
    assert (found.sizes, found.seconds) == (whole.sizes, whole.seconds)
    assert found.best_bandwidth.value == whole.best_bandwidth.value
    assert (found.triad is None) == (whole.triad is None)


@pytest.mark.parametrize("text", [IMB, OSU], ids=["IMB", "OSU"])
def test_a_latency_curve_has_alpha_beta_and_a_knee(file, text):
    found = read_files([file(text)], Wanted()).findings.found
    assert found["model.alpha"].value == pytest.approx(1.5008e-6, rel=1e-4)
    assert found["model.beta"].value == pytest.approx(8 * microseconds(2**22) * 1e-6 / 2**22)
    threshold = found["mpi.eager_threshold"].estimates[0]
    assert (threshold.value, threshold.high) == (8192, 16383)


def test_two_files_are_two_pairs(file):
    far = OSU.replace("\n            8 1.5008", "\n            8 3.5008")
    assert far != OSU
    wanted = Wanted(reading=Reading(diameter=7))
    found = read_files([file(OSU, "near"), file(far, "far"), file(OSU_BW, "bw")], wanted).findings
    assert found.found["model.alpha"].value == pytest.approx(1.5008e-6)
    assert found.found["model.gamma"].value == pytest.approx(2e-6 / 5)
    assert found.found["model.beta"].value == pytest.approx(8 / 1e10, rel=0.02)


def test_what_was_read_becomes_a_machine_file(file, tmp_path):
    measured = read_files([file(HPCC)], Wanted(reading=Reading(diameter=7)))
    path = tmp_path / "found.toml"
    path.write_text(measured.to_toml(read(find("eos")), "found it!"))
    found = machine.load(path)
    assert found.name == "found-it"
    assert found.value("model.alpha") == 238_000
    assert found.value("model.gamma") == 416_000
    assert found.numbers["model.alpha"].status == "measured"
    assert found.value("model.t") == machine.load("eos").value("model.t")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "not recognized"),
        ("hello\n", 1, "not recognized"),
        (HPCC[: HPCC.index("End of")], 15, "ends before its summary"),
        (HPCC[: HPCC.index("Begin of")], 2, "ends before its summary"),
        (HPCC.replace("=0.238", "=0.2x38"), 12, "not a number in range: '0.2x38'"),
        (HPCC.replace("=0.238", "=nan"), 12, "not a number in range"),
        (HPCC.replace("=0.238", "=-2"), 12, "not a number in range"),
        (HPCC.replace("=0.238", "=0"), 12, "it was not run"),
        (HPCC.replace("=0.238", "=1e300"), 12, "not a number in range"),
        (HPCC.replace("MinPingPongL", "MinL"), 3, "no MinPingPongLatency_usec"),
        (b"This\n\xff\xfe\n", 2, "not UTF-8"),
        (IMB.replace("PingPong", "PingPing"), 1, "no table of PingPong: 'PingPing'"),
        (HEAD, 4, "ends within the table"),
        (HEAD[: HEAD.index("       #bytes")], 2, "without its table"),
        (IMB[: IMB.index("131072")].rstrip(), 22, "ends within the table"),
        (IMB.replace("1.5008", "1.50.08"), 9, "not a number in range"),
        (IMB.replace("1.5008", "0.00"), 9, "not above 0"),
        (IMB.replace("         1024 1000", "            4 1000"), 16, "sizes must rise"),
        (OSU.replace("         1024 ", "        1024x "), 15, "not a row"),
        (OSU.replace("         1024 ", "9" * 40 + " "), 15, "not a row"),
        (OSU[: OSU.index("           16 ")][:-7], 8, "not a row"),
        (OSU[: OSU.index("            8 ")], 3, "no message of 8 to 64 bytes"),
        (OSU_BW[: OSU_BW.index("1 0.00")], 2, "empty table"),
        (OSU_BW[: OSU_BW.index("# Size")], 1, "no table of sizes and bandwidth"),
        (OSU_BW.replace("9000.5", "0").replace("8000", "0"), 3, "no bandwidth above 0"),
    ],
)
def test_what_is_damaged_is_one_error_with_its_line(file, text, line, said):
    path = file(text)
    with pytest.raises(UserError) as caught:
        read_benchmark(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_a_file_that_is_too_long_is_not_read(file, monkeypatch):
    monkeypatch.setattr("odonata.measure.benchmarks.MOST_BYTES", 100)
    with pytest.raises(UserError, match="too long"):
        read_benchmark(file(HPCC))
