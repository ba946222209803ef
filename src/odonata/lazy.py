"""Packages that import their modules when something of them is first asked for (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

__all__ = ["lazily"]


def lazily(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package that has an ``__all__``.

    Type checkers read none of this: for them the package imports the same names once more, below
    ``if TYPE_CHECKING``.

    Parameters
    ----------
    package
        Its ``__name__``.
    homes
        The names that it has from each of its modules; the name of a module stands for the module.

    Examples
    --------
    >>> get, names = lazily("odonata", {"units": ["units", "parse_time"]})
    >>> get("units").__name__, get("parse_time")("1 ns")
    ('odonata.units', 1000)
    """
    where = {name: module for module, names in homes.items() for name in names}

    def get(name: str) -> object:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{where[name]}")
        found = module if name == where[name] else getattr(module, name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted(vars(sys.modules[package])["__all__"])

    return get, names
