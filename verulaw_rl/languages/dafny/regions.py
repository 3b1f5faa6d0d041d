"""Which tokens are specification, annotation or executable.

* SPECIFICATION: all that is outside of bodies (signatures, contracts, datatypes, types, constants,
  module text), bodies of functions and predicates, and ``decreases *``, which no proof may add.
* ANNOTATION: ``decreases`` of declarations and loops; loop invariants and loop ``modifies`` (the
  verifier checks the body against it, so it can only be too strict); assert, assume, calc, reveal,
  hide; lemma and ghost method calls; ghost variables and assignments to ghost variables and fields
  (unless the right-hand side allocates or calls a compiled method); whole bodies of lemmas and ghost
  methods; a ``forall``, ``if``, ``match`` or block that holds nothing else (its guard has no effect
  in a compiled program, and removing annotations must not turn it into code); asserts, calcs and
  lemma calls inside the expressions of function bodies and statements.
* EXECUTABLE: the rest of method, constructor and iterator bodies. Loops always are, outside ghost code.

White space and comments belong to the token behind them. Where the parser could not read (``error`` is
set then, and Dafny refuses the program), what it stepped over counts as annotation, so that a program
with damaged proof text still shows its own regions. Who relies on regions to judge a program must not
accept one that has an ``error`` and that the verifier nevertheless takes.
"""

from __future__ import annotations

from verulaw_rl.languages.dafny.declarations import Program
from verulaw_rl.languages.dafny.names import Names, callee
from verulaw_rl.languages.dafny.syntax import Block, ClauseNode, Declaration, Statement
from verulaw_rl.languages.lexed import Range
from verulaw_rl.languages.marks import ANNOTATION, EXECUTABLE, SPECIFICATION, Marks
from verulaw_rl.languages.parsed import flatten

_ALWAYS_PROOF = frozenset({"assert", "assume", "calc", "reveal", "empty", "error"})
_PROOF_IF_CONTENT_IS = frozenset({"block", "if", "match", "forall", "opaque"})


def is_star(program: Program, clause: ClauseNode) -> bool:
    """Whether a clause is ``decreases *``."""
    return clause.kind == "decreases" and program.lexed.canonical(*clause.expression) == "*"


def mark(program: Program, names: Names) -> Marks:
    """Give each token its kind."""
    marks = Marks(bytearray(len(program.lexed.tokens)))
    marker = _Marker(program, names, marks)
    for declaration in flatten(program.declarations):
        if declaration.callable:
            marker.declaration(declaration)
    for first, last in program.garbage:
        marks.set(first, last, ANNOTATION)
    return marks


class _Marker:
    def __init__(self, program: Program, names: Names, marks: Marks) -> None:
        self.program = program
        self.lexed = program.lexed
        self.names = names
        self.marks = marks
        self.scopes: list[dict[str, bool]] = []

    def declaration(self, d: Declaration) -> None:
        for clause in d.clauses:
            if clause.kind == "decreases" and not is_star(self.program, clause):
                self.marks.set(clause.first, clause.last, ANNOTATION)
        self._embedded(d.embedded)
        for block in (d.block, d.by_method):
            if block is None:
                continue
            if d.ghost and block is d.block:
                self.marks.set(block.first, block.last, ANNOTATION)
                continue
            self.marks.set(block.first, block.last, EXECUTABLE)
            self.scopes = [{p.name: p.ghost for p in d.parameters + d.results}]
            self._block(block)

    def _embedded(self, statements: list[Statement]) -> None:
        for s in statements:
            is_call = s.kind == "call"
            if s.kind in _ALWAYS_PROOF or (is_call and callee(self.lexed, s.targets[0]) in self.names.ghost_calls):
                self.marks.proof.add(id(s))
                self.marks.set(s.first, s.last, ANNOTATION)

    def _block(self, block: Block) -> bool:
        """Mark the statements of a block; whether all are proof text."""
        self.scopes.append({})
        proofs = [self._statement(s) for s in block.statements]
        self.scopes.pop()
        return all(proofs)

    def _statement(self, s: Statement) -> bool:
        proof = self._judge(s)
        if proof:
            self.marks.proof.add(id(s))
            self.marks.set(s.first, s.last, ANNOTATION)
        else:
            self._embedded(s.embedded)
            if s.is_loop:
                for clause in s.clauses:
                    star = is_star(self.program, clause)
                    self.marks.set(clause.first, clause.last, SPECIFICATION if star else ANNOTATION)
        for local in s.locals:
            if s.kind == "var":
                self.scopes[-1][local.name] = local.ghost
        return proof

    def _judge(self, s: Statement) -> bool:
        if s.kind in _ALWAYS_PROOF:
            return True
        if s.blocks:
            self.scopes.append({local.name: local.ghost for local in s.locals})
            content = [self._block(block) for block in s.blocks]
            self.scopes.pop()
            return s.kind in _PROOF_IF_CONTENT_IS and all(content)
        if s.kind in ("forall", "match"):
            return True
        if s.kind == "call":
            return len(s.targets) == 1 and callee(self.lexed, s.targets[0]) in self.names.ghost_calls
        if s.kind == "var":
            return bool(s.locals) and all(local.ghost for local in s.locals) and self._pure(s)
        if s.kind == "assign":
            return bool(s.targets) and all(self._ghost_target(t) for t in s.targets) and self._pure(s)
        return False

    def _pure(self, s: Statement) -> bool:
        """Whether no right-hand side does anything in the compiled program."""
        if s.operator == ":-":
            return False
        for value in s.values:
            if value.first < value.last and self.lexed.tokens[value.first].text == "new":
                return False
            if callee(self.lexed, value) in self.names.executable_calls:
                return False
        return True

    def _ghost_target(self, target: Range) -> bool:
        tokens = self.lexed.tokens[target.first : target.last]
        if len(tokens) == 1:
            name = tokens[0].text
            for scope in reversed(self.scopes):
                if name in scope:
                    return scope[name]
            return name in self.names.ghost_fields
        if len(tokens) >= 3 and tokens[-2].text == ".":
            return tokens[-1].text in self.names.ghost_fields
        return False
