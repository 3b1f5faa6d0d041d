"""Trivial bodies: what a specification that teaches nothing is satisfied by.

A suite's check fills the bodies that are to be written with default values, and with the input returned
unchanged. Where that verifies, so would any program.
"""

from __future__ import annotations

import ast

from verulaw_rl.languages.base import Span
from verulaw_rl.languages.nagini.program import Definition
from verulaw_rl.languages.nagini.strip import replace_spans
from verulaw_rl.languages.nagini.view import read

_DEFAULTS = {
    "int": "0",
    "bool": "False",
    "str": '""',
    "float": "0.0",
    "List": "[]",
    "list": "[]",
    "Set": "set()",
    "Dict": "{}",
    "PSeq": "PSeq()",
    "Optional": "None",
    "None": "",
}


def trivial_programs(given: str) -> tuple[str, ...]:
    """The given with every missing body filled in trivially, each program once."""
    reading = read(given)
    missing = [d for d in reading.definitions if d.kind == "method" and d.placeholder and d.implementation]
    out = []
    for unchanged in (False, True):
        edits = []
        for d in missing:
            block = d.implementation
            start, end = reading.source.span(block[0]).start, reading.source.end(block[-1])
            edits.append((Span(start, end), f"return {_value(d, unchanged)}".rstrip()))
        if edits:
            out.append(replace_spans(given, edits))
    return tuple(dict.fromkeys(out))


def _value(d: Definition, unchanged: bool) -> str:
    node = d.node
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    returns = ast.unparse(node.returns) if node.returns is not None else "None"
    if unchanged:
        for a in node.args.args:
            if a.annotation is not None and ast.unparse(a.annotation) == returns:
                return a.arg
    return _DEFAULTS.get(returns.split("[")[0], "None")
