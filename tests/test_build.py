"""A second installation compiles what differs, and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# The part of nanobind that our build asks for.
COMMAND = "from pathlib import Path\nprint(Path(__file__).parent / 'cmake')\n"
CONFIG = """\
function(nanobind_add_module name)
  list(REMOVE_ITEM ARGN NB_STATIC)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE ${nanobind_DIR}/../include)
endfunction()
function(nanobind_add_stub name)
  add_custom_target(${name})
endfunction()
"""


def isolated_environment(folder):
    """Make what pip's isolated environments have for us, each in another folder."""
    files = {
        "nanobind/__init__.py": "",
        "nanobind/__main__.py": COMMAND,
        "nanobind/cmake/nanobind-config.cmake": CONFIG,
        "nanobind/include/nanobind/nanobind.h": "",
        "mpich/mpi.h": "",
        "mpich/mpi_abi.h": "",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def configure(build, environment):
    """Configure a build, and return how each of its files is compiled."""
    command = ["cmake", "-S", ROOT, "-B", build, f"-DPython_EXECUTABLE={sys.executable}"]
    command += [f"-DODONATA_MPICH_INCLUDE={environment / 'mpich'}", "-DODONATA_AMG=OFF"]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(environment)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((build / "compile_commands.json").read_text())


@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake to configure with")
def test_a_build_in_a_new_isolated_environment_compiles_nothing_again(tmp_path):
    build = tmp_path / "build"
    first = configure(build, isolated_environment(tmp_path / "one"))
    assert len(first) > 150
    sources = {entry["file"] for entry in first}
    assert any(name.endswith("bindings/simulate.cpp") for name in sources)
    copies = list(build.glob("nanobind/**/*.h")) + list(build.glob("include/mpich/*.h"))
    assert len(copies) == 3
    times = [path.stat().st_mtime_ns for path in copies]
    objects = [
        Path(entry["directory"], entry["command"].split(" -o ")[1].split()[0]) for entry in first
    ]
    # scikit-build-core removes this folder at its next run: no object may be there.
    assert not [path for path in objects if path.is_relative_to(build / "CMakeFiles")]
    (build / "CMakeCache.txt").unlink()
    shutil.rmtree(build / "CMakeFiles")
    shutil.rmtree(tmp_path / "one")
    assert configure(build, isolated_environment(tmp_path / "another")) == first
    assert [path.stat().st_mtime_ns for path in copies] == times
