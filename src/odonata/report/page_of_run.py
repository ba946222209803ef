"""The page of a run: one HTML file with tables, breakdown, timeline and a map of the network."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template

from odonata.errors import UserError
from odonata.explain import Explained
from odonata.files import require_writable, write_whole
from odonata.report.explanation import (
    breakdown_table,
    part_table,
    slack_table,
    stretch_table,
)
from odonata.report.page_data import page_data
from odonata.report.table import Table
from odonata.report.tables import link_class_table, summary_table
from odonata.result import Result
from odonata.result.overview import title

__all__ = ["require_page", "run_page", "save_page"]

SUFFIXES = (".html", ".htm")


def require_page(path: str | Path) -> None:
    """Fail now if a page could not be saved later.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    UserError
        Its suffix does not belong to a page, so it may be another file.
    WriteError
        It could not be written.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(f"{path}: not a page", value=suffix, allowed=", ".join(SUFFIXES))
    require_writable(path)


def save_page(explained: Explained, path: str | Path) -> None:
    """Save a run as a page that opens in a browser without a network.

    Parameters
    ----------
    explained
        An explanation.
    path
        The file, ``.html``; one that exists is replaced.

    Raises
    ------
    UserError
        Another suffix.
    WriteError
        The file could not be written.
    """
    require_page(path)
    write_whole(path, run_page(explained).encode())


def run_page(explained: Explained) -> str:
    """Return the page of a run as HTML.

    Parameters
    ----------
    explained
        An explanation.

    Returns
    -------
    str
        One document without any outside link: style, script and numbers are in it.
    """
    explained.require_path()
    result = Result(explained.run)
    parts = files("odonata.report") / "page"
    data = page_data(explained)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    tables = [
        *(
            part_table(explained, what)
            for what in ("functions", "phases", "communicators")
            if len(getattr(explained, what)) > 1
        ),
        stretch_table(explained, 20),
    ]
    if (slack := slack_table(explained)) is not None:
        tables.append(slack)
    return Template((parts / "page.html").read_text(encoding="utf-8")).substitute(
        title=escape(title(explained.run)),
        sentence=escape(explained.sentence or "Nothing dominates the critical path."),
        summary=_html(summary_table(result)) + _html(link_class_table(result)),
        breakdown=_html(breakdown_table(explained)),
        tables="".join(_html(table) for table in tables),
        timeline_note=escape(_note(data)),
        version=escape(explained.run.provenance.get("version", "")),
        command=escape(explained.run.provenance.get("command", "")),
        style=(parts / "page.css").read_text(encoding="utf-8"),
        script=(parts / "page.js").read_text(encoding="utf-8"),
        data=text.replace("<", "\\u003c"),  # no text of the run ends the element
    )


def _note(data: dict[str, object]) -> str:
    timeline = data["timeline"]
    if not isinstance(timeline, dict):
        return (
            "The run kept no record of the steps of its ranks, which were too many, or it was not "
            "saved with --explain -o. odonata simulate --record-messages keeps all."
        )
    told = "A click on a rank shows it below."
    if timeline["exact"]:
        return f"Every rank is a row, from above. {told}"
    return (
        f"Every rank is a row, from above; its colour shows most of 1/{timeline['bins']} of "
        f"the run. {told}"
    )


def _html(table: Table) -> str:
    """Return a table for people who see it and people who hear it."""
    head = "".join(
        _cell("th", text, table.is_left(at), "col") for at, text in enumerate(table.columns)
    )
    body = "".join(
        "<tr>"
        + "".join(
            _cell("td" if at else "th", text, table.is_left(at), "" if at else "row")
            for at, text in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table>{inside}</table></div>'


def _cell(tag: str, text: str, is_word: bool, scope: str) -> str:
    told = f' scope="{scope}"' if scope else ""
    kind = ' class="word"' if is_word else ""
    return f"<{tag}{told}{kind}>{escape(text)}</{tag}>"
