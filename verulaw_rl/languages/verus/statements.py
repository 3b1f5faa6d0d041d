"""Statements and clauses: the middle layer of the parser."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.languages.lexed import Range, TokenKind, words
from verulaw_rl.languages.verus.expressions import CLAUSE_WORDS, ExpressionParser
from verulaw_rl.languages.verus.syntax import Block, ClauseGroup, ClauseNode, Statement

LOOP_CLAUSES = frozenset({"invariant", "invariant_except_break", "invariant_ensures", "ensures", "decreases"})
_REVEALS = frozenset({"reveal", "reveal_with_fuel", "reveal_strlit", "hide"})
_ITEM_WORDS = words(
    """
    fn use const struct enum union trait impl static mod extern pub open closed uninterp broadcast axiom spec exec
    type global assume_specification macro_rules
    """
)
_ONCE = frozenset({"when", "via"})


class StatementParser(ExpressionParser):
    """Adds statements to the cursor."""

    def item_statement(self) -> bool:
        """Read a declaration inside a body, if one stands here; the layer above knows how."""
        raise NotImplementedError

    # --- clauses ------------------------------------------------------------------------------------------------

    def clause_groups(self, kinds: frozenset[str], *, item: bool) -> list[ClauseGroup]:
        """Read clauses of those kinds; ``item``: of a declaration, where ``{ ... },`` is a clause."""
        found = []
        while self.text[self.at] in kinds and self.is_word(self.at):
            group = ClauseGroup(self.text[self.at], self.at, self.at)
            self.at += 1
            if group.kind == "atomically":
                while self.text[self.at] in ("(", "{"):
                    self.skip_bracket()
                self.accept(",")
                group.open_end = group.last = self.at
                found.append(group)
                continue
            while self._at_clause(item):
                first = self.at
                self.attributes()
                start = self.at
                self.expression(struct=False)
                end = self.at
                if end == start:
                    break
                more = self.accept(",")
                group.clauses.append(ClauseNode(group.kind, first, self.at, Range(start, end)))
                if not more:
                    break
            group.open_end = self.at
            while self.text[self.at] in _ONCE and self.is_word(self.at):
                self.at += 1
                self.expression(struct=False)
            group.last = self.at
            found.append(group)
        return found

    def _at_clause(self, item: bool) -> bool:
        text = self.text[self.at]
        if text == "{":
            close = self.close_of(self.at)
            return item and close < self.count and self.text[close + 1] == ","
        ends = text in (";", ",", "}", ")", "]", "") or (text in CLAUSE_WORDS and self.is_word(self.at))
        return self.at < self.count and not ends

    # --- blocks -------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        """Read ``{ statements }``."""
        opening, close = self.at, self.close_of(self.at)
        block = Block(opening, opening)
        if not self.enter():
            block.last = self.at
            return block
        outer, self.blocks = self.blocks, []
        self.at += 1
        end = min(close, self.count)
        while self.at < end:
            before = self.at
            block.statements.append(self.statement(end))
            if self.at == before:
                self.fail("a statement")
                self.at = min(max(before + 1, self.lexed.closer.get(before, before) + 1), end)
                self.garbage.append(Range(before, self.at))
                block.statements[-1].last = self.at
        self.at = end
        self.leave_bracket(opening, close)
        self.blocks = outer
        self.depth -= 1
        block.last = self.at
        return block

    def nested_block(self, *, closure: bool = False) -> None:
        """Read a block inside an expression."""
        kept = self.returns
        if closure:
            self.returns = []
        block = self.block()
        block.closure = closure
        self.returns = kept
        self.blocks.append(block)

    def nested_statement(self) -> None:
        """Read a loop, branch, match or assert inside an expression."""
        if not self.enter():
            return
        first = self.at
        outer, self.blocks = self.blocks, []
        statement = self.statement(self.count, nested=True)
        self.blocks = outer
        self.blocks.append(Block(first, self.at, braced=False, statements=[statement]))
        self.depth -= 1

    # --- statements ---------------------------------------------------------------------------------------------

    def statement(self, end: int, *, nested: bool = False) -> Statement:
        """Read one statement; ``nested``: inside an expression, where no semicolon belongs to it."""
        s = Statement("error", self.at, self.at, self.at)
        kept_blocks, kept_returns = self.blocks, self.returns
        self.blocks, self.returns = s.blocks, []
        s.attributes = self.attributes()
        if self.kind[self.at] == TokenKind.CHAR and self.text[self.at + 1] == ":":
            self.at += 2
        s.keyword = self.at
        reader = _READERS.get(self.text[self.at]) if self.text[self.at] == "{" or self.is_word(self.at) else None
        if reader is not None and reader(self, s):
            pass
        elif self.text[self.at] == ";":
            s.kind = "empty"
        elif not nested and self.text[self.at] in _ITEM_WORDS | {"proof"} and self.item_statement():
            s.kind = "item"
        else:
            self._expression_statement(s)
        if not nested and s.kind != "item":
            self._end(s, end)
        self.at = min(self.at, self.count)
        s.returns, self.returns = self.returns, kept_returns
        self.blocks = kept_blocks
        s.last = self.at
        return s

    def _end(self, s: Statement, end: int) -> None:
        """Step over what ends a statement."""
        if s.block_like and self.text[self.at] in (".", "?") and s.kind not in ("proof",):
            # a block that a method is called on: the rest of an expression
            while self.at < end:
                following = self._continuation()
                if following is None:
                    break
                if following is False:
                    self.expression()
            s.kind = "expression"
        s.semicolon = self.accept(";")
        if not s.semicolon and not s.block_like and self.at < end and not self._ends_in_brace(s):
            self.fail("';'")

    def _ends_in_brace(self, s: Statement) -> bool:
        """Whether it is proof text or a macro call that needs no semicolon behind its brace."""
        return s.kind in ("macro", "calc", "assert_forall", "assert") and self.text[self.at - 1] == "}"

    def _expression_statement(self, s: Statement) -> None:
        start = self.at
        s.kind = "expression"
        s.expression = self.expression()
        if self.at == start:
            s.kind = "error"
            return
        if self.text[start] == "return":
            s.kind = "return"
        elif self.is_word(start):
            s.kind = self._kind_of_call(s, start)

    def _kind_of_call(self, s: Statement, start: int) -> str:
        """``call`` for ``a::b::<T>(...)`` and ``x.f(...)``, ``macro`` for ``name!(...)``."""
        at, name = start, ""
        while at < self.at:
            text = self.text[at]
            if text == "!" and name and self.close_of(at + 1) + 1 == self.at:
                s.names = [name]
                return "macro"
            if self.is_word(at):
                name = text
            elif text == "<" and self.text[at - 1] == "::":
                mark, self.at = self.at, at
                self.angle()
                at, self.at = self.at, mark
                continue
            elif text in ("(", "["):
                close = self.close_of(at)
                if close + 1 == self.at:
                    s.names = [name]
                    return "call" if text == "(" and name else "expression"
                at = close
            elif text not in ("::", ".", "@"):
                return "expression"
            at += 1
        return "expression"

    def _let(self, s: Statement) -> bool:
        s.kind = "let"
        self.at += 1
        if self.text[self.at] in ("ghost", "tracked") and self.text[self.at + 1] not in ("=", ":", ";"):
            s.mode = self.text[self.at]
            self.at += 1
        s.names = self.bound_names(self.pattern(frozenset({"=", ":", ";"})))
        if self.accept(":"):
            self.type_()
        if self.accept("="):
            s.expression = self.expression()
            if self.accept("else") and self.text[self.at] == "{":
                self.nested_block()
        return True

    def _assert(self, s: Statement) -> bool:
        following = self.text[self.at + 1]
        if following == "forall" and self.text[self.at] == "assert":
            return self._assert_forall(s)
        if following != "(":
            return False
        s.kind = self.text[self.at]
        self.at += 1
        inside = self.skip_bracket()
        s.expression = Range(inside.first + 1, max(inside.first + 1, inside.last - 1))
        if s.kind == "assert" and self.accept("by"):
            if self.text[self.at] == "(":
                self.skip_bracket()
            s.groups = self.clause_groups(frozenset({"requires"}), item=False)
            if self.text[self.at] == "{":
                self.nested_block()
        return True

    def _assert_forall(self, s: Statement) -> bool:
        s.kind = "assert_forall"
        self.at += 1
        first = self.at
        self.expression(struct=False)
        if self.accept("implies"):
            self.expression(struct=False)
        s.expression = Range(first, self.at)
        if self.expect("by") and self.text[self.at] == "{":
            self.nested_block()
        return True

    def _proof(self, s: Statement) -> bool:
        if self.text[self.at + 1] != "{":
            return False
        s.kind = "proof"
        self.at += 1
        self.nested_block()
        return True

    def _reveal(self, s: Statement) -> bool:
        if self.text[self.at + 1] != "(":
            return False
        s.kind = "reveal"
        self.at += 1
        self.skip_bracket()
        return True

    def _calc(self, s: Statement) -> bool:
        if self.text[self.at + 1] != "!":
            return False
        s.kind = "calc"
        self.at += 2
        if self.text[self.at] in ("{", "(", "["):
            self.skip_bracket()
        return True

    def _broadcast(self, s: Statement) -> bool:
        if self.text[self.at + 1] != "use":
            return False
        s.kind = "broadcast"
        self.at += 2
        self.pattern(frozenset({";"}))
        return True

    def _if(self, s: Statement) -> bool:
        s.kind = "if"
        while True:
            self.at += 1
            self.expression(struct=False)
            if self.text[self.at] != "{":
                self.fail("'{'")
                return True
            self.nested_block()
            if not self.accept("else"):
                return True
            if self.text[self.at] == "{":
                self.nested_block()
                s.mode = "else"
                return True
            if self.text[self.at] != "if":
                self.fail("'{' or 'if'")
                return True

    def _match(self, s: Statement) -> bool:
        s.kind = "match"
        self.at += 1
        s.expression = self.expression(struct=False)
        if self.text[self.at] != "{":
            self.fail("'{'")
            return True
        opening, close = self.at, self.close_of(self.at)
        if not self.enter():
            return True
        self.at += 1
        end = min(close, self.count)
        while self.at < end:
            before = self.at
            self._arm(end)
            if self.at == before:
                self.at += 1
        self.at = end
        self.leave_bracket(opening, close)
        self.depth -= 1
        return True

    def _arm(self, end: int) -> None:
        self.attributes()
        self.pattern(frozenset({"=>", "if"}))
        if self.accept("if"):
            self.expression(struct=False)
        if not self.expect("=>"):
            while self.at < end and self.text[self.at] not in (",", "=>"):
                self.at = max(self.at + 1, self.lexed.closer.get(self.at, self.at) + 1)
            self.accept("=>")
        if self.text[self.at] == "{":
            self.nested_block()
        elif self.at < end:
            first = self.at
            outer, self.blocks = self.blocks, []
            arm = Statement("expression", first, first, first, blocks=self.blocks)
            kept, self.returns = self.returns, []
            arm.expression = self.expression()
            arm.kind = "return" if self.text[first] == "return" else "expression"
            arm.returns, self.returns = self.returns, kept
            arm.last = self.at
            self.blocks = outer
            self.blocks.append(Block(first, self.at, braced=False, statements=[arm]))
        self.accept(",")

    def _while(self, s: Statement) -> bool:
        s.kind = "while"
        self.at += 1
        s.expression = self.expression(struct=False)
        return self._loop_rest(s)

    def _for(self, s: Statement) -> bool:
        if self.text[self.at + 1] == "<":
            return False
        s.kind = "for"
        self.at += 1
        s.names = self.bound_names(self.pattern(frozenset({"in"})))
        self.expect("in")
        if self.is_word(self.at) and self.text[self.at + 1] == ":":
            s.names.append(self.text[self.at])
            self.at += 2
        s.expression = self.expression(struct=False)
        return self._loop_rest(s)

    def _loop(self, s: Statement) -> bool:
        s.kind = "loop"
        self.at += 1
        return self._loop_rest(s)

    def _loop_rest(self, s: Statement) -> bool:
        s.groups = self.clause_groups(LOOP_CLAUSES, item=False)
        if self.text[self.at] != "{":
            first = self.at
            while self.at < self.count and self.text[self.at] not in LOOP_CLAUSES | {"{", "}", ";"}:
                self.at = max(self.at + 1, self.lexed.closer.get(self.at, self.at) + 1)
            self.at = min(self.at, self.count)
            self.fail("'{'", first)
            self.garbage.append(Range(first, self.at))
            s.groups += self.clause_groups(LOOP_CLAUSES, item=False)
        if self.text[self.at] == "{":
            self.nested_block()
        return True

    def _block(self, s: Statement) -> bool:
        s.kind = "block"
        self.nested_block()
        return True

    def _unsafe(self, s: Statement) -> bool:
        if self.text[self.at + 1] != "{":
            return False
        self.at += 1
        return self._block(s)


_READERS: dict[str, Callable[[StatementParser, Statement], bool]] = {
    "let": StatementParser._let,
    "assert": StatementParser._assert,
    "assume": StatementParser._assert,
    "proof": StatementParser._proof,
    "calc": StatementParser._calc,
    "broadcast": StatementParser._broadcast,
    "if": StatementParser._if,
    "match": StatementParser._match,
    "while": StatementParser._while,
    "for": StatementParser._for,
    "loop": StatementParser._loop,
    "{": StatementParser._block,
    "unsafe": StatementParser._unsafe,
    **dict.fromkeys(_REVEALS, StatementParser._reveal),
}
