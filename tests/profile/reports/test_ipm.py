"""Logs and banners of IPM. The texts are our own, with the elements and lines of IPM 2.0.6."""

from __future__ import annotations

from pathlib import Path

import pytest

from odonata.errors import UserError
from odonata.profile import Views, compare_views, read
from odonata.profile.reports.ipm import read_ipm

HASHES = (
    """<hash nlog="36" nkey="4" >
<hent key="A0" call="MPI_Isend" bytes="1000" orank="1" region="1" callsite="0" count="3" tid="0" >
3.0000e-01 1.0000e-01 1.0000e-01</hent>
<hent key="A1" call="MPI_Isend" bytes="8" orank="0" region="1" callsite="0" count="1" tid="0" >
1.0000e-01 1.0000e-01 1.0000e-01</hent>
<hent key="A2" call="MPI_Irecv" bytes="4096" orank="1" count="4" tid="0" >
0.0000e+00 0.0000e+00 0.0000e+00</hent>
<hent key="A3" call="MPI_Allreduce" bytes="32" orank="0" region="1" count="5" >
1.0000e+00 1.0000e-01 4.0000e-01</hent>
</hash>
""",
    """<hash nlog="1" nkey="1" >
<hent key="B0" call="MPI_Allreduce" bytes="32" orank="0" region="1" count="5" >
5.0000e-01 1.0000e-01 1.0000e-01</hent>
</hash>
""",
)
REGIONS = (
    """<region label="first" nexits="1" wtime="1.0e+00" id="1">
<modules nmod="1"><module name="MPI" time="1" ></module></modules>
<func name="MPI_Isend" count="3" bytes="3.0000e+03" > 3.0000e-01 </func>
<regions n="1" ><region label="inner" nexits="1" wtime="0" id="2">
<func name="MPI_Isend" count="2" bytes="2.0000e+03" > 2.0000e-01 </func></region></regions>
</region>
<region label="ipm_noregion" nexits="0" wtime="3.0e+00" id="0">
<func name="MPI_Isend" count="1" bytes="8.0000e+00" > 1.0000e-01 </func>
<func name="MPI_Irecv" count="4" bytes="1.6384e+04" > 0.0000e+00 </func>
<func name="MPI_Allreduce" count="5" bytes="1.6000e+02" > 1.0000e+00 </func>
<func name="fwrite" count="7" bytes="1.0000e+02" > 1.0000e-03 </func>
</region>
""",
    """<region label="ipm_noregion" nexits="0" wtime="4.0" utime="0" id="0">
<func name="MPI_Allreduce" count="5" bytes="1.6000e+02" > 5.0000e-01 </func>
</region>
""",
)


def log(*, full: bool = True, extra: str = "", ranks: int = 2) -> str:
    """Return a log of two tasks."""
    tasks = ""
    for rank in range(2):
        tasks += f"""<task ipm_version="2.0.6" mpi_rank="{rank}" mpi_size="{ranks}"
stamp_init="10.000000" stamp_final="14.000000" username="me" allocationname="" flags="0" pid="7" >
<job nhosts="1" ntasks="2" start="10" final="14" code="unknown" >1</job>
<host mach_name="here" mach_info="x" >node</host>
<perf wtime="{4 + rank}.00000e+00" utime="1" stime="0" mtime="1.5" gflop="0" gbyte="0"></perf>
<switch bytes_tx="0.00000e+00" bytes_rx="0.00000e+00" ></switch>
<cmdline realpath="/x/ring" md5sum="0" >./ring 3 &lt;in</cmdline>
<regions n="2" >{REGIONS[rank]}</regions>{HASHES[rank] if full else ""}{extra}
<internal rank="{rank}" log_i="14.0" report_delta="-1" logrank="0" ></internal>
</task>
"""
    return f"""<?xml version="1.0" encoding="iso-8859-1"?>
<ipm_job_profile>
<calltable nsections="1" ><section module="MPI" nentries="1" ><entry name="MPI_Isend" /></section>
</calltable>
{tasks}</ipm_job_profile>
"""


def views(folder: Path, text: str, name: str = "me.1.ipm.xml") -> Views:
    (folder / name).write_text(text, encoding="latin-1")
    return Views(read(folder / name))


def test_a_full_log_has_calls_sizes_and_partners(tmp_path: Path) -> None:
    found = views(tmp_path, log())
    document = found.plain()
    assert (document["ranks"], document["source"]) == (2, "IPM")
    assert document["program"] == "./ring 3 <in"
    counts = {name: (call["count"], call["bytes"]) for name, call in document["calls"].items()}
    assert counts == {
        "MPI_Allreduce": (10, 320),
        "MPI_Isend": (4, 3008),  # the inner region is in its outer one
        "MPI_Irecv": (4, 0),  # receives count at the senders
    }
    assert found.calls["MPI_Isend"].seconds == pytest.approx(0.4)
    assert found.mpi_seconds.tolist() == pytest.approx([1.4, 0.5])
    assert found.wall_seconds.tolist() == [4, 5]
    assert document["matrix"] == [
        {"source": 0, "target": 0, "messages": 1, "bytes": 8},
        {"source": 0, "target": 1, "messages": 3, "bytes": 3000},
    ]
    assert [(one.most, one.messages) for one in found.sizes()] == [(8, 1), (32, 10), (1024, 3)]
    assert found.total_bytes == 3008 + 320
    assert any("fwrite 7" in note for note in found.profile.notes)


def test_a_log_without_a_table_has_sums(tmp_path: Path) -> None:
    found = views(tmp_path, log(full=False))
    assert (found.calls["MPI_Isend"].count, found.calls["MPI_Isend"].bytes) == (4, 3008)
    assert found.message_bytes == 3008
    assert not found.plain()["matrix"]
    assert [(one.most, one.messages) for one in found.sizes()] == [(None, 14)]
    assert any("IPM_LOG=full" in note for note in found.profile.notes)


def test_unknown_elements_are_named(tmp_path: Path) -> None:
    found = views(tmp_path, log(extra="<dance><step/></dance>"))
    assert found.profile.unknown == {"element dance": 2, "element step": 2}
    assert found.plain()["unknown"] == {"element dance": 2, "element step": 2}


BOMB = """<!DOCTYPE ipm_job_profile [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<ipm_job_profile"""


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("</ipm_job_profile>", "", "cut off, or not a document in XML"),
        ("<ipm_job_profile", BOMB, "DOCTYPE"),
        ('mpi_rank="1"', 'mpi_rank="0"', "mpi_rank: '0 of 2'"),
        ('mpi_size="2"', 'mpi_size="99999999"', "mpi_size: '99999999'"),
        ('orank="1"', 'orank="2"', "orank"),
        ('count="3"', 'count="-3"', "count: not a whole number: '-3'"),
        ('count="3"', "", "count: not a whole number"),
        ("> 3.0000e-01 <", "> long <", "time: not a number: 'long'"),
        ('"MPI_Isend" count', '"MPI_&#233;!" count', "name of a function"),
    ],
)
def test_damage_is_one_error(tmp_path: Path, old: str, new: str, what: str) -> None:
    assert old in log()
    path = tmp_path / "me.1.ipm.xml"
    path.write_text(log().replace(old, new, 1))
    with pytest.raises(UserError) as error:
        read_ipm(path)
    assert what in str(error.value)


def test_an_endless_element_takes_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "me.1.ipm.xml"
    path.write_text(f'<ipm_job_profile a="{"x" * (18 * 2**20)}"></ipm_job_profile>')
    with pytest.raises(UserError, match="too long"):
        read(path)


# ---- banners

BANNER = """some output of the program
##IPMv2.0.6########################################################
#
# command   : ./ring 3
# start     : Mon Nov 23 10:00:00 2026   host      : node
# stop      : Mon Nov 23 10:00:04 2026   wallclock : 4.50
# mpi_tasks : 4 on 2 nodes               %comm     : 25.00
# mem [GB]  : 1.00                       gflop/sec : 0.00
#
#           :       [total]        <avg>          min          max
# wallclock :         16.00         4.00         3.50         4.50
# MPI       :          4.00         1.00         0.50         1.50
# %wall     :
#   MPI     :                      25.00        14.29        33.33
# #calls    :
#   MPI     :           140           35           30           50
# mem [GB]  :          1.00         0.25         0.25         0.25
#
#                             [time]        [count]        <%wall>
# MPI_Allreduce                 3.00             40          18.75
# MPI_Isend                     1.00            100           6.25
# fwrite                        0.50              8           3.12
#
###################################################################
###################################################################
# region    :'solve'
# MPI_Allreduce                 3.00             40          18.75
#
###################################################################
more output
"""


def test_a_banner_has_sums_of_all_ranks(tmp_path: Path) -> None:
    found = views(tmp_path, BANNER, "job.out")
    document = found.plain()
    assert (document["ranks"], document["source"], document["program"]) == (4, "IPM", "./ring 3")
    counts = {name: (call["count"], call["seconds"]) for name, call in document["calls"].items()}
    assert counts == {"MPI_Isend": (100, 1.0), "MPI_Allreduce": (40, 3.0)}
    assert found.calls["MPI_Allreduce"].mean_seconds == 0.75
    assert document["time"] == {"wall_seconds": None, "mpi_seconds": None, "mpi_share": 0.25}
    assert compare_views(found, found)["totals"]["wall_seconds"] == [4.0, 4.0]
    assert document["total_bytes"] == 0
    assert any("fwrite 8" in note for note in found.profile.notes)


def test_a_short_banner_has_all_of_mpi(tmp_path: Path) -> None:
    short = "\n".join(line for line in BANNER.splitlines() if not line.startswith("# MPI_"))
    found = views(tmp_path, short, "job.out")
    assert {name: call.count for name, call in found.calls.items()} == {"all of MPI": 140}
    assert found.calls["all of MPI"].seconds == 4.0


def test_unknown_lines_of_a_banner_are_named(tmp_path: Path) -> None:
    text = BANNER.replace("# mem [GB]  : 1", "# dances    : 3\n# mem [GB]  : 1")
    assert views(tmp_path, text, "job.out").profile.unknown == {"line 'dances'": 1}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (BANNER[: BANNER.index("# MPI_Isend")], "cut off: the last line of the banner"),
        (BANNER * 2, "banners of IPM: 2"),
        (log().replace("</task>", "", 1), "mpi_rank: '1 of 2'"),  # a task inside of rank 0's task
        (BANNER.replace("4 on 2 nodes", "some"), "no number of mpi_tasks"),
        (BANNER.replace("4 on 2 nodes", "0 on 2 nodes"), "mpi_tasks: '0'"),
        (BANNER.replace(" 16.00 ", " x "), "job.out:11"),
    ],
)
def test_damaged_banners_and_logs_are_one_error(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(UserError) as error:
        views(tmp_path, text, "job.out")
    assert what in str(error.value)


def test_other_files_are_named_with_what_could_be_read(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    with pytest.raises(UserError, match="neither a profile, nor a trace, nor a report"):
        read(tmp_path / "x.txt")
