"""The page of measured collectives: its tables are made from the files beside it."""

import pytest


@pytest.fixture(scope="module")
def study(load_study):
    """Return the script that writes the page."""
    return load_study("measured-collectives", "run").run


def test_the_page_has_the_tables_of_its_files(study):
    page = (study.HERE / "README.md").read_text(encoding="utf-8")
    files = sorted(study.HERE.glob("*.json"))
    assert files
    for file in files:
        for made in study.tables(file.stem).values():
            assert made in page


def test_classes_and_ratios_by_hand(study):
    assert study.size_class({"bytes": 256}) == "to 256 B"
    assert study.size_class({"bytes": 257}) == "to 16 KiB"
    assert study.ratio({"measured": 3.0, "simulated": 2.0}) == 1.5
