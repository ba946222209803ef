"""Groups of options that several commands have, and the decorator that makes options of them.

A command takes a group as one argument; on the command line each field of it is an option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints

from odonata.cli import options

__all__ = ["Network", "Outcome", "Where", "expanded"]


@dataclass(frozen=True, kw_only=True)
class Where:
    """Options of the placement."""

    allocation: options.Allocation = "contiguous"
    mapping: options.Mapping = "block"
    ranks_per_node: options.RanksPerNode = 1


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
