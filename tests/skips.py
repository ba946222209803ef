"""Skips that need a reason: a run of pytest that fails where a test is skipped in silence.

The environment variable ``ODONATA_ALLOWED_SKIPS`` names files, with colons between them. They have
a line for every test that may be skipped: its id, with ``*`` for any characters, then the reason.
``#`` starts a comment.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

VARIABLE = "ODONATA_ALLOWED_SKIPS"


@dataclass(frozen=True)
class Entry:
    """A line of the file: ids of tests, why they may be skipped, and where the line is."""

    pattern: str
    reason: str
    where: str

    def allows(self, test: str) -> bool:
        return re.fullmatch(re.escape(self.pattern).replace(r"\*", ".*"), test) is not None


def read_entries(path: Path) -> list[Entry]:
    """Read the file; a line without a reason is an error."""
    entries = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        pattern, _, reason = content.partition(" ")
        if not reason:
            raise pytest.UsageError(f"{path}:{number}: no reason for skipping {pattern}")
        entries.append(Entry(pattern, reason.strip(), f"{path.name}:{number}"))
    return entries


@dataclass(eq=False)  # plugins are hashed
class SkipCheck:
    """Plugin that fails a run with skips that no entry allows, and reports entries of no use."""

    entries: list[Entry]
    skipped: dict[str, str] = field(default_factory=dict)  # id of a test or file: why

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report):
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped[report.nodeid] = report.longrepr[2]

    @pytest.hookimpl
    def pytest_collectreport(self, report):
        if report.skipped:
            self.skipped[report.nodeid] = report.longrepr[2]

    @property
    def problems(self) -> list[str]:
        return [
            f"{test} may not be skipped: {why}"
            for test, why in sorted(self.skipped.items())
            if not any(entry.allows(test) for entry in self.entries)
        ]

    @property
    def unused(self) -> list[str]:
        return [
            f"{entry.where}: nothing was skipped that {entry.pattern} allows"
            for entry in self.entries
            if not any(map(entry.allows, self.skipped))
        ]

    @pytest.hookimpl
    def pytest_sessionfinish(self, session):
        if self.problems and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl
    def pytest_terminal_summary(self, terminalreporter):
        if self.problems or self.unused:
            terminalreporter.section("skips")
        for line in self.problems:
            terminalreporter.line(line, red=True)
        for line in self.unused:
            terminalreporter.line(line, yellow=True)


def check_skips(config: pytest.Config) -> None:
    """Check the skips of a run if the environment asks for it; with xdist, in its controller."""
    paths = os.environ.get(VARIABLE)
    if paths and not hasattr(config, "workerinput"):
        entries = [entry for path in paths.split(os.pathsep) for entry in read_entries(Path(path))]
        config.pluginmanager.register(SkipCheck(entries), "skip-check")
