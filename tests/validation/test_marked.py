"""The helper that puts tables between the marks of a page."""

import pytest

PAGE = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\n\nold\n\n<!-- end -->\nc\n"


@pytest.fixture(scope="module")
def marked(load_study):
    return load_study(".", "marked").marked


def test_tables_take_their_places_and_blank_lines_stay(marked, tmp_path):
    page = tmp_path / "README.md"
    page.write_text(PAGE, encoding="utf-8")
    marked.fill(page, {"two": "| 2 |", "one": "| 1 |"})
    expected = PAGE.replace("old", "| 1 |", 1).replace("old", "| 2 |", 1)
    assert page.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("page", [PAGE, "<!-- three -->\nwithout an end\n"])
def test_a_table_without_a_place_is_an_error(marked, page):
    with pytest.raises(ValueError, match="no place for the table three"):
        marked.filled(page, {"one": "| 1 |", "three": "| 3 |"} if page is PAGE else {"three": ""})
