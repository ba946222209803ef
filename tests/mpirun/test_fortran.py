"""Programs in Fortran print the same as under a real MPI, or results by hand."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from odonata.live import ABIS
from odonata.live.abi import detect

from .compilers import BIN, EOS, PROGRAMS, build, mpif90, of_open_mpi, our_library, said


@pytest.fixture(scope="module")
def fortran_program(tmp_path_factory):
    return build(
        mpif90("openmpi"), PROGRAMS / "fortran.f90", tmp_path_factory.mktemp("f90") / "fortran"
    )


@pytest.mark.parametrize("ranks", [1, 2, 7])
def test_fortran_prints_what_it_prints_under_open_mpi(
    mpirun, under_open_mpi, fortran_program, ranks
):
    real = under_open_mpi(ranks, fortran_program)
    assert said(mpirun, ranks, fortran_program) == sorted(real.splitlines())


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_programs_of_fortran_2008_run(mpirun, tmp_path, family):
    program = build(mpif90(family), PROGRAMS / "modern.f90", tmp_path / "modern")
    assert detect(program) is ABIS[family]
    assert said(mpirun, 4, program) == [
        "rank 0: 3 from 3, sum 6, place 1",
        "rank 1: 0 from 0, sum 6, place 1",
        "rank 2: 1 from 1, sum 6, place 0",
        "rank 3: 2 from 2, sum 6, place 0",
    ]


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_functions_keys_and_addresses_of_fortran_2008(mpirun, tmp_path, family):
    expected = []
    for rank in (0, 1):
        copied = 2 * rank + 1000
        expected += [
            f"{rank} attribute {copied} T",
            f"{rank} deletes {copied} of 1000",
            f"{rank} deletes {rank} of 1000",
            f"{rank} F",
            f"{rank} attribute -7 T",
            f"{rank} tags T T",
            f"{rank} of a type 1005 T",
            f"{rank} handles an error of rank T",
            f"{rank} widest 11",  # of 0 and 1, and 10
            f"{rank} cancels F",
            f"{rank} frees 4",
            f"{rank} 4 3 5",
            f"{rank} back 4096 T",
            f"{rank} MPI_COMM_WORLD. 14 dark green          T",
        ]
    source = PROGRAMS / "modern_callbacks.f90"
    program = build(mpif90(family), source, tmp_path / "modern_callbacks")
    assert said(mpirun, 2, program) == sorted(expected)


def test_what_is_absent_is_named_from_fortran_too(mpirun, tmp_path):
    compiler = mpif90("openmpi")
    source = tmp_path / "absent.f90"
    source.write_text(
        "program absent\nuse mpi\ninteger :: win, error\ncall MPI_Init(error)\n"
        "call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, error)\n"
        "call MPI_Finalize(error)\nend program\n"
    )
    done = mpirun("-n", 1, *EOS, "--", build(compiler, source, tmp_path / "absent"))
    assert done.returncode == 52  # MPI_ERR_UNSUPPORTED_OPERATION
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    assert "MPI_Win_create_dynamic is not supported" in lines[0]


# ---- functions newer than the modules of the MPIs that are installed


def ours(family):
    """Return our libraries of an ABI for Fortran and for C."""
    in_c = our_library(family)
    return [in_c.with_name(ABIS[family].fortran), in_c]


def build_with_ours(family, name, folder, *flags):
    compiler = mpif90(family)
    return build(compiler, PROGRAMS / f"{name}.f90", folder / name, *flags, *ours(family))


@pytest.mark.parametrize(
    ("family", "flags"),
    [("mpich", []), ("mpich", ["-fsecond-underscore"]), ("openmpi", [])],  # mpi_send__
)
def test_the_newest_functions(mpirun, tmp_path, family, flags):
    expected = []
    for rank, left in enumerate([3, 0, 1, 2]):
        expected += [
            f"{rank} buffered {left} {-left} in 400 T T",
            f"{rank} any 3 {left} 10 1 3 F F",
            f"{rank} all 9 10 2 2 3 {left + 9} {left + 10}",
            f"{rank} none T T T",
            f"{rank} twice 12 {left} 8",  # 12 is twice 0 + 1 + 2 + 3
            f"{rank} knows 0 0 10 dark    . T",
        ]
    program = build_with_ours(family, "newest", tmp_path, *flags)
    assert said(mpirun, 4, program) == sorted(expected)


def test_sessions_and_partitioned_messages(mpirun, tmp_path):
    expected = []
    for rank, left in enumerate([3, 0, 1, 2]):
        came = " ".join(str(10 * left + i) for i in range(1, 9))
        expected += [
            f"{rank} 2 10 10 10 untouched   . mpi:/       . mpi://SELF  .",
            f"{rank} of 4 4                 MPI_THREAD_SINGLE",
            f"{rank} handles an error of an argument T",
            f"{rank} handles an error of an argument F",
            f"{rank} T T T",
            f"{rank} faces 2",
            f"{rank} has {came} F",
            f"{rank} buffered {left}",
            f"{rank} ends T",
        ]
    program = build_with_ours("mpich", "sessions", tmp_path)
    assert said(mpirun, 4, program) == sorted(expected)


def test_persistent_collectives_as_an_extension_of_open_mpi(mpirun, tmp_path):
    program = build(mpif90("openmpi"), PROGRAMS / "extension.f90", tmp_path / "extension")
    assert said(mpirun, 3, program) == 3 * ["1 3"] + 3 * ["2 6"]  # 0 + 1 + 2, and twice that


# ---- names


def symbols(path, which="--defined-only"):
    """Return the symbols that a library exports, or needs, and of which kind each is."""
    if shutil.which("nm") is None:
        pytest.skip("needs nm")
    command = ["nm", "-D", which, path]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0]: line.split()[-2] for line in lines}


def real_library(family, name):
    command = [mpif90(family), f"-print-file-name={name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if "/" not in found:
        pytest.skip(f"needs {name}")
    return found


OF_THE_REAL_LIBRARY = re.compile(
    r"__mpi_\w+_MOD_|_f08(ts)?(_large)?_$|^p?mpi_sizeof_"  # the code of its modules
    r"|^MPIR_|^mpirinit|^MPI_F_(ARGVS?_NULL|ERRCODES_IGNORE)$|_class$|_dummy$"  # of no program
    r"|conversion_fn_null|win_\w+_cptr|comm_(agree|failure|revoke|shrink)",  # absent in C, too
    re.IGNORECASE,
)


@pytest.mark.parametrize(
    ("family", "name"), [("mpich", "libmpichfort.so"), ("openmpi", "libmpi_mpifh.so")]
)
def test_all_names_of_the_real_library_are_there(family, name):
    real = real_library(family, name)
    here = {name for path in ours(family) for name in symbols(path)}
    missing = sorted(symbols(real).keys() - here)
    assert [name for name in missing if not OF_THE_REAL_LIBRARY.search(name)] == []


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("mpich", "libmpichfort.so"),
        ("openmpi", "libmpi_usempif08.so"),
        ("openmpi", "libmpi_usempi_ignore_tkr.so"),
    ],
)
def test_modules_of_the_real_library_find_what_they_call(family, name):
    here = {name for path in ours(family) for name in symbols(path)}
    wanted = symbols(real_library(family, name), "--undefined-only")
    missing = sorted(name for name in wanted if re.match("p?o?mpi", name, re.IGNORECASE))
    missing = [name for name in missing if name not in here]
    absent = re.compile(r"win_\w+_cptr|MPII_Win_|MPIX_Comm_", re.IGNORECASE)
    assert [name for name in missing if not absent.search(name)] == []


IN_C_ONLY = re.compile(
    r"_c$|c2f|f2c|f08|toint$|fromint$|^File_|^Abi_get_fortran_info$"
    r"|^Comm_(accept|connect|spawn)|^Win_(allocate|create)"  # absent in both
)


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_what_is_there_in_c_is_there_in_fortran(family):
    fortran, c = (symbols(path) for path in ours(family))
    there = [name[5:] for name, kind in c.items() if name.startswith("PMPI_") and kind == "T"]
    assert len(there) > 300
    wanted = [name for name in there if not IN_C_ONLY.search(name)]
    assert [name for name in wanted if fortran.get(f"mpi_{name.lower()}_") != "T"] == []


# ---- null pointers


@pytest.mark.parametrize("family", ["mpich", "openmpi"])
def test_null_arguments_are_errors(mpirun, tmp_path, family):
    sources = Path(__file__).parents[2] / "cpp"
    compiler = of_open_mpi("mpicxx") if family == "openmpi" else [BIN / "mpicxx"]
    if not compiler or not Path(compiler[0]).exists() or shutil.which("c++") is None:
        pytest.skip(f"needs a compiler for {family}")
    world = "0" if family == "openmpi" else "0x44000000"
    program = build(
        compiler[0],
        PROGRAMS / "null_fortran.cpp",
        tmp_path / "null_fortran",
        *("-std=c++20", "-w", f"-DWORLD={world}", f"-I{sources}"),
        *(
            f"-I{sources}/preload/libmpi/fortran",
            f'-DODONATA_ABI_HEADER="preload/libmpi/abi/{family}.hpp"',
        ),
        *ours(family),
    )
    *accepted, last = said(mpirun, 1, program)[::-1]
    assert accepted == []
    assert int(re.match(r"calls (\d+), not refused 0$", last)[1]) > 700
