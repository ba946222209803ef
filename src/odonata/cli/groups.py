"""Groups of options that several commands have, and the decorator that makes options of them.

A command takes a group as one argument; on the command line each field of it is an option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

from odonata.cli import options

__all__ = ["Network", "Outcome", "Where", "expanded", "showing"]


@dataclass(frozen=True, kw_only=True)
class Where:
    """Options of the placement; None: not said."""

    allocation: options.Allocation = None
    mapping: options.Mapping = None
    ranks_per_node: options.RanksPerNode = None

    @property
    def said(self) -> bool:
        """Whether any of them was given."""
        return self != Where()

    def chosen(self) -> dict[str, Any]:
        """Return what was said, and the usual for the rest."""
        usual = {"allocation": "contiguous", "mapping": "block", "ranks_per_node": 1}
        return usual | {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Network:
    """Options of the engine and of the machine's numbers."""

    engine: options.Engine = "packet"
    routing: options.Routing = "minimal"
    bias: options.Bias = "0"
    packet_bytes: options.PacketBytes = None
    changes: options.Changes = None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Options of the output, beside the result file."""

    samples: options.Samples = None
    plot: options.Plot = None
    digest: options.Digest = False
    json: options.Json = False


def expanded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with an option for each field of the groups that it takes.

    Parameters
    ----------
    command
        A function whose parameters are annotated for typer, or with a dataclass whose fields are.

    Examples
    --------
    >>> def place(where: Where, ranks: int = 1): ...
    >>> list(inspect.signature(expanded(place)).parameters)
    ['allocation', 'mapping', 'ranks_per_node', 'ranks']
    """
    signature = inspect.signature(command, eval_str=True)
    taken = signature.parameters.values()
    groups: dict[str, Any] = {
        one.name: one.annotation for one in taken if is_dataclass(one.annotation)
    }

    @wraps(command)
    def call(**given: Any) -> Any:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return command(**given)

    parameters = [
        parameter
        for one in taken
        for parameter in (
            _of_fields(groups[one.name])
            if one.name in groups
            else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
        )
    ]
    vars(call)["__signature__"] = signature.replace(parameters=parameters)
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def showing(**defaults: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that shows other defaults in the help of an expanded command.

    Parameters
    ----------
    **defaults
        Text for the options of these names.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(command)
        parameters = [
            one.replace(annotation=_showing(one.annotation, defaults[one.name]))
            if one.name in defaults
            else one
            for one in signature.parameters.values()
        ]
        vars(command)["__signature__"] = signature.replace(parameters=parameters)
        command.__annotations__ |= {one.name: one.annotation for one in parameters}
        return command

    return decorate


def _showing(annotation: Any, text: str) -> Any:
    kind, option = get_args(annotation)
    option = copy(option)
    option.show_default = text
    return Annotated[kind, option]


def _of_fields(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
