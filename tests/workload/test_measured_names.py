"""Names of measured algorithms: src/odonata/data/measured/algorithms.toml."""

from __future__ import annotations

import csv
import fnmatch
import gzip
import os
import tomllib
from pathlib import Path

import pytest

from odonata.workload.names import check_algorithm, check_library

ROOT = Path(__file__).parents[2]
NAMES = tomllib.loads((ROOT / "src/odonata/data/measured/algorithms.toml").read_text())
UNMATCHED = NAMES.pop("unmatched")
DATA = Path(os.environ.get("ODONATA_DATA", "/nonexistent")) / "measured-collectives"


@pytest.mark.parametrize("operation", NAMES)
def test_counterparts_are_algorithms(operation):
    for ours in NAMES[operation].values():
        if ours.startswith("auto="):
            check_library(ours.removeprefix("auto="))
        else:
            check_algorithm(operation, ours)


@pytest.mark.skipif(not DATA.is_dir(), reason="the tables are not part of the sources")
@pytest.mark.parametrize("machine", ["lumi", "leonardo", "mare_nostrum", "fugaku"])
def test_every_measured_name_has_a_counterpart_or_a_reason(machine):
    with gzip.open(DATA / f"{machine}.csv.gz", "rt") as rows:
        measured = {(row["collective"], row["algorithm"]) for row in csv.DictReader(rows)}
    for operation, name in measured:
        reasons = [p for p in UNMATCHED if fnmatch.fnmatchcase(f"{operation}/{name}", p)]
        assert name in NAMES[operation] or reasons
