"""Ranks and phases that small files claim, compared with the files that are there."""

from __future__ import annotations

import numpy as np
import pytest

from odonata import _core
from odonata.errors import UserError
from odonata.profile import files as module
from odonata.profile import write_folder
from odonata.profile.files import HEAD, MOST_PHASES, read_folder


@pytest.fixture
def folder(tmp_path):
    """Write the profile of two ranks."""
    write_folder(tmp_path / "run", _core.Profiler(2), 2, program="p", machine="eos")
    return tmp_path / "run"


def change(folder, rank, **fields):
    path = folder / f"rank-{rank}.odp"
    content = bytearray(path.read_bytes())
    head = np.frombuffer(content, dtype=HEAD, count=1)
    for name, value in fields.items():
        head[0][name] = value
    path.write_bytes(content)


def claim(folder, ranks):
    for rank in range(2):
        change(folder, rank, ranks=ranks)


def test_ranks_without_files_are_as_many_as_a_crash_may_leave(folder):
    most = 2 * (1 + module.MISSING_A_FILE) + module.MOST_MISSING
    claim(folder, most)
    assert read_folder(folder).ranks == most
    claim(folder, most + 1)
    with pytest.raises(UserError, match=f"ranks of the run, of which 2 have a file: {most + 1}; "):
        read_folder(folder)
    claim(folder, 2**24)
    with pytest.raises(UserError, match=f"allowed: up to {most}"):
        read_folder(folder)


def test_phases_of_all_ranks_are_few(folder, monkeypatch):
    for rank in range(2):
        levels = [MOST_PHASES * rank + at for at in range(MOST_PHASES)]
        change(folder, rank, num_phases=MOST_PHASES, phases=levels)
    assert len(read_folder(folder).phases) == 2 * MOST_PHASES
    monkeypatch.setattr(module, "MOST_LEVELS", 2 * MOST_PHASES - 1)
    with pytest.raises(UserError, match="phases of all ranks: 512; allowed: up to 511"):
        read_folder(folder)
