"""Trivial bodies: what a specification that teaches nothing is satisfied by.

A suite's check fills the bodies that are to be written with default values, with the input returned
unchanged, and with nothing at all; lemmas get an empty proof. Where that verifies, so would any program.
"""

from __future__ import annotations

import re

from verulaw_rl.languages.dafny.declarations import parse_program
from verulaw_rl.languages.dafny.syntax import METHOD_KINDS, Declaration
from verulaw_rl.languages.lexed import Lexed
from verulaw_rl.languages.parsed import flatten
from verulaw_rl.languages.rewrites import apply_edits, insertion

_DEFAULTS = {
    "int": "0",
    "nat": "0",
    "bool": "false",
    "real": "0.0",
    "char": "'a'",
    "string": '""',
    "seq": "[]",
    "set": "{}",
    "iset": "iset{}",
    "multiset": "multiset{}",
    "map": "map[]",
    "imap": "imap[]",
}
_BITVECTOR = re.compile(r"bv\d+")


def trivial_programs(given: str) -> tuple[str, ...]:
    """The given with every missing body filled in trivially, each program once."""
    program = parse_program(given)
    missing = [d for d in flatten(program.declarations) if d.kind in METHOD_KINDS and d.body is None]
    out = []
    for unchanged in (False, True, None):
        edits = [insertion(_end(program.lexed, d), f"\n{{ {_body(program.lexed, d, unchanged)}}}\n") for d in missing]
        out.append(apply_edits(given, edits))
    return tuple(dict.fromkeys(out)) if missing else ()


def _end(lexed: Lexed, d: Declaration) -> int:
    return lexed.tokens[d.last - 1].end


def _body(lexed: Lexed, d: Declaration, unchanged: bool | None) -> str:
    """Statements of a body; ``unchanged``: return inputs where types allow; ``None``: no statement at all."""
    if unchanged is None or d.kind in ("lemma", "iterator"):
        return ""
    types = _types(lexed, d)
    inputs = {p.name: types.get(p.name, "") for p in d.parameters}
    statements = []
    for result in d.results:
        type_ = types.get(result.name, "")
        same = [name for name, other in inputs.items() if other == type_] if unchanged else []
        value = same[0] if same else _default(type_)
        if value is not None:
            statements.append(f"{result.name} := {value}; ")
    return "".join(statements)


def _types(lexed: Lexed, d: Declaration) -> dict[str, str]:
    """Canonical type of each parameter and result."""
    out: dict[str, str] = {}
    names = {p.name for p in (*d.parameters, *d.results)}
    at = d.signature.first
    while at < d.signature.last - 1:
        name = lexed.tokens[at].text
        if name in names and lexed.tokens[at + 1].text == ":":
            end, depth = at + 2, 0
            while end < d.signature.last:
                text = lexed.tokens[end].text
                if depth == 0 and text in (",", ")", ":="):
                    break
                depth += (text in ("<", "(", "[")) - (text in (">", ")", "]"))
                end += 1
            out[name] = lexed.canonical(at + 2, end)
            at = end
        else:
            at += 1
    return out


def _default(type_: str) -> str | None:
    head, _, rest = type_.partition(" ")
    if head in _DEFAULTS:
        return _DEFAULTS[head]
    if _BITVECTOR.fullmatch(head):
        return "0"
    if head.endswith("?"):
        return "null"
    if head == "array" and rest.startswith("<"):
        return f"new {rest[1:-1].strip()}[0]"
    return None
