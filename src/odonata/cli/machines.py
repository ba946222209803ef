"""``odonata machines``."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="Show and check machines.")


@app.callback()
def _group() -> None:
    pass
