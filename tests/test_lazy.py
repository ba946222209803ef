"""Packages that import their modules when they are used: the same names for all who look."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import odonata

LAZY = sorted(
    ".".join(stub.relative_to(Path(odonata.__file__).parents[1]).parts[:-1])
    for stub in Path(odonata.__file__).parent.rglob("__init__.pyi")
)


def test_tab_shows_the_parts():
    script = "import odonata, sys; print(*dir(odonata)); print('numpy' in sys.modules)"
    shown, numpy = subprocess.check_output([sys.executable, "-c", script], text=True).splitlines()
    assert {"machine", "placement", "replay", "simulate", "workload"} <= set(shown.split())
    assert numpy == "False"


def test_parts_are_there_without_being_imported():
    script = "import odonata; print(odonata.machine.load('eos').num_nodes, odonata.workload)"
    out = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert out.startswith("744 <module 'odonata.workload'")


@pytest.mark.parametrize("name", LAZY)
def test_every_public_name_is_found_and_listed(name):
    package = import_module(name)
    for public in package.__all__:
        assert getattr(package, public) is not None
    assert set(dir(package)) == {*package.__all__} - {"__version__"}


@pytest.mark.parametrize("name", LAZY)
def test_type_checkers_see_every_public_name(name):
    package = import_module(name)
    tree = ast.parse(Path(package.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    assert set(ast.literal_eval(listed[0])) == set(package.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No odonata attribute machin"):
        odonata.machin  # noqa: B018


MOST_EXPORTS = 229
"""Names of all packages together."""


def test_a_package_exports_what_users_call():
    packages = {*LAZY} - {"odonata", "odonata.cli"}
    exported = sum(len(import_module(name).__all__) for name in packages)
    assert exported <= MOST_EXPORTS, "import private names from their modules"
