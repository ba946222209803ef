"""The tables of the page, written between its markers."""

from __future__ import annotations

import sys
from pathlib import Path

import cases
from rows import Rows, Spread, of_seeds, ratio, values

from odonata.report import Table

sys.path.append(str(Path(__file__).parents[1]))
from marked import fill

BEHIND = ("", cases.BACKGROUND)


def write(rows: Rows, page: Path) -> None:
    """Put the tables between ``<!-- name -->`` and ``<!-- end -->`` of the page."""
    made = {
        "study-allgather": _allgather(rows),
        "study-scatter": _scatter(rows),
        "assumptions": _assumptions(rows),
        "crossover": _crossover(rows),
        "sensitivity-scatter": _sensitivity_scatter(rows),
        "sensitivity-allgather": _sensitivity_allgather(rows),
    }
    fill(page, made)


def _micro(spread: Spread | None) -> str:
    return f"{spread.mean / 1e6:.1f}" if spread else "–"


def _allgather(rows: Rows) -> Table:
    head = ["background", "ranks", "RING", "BRUCK", "TAR", "RING / TAR", "BRUCK / TAR"]
    head += ["routers RING", "BRUCK", "TAR", "seeds"]
    lines = []
    for behind in BEHIND:
        for ranks in cases.RANKS:
            line = [behind or "none", f"{ranks:,}"]
            for workload in cases.ALLGATHER:
                line.append(_micro(values(rows, "study", behind, workload, ranks, "time_ps")))
            for name in ("ring", "bruck"):
                line.append(
                    _ratio(rows, "study", behind, f"allgather/{name}", "allgather/tar", ranks)
                )
            for workload in cases.ALLGATHER:
                found = values(rows, "study", behind, workload, ranks, "routers")
                line.append(f"{found.mean:.2f}" if found else "–")
            line.append(_seeds(rows, "study", behind, cases.ALLGATHER, ranks))
            lines.append(line)
    return Table(head, lines, left=2)


def _assumptions(rows: Rows) -> Table:
    """Return the ratios of allgathers under several assumptions, each with its number of seeds."""
    where = {"RING": (128, 1024, 2048, 4096), "BRUCK": (512, 1024, 2048, 4096)}
    head = [f"{name} / TAR, {n:,}" for name, sizes in where.items() for n in sizes]
    lines = []
    for label, study, setting, end in (
        ("none", "study", "", ""),
        ("100 ns of software a send and a receive", "overhead", "100 ns", ""),
        ("ports pay 50 ns for 512 B", "ports pay", "50 ns per 512 B", ""),
        ("each step waits for its slowest message", "in step", "", "-in-step"),
    ):
        line = [label]
        for name, sizes in where.items():
            for ranks in sizes:
                pair = (f"allgather/{name.lower()}{end}", f"allgather/tar{end}")
                found = ratio(rows, study, setting, *pair, ranks)
                line.append(f"{found}{_few(found.count)}" if found else "–")
        lines.append(line)
    return Table(["assumption", *head], lines)


def _few(seeds: int) -> str:
    """Say how many seeds there are where there are fewer than five."""
    return "" if seeds >= len(cases.SEEDS) else f", {seeds} seed{'s' * (seeds > 1)}"


def _seeds(rows: Rows, study: str, setting: str, workloads: tuple[str, ...], ranks: int) -> str:
    """Return the least number of seeds of some workloads."""
    return str(min(len(of_seeds(rows, study, setting, name, ranks)) for name in workloads))


def _scatter(rows: Rows) -> Table:
    head = ["background", "ranks", "LIN", "TREE", "GLF", "LLF"]
    head += ["TREE / LIN", "GLF / LIN", "LLF / LIN", "seeds"]
    lines = []
    for behind in BEHIND:
        for ranks in cases.RANKS:
            line = [behind or "none", f"{ranks:,}"]
            for name in ("linear", "binomial", "glf", "llf"):
                found = values(rows, "study", behind, f"scatter/{name}", ranks, "time_ps")
                line.append(_micro(found))
            for name in ("binomial", "glf", "llf"):
                line.append(
                    _ratio(rows, "study", behind, f"scatter/{name}", "scatter/linear", ranks)
                )
            line.append(_seeds(rows, "study", behind, cases.SCATTER, ranks))
            lines.append(line)
    return Table(head, lines, left=2)


def _crossover(rows: Rows) -> Table:
    lines = []
    for ranks in cases.RANKS:
        line = [f"{ranks:,}"]
        for ways in ("send+recv", "send"):
            found = values(rows, "crossover", ways, "scatter/linear", ranks, "overhead_ns")
            line.append(f"{found.low:.0f}–{found.high:.0f}" if found else "–")
        lines.append(line)
    return Table(["ranks", "each send and each receive [ns]", "sends alone [ns]"], lines)


def _sensitivity_scatter(rows: Rows) -> Table:
    lines = []
    for study, setting in _settings():
        line = [study, setting]
        for ranks in (128, 1024, 4096):
            pairs = [(f"scatter/{name}", "scatter/linear") for name in ("binomial", "glf", "llf")]
            line.append(_ratios(rows, study, setting, pairs, ranks))
        found = values(rows, study, setting, "scatter/linear", 1024, "router_filled")
        line.append(f"{found.mean:.0f}" if found else "–")
        lines.append(line)
    return Table(["varied", "to", "128 ranks", "1,024", "4,096", "fills"], lines, left=2)


def _sensitivity_allgather(rows: Rows) -> Table:
    lines = []
    for study, setting in _settings():
        pairs = [(f"allgather/{name}", "allgather/tar") for name in ("ring", "bruck")]
        found = [_ratios(rows, study, setting, pairs, ranks) for ranks in (128, 512)]
        if any("·" in text for text in found):
            lines.append([study, setting, *found])
    return Table(["varied", "to", "128 ranks", "512"], lines, left=2)


def _ratios(rows: Rows, study: str, setting: str, pairs: list[tuple[str, str]], ranks: int) -> str:
    found = [ratio(rows, study, setting, slow, fast, ranks) for slow, fast in pairs]
    return "–" if None in found else " · ".join(f"{spread.mean:.2f}" for spread in found)


def _settings() -> list[tuple[str, str]]:
    varied = [(name, setting) for name in cases.SETTINGS for setting in cases.SETTINGS[name]]
    return [
        *varied,
        ("ports pay", cases.ALLOCATIONS[1]),
        *(("allocation", name) for name in cases.ALLOCATIONS),
    ]


def _ratio(rows: Rows, study: str, setting: str, slow: str, fast: str, ranks: int) -> str:
    found = ratio(rows, study, setting, slow, fast, ranks)
    return str(found) if found else "–"
