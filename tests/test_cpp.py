"""The C++ tests, built from source with assertions on and run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.skipif(
    "ODONATA_CPP_TESTED" in os.environ, reason="another stage of CI builds and runs them"
)
@pytest.mark.skipif(shutil.which("cmake") is None, reason="there is no cmake to build them with")
def test_cpp(tmp_path):
    options = {
        "CMAKE_BUILD_TYPE": "Debug",
        "CMAKE_CXX_FLAGS": "-O1",
        "ODONATA_PYTHON": "OFF",
        "ODONATA_TESTS": "ON",
        "CMAKE_UNITY_BUILD": "ON",
    }
    settings = [f"-D{key}={value}" for key, value in options.items()]
    run("cmake", "-S", ROOT, "-B", tmp_path, *settings)
    run("cmake", "--build", tmp_path, "--parallel", "2", "--target", "odonata-tests")
    run(tmp_path / "odonata-tests")


def run(*command: object) -> None:
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.returncode == 0, done.stdout
