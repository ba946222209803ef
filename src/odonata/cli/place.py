"""``odonata place``: where nodes and ranks are, groups of nodes, and files that launchers read."""

from __future__ import annotations

import typer

from odonata.cli.commands import Command, Numeric, NumericTables, Tables
from odonata.cli.place_files import convert, formats, topology, write
from odonata.cli.place_groups import groups
from odonata.cli.place_map import map_
from odonata.cli.place_names import where

__all__ = ["app"]

app = typer.Typer(
    add_completion=False,
    help="Place ranks: better orders, names of nodes, communicators, files for launchers.",
    no_args_is_help=True,
)

app.command(cls=Tables, no_args_is_help=True)(where)
app.command(cls=Tables, no_args_is_help=True)(groups)
app.command("map", cls=NumericTables, no_args_is_help=True)(map_)
app.command(cls=Tables)(formats)
app.command(cls=Numeric, no_args_is_help=True)(write)
app.command(cls=Command, no_args_is_help=True)(convert)
app.command(cls=Command, no_args_is_help=True)(topology)
