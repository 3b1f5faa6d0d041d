"""Statements: the middle layer of the parser, tolerant of anything.

What a statement list cannot read is noted once as the error and stepped over token by token, so a
damaged body still gives loops, asserts and blocks where they can be seen.
"""

from __future__ import annotations

from verulaw_rl.languages.dafny.expressions import ExpressionParser
from verulaw_rl.languages.dafny.syntax import Block, CalcStep, ClauseNode, Local, Statement
from verulaw_rl.languages.lexed import Range, TokenKind, words

_LIST_CLAUSES = frozenset({"modifies", "reads", "decreases"})
LOOP_CLAUSES = frozenset({"invariant", "decreases", "modifies"})
_ASSIGN = (":=", ":|", ":-")
_CALC_OPERATORS = words("< <= > >= == != <==> ==> <== ⇔ ⇒ ⇐ ≠ ≤ ≥ !! in !in")
_CONTEXTUAL_END = frozenset({":=", ".", ",", "(", "[", ":|", ":-", "`", ")", "]", "}"})
"""After one of these a contextual keyword is just a name."""


class StatementParser(ExpressionParser):
    """Adds clauses and statements to the cursor."""

    # --- clauses ------------------------------------------------------------------------------------------------

    def clauses(self, allowed: frozenset[str]) -> list[ClauseNode]:
        """Read the clauses that stand here, each with an optional ``free``, attributes and semicolon."""
        found: list[ClauseNode] = []
        while self.at < self.count:
            first = self.at
            keyword = first + 1 if self.text[first] == "free" else first
            kind = self.text[keyword]
            if kind == "yield" and self.text[keyword + 1] in ("requires", "ensures"):
                kind = f"yield {self.text[keyword + 1]}"
                self.at = keyword + 2
            elif kind in allowed and self.is_word(keyword):
                self.at = keyword + 1
            else:
                return found
            attributes = self.attributes()
            if kind.endswith(("requires", "ensures")) or kind == "invariant":
                self._label()
            begin = self.at
            lam = kind in LOOP_CLAUSES
            if kind in _LIST_CLAUSES:
                self.expressions(False, lam)
            else:
                self.expression(False, lam)
            end = self.at
            self.accept(";")
            found.append(ClauseNode(kind, first, self.at, keyword, attributes, Range(begin, end), keyword > first))
            if self.at <= keyword:
                return found
        return found

    def _label(self) -> str | None:
        if self.is_name(self.at) and self.text[self.at + 1] == ":":
            self.at += 2
            return self.text[self.at - 2]
        return None

    # --- blocks -------------------------------------------------------------------------------------------------

    def braced_block(self) -> Block:
        """Read ``{ statements }``."""
        opening = self.at
        close = self.lexed.closer.get(opening, self.count)
        block = Block(opening, opening, True)
        if self.enter():
            self.at += 1
            self.statements(block, close)
            self._leave_bracket(opening, close)
            self.depth -= 1
        block.last = self.at
        return block

    def statements(self, block: Block, close: int, case_ends: bool = False) -> None:
        """Read statements into the block until ``close`` (or the next ``case``)."""
        while self.at < close:
            if case_ends and self.text[self.at] == "case":
                return
            before = self.at
            statement = self.statement()
            if self.at == before:
                self.fail("a statement")
                self.at += 1
                statement = Statement("error", before, self.at, before)
            block.statements.append(statement)

    def _optional_block(self, into: Statement) -> None:
        if self.text[self.at] == "{" and not self.at_attribute():
            into.blocks.append(self.braced_block())

    def _cases(self, into: Statement, guards: bool) -> None:
        """Read ``case … => statements`` of a match (patterns) or of an if or while (guards), braces optional."""
        opening = self.at if self.text[self.at] == "{" else -1
        close = self.lexed.closer.get(opening, self.count) if opening >= 0 else self.count
        if not self.enter():
            return
        if opening >= 0:
            self.at += 1
        while self.at < close and self.accept("case"):
            if guards:
                self.attributes()
                self.guard(lam=False)
                self.expect("=>")
            else:
                self.pattern()
            block = Block(self.at, self.at, False)
            end = close if opening >= 0 else self._outer_close()
            self.statements(block, end, case_ends=True)
            block.last = self.at
            into.blocks.append(block)
        if opening >= 0:
            if self.at < close:
                self.fail("'case'")
            self._leave_bracket(opening, close)
        self.depth -= 1

    def _outer_close(self) -> int:
        """Where a case without braces must end: the closer of the block that we are in."""
        at = self.at
        while at < self.count and self.text[at] not in ("}", "case"):
            at = self.lexed.closer.get(at, at) + 1
        if at < self.count and self.text[at] == "case":
            return at
        return min(at, self.count)

    # --- statements ---------------------------------------------------------------------------------------------

    def statement(self) -> Statement:
        """Read one statement."""
        first = self.at
        if not self.enter():
            return Statement("error", first, self.at, first)
        outer, self.sink = self.sink, []
        label = None
        while self.text[self.at] == "label" and self.text[self.at + 2] == ":":
            label = self.text[self.at + 1]
            self.at += 2
            self.expect(":")
        while self.text[self.at] == "@" and self.is_word(self.at + 1):
            self.at += 2
            if self.text[self.at] == "(":
                self.skip_bracket()
        statement = Statement("empty", first, first, self.at, label)
        reader = _READERS.get(self.text[self.at]) if self.at < self.count else None
        if reader is None or not reader(self, statement):
            self._update(statement)
        self.at = min(self.at, self.count)
        statement.last = self.at
        statement.embedded = self.sink + statement.embedded
        self.sink = outer
        self.depth -= 1
        return statement

    def _block(self, s: Statement) -> bool:
        s.kind = "block"
        s.blocks.append(self.braced_block())
        return True

    def _empty(self, s: Statement) -> bool:
        self.at += 1
        return True

    def _skeleton(self, s: Statement) -> bool:
        s.kind = "skeleton"
        self.at += 1
        self.accept(";")
        return True

    def _var(self, s: Statement) -> bool:
        ghost = self.text[self.at] == "ghost"
        if ghost and self.text[self.at + 1] != "var":
            return False
        s.kind = "var"
        self.at += 2 if ghost else 1
        while self.at < self.count:
            s_attributes = self.attributes()
            if s_attributes.last > s_attributes.first:
                s.attributes = s_attributes
            if self.text[self.at] == "(" or self.text[self.at + 1] == "(":
                at = self.at if self.text[self.at] == "(" else self.at + 1
                close = self.lexed.closer.get(at, self.count)
                names = range(at + 1, min(close, self.count))
                s.locals += [Local(self.text[i], ghost) for i in names if self.is_name(i) and self.text[i - 1] in "(,"]
                self.at = at
                self.skip_bracket()
            elif self.is_name(self.at):
                s.locals.append(Local(self.text[self.at], ghost))
                self.at += 1
            else:
                self.fail("a variable name")
                break
            if self.accept(":"):
                self.type_()
            if not self.accept(","):
                break
        self._right_hand_side(s)
        self._semicolon()
        return True

    def _semicolon(self) -> None:
        self.attributes()
        self.expect(";")

    def _right_hand_side(self, s: Statement) -> None:
        if self.text[self.at] not in _ASSIGN:
            return
        s.operator = self.text[self.at]
        self.at += 1
        if self.text[self.at] in ("assume", "assert", "expect") and s.operator != ":=":
            self.at += 1
            self.attributes()
        while True:
            s.values.append(self._value())
            if not self.accept(","):
                return

    def _value(self) -> Range:
        """A right-hand side: an expression, or ``new …``."""
        first = self.at
        if self.text[self.at] == "new" and (self.is_name(self.at + 1) or self.text[self.at + 1] in ("(", "[")):
            self.at += 1
            if self.is_name(self.at):
                self.type_()
            while self.text[self.at] in ("(", "[", "{", "."):
                if self.accept("."):
                    self.at += 1
                else:
                    self._bracketed()
        else:
            self.expression()
        self.attributes()
        return Range(first, self.at)

    def _update(self, s: Statement) -> None:
        """Assignments and calls."""
        if self.text[self.at] == ":-":
            s.kind = "assign"
            self._right_hand_side(s)
            self._semicolon()
            return
        start = self.at
        s.targets = self.expressions(False, False)
        if self.at == start:
            return
        if self.text[self.at] in _ASSIGN:
            s.kind = "assign"
            self._right_hand_side(s)
        else:
            s.kind = "call"
            if not self._is_call(start):
                s.kind = "error"
                self.fail("':='")
        self._semicolon()

    def _is_call(self, start: int) -> bool:
        """Whether the expression read last, from ``start``, is a call."""
        if not self._single or self.text[self.at - 1] != ")":
            return False
        last = at = start
        while at < self.at:
            last = at
            at = self.lexed.closer.get(at, at) + 1
        return last > start

    def _if_statement(self, s: Statement) -> bool:
        s.kind = "if"
        self.at += 1
        if self.text[self.at] == "case" or (self.text[self.at] == "{" and self.text[self.at + 1] == "case"):
            s.operator = "case"
            self._cases(s, guards=True)
            return True
        while True:
            self.attributes()
            guard = self.guard()
            if not s.blocks:
                s.expression = guard
            if self.text[self.at] != "{":
                self.fail("'{'")
                return True
            s.blocks.append(self.braced_block())
            if not self.accept("else"):
                return True
            if self.text[self.at] == "{":
                s.has_else = True
                s.blocks.append(self.braced_block())
                return True
            if self.text[self.at] != "if":
                self.fail("'{' or 'if'")
                return True
            if self.text[self.at + 1] == "case" or (self.text[self.at + 1] == "{" and self.text[self.at + 2] == "case"):
                inner = Block(self.at, self.at, False)
                inner.statements.append(self.statement())
                inner.last = self.at
                s.blocks.append(inner)
                s.has_else = True
                return True
            self.at += 1

    def _while(self, s: Statement) -> bool:
        s.kind = "while"
        self.at += 1
        self.attributes()
        if self.text[self.at] not in ("case", "invariant", "decreases", "modifies", "free", "{"):
            s.expression = self.guard()
        elif self.text[self.at] == "{" and self.text[self.at + 1] != "case":
            s.expression = self.expression(True)
        s.clauses = self.clauses(LOOP_CLAUSES)
        if self.text[self.at] == "case" or (self.text[self.at] == "{" and self.text[self.at + 1] == "case"):
            s.kind = "while"
            s.operator = "case"
            self._cases(s, guards=True)
        else:
            self._loop_body(s)
            if not s.blocks:
                self.accept(";")
        return True

    def _loop_body(self, s: Statement) -> None:
        """Read the body of a loop, after anything that does not belong between its clauses and the body."""
        while self.text[self.at] != "{" and self.at < self.count and not self._continues_without_body():
            first = self.at
            while self.at < self.count and self.text[self.at] not in LOOP_CLAUSES | {"}", ";"}:
                if self.text[self.at] in ("(", "["):
                    self.skip_bracket()
                    continue
                if self.text[self.at] == "{" and self._ends_operand(self.at - 1):
                    break
                self.at += 1
            if self.text[self.at] == ";" and self.text[self.at + 1] in LOOP_CLAUSES | {"{"}:
                self.at += 1
            if self.text[self.at] not in LOOP_CLAUSES | {"{"}:
                self.at = first
                return
            self.garbage.append(Range(first, self.at))
            s.clauses += self.clauses(LOOP_CLAUSES)
        self._optional_block(s)

    def _continues_without_body(self) -> bool:
        """Whether what stands here is a statement behind a loop without body, rather than text out of place."""
        if self.text[self.at] in ("}", "case") or self._trying:
            return True
        start, error, kept, garbage = self.at, self.error, len(self.sink), len(self.garbage)
        self.error, self._trying = None, True
        self.statement()
        readable = self.error is None and self.at > start
        if not readable and error is None:
            error = self.error
        self.at, self.error, self._trying = start, error, False
        del self.sink[kept:], self.garbage[garbage:]
        return readable

    def _ends_operand(self, at: int) -> bool:
        return self.text[at] in (")", "]", "}") or (self.kind[at] != TokenKind.OPERATOR and self.text[at] != "in")

    def _for(self, s: Statement) -> bool:
        if not self.is_name(self.at + 1) or self.text[self.at + 2] not in (":=", ":"):
            return False
        s.kind = "for"
        s.locals.append(Local(self.text[self.at + 1], False))
        self.at += 2
        if self.accept(":"):
            self.type_()
        self.expect(":=")
        self.expression()
        if not (self.accept("to") or self.accept("downto")):
            self.fail("'to' or 'downto'")
        s.expression = self.expression()
        s.clauses = self.clauses(LOOP_CLAUSES)
        self._loop_body(s)
        return True

    def _match_statement(self, s: Statement) -> bool:
        s.kind = "match"
        self.at += 1
        s.expression = self.expression(True)
        self._cases(s, guards=False)
        return True

    def _assert(self, s: Statement) -> bool:
        kind = self.text[self.at]
        if kind != "assert" and kind != "assume" and self.text[self.at + 1] in _CONTEXTUAL_END - {"("}:
            return False
        s.kind = kind
        self.at += 1
        s.attributes = self.attributes()
        label = self._label()
        if label is not None:
            s.label = label
        s.expression = self.expression()
        if kind == "expect" and self.accept(","):
            self.expression()
        if self.text[self.at] == "by":
            self.at += 1
            self._optional_block(s)
            return True
        self._semicolon()
        return True

    def _reveal(self, s: Statement) -> bool:
        if self.text[self.at + 1] in _CONTEXTUAL_END - {"("}:
            return False
        s.kind = "reveal"
        self.at += 1
        if not self.accept("*"):
            self.expressions()
        self.expect(";")
        return True

    def simple_proof_statement(self) -> Statement:
        """Read an assert, assume, expect, calc, reveal or hide that stands in an expression."""
        s = Statement("error", self.at, self.at, self.at)
        reader = _READERS[self.text[self.at]]
        if not reader(self, s):
            self.at += 1
        if s.kind == "assert" and self.text[self.at - 1] == "}":
            self.accept(";")
        self.at = min(self.at, self.count)
        s.last = self.at
        return s

    def _calc(self, s: Statement) -> bool:
        following = self.text[self.at + 1]
        if not (following == "{" or following in _CALC_OPERATORS or self.at_attribute(self.at + 1)):
            return False
        s.kind = "calc"
        self.at += 1
        s.attributes = self.attributes()
        default = self._calc_operator() or "=="
        if self.text[self.at] != "{":
            self.fail("'{'")
            return True
        opening, close = self.at, self.lexed.closer.get(self.at, self.count)
        if not self.enter():
            return True
        self.at += 1
        previous: Range | None = None
        operator = ""
        while self.at < close:
            before = self.at
            if self.text[self.at] == "{" and not self.at_attribute():
                s.blocks.append(self.braced_block())
                continue
            if self.text[self.at] == "calc" and (self.text[self.at + 1] == "{" or previous is not None):
                hint = Block(self.at, self.at, False, [self.statement()])
                hint.last = self.at
                s.blocks.append(hint)
                continue
            operator = self._calc_operator() or operator
            if self.text[self.at] in ("{", "calc") and self.at > before:
                continue
            if self.accept("..."):
                self.accept(";")
                continue
            self.attributes()
            line = self.expression()
            if previous is not None:
                s.steps.append(CalcStep(previous, operator or default, line))
            previous, operator = line, ""
            self.expect(";")
            if self.at == before:
                self.at += 1
        self._leave_bracket(opening, close)
        self.depth -= 1
        return True

    def _calc_operator(self) -> str:
        text = self.text[self.at]
        if text not in _CALC_OPERATORS:
            return ""
        first = self.at
        self.at += 1
        if self.text[self.at] == "#" and self.text[self.at + 1] == "[":
            self.at += 1
            self._bracketed()
        return " ".join(self.text[first : self.at])

    def _forall(self, s: Statement) -> bool:
        s.kind = "forall"
        self.at += 1
        if self.text[self.at] == "(":
            opening = self.at
            close = self.lexed.closer.get(opening, self.count)
            self.at += 1
            if self.at < close:
                s.locals = [Local(name, False) for name in self.quantified()]
            self.attributes()
            if self.at < close:
                self.fail("')'")
                self.at = close
            self._leave_bracket(opening, close)
        elif self.is_name(self.at):
            s.locals = [Local(name, False) for name in self.quantified()]
            self.attributes()
        s.clauses = self.clauses(frozenset({"ensures"}))
        self._optional_block(s)
        if not s.blocks:
            self.accept(";")
        return True

    def _return(self, s: Statement) -> bool:
        s.kind = self.text[self.at]
        self.at += 1
        s.attributes = self.attributes()
        if self.text[self.at] == "new" and s.kind == "return" and self.text[self.at + 1] == ";":
            self.at += 1
        elif self.text[self.at] != ";":
            while True:
                s.values.append(self._value())
                if not self.accept(","):
                    break
        self._semicolon()
        return True

    def _print(self, s: Statement) -> bool:
        s.kind = "print"
        self.at += 1
        self.expressions()
        self._semicolon()
        return True

    def _break(self, s: Statement) -> bool:
        follow = self.text[self.at + 1]
        if self.text[self.at] == "continue" and not (follow in (";", "{") or self.is_name(self.at + 1)):
            return False
        s.kind = "break"
        self.at += 1
        while self.text[self.at] == "break":
            self.at += 1
        self.accept("continue")
        self.attributes()
        if self.is_name(self.at):
            s.operator = self.text[self.at]
            self.at += 1
        self.expect(";")
        return True

    def _modify(self, s: Statement) -> bool:
        s.kind = "modify"
        self.at += 1
        self.attributes()
        self.expressions()
        if self.text[self.at] == "{":
            s.blocks.append(self.braced_block())
        else:
            self.expect(";")
        return True

    def _new(self, s: Statement) -> bool:
        if self.text[self.at + 1] != ";":
            return False
        s.kind = "new"
        self.at += 2
        return True

    def _opaque(self, s: Statement) -> bool:
        if self.text[self.at + 1] not in ("{", "ensures", "modifies", "requires"):
            return False
        s.kind = "opaque"
        self.at += 1
        s.clauses = self.clauses(frozenset({"ensures", "modifies", "requires"}))
        self._optional_block(s)
        return True

    def is_statement_word(self, at: int) -> bool:
        """Whether the token begins a statement by keyword."""
        return self.kind[at] == TokenKind.WORD and self.text[at] in _READERS


_READERS = {
    "{": StatementParser._block,
    ";": StatementParser._empty,
    "...": StatementParser._skeleton,
    "var": StatementParser._var,
    "ghost": StatementParser._var,
    "if": StatementParser._if_statement,
    "while": StatementParser._while,
    "for": StatementParser._for,
    "match": StatementParser._match_statement,
    "assert": StatementParser._assert,
    "assume": StatementParser._assert,
    "expect": StatementParser._assert,
    "reveal": StatementParser._reveal,
    "hide": StatementParser._reveal,
    "calc": StatementParser._calc,
    "forall": StatementParser._forall,
    "return": StatementParser._return,
    "yield": StatementParser._return,
    "print": StatementParser._print,
    "break": StatementParser._break,
    "continue": StatementParser._break,
    "modify": StatementParser._modify,
    "new": StatementParser._new,
    "opaque": StatementParser._opaque,
}
