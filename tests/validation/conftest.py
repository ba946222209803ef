"""Studies as the tests see them: their modules, whose names other studies use too."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

VALIDATION = Path(__file__).parents[2] / "validation"


@pytest.fixture(scope="session")
def load_study():
    """Import modules of a folder of validation, by name, and forget that they have these names."""

    def load(folder, *names):
        before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
        sys.path.insert(0, str(VALIDATION / folder))
        try:
            modules = {name: importlib.import_module(name) for name in names}
        finally:
            sys.path.remove(str(VALIDATION / folder))
            for name in names:
                sys.modules.pop(name, None)
            sys.modules.update(before)
        return SimpleNamespace(folder=VALIDATION / folder, **modules)

    return load
