"""Programs find our libraries by every name by which an MPI is linked, or are refused in one line.

The MPIs are not on this computer: libraries of their names have functions that do nothing.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from odonata import _core
from odonata.errors import UserError
from odonata.live import ABIS
from odonata.live.abi import detect, library
from odonata.live.elf import read_dynamic

from .compilers import EOS, PROGRAMS, build, mpif90, said

FIBERS = pytest.mark.parametrize("fibers", [False, True], ids=["processes", "fibers"])
LIBRARIES = _core.mpi_libraries()
WORLDS = {  # in C and in Fortran
    "mpich": ("0x44000000", "0x44000000"),
    "openmpi": ("((void*)ompi_mpi_comm_world)", "0"),
    "standard": ("((void*)0x101)", "0x101"),
}
FUNCTIONS = {
    "c": ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "PMPI_Barrier", "MPI_Finalize"],
    "fortran": ["mpi_init_", "mpi_comm_rank_", "mpi_comm_size_", "mpi_barrier_", "mpi_finalize_"],
}
C = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "standard": "libmpi_abi.so.1"}


def stub(folder, name, functions, *flags, soname=None):
    """Build a library of functions that end the program."""
    text = "".join(f"void {function}(void) {{ exit(7); }}\n" for function in functions)
    text += "char ompi_mpi_comm_world[8];\n" if functions == FUNCTIONS["c"] else ""
    (folder / "stub.c").write_text(f"#include <stdlib.h>\n{text}int other(void) {{ return 5; }}\n")
    named = [f"-Wl,-soname,{soname or name}"] if soname != "" else []
    command = ["cc", "-shared", "-fPIC", *named, *flags, folder / "stub.c", "-o", folder / name]
    subprocess.run(command, check=True)
    return folder / name


def program(folder, fibers, libraries, *flags, source=PROGRAMS / "names.c"):
    """Build a program, or a shared object for fibers."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    made = folder / ("program.so" if fibers else "program")
    how = ["-shared", "-fPIC"] if fibers else ["-fPIC"]
    command = ["cc", *how, source, "-Wl,--no-as-needed", *libraries, *flags, "-o", made]
    subprocess.run(command, check=True)
    return made


def run(mpirun, fibers, made, *options):
    return mpirun("-n", 2, *EOS, *(["--fibers"] if fibers else []), *options, "--", made)


def linked(folder, fibers, name, abi, role, *flags):
    """Build a program that is linked to a library of this name and role."""
    c_world, fortran_world = WORLDS[abi]
    rpath = f"-Wl,-rpath,{folder}"
    if role == "c":
        return program(
            folder, fibers, [stub(folder, name, FUNCTIONS["c"])], f"-DWORLD={c_world}", rpath
        )
    c = stub(folder, C[abi], FUNCTIONS["c"])
    if role == "stays":
        library = stub(folder, name, [])
        return program(folder, fibers, [library, c], f"-DWORLD={c_world}", "-DOTHER", rpath)
    library = stub(folder, name, FUNCTIONS["fortran"])
    other = ["-DOTHER"] if role == "modules" else []
    return program(folder, fibers, [library, c], f"-DFORTRAN_WORLD={fortran_world}", *other, rpath)


def there(abi):
    try:
        return library(ABIS[abi])
    except UserError as error:
        pytest.skip(str(error))


ROWS = [row for row in LIBRARIES if row.role != "refused"]


@FIBERS
@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_each_name_is_the_same(mpirun, tmp_path, row, fibers):
    there(row.abi)
    name = row.name.replace("*", "_123" if "-*" not in row.name else "flang")
    assert _core.mpi_library(name).name == row.name
    made = linked(tmp_path, fibers, name, row.abi, row.role)
    assert detect(made).name == row.abi
    done = run(mpirun, fibers, made)
    assert done.returncode == 0, done.stderr
    other = 5 if row.role in ("stays", "modules") else 0  # theirs is there, too
    assert sorted(done.stdout.splitlines()[:2]) == [f"0 of 2, {other}", f"1 of 2, {other}"]


REFUSED = [row for row in LIBRARIES if row.role == "refused"]


@FIBERS
@pytest.mark.parametrize("row", REFUSED, ids=[row.name for row in REFUSED])
def test_another_mpi_is_refused_in_one_line(mpirun, tmp_path, row, fibers):
    name = row.name.replace("*", "_x")
    name += "" if ".so" in name else ".so"
    assert _core.mpi_library(name).name == row.name
    library = stub(tmp_path, name, FUNCTIONS["c"])
    made = program(tmp_path, fibers, [library], "-DWORLD=0", f"-Wl,-rpath,{tmp_path}")
    done = run(mpirun, fibers, made)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr
    assert row.of in done.stderr
    assert "build it with another MPI" in done.stderr


@pytest.mark.parametrize(
    ("name", "known"),
    [  # as ldd shows them, or packages have them
        ("libmpi.so.12.3.1", ("mpich", "c")),
        ("libmpichfort.so.12", ("mpich", "modules")),
        ("libmpi_gnu_91.so.12", ("mpich", "c")),
        ("libmpi_gnu.so.12", ("mpich", "c")),
        ("libmpi_cray.so.12", ("mpich", "c")),
        ("libmpifort_gnu_112.so.12", ("mpich", "fortran")),
        ("libmpich_gnu_82.so.3", ("mpich", "c")),
        ("libmpich_gnu_49_mt.so.3", ("mpich", "c")),
        ("libmpichf90_intel.so.3", ("mpich", "fortran")),
        ("libmpich_gnu_47.so.1", ("", "refused")),
        ("libmpi_cxx.so.40", ("openmpi", "stays")),
        ("libmpi_mpifh-gfortran.so.40", ("openmpi", "modules")),
        ("libmpi_usempif08-gfortran.so.40", ("openmpi", "stays")),
        ("libmpi_mpifh.so.12", ("", "refused")),
        ("libmpi_abi.so.1", ("standard", "c")),
        ("libmpi_abi.so.12", ("", "refused")),
        ("libmpi_ibm_mpifh.so.3", ("", "refused")),
        ("libmpi_ilp64.so.4", ("", "refused")),
        ("libmpi.so.123", ("", "refused")),
        ("libmpi.so", ("", "refused")),
        ("libmpi_gtl_cuda.so.0", None),  # Cray's for accelerators
        ("libmpihelper.so.12", None),
        ("libmpifortran_tools.so.1", None),
        ("libmpiP.so", None),
    ],
)
def test_libraries_of_mpis_are_known_by_their_names(name, known):
    found = _core.mpi_library(name)
    assert (found and (found.abi, found.role)) == known


# ---- where they are


@FIBERS
@pytest.mark.parametrize(
    "tags", ["disable-new-dtags", "enable-new-dtags"], ids=["rpath", "runpath"]
)
def test_folders_of_a_program_do_not_matter(mpirun, tmp_path, tags, fibers):
    made = program(
        tmp_path,
        fibers,
        [stub(tmp_path, "libmpi.so.12", FUNCTIONS["c"])],
        "-DWORLD=0x44000000",
        f"-Wl,-rpath,{tmp_path},--{tags}",
    )
    dynamic = read_dynamic(made)
    assert (dynamic.rpath or dynamic.runpath) == (str(tmp_path),)
    assert bool(dynamic.runpath) == (tags == "enable-new-dtags")
    done = run(mpirun, fibers, made)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:2]) == ["0 of 2, 0", "1 of 2, 0"]


@pytest.mark.parametrize(
    "tags", ["disable-new-dtags", "enable-new-dtags"], ids=["rpath", "runpath"]
)
def test_libraries_inherit_rpath_only(tmp_path, tags):
    """The program names the folder of all; its library needs another one, which needs the MPI."""
    mpi = stub(tmp_path, "libmpi.so.40", FUNCTIONS["c"])
    force = "-Wl,--no-as-needed"
    inner = stub(tmp_path, "libinner.so", [], force, mpi)
    outer = stub(tmp_path, "libouter.so", [], force, inner)
    source = tmp_path / "main.c"
    source.write_text("int main(void) { return 0; }\n")
    flags = [f"-Wl,-rpath,{tmp_path},--{tags}", f"-Wl,-rpath-link,{tmp_path}"]
    made = program(tmp_path, False, [outer], *flags, source=source)
    found = subprocess.run(["ldd", made], capture_output=True, text=True, check=False).stdout
    assert ("libinner.so => not found" in found) == (tags == "enable-new-dtags")
    assert detect(made).name == ("openmpi" if tags == "disable-new-dtags" else "mpich")


@FIBERS
def test_a_path_may_be_the_name(mpirun, tmp_path, fibers):
    """Spack binds programs so, with long paths."""
    folder = tmp_path / ("mpich-4.1.2-" + 120 * "x")
    folder.mkdir()
    path = folder / "libmpi.so.12"
    mpi = stub(folder, "libmpi.so.12", FUNCTIONS["c"], soname=str(path))
    made = program(tmp_path, fibers, [mpi], "-DWORLD=0x44000000")
    assert str(path) in read_dynamic(made).needed
    done = run(mpirun, fibers, made)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:2]) == ["0 of 2, 0", "1 of 2, 0"]


@FIBERS
def test_a_link_without_a_version_is_what_it_leads_to(mpirun, tmp_path, fibers):
    real = stub(tmp_path, "libmpi.so.12.1.8", FUNCTIONS["c"], soname="")
    (tmp_path / "libmpi.so").symlink_to(real)
    flags = [f"-L{tmp_path}", "-lmpi", f"-Wl,-rpath,{tmp_path}"]
    made = program(tmp_path, fibers, [], "-DWORLD=0x44000000", *flags)
    assert "libmpi.so" in read_dynamic(made).needed
    done = run(mpirun, fibers, made)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()[:2]) == ["0 of 2, 0", "1 of 2, 0"]


@FIBERS
@pytest.mark.parametrize("name", ["libmpicxx.so.12", "libmpichf90.so.12"])
def test_a_library_that_stays_must_be_there(mpirun, tmp_path, name, fibers):
    made = linked(tmp_path, fibers, name, "mpich", _core.mpi_library(name).role)
    (tmp_path / name).unlink()
    done = run(mpirun, fibers, made)
    if done.returncode == 0:
        pytest.skip(f"this computer has a {name}")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert name in done.stderr
    assert "is not found" in done.stderr


@FIBERS
def test_a_library_that_is_refused_may_come_after_another(mpirun, tmp_path, fibers):
    libraries = [
        stub(tmp_path, "libmpi.so.12", FUNCTIONS["c"]),
        stub(tmp_path, "libmpi_ilp64.so", []),
    ]
    made = program(tmp_path, fibers, libraries, "-DWORLD=0x44000000", f"-Wl,-rpath,{tmp_path}")
    for options in ([], ["--abi", "mpich"]):
        done = run(mpirun, fibers, made, *options)
        assert done.returncode == 2
        assert "link without -ilp64" in done.stderr


@FIBERS
def test_two_mpis_are_refused(mpirun, tmp_path, fibers):
    libraries = [stub(tmp_path, name, FUNCTIONS["c"]) for name in ("libmpi.so.12", "libmpi.so.40")]
    made = program(tmp_path, fibers, libraries, "-DWORLD=0x44000000", f"-Wl,-rpath,{tmp_path}")
    done = run(mpirun, fibers, made)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "different MPIs: libmpi.so.12 of MPICH" in done.stderr
    assert "libmpi.so.40 of Open MPI" in done.stderr


@FIBERS
def test_an_open_mpi_that_has_the_name_of_mpich_is_refused(mpirun, tmp_path, fibers):
    libraries = [stub(tmp_path, "libmpi.so.12", FUNCTIONS["c"])]
    world = WORLDS["openmpi"][0]
    made = program(tmp_path, fibers, libraries, f"-DWORLD={world}", f"-Wl,-rpath,{tmp_path}")
    done = run(mpirun, fibers, made)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "needs Open MPI 1.10" in done.stderr


# ---- modules of Fortran


@FIBERS
@pytest.mark.parametrize("name", ["modern", "modern_callbacks"])
def test_code_of_modules_in_a_library_of_the_usual_name(
    mpirun, tmp_path, monkeypatch, name, fibers
):
    """Fedora, Spack, conda, Intel and Cray name libmpifort.so.12 what Debian names libmpichfort."""
    flags = ["-shared", "-fPIC"] if fibers else []
    made = build(mpif90("mpich"), PROGRAMS / f"{name}.f90", tmp_path / "program", *flags)
    command = [mpif90("mpich"), "-print-file-name=libmpichfort.so.12"]
    theirs = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if "/" not in theirs:
        pytest.skip("needs libmpichfort.so.12")
    expected = said(mpirun, 2, build(mpif90("mpich"), PROGRAMS / f"{name}.f90", tmp_path / "known"))
    old, new = b"libmpichfort.so.12\0", b"libmpifort.so.12\0\0\0"
    renamed = tmp_path / "theirs" / "libmpifort.so.12"
    renamed.parent.mkdir()
    renamed.write_bytes(Path(theirs).read_bytes().replace(old, new))
    made.write_bytes(made.read_bytes().replace(old, new))
    assert "libmpifort.so.12" in read_dynamic(made).needed
    done = run(mpirun, fibers, made)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "is not found" in done.stderr
    assert "'libmpifort.so.12'" in done.stderr
    monkeypatch.setenv("LD_LIBRARY_PATH", str(renamed.parent))
    done = run(mpirun, fibers, made)
    assert done.returncode == 0, done.stderr
    assert [line for line in sorted(done.stdout.splitlines()) if line in expected] == expected


def test_abis_are_the_rows_of_the_list():
    text = (Path(__file__).parents[2] / "cpp/odonata/live/abis.inc").read_text(encoding="utf-8")
    rows = re.findall(r'^ODONATA_ABI\((\w+), "(.*?)", "(.*?)", "(.*?)", ', text, re.MULTILINE)
    assert [(abi.name, abi.title, abi.library, abi.fortran) for abi in ABIS.values()] == rows
    assert len(rows) == 3
    for name, _, *libraries in rows:
        roles = {_core.mpi_library(library).role for library in libraries if library}
        assert roles == ({"c", "fortran"} if all(libraries) else {"c"})
        assert {_core.mpi_library(library).abi for library in libraries if library} == {name}
