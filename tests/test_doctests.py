"""Examples in docstrings give the results beside them."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module

import pytest

import odonata

MODULES = [
    found.name
    for found in pkgutil.walk_packages(odonata.__path__, "odonata.")
    if not found.name.endswith(("__main__", "._core"))
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_are_right(name):
    assert doctest.testmod(import_module(name)).failed == 0
