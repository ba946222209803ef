"""Changes of Python sources: the operators of cosmic-ray that can be judged."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from changes import Change
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names
from parso.tree import NodeOrLeaf as Node

# An operator is replaced by one of its own family: others end most programs at once (a text minus
# a text), or depend on which objects the interpreter shares (`is` for `==`).
FAMILIES = (
    {"Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"},
    {"BitAnd", "BitOr", "BitXor", "LShift", "RShift"},
    {"Eq", "NotEq", "Lt", "LtE", "Gt", "GtE"},
    {"Is", "IsNot"},
)
REPLACEMENTS = ("ReplaceBinaryOperator", "ReplaceComparisonOperator")
NEED_ARGUMENTS = ("VariableReplacer", "VariableInserter")


def judged(name: str) -> bool:
    """Return whether tests can judge the changes of an operator of cosmic-ray."""
    kind, *operands = name.rpartition("/")[2].split("_")
    if kind in REPLACEMENTS:
        return any(family.issuperset(operands) for family in FAMILIES)
    return kind not in NEED_ARGUMENTS


def changes_of(source: str) -> list[Change]:
    """Return the changes of a source, except in annotations, which nothing runs."""
    seen: Counter[str] = Counter()
    unseen = not_run(source)
    operators = [(name, get_operator(name)()) for name in operator_names() if judged(name)]
    found = []
    for node in ast_nodes(get_ast(source)):
        for name, operator in operators:
            for place, _ in operator.mutation_positions(node):
                apply = partial(mutate_code, operator=operator, occurrence=seen[name])
                seen[name] += 1
                if not (unseen(place) or separates_parameters(node)):
                    found.append(Change(place, name.rpartition("/")[2], apply))
    return found


def separates_parameters(node: Node) -> bool:
    """Return whether a node is the ``*`` or ``/`` of a signature, which is no operation."""
    return node.type == "operator" and node.parent.type in ("parameters", "lambdef")


def not_run(source: str) -> Callable[[tuple[int, int]], bool]:
    """Return whether a place is in an annotation or a test of TYPE_CHECKING."""
    lines = source.splitlines()

    def at(line: int, byte: int) -> tuple[int, int]:  # ast counts bytes
        return line, len(lines[line - 1].encode()[:byte].decode())

    ranges = [
        (at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset))
        for node in _not_run(ast.parse(source))
    ]
    return lambda place: any(begin <= place < end for begin, end in ranges)


def _not_run(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield node.returns
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield node.test
