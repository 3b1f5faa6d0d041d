"""What Dafny 2.3 itself sees in a program: its normalised print, read line by line, with nothing of our parser.

``/dprint`` puts every declaration, clause and loop at the start of a line of its own.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

_MODIFIER = r"(?:abstract|ghost|static|protected|inductive|twostate|least|greatest)"
_KEYWORD = (
    r"function method|predicate method|function|predicate|copredicate|method|comethod|lemma|colemma|constructor"
    r"|iterator|module|class|trait|datatype|codatatype|newtype|type|const|import|export"
)
_DECLARATION = re.compile(rf"^\s*(?:{_MODIFIER} )*({_KEYWORD})(?= |$)(.*)$")
_FIELD = re.compile(r"^\s*(?:ghost )?var (?:\{:.*?\} )?([\w'?]+): [^;]*$")
_CLAUSE = re.compile(
    r"^\s*(free )?(yield requires|yield ensures|requires|ensures|modifies|reads|decreases|invariant)\b"
)
_MORE_CLAUSES = re.compile(r" {5}(free )?(invariant|decreases|modifies)\b")
"""A loop without body has its clauses on one line."""
_LOOP = re.compile(r"^\s*(?:label [\w'?]+:\s*)*while\b")
_CALLABLE = {
    "function method": "function",
    "predicate method": "predicate",
    "function": "function",
    "predicate": "predicate",
    "copredicate": "predicate",
    "method": "method",
    "comethod": "lemma",
    "lemma": "lemma",
    "colemma": "lemma",
    "constructor": "constructor",
    "iterator": "iterator",
}


@dataclass
class Printed:
    """A declaration as the print shows it: kind, name, clauses of itself and of its loops, loops, body."""

    kind: str
    name: str
    clauses: list[str] = field(default_factory=list)
    loops: int = 0
    body: bool = False

    def key(self) -> tuple[str, str, tuple[str, ...], int, bool]:
        return (self.kind, self.name, tuple(sorted(self.clauses)), self.loops, self.body)


def dafny_print(command: tuple[str, ...], programs: list[Path], out: Path) -> tuple[str, list[Path]]:
    """Dafny's print of the programs together, and those of them that it parses (the print is of these)."""
    programs = list(programs)
    while programs:
        out.unlink(missing_ok=True)
        options = ["/nologo", "/noResolve", "/dafnyVerify:0", "/compile:0", f"/dprint:{out}"]
        run = subprocess.run(
            [*command, *options, *map(str, programs)], capture_output=True, text=True, timeout=300, check=False
        )
        if out.exists():
            lines = out.read_text(encoding="utf-8").split("\n")
            return "\n".join(line for line in lines if not line.startswith("// ")), programs
        text = run.stdout + "\n"
        bad = [p for p in programs if f" detected in {p}\n" in text or f'opening file "{p}"' in text]
        bad = bad or [p for p in programs if f"{p}(" in text]
        if not bad:
            raise AssertionError(f"Dafny says neither a print nor which program is wrong: {run.stdout[:500]}")
        programs = [p for p in programs if p not in bad]
    return "", []


def read_print(text: str) -> list[Printed]:
    """Declarations in the order of the print."""
    found: list[Printed] = []
    current: Printed | None = None
    indent = -1
    for line in text.split("\n"):
        declared = _DECLARATION.match(line)
        field_name = _FIELD.match(line)
        column = len(line) - len(line.lstrip())
        if declared and not line.rstrip().endswith(";"):
            word, rest = declared.groups()
            current = Printed(_CALLABLE.get(word, word), _name(rest))
            indent = column
            found.append(current)
            if word in _CALLABLE and re.search(r"\{\s*\}\s*$", line) is not None:
                current.body = True
        elif field_name:
            current = None
            found.append(Printed("field", field_name.group(1)))
        elif current is not None and current.kind in _CALLABLE.values():
            clause = _CLAUSE.match(line)
            if clause:
                current.clauses.append((clause.group(1) or "") + clause.group(2))
                current.clauses += [a + b for a, b in _MORE_CLAUSES.findall(line[clause.end() :])]
            elif _LOOP.match(line):
                current.loops += 1
            elif column == indent and line.strip().startswith("{"):
                current.body = True
    return found


def _name(rest: str) -> str:
    while True:
        rest = rest.lstrip()
        if not rest.startswith("{:"):
            break
        depth = 0
        for i, c in enumerate(rest):
            depth += (c == "{") - (c == "}")
            if depth == 0:
                rest = rest[i + 1 :]
                break
    match = re.match(r"(?:opened )?([\w'?.]+)", rest)
    return match.group(1) if match else ""
