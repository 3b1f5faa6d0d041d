"""Where expressions, patterns and types end: the lowest layer of the parser.

One flat loop alternates between two states, operand expected and operand complete. An expression ends
where an operand is complete and what follows continues nothing, or at a word of Verus that begins a clause.
After ``if``, ``match``, ``while`` and clause keywords a brace ends the expression, unless an operand is expected
(``==> { ... }``), as Verus itself has it. Statement lists inside expressions are read by the layer above
through :meth:`ExpressionParser.nested_block`. The Python stack grows with brackets only, up to :data:`DEPTH_LIMIT`.
"""

from __future__ import annotations

from verulaw_rl.languages.cursor import Cursor
from verulaw_rl.languages.lexed import Lexed, Range, TokenKind, words
from verulaw_rl.languages.verus.syntax import Block, Return

DEPTH_LIMIT = 60
"""Brackets and blocks nested deeper are skipped unread, with an error."""

CLAUSE_WORDS = words(
    """
    requires ensures default_ensures returns decreases recommends invariant invariant_except_break invariant_ensures
    opens_invariants no_unwind atomically when via
    """
)
_ENDS = CLAUSE_WORDS | words("by implies else where in")
_PREFIX = frozenset({"!", "-", "*", "&", "&&", "&&&", "|||", "..", "..="})
_INFIX = words(
    """
    + - * / % ^ & && || | == != < > <= >= ==> <== <==> === !== =~= !~= =~~= !~~= = += -= *= /= %= ^= &= |= &&& |||
    """
)
_BEFORE_ARGUMENTS = words("fn spec_fn proof_fn Fn FnMut FnOnce FnSpec > ]")
"""What stands before the arguments of a function type."""
_BINDERS = frozenset({"forall", "exists", "choose"})
_AFTER_VALUE = frozenset({"", ",", ";", ")", "]", "}", "=>"})
_MODES = frozenset({"mut", "move", "ref", "tracked", "ghost"})


class ExpressionParser(Cursor):
    """A cursor that knows expressions and types. Subclasses add statements and declarations."""

    def __init__(self, lexed: Lexed) -> None:
        super().__init__(lexed)
        self.blocks: list[Block] = []
        """Takes the statement lists found inside expressions."""
        self.returns: list[Return] = []

    # --- the cursor ---------------------------------------------------------------------------------------------

    def close_of(self, opening: int) -> int:
        """The token that closes a bracket, the number of tokens if none does."""
        return self.lexed.closer.get(opening, self.count)

    def skip_bracket(self) -> Range:
        """Jump behind the bracket that opens here, without reading what is inside."""
        first = self.at
        self.leave_bracket(first, self.close_of(first))
        return Range(first, self.at)

    def leave_bracket(self, opening: int, close: int) -> None:
        """Go behind a closing token, or to the end where there is none."""
        if close >= self.count:
            self.fail(f"what closes {self.text[opening]!r}", self.count)
            self.at = self.count
        else:
            self.at = close + 1

    def attributes(self) -> list[Range]:
        """Step over ``#[...]`` and ``#![...]``."""
        found = []
        while self.text[self.at] == "#" and (
            self.text[self.at + 1] == "[" or (self.text[self.at + 1] == "!" and self.text[self.at + 2] == "[")
        ):
            first = self.at
            self.at += 1 if self.text[self.at + 1] == "[" else 2
            self.skip_bracket()
            found.append(Range(first, self.at))
        return found

    def adjacent(self, at: int) -> bool:
        """Whether nothing stands between a token and the next."""
        return at + 1 < self.count and self.tokens[at].end == self.tokens[at + 1].start

    # --- types and patterns -------------------------------------------------------------------------------------

    def angle(self) -> None:
        """Step over ``<...>``."""
        depth = 0
        while self.at < self.count:
            text = self.text[self.at]
            if text in ("(", "[", "{"):
                self.skip_bracket()
                continue
            if text in (")", "]", "}", ";"):
                self.fail("'>'")
                return
            self.at += 1
            depth += (text == "<") - (text in (">", ">="))
            if depth <= 0:
                return
        self.fail("'>'")

    def type_(self, *, plus: bool = True) -> Range:
        """Step over a type; ``plus``: whether ``+`` joins a further bound to it."""
        first = self.at
        while True:
            text = self.text[self.at]
            if text in ("&", "&&", "*", "mut", "const", "dyn", "impl", "tracked", "ghost", "unsafe") or (
                text.startswith("'") and self.kind[self.at] == TokenKind.CHAR
            ):
                self.at += 1
                continue
            if text == "for" and self.text[self.at + 1] == "<":
                self.at += 1
                self.angle()
                continue
            if text == "extern":
                self.at += 1
                if self.kind[self.at] == TokenKind.STRING:
                    self.at += 1
                continue
            if text in ("(", "["):
                self.skip_bracket()
            elif text == "<":
                self.angle()
            elif text in ("!", "?"):
                self.at += 1
                if text == "?":
                    continue
            elif self.is_word(self.at) and text not in CLAUSE_WORDS and text != "where":
                self.at += 1
                if self.text[self.at] == "!" and self.text[self.at + 1] in ("(", "[", "{"):
                    self.at += 1
                    self.skip_bracket()
            else:
                if self.at == first:
                    self.fail("a type")
                return Range(first, self.at)
            if not self._type_suffix() and not (plus and self.accept("+")):
                return Range(first, self.at)

    def _type_suffix(self) -> bool:
        """Step over what follows a type's name; whether another type must follow."""
        while True:
            text = self.text[self.at]
            if text == "::":
                self.at += 1
                if self.is_word(self.at):
                    self.at += 1
            elif text == "<":
                self.angle()
            elif text in ("(", "[") and self.text[self.at - 1] in _BEFORE_ARGUMENTS:
                self.skip_bracket()
            elif text == "->":
                self.at += 1
                return True
            else:
                return False

    def pattern(self, stops: frozenset[str]) -> Range:
        """Step over a pattern, up to one of the tokens ``stops`` outside of brackets."""
        first = self.at
        while self.at < self.count and self.text[self.at] not in stops:
            if self.text[self.at] in ("(", "[", "{"):
                self.skip_bracket()
            elif self.text[self.at] in (")", "]", "}", ";"):
                break
            else:
                self.at += 1
        return Range(first, self.at)

    def _simple_pattern(self) -> None:
        """A pattern behind ``matches``, which no token marks the end of."""
        while True:
            while self.text[self.at] in ("&", "ref", "mut", "box", "-"):
                self.at += 1
            if self.text[self.at] in ("(", "["):
                self.skip_bracket()
                return
            if self.is_word(self.at) or self.kind[self.at] in (TokenKind.NUMBER, TokenKind.STRING, TokenKind.CHAR):
                self.at += 1
            while self.text[self.at] == "::":
                self.at += 1
                if self.text[self.at] == "<":
                    self.angle()
                elif self.is_word(self.at):
                    self.at += 1
            if self.text[self.at] in ("(", "{"):
                self.skip_bracket()
            elif self.text[self.at] in ("..=", ".."):
                self.at += 1
                if self.kind[self.at] in (TokenKind.NUMBER, TokenKind.CHAR):
                    self.at += 1
            if not self.accept("@"):
                return

    def bound_names(self, pattern: Range) -> list[str]:
        """Variables that a pattern binds, as far as their case tells them from constructors."""
        found = []
        for i in range(*pattern):
            text, after = self.text[i], self.text[i + 1]
            variable = self.is_word(i) and not text[0].isupper() and text not in _MODES and text != "_"
            field = after == ":" and i + 1 < pattern.last
            if variable and not field and after not in ("(", "{", "::", "!") and self.text[i - 1] != "::":
                found.append(text)
        return found

    # --- expressions --------------------------------------------------------------------------------------------

    def enter(self) -> bool:
        """Count one level of nesting; ``False`` when there are too many, and the bracket here is skipped."""
        if self.depth >= DEPTH_LIMIT:
            self.fail(f"no more than {DEPTH_LIMIT} levels of nesting")
            first = self.at
            if self.text[self.at] in ("(", "[", "{"):
                self.skip_bracket()
            self.garbage.append(Range(first, self.at))
            return False
        self.depth += 1
        return True

    def nested_block(self, *, closure: bool = False) -> None:
        """Read ``{ statements }``; the layer above knows how."""
        raise NotImplementedError

    def nested_statement(self) -> None:
        """Read one statement that stands where an expression does."""
        raise NotImplementedError

    def expression(self, *, struct: bool = True) -> Range:
        """Step over an expression; ``struct``: whether a brace behind a path is a struct literal."""
        first = self.at
        keyword: int | None = None
        kept: list[Return] | None = None
        outside = 0
        complete = False
        while self.at < self.count:
            if complete:
                following = self._continuation()
                if following is None:
                    break
                complete = following
            elif self.text[self.at] == "return" and self.is_word(self.at):
                keyword = self.at if keyword is None and kept is None else keyword
                self.at += 1
                complete = self.text[self.at] in _AFTER_VALUE
            elif self._at_closure():
                if kept is None:  # what returns from here on leaves the closure only
                    kept, self.returns = self.returns, []
                    outside = len(self.blocks)
                complete = self._closure_head()
            else:
                state = self._operand(struct)
                if state is None:
                    break
                complete = state
        if kept is not None:
            self.returns = kept
            for block in self.blocks[outside:]:
                block.closure = True
        if keyword is not None:
            self.returns.append(Return(keyword, Range(keyword + 1, self.at)))
        if self.at == first:
            self.fail("an expression")
        return Range(first, self.at)

    def _continuation(self) -> bool | None:
        """Step over what continues a complete operand: whether it is complete again; ``None`` if nothing does."""
        text = self.text[self.at]
        if text in ("(", "["):
            return self._group()
        if text in ("?", "@"):
            self.at += 1
            return True
        if text in (".", "->"):
            self.at += 1
            if self.is_word(self.at) or self.kind[self.at] == TokenKind.NUMBER:
                self.at += 1
                if self.text[self.at] == "::" and self.text[self.at + 1] == "<":
                    self.at += 1
                    self.angle()
            return True
        if text in _INFIX:
            pair = text + self.text[self.at + 1]
            self.at += 2 if pair in ("<<", ">>", "<<=", ">>=") and self.adjacent(self.at) else 1
            return False
        if text in ("..", "..="):
            self.at += 1
            return self._range_ends()
        if not self.is_word(self.at):
            if text == "!" and self.text[self.at + 1] in ("is", "has") and self.adjacent(self.at):
                self.at += 1
                text = self.text[self.at]
            else:
                return None
        if text == "as":
            self.at += 1
            self.type_(plus=False)
            return True
        if text == "atomically":
            self.at += 2 if self.text[self.at + 1] == "loop" else 1
            return False
        if text in ("is", "isnt"):
            self.at += 1
            if self.is_word(self.at):
                self.at += 1
            return True
        if text in ("has", "hasnt"):
            self.at += 1
            return False
        if text == "matches":
            self.at += 1
            self._simple_pattern()
            return True
        return None

    def _range_ends(self) -> bool:
        """Whether a range has no upper end."""
        return self.text[self.at] in _AFTER_VALUE or self.text[self.at] == "{" or self.text[self.at] in _ENDS

    def _at_closure(self) -> bool:
        if self.text[self.at] in _BINDERS or self.text[self.at] in ("move", "proof_fn"):
            return self.text[self.at + 1] in ("|", "||", "[")
        return self.text[self.at] in ("|", "||")

    def _closure_head(self) -> bool:
        """Step over the parameters of a closure or quantifier, and its body if that is a block."""
        if self.is_word(self.at):
            self.at += 1
            if self.text[self.at] == "[":
                self.skip_bracket()
        if self.text[self.at] == "||":
            self.at += 1
        elif self.accept("|"):
            self.pattern(frozenset({"|"}))
            self.expect("|")
        self.attributes()
        if self.accept("->"):
            self.type_()
        if self.text[self.at] in CLAUSE_WORDS and self.is_word(self.at) and self.enter():
            self._closure_clauses()
            self.depth -= 1
        if self.text[self.at] == "{":
            self.nested_block(closure=True)
            return True
        return False

    def _closure_clauses(self) -> None:
        while self.text[self.at] in CLAUSE_WORDS and self.is_word(self.at):
            self.at += 1
            while self.text[self.at] not in ("{", ";", ")", "}") and self.text[self.at] not in CLAUSE_WORDS:
                before = self.at
                self.expression(struct=False)
                if not self.accept(",") or self.at == before:
                    break

    def _operand(self, struct: bool) -> bool | None:
        """Step over an operand or a prefix: whether it is complete now; ``None`` if neither stands here."""
        text, kind = self.text[self.at], self.kind[self.at]
        if text in ("(", "["):
            return self._group()
        if text == "{":
            self.nested_block()
            return True
        if text in _PREFIX:
            self.at += 1
            return self._range_ends() if text in ("..", "..=") else False
        if text == "::":
            self._path_rest(struct)
            return True
        if text == "#":
            return False if self.attributes() else None
        if text == "<":
            self.angle()
            self._path_rest(struct)
            return True
        if kind == TokenKind.CHAR and text[:1] == "'" and text[-1:] != "'":
            if self.text[self.at + 1] == ":":
                self.nested_statement()
            else:
                self.at += 1
            return True
        if kind in (TokenKind.NUMBER, TokenKind.STRING, TokenKind.CHAR):
            self.at += 1
            return True
        if kind != TokenKind.WORD or text in _ENDS:
            return None
        return self._word(text, struct)

    def _word(self, text: str, struct: bool) -> bool | None:
        following = self.text[self.at + 1]
        if text in _MODES or (text == "raw" and following in ("const", "mut")):
            self.at += 1 if text in _MODES else 2
            return False
        if text == "let":
            self.at += 1
            self.pattern(frozenset({"="}))
            self.accept("=")
            return False
        if text in ("if", "match", "while", "for", "loop"):
            self.nested_statement()
            return True
        if following == "{" and text in ("unsafe", "async", "const", "proof"):
            self.at += 1
            self.nested_block()
            return True
        if text in ("assert", "assume") and (following == "(" or following == "forall"):
            self.nested_statement()
            return True
        if text in ("break", "continue"):
            self.at += 1
            if self.text[self.at].startswith("'"):
                self.at += 1
            return self.text[self.at] in _AFTER_VALUE
        self.at += 1
        self._path_rest(struct)
        return True

    def _path_rest(self, struct: bool) -> None:
        """Step over the rest of a path, and what makes a macro call or a struct literal of it."""
        while self.text[self.at] == "::":
            self.at += 1
            if self.text[self.at] == "<":
                self.angle()
            elif self.is_word(self.at):
                self.at += 1
            else:
                break
        if self.text[self.at] == "!" and self.text[self.at + 1] in ("(", "[", "{"):
            self.at += 1
            self.skip_bracket()
        elif struct and self.text[self.at] == "{" and self._is_type_name(self.at - 1):
            self._group()

    def _is_type_name(self, at: int) -> bool:
        return self.text[at] == ">" or (self.is_word(at) and self.text[at][:1].isupper())

    def _group(self) -> bool:
        """Step over a bracket that holds expressions."""
        opening, close = self.at, self.close_of(self.at)
        if not self.enter():
            return True
        self.at += 1
        end = min(close, self.count)
        while self.at < end:
            before = self.at
            if self.text[self.at] not in (",", ";", ":", "..") and not self._at_end_word(self.at):
                self.expression()
            if self.at < end and (self.at == before or self.text[self.at] in (",", ";", ":")):
                self.at += 1
        self.at = end
        self.leave_bracket(opening, close)
        self.depth -= 1
        return True

    def _at_end_word(self, at: int) -> bool:
        return self.is_word(at) and self.text[at] in _ENDS
