"""The part of ``odonata predict amg`` that says where fewer ranks are faster."""

from __future__ import annotations

from odonata import machine as machines
from odonata import model, report
from odonata.cli.amg import milliseconds, percent
from odonata.report.printing import print_line, print_table
from odonata.result.overview import count
from odonata.units import format_bytes, parse_bytes

__all__ = ["REDISTRIBUTION", "print_redistribution", "rules_of"]

REDISTRIBUTION = "Redistribution"
"""Heading of the options in the help text."""


def rules_of(
    machine: machines.Machine,
    mix: model.Mix,
    candidates: str,
    least_gain: float,
    cache: str | None,
    relaxation_order: str,
) -> model.Rules:
    """Return the rules that the options say.

    Parameters
    ----------
    machine
        The machine, whose file may have a cache.
    mix
        Ranks a node and threads a rank.
    candidates, least_gain
        The same as in `odonata.model.Rules`.
    cache
        Size of a rank's cache, ``none``, or None for the machine's.
    relaxation_order
        The same as in `odonata.model.Rules`.

    Raises
    ------
    UserError
        One of them is out of range.
    """
    if cache is None:
        size = model.cache_of(machine, mix.tasks)
    elif cache.strip().lower() == "none":
        size = None
    else:
        size = float(parse_bytes(cache, bare=True, what="cache"))
    return model.Rules(candidates, least_gain, size, relaxation_order)


def print_redistribution(prediction: model.Prediction) -> None:
    """Print the decisions for the levels of a prediction.

    Parameters
    ----------
    prediction
        It has decisions.
    """
    found = prediction.redistribution
    if found is None:
        return
    columns = ["level", "no switch [ms]", "best switch [ms]", "groups", "gain", "decision"]
    rows = [_row(level) for level in found.levels]
    print_line(f"\nredistribution, {prediction.mix}, {found.scenario}: {_headline(found)}")
    print_line(_rules(found.rules))
    print_line()
    print_table(report.Table(columns, rows, left=(0, 5)))
    for level in found.levels:
        if level.switch_seconds:
            print_line(_by_groups(level))


def _headline(found: model.Redistribution) -> str:
    switch = found.switch
    if switch is None:
        return "no level is switched"
    return (
        f"level {switch.level} is switched to {_count(switch.groups or 0, 'group')}, "
        f"gain {switch.gain:.1%}"
    )


def _rules(rules: model.Rules) -> str:
    cache = "any size" if rules.cache_bytes is None else format_bytes(rules.cache_bytes)
    looked = model.CANDIDATES[rules.candidates]
    return (
        f"groups: {looked}; cache of a rank: {cache}; least gain: {rules.least_gain:.1%}; "
        f"exchanges a level: {rules.exchanges}"
    )


def _row(level: model.LevelDecision) -> list[str]:
    best = "" if level.groups is None else milliseconds(level.switch_seconds[level.groups])
    groups = "" if level.groups is None else count(level.groups)
    gain = "" if level.gain is None else percent(level.gain)
    mark = "* " if level.switches else ""
    times = [milliseconds(level.no_switch_seconds), best]
    return [str(level.level), *times, groups, gain, mark + level.reason]


def _by_groups(level: model.LevelDecision) -> str:
    """Write the time of a level by number of groups, at most eight around the best."""
    numbers = list(level.switch_seconds)
    centre = numbers.index(level.groups) if level.groups in numbers else 0
    first = max(0, min(centre - 4, len(numbers) - 8))
    shown = [
        f"{c:,}: {milliseconds(level.switch_seconds[c])}"
        + (" (cache)" if c in level.excluded else "")
        for c in numbers[first : first + 8]
    ]
    return f"level {level.level}, ms by groups: {', '.join(shown)}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
