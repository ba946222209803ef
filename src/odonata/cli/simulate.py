"""``odonata simulate``."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Simulate a workload on a machine.")


@app.callback()
def _group() -> None:
    pass
