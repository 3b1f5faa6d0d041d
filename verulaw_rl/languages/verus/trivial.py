"""Trivial bodies: what a specification that teaches nothing is satisfied by."""

from __future__ import annotations

from verulaw_rl.languages.rewrites import Edit, apply_edits
from verulaw_rl.languages.verus.names import is_placeholder
from verulaw_rl.languages.verus.syntax import Declaration
from verulaw_rl.languages.verus.view import Reading, read

_DEFAULTS = {
    "": "",
    "( )": "",
    "bool": "false",
    "char": "'a'",
    "Vec": "Vec::new()",
    "Option": "None",
    "String": "String::new()",
    "& str": '""',
}
_NUMBERS = frozenset({f"{sign}{bits}" for sign in "iu" for bits in ("8", "16", "32", "64", "128", "size")})


def trivial_programs(given: str) -> tuple[str, ...]:
    """The given with every missing body filled in trivially, each program once."""
    reading = read(given)
    missing = [d for d in reading.declarations if d.kind == "method" and is_placeholder(d)]
    out = []
    for unchanged in (False, True):
        bodies = [(d, _value(reading, d, unchanged)) for d in missing]
        if any(value is None for _, value in bodies):
            continue
        edits = [Edit(reading.span(d.block.first, d.block.last), f"{{ {value} }}") for d, value in bodies if d.block]
        out.append(apply_edits(given, edits))
    return tuple(dict.fromkeys(out)) if missing else ()


def _value(reading: Reading, d: Declaration, unchanged: bool) -> str | None:
    """A value of the result's type: an input of that type for ``unchanged``, else a default."""
    canonical = reading.program.lexed.canonical
    wanted = canonical(*d.result_type)
    same = [p.names[0] for p in d.parameters if p.names and canonical(*p.type) == wanted]
    if unchanged and same and wanted:
        return same[0]
    if wanted in _NUMBERS:
        return "0"
    return _DEFAULTS.get(wanted, _DEFAULTS.get(wanted.split(" ")[0]))
