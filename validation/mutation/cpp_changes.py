"""Changes of C++ sources: a few operators on the syntax tree that tree-sitter makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import tree_sitter_cpp
from changes import Change
from tree_sitter import Language, Node, Parser

# The replacements of each operator. Those by another family mostly do not compile.
REPLACED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
    "-": ("+",),
    "*": ("/",),
    "/": ("*",),
    "%": ("/",),
    "&": ("|",),
    "|": ("&",),
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "*=": ("/=", "="),
    "|=": ("&=", "="),
    "&=": ("|=", "="),
    "++": ("--",),
    "--": ("++",),
}
WITH_OPERATOR = ("binary_expression", "assignment_expression", "update_expression")
WITH_CONDITION = ("if_statement", "while_statement", "do_statement", "conditional_expression")
# Text, what the compiler alone reads, and what tree-sitter did not understand.
LEFT_OUT = {
    "ERROR",
    "char_literal",
    "comment",
    "decltype",
    "preproc_call",
    "preproc_def",
    "preproc_function_def",
    "preproc_include",
    "raw_string_literal",
    "requires_clause",
    "static_assert_declaration",
    "string_literal",
    "template_argument_list",
    "template_parameter_list",
}


def changes_of(source: str) -> list[Change]:
    """Return the changes of a source, except in its text, assertions and directives."""
    tree = Parser(Language(tree_sitter_cpp.language())).parse(source.encode())
    return list(_below(tree.root_node))


def _below(node: Node) -> Iterator[Change]:
    if node.type in LEFT_OUT or _asserts(node):
        return
    yield from _at(node)
    if node.type == "throw_statement":  # its expression is a message
        return
    for child in node.children:
        yield from _below(child)


def _asserts(node: Node) -> bool:
    if node.type == "expression_statement" and node.named_child_count == 1:
        node = node.named_children[0]
    called = node.child_by_field_name("function") if node.type == "call_expression" else None
    return called is not None and called.text == b"assert"


def _at(node: Node) -> Iterator[Change]:
    if node.type in WITH_OPERATOR:
        operator = node.child_by_field_name("operator")
        for new in REPLACED.get(_text(operator), ()):
            yield _change(operator, f"{_text(operator)} to {new}", new)
    elif node.type == "number_literal":
        for step in ("+ 1", "- 1"):
            yield _change(node, f"constant {step}", f"({_text(node)} {step})")
    elif node.type == "unary_expression" and _text(node).startswith("!"):
        yield _change(node.children[0], "! dropped", "")
    elif node.type in ("expression_statement", "throw_statement"):
        yield _change(node, "statement dropped", ";")
    if node.type in WITH_CONDITION:
        yield from _negated(node.child_by_field_name("condition"))


def _negated(condition: Node) -> Iterator[Change]:
    value = condition
    if condition.type == "condition_clause":
        value = condition.child_by_field_name("value")
    if value.type != "declaration":
        yield _change(value, "condition negated", f"!({_text(value)})")


def _text(node: Node) -> str:
    return node.text.decode()


def _change(node: Node, kind: str, new: str) -> Change:
    line, column = node.start_point
    apply = partial(_replaced, begin=node.start_byte, end=node.end_byte, new=new)
    return Change((line + 1, column), kind, apply)


def _replaced(source: str, begin: int, end: int, new: str) -> str:
    text = source.encode()
    return (text[:begin] + new.encode() + text[end:]).decode()
