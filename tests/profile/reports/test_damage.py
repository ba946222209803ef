"""Reports with random damage: they are read, or refused by one error."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from test_ipm import BANNER, log
from test_mpip import WHOLE

from odonata.errors import UserError
from odonata.profile import Views, read

REPORTS = {"a.mpiP": WHOLE, "a.ipm.xml": log(), "a.out": BANNER}
SEEDS = 60


def damaged(whole: bytes, draw: random.Random) -> bytes:
    """Return a text with some bytes changed, removed, doubled or put in between."""
    content = bytearray(whole)
    for _ in range(draw.randint(1, 6)):
        at, how = draw.randrange(len(content)), draw.random()
        if how < 0.4:
            content[at] = draw.choice(b'0123456789-*.<>#"\n aZ\x00\xff')
        elif how < 0.6:
            del content[at : at + draw.randint(1, 40)]
        elif how < 0.8:
            content[at:at] = content[at : at + draw.randint(1, 60)]
        else:
            content[at:at] = bytes(draw.choice(b"99999 -e") for _ in range(draw.randint(1, 20)))
    return bytes(content)


@pytest.mark.parametrize("name", REPORTS)
def test_damage_ends_in_one_error_or_none(tmp_path: Path, name: str) -> None:
    refused = []
    for seed in range(SEEDS):
        content = damaged(REPORTS[name].encode(), random.Random(f"{name}{seed}"))
        (tmp_path / name).write_bytes(content)
        try:
            Views(read(tmp_path / name)).plain()
        except UserError as error:
            refused.append(str(error))
    assert 0 < len(refused) < SEEDS
    assert not [message for message in refused if "\n" in message]
