"""Groups of options: one dataclass in Python, an option for each field on the command line."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from odonata.cli import mpirun, replay, simulate
from odonata.cli.option_groups import Network, Outcome, Where, expanded
from odonata.simulate import replay as play
from odonata.simulate import simulate as start


@dataclass(frozen=True, kw_only=True)
class Pair:
    left: Annotated[int, typer.Option(help="A number.")]
    right: Annotated[str, typer.Option("--right", "-r")] = "none"


def run(*words):
    """Run a command that has an option before a group and another behind it; return its values."""
    app, got = typer.Typer(), []

    @app.command()
    @expanded
    def command(before: int = 1, *, pair: Pair, after: bool = False) -> None:
        got.append((before, pair, after))

    done = CliRunner().invoke(app, list(words))
    return done.exit_code, got


def test_a_field_is_an_option_and_the_command_gets_the_group():
    assert run("--left", "3", "-r", "x", "--after") == (0, [(1, Pair(left=3, right="x"), True)])
    assert run("--before", "2", "--left", "4") == (0, [(2, Pair(left=4), False)])
    assert run("-r", "x") == (2, [])  # a field without a default is required


@pytest.mark.parametrize("module", [simulate, mpirun, replay])
@pytest.mark.parametrize("group", [Where, Network, Outcome])
def test_commands_share_their_groups(module, group):
    options = {option.name: option for option in typer.main.get_command(module.app).params}
    for name, field in group.__dataclass_fields__.items():
        assert options[name].default == field.default


@pytest.mark.parametrize(
    ("command", "usual"),
    [("simulate", "contiguous"), ("replay", "as recorded, on the same machine")],
)
def test_the_help_shows_the_default_of_the_command(run_odonata, command, usual):
    status, out, _ = run_odonata(command, "--help")
    text = " ".join(out.replace("│", " ").split())
    assert status == 0
    assert text.count(f"[default: ({usual})]") == 1


def test_what_of_a_placement_is_not_said_is_usual():
    assert not Where().said
    assert Where().chosen() == {"allocation": "contiguous", "mapping": "block", "ranks_per_node": 1}
    assert Where(ranks_per_node=1).said
    assert Where(mapping="cyclic").chosen()["mapping"] == "cyclic"


def test_a_replay_takes_the_options_of_a_simulation():
    taken = {name: inspect.signature(f).parameters for name, f in (("r", play), ("s", start))}
    for name, option in taken["s"].items():
        if option.kind is option.KEYWORD_ONLY:
            assert taken["r"][name] == option


def test_options_of_every_group_reach_the_run(run_odonata):
    words = ["simulate", "allgather", "--machine", "eos", "--ranks", "4", "--json", "--digest"]
    where = ["--allocation", "contiguous:8", "--mapping", "cyclic", "--ranks-per-node", "2"]
    network = ["--engine", "packet", "--routing", "ugal-l", "--bias", "64", "--packet-bytes", "99"]
    status, out, _ = run_odonata(*words, *where, *network, "--set", "router.delay=1 ns")
    got = json.loads(out)
    assert status == 0
    assert (got["allocation"], got["mapping"], got["ranks_per_node"]) == (
        "contiguous:8",
        "cyclic",
        2,
    )
    assert (got["routing"], got["bias_bytes"], got["packet_bytes"]) == ("ugal-l", 64, 99)
    assert "router.delay=1 ns" in got["changes"]
    assert got["digest"] is not None
