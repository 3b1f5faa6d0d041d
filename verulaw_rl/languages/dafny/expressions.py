"""Where expressions and types end: the lowest layer of the parser.

Dafny writes clauses without separators (``requires a ensures b {``), so the end of an expression is
where an operand is complete and what follows continues nothing. One flat loop alternates between the
two states, operand expected and operand complete; constructs that extend as far as possible (lambda
and quantifier bodies, ``else``, ``var x := e;``) just go back to the first state, so nesting of the
Python stack follows brackets only and is bounded by :data:`DEPTH_LIMIT`.
"""

from __future__ import annotations

from verulaw_rl.languages.cursor import Cursor
from verulaw_rl.languages.dafny.syntax import Block, Statement
from verulaw_rl.languages.lexed import Lexed, Range, TokenKind, words

DEPTH_LIMIT = 80
"""Brackets and blocks nested deeper are skipped unread, with an error."""
_TYPE_ARGUMENT_LIMIT = 100
"""Tokens looked ahead to see whether ``<`` opens type arguments."""

RESERVED = words(
    """
    abstract as break case class codatatype colemma const constructor copredicate datatype decreases else
    ensures export function ghost import in include inductive invariant is iterator label lemma method
    modifies modify module newtype predicate print reads requires return returns static then trait twostate
    type while yield yields yieldensures
    """
)
"""Words that never begin an operand. Words that are keywords in one dialect only are not among them."""

_PREFIX = frozenset({"!", "-", "&&", "||", "!!", "¬", "∧", "∨"})
_INFIX = words(
    """
    <==> ==> <== && || == != < > <= >= !in !! in + - * / % & ^ ⇔ ⇒ ⇐ ∧ ∨ ≠ ≤ ≥
    """
)
_AFTER_TYPE_ARGUMENTS = words(
    """
    ) ( ] } . , ; : := :| == != && || ==> <==> <== => :: | in !in then else requires ensures
    """
)
_ARROWS = frozenset({"->", "-->", "~>"})
_TYPE_PUNCTUATION = _ARROWS | {".", ",", "<", ">", "(", ")"}
_AT_WORDS = frozenset({"old", "unchanged", "fresh", "allocated"})


class ExpressionParser(Cursor):
    """A cursor that knows expressions and types. Subclasses add statements and declarations."""

    def __init__(self, lexed: Lexed) -> None:
        super().__init__(lexed)
        self.sink: list[Statement] = []
        """Takes the statements found inside expressions."""
        self._no_lambda: set[int] = set()
        self._trying = False
        self._single = False
        """Whether the expression read last is one operand with its suffixes."""

    # --- the cursor ---------------------------------------------------------------------------------------------

    def is_name(self, at: int) -> bool:
        """Whether the token can name something."""
        return (self.kind[at] == TokenKind.WORD and self.text[at] not in RESERVED) or (
            self.kind[at] == TokenKind.NUMBER and self.text[at].replace("_", "").isdigit()
        )

    def at_attribute(self, at: int | None = None) -> bool:
        """Whether ``{:`` stands here."""
        at = self.at if at is None else at
        return self.text[at] == "{" and self.text[at + 1] == ":" and self.is_word(at + 2)

    def attributes(self) -> Range:
        """Step over any attributes ``{:name …}``."""
        first = self.at
        while self.at_attribute():
            self.skip_bracket()
        return Range(first, self.at)

    def skip_bracket(self) -> None:
        """Jump behind the bracket that opens here, without reading what is inside."""
        close = self.lexed.closer.get(self.at, self.count)
        self._leave_bracket(self.at, close)

    def _leave_bracket(self, opening: int, close: int) -> None:
        if close >= self.count:
            self.at = self.count
            self.fail(f"a bracket that closes {self.text[opening]!r}", opening)
        elif self.text[opening] + self.text[close] in ("()", "[]", "{}"):
            self.at = max(self.at, close + 1)
        else:
            self.at = max(self.at, close)
            self.fail(f"a bracket that closes {self.text[opening]!r}", close)

    def enter(self) -> bool:
        """Go one level deeper; at the limit skip what stands here instead."""
        if self.depth < DEPTH_LIMIT:
            self.depth += 1
            return True
        self.fail("less nesting")
        if self.at in self.lexed.closer:
            self.skip_bracket()
        elif self.at < self.count and self.text[self.at] not in (")", "]", "}"):
            self.at += 1
        return False

    # --- types --------------------------------------------------------------------------------------------------

    def type_(self, compared: bool = False) -> None:
        """Step over a type; ``compared`` where a ``<`` behind it may be a comparison."""
        while True:
            if self.text[self.at] == "(":
                self.skip_bracket()
            elif self.is_name(self.at):
                self.at += 1
                self._type_suffix(compared)
            else:
                self.fail("a type")
                return
            if self.text[self.at] not in _ARROWS:
                return
            self.at += 1

    def _type_suffix(self, compared: bool) -> None:
        while True:
            if self.text[self.at] == "<" and not (
                self._at_domain(self.at) or (compared and self._type_arguments_end() < 0)
            ):
                self.type_arguments()
            if not (self.text[self.at] == "." and self.is_word(self.at + 1)):
                return
            self.at += 2

    def type_arguments(self) -> None:
        """Step over ``<T, U>``."""
        if not self.enter():
            return
        self.at += 1
        while True:
            self.type_()
            if not self.accept(","):
                break
        self.expect(">")
        self.depth -= 1

    def _type_arguments_end(self) -> int:
        """Index behind the type arguments that open here, or -1 if they are rather a comparison."""
        depth, at, limit = 0, self.at, min(self.count, self.at + _TYPE_ARGUMENT_LIMIT)
        while at < limit:
            text = self.text[at]
            if text == "<":
                depth += 1
            elif text == ">":
                depth -= 1
                if depth == 0:
                    after = at + 1
                    return after if after >= self.count or self.text[after] in _AFTER_TYPE_ARGUMENTS else -1
            elif text == "(":
                inner = self.lexed.closer.get(at, self.count)
                if inner >= self.count or self.text[inner] != ")" or not self._only_types(at + 1, min(inner, limit)):
                    return -1
                at = inner
            elif not (self.is_name(at) or text in (".", ",") or text in _ARROWS) or self.kind[at] == TokenKind.NUMBER:
                return -1
            at += 1
        return -1

    def _only_types(self, first: int, last: int) -> bool:
        return all(
            (self.kind[i] == TokenKind.WORD and self.text[i] not in RESERVED) or self.text[i] in _TYPE_PUNCTUATION
            for i in range(first, last)
        )

    # --- expressions --------------------------------------------------------------------------------------------

    def expression(self, semi: bool = False, lam: bool = True, bar: bool = True) -> Range:
        """Step over an expression.

        Args:
            semi: whether ``L(x); e`` (a lemma call before an expression) may stand here.
            lam: whether a lambda may stand here.
            bar: whether ``|`` continues the expression.
        """
        first = self.at
        if self.enter():
            self._flat(semi, lam, bar)
            self.depth -= 1
            self.at = min(self.at, self.count)
        return Range(first, self.at)

    def expressions(self, semi: bool = False, lam: bool = True) -> list[Range]:
        """Step over expressions separated by commas."""
        found = [self.expression(semi, lam)]
        while self.accept(","):
            found.append(self.expression(semi, lam))
        return found

    def _flat(self, semi: bool, lam: bool, bar: bool) -> None:
        first = self.at
        while True:
            while self.text[self.at] in _PREFIX and self.at < self.count:
                self.at += 1
            operand = self.at
            complete = self._operand(semi, lam, bar)
            if complete is None:
                return
            if not complete:
                continue
            self._suffixes()
            if not self._infix(operand, semi, lam, bar):
                self._single = operand == first
                return

    def _infix(self, operand: int, semi: bool, lam: bool, bar: bool) -> bool:
        """Step over an infix operator; ``False`` where the expression ends."""
        while True:
            text = self.text[self.at]
            if text in ("as", "is"):
                self.at += 1
                self.type_(compared=True)
                self._suffixes()
                continue
            break
        if text in _INFIX:
            self.at += 1
            nxt = self.text[self.at]
            if text in ("<", ">") and nxt == text and self.tokens[self.at - 1].end == self.tokens[self.at].start:
                self.at += 1  # a shift
            elif text in ("==", "!=") and nxt == "#" and self.text[self.at + 1] == "[":
                self.at += 1
                self._bracketed()
            return True
        if text == "|":
            if bar:
                self.at += 1
            return bar
        if text == "=>":
            if lam:
                self.at += 1
            return lam
        if text in ("requires", "reads") and lam:
            return self._lambda_clauses()
        if text == ";" and semi and self.text[self.at - 1] == ")" and self._starts_operand(self.at + 1):
            self.at += 1
            call = Statement("call", operand, self.at, operand)
            call.targets = [Range(operand, self.at - 1)]
            self.sink.append(call)
            return True
        return False

    def _lambda_clauses(self) -> bool:
        """``x requires P reads R => e``: whether these clauses belong to a lambda; steps over them if so."""
        start, error, kept = self.at, self.error, len(self.sink)
        if start in self._no_lambda:
            return False
        while self.text[self.at] in ("requires", "reads"):
            self.at += 1
            self.expressions(False, False)
        if self.accept("=>"):
            return True
        self._no_lambda.add(start)
        self.at, self.error = start, error
        del self.sink[kept:]
        return False

    def _starts_operand(self, at: int) -> bool:
        kind, text = self.kind[at], self.text[at]
        if at >= self.count or kind == TokenKind.ERROR:
            return False
        if kind == TokenKind.WORD:
            return text not in RESERVED
        return kind != TokenKind.OPERATOR or text in ("(", "[", "{", "|", "!", "-", "&&", "||")

    def _suffixes(self) -> None:
        while True:
            text = self.text[self.at]
            if text == ".":
                if self.text[self.at + 1] == "(":
                    self.at += 1
                    self._bracketed()
                elif self.kind[self.at + 1] in (TokenKind.WORD, TokenKind.NUMBER):
                    self.at += 2
                else:
                    self.at += 1
                    self.fail("a member name")
                    return
            elif text in ("(", "["):
                self._bracketed()
            elif (text == "`" and self.is_word(self.at + 1)) or (
                text == "@" and self.text[self.at - 1] in _AT_WORDS and self.is_name(self.at + 1)
            ):
                self.at += 2
            elif text == "#" and self.text[self.at + 1] == "[":
                self.at += 1
                self._bracketed()
            elif text == "<" and self.kind[self.at - 1] == TokenKind.WORD:
                end = self._type_arguments_end()
                if end < 0:
                    return
                self.at = end
            else:
                return

    def _bracketed(self) -> None:
        """Step over a bracket with anything that can stand in one."""
        opening = self.at
        close = self.lexed.closer.get(opening, self.count)
        if not self.enter():
            return
        typed = self.text[opening] == "("
        self.at += 1
        while self.at < close:
            text = self.text[self.at]
            if text == ":" and typed:
                self.at += 1
                self.type_()
            elif text in (",", ":=", "..", ":", ";", "=>", "::"):
                if text == ";" and self.at + 1 == close:  # statements, where an expression is missing before them
                    self.fail("an expression", opening)
                self.at += 1
            elif self.at_attribute():
                self.attributes()
            elif typed and text in ("ghost", "const", "older", "nameonly") and self.is_name(self.at + 1):
                self.at += 1
            else:
                before = self.at
                self.expression(True, True, True)
                if self.at == before:
                    self.at += 1
        self._leave_bracket(opening, close)
        self.depth -= 1

    def _operand(self, semi: bool, lam: bool, bar: bool) -> bool | None:
        """Step over an operand: ``True`` if complete, ``False`` if another must follow, ``None`` if none is here."""
        text, kind = self.text[self.at], self.kind[self.at]
        if self.at >= self.count:
            self.fail("an expression")
            return None
        if kind == TokenKind.WORD:
            handler = _WORD_OPERANDS.get(text)
            if handler is not None:
                result = handler(self, semi, lam, bar)
                if result is not _NOT_SPECIAL:
                    return bool(result)
            if text in RESERVED:
                self.fail("an expression")
                return None
            self.at += 1
            if text in ("multiset", "iset", "set") and self.text[self.at] == "{":
                self._bracketed()
            return True
        if kind in (TokenKind.NUMBER, TokenKind.STRING, TokenKind.CHAR):
            self.at += 1
            return True
        if text in ("(", "[", "{"):
            self._bracketed()
            return True
        if text == "|":
            self.at += 1
            self.expression(True, True, False)
            self.expect("|")
            return True
        if text in ("*", "..."):
            self.at += 1
            return True
        if text == "`" and self.is_word(self.at + 1):
            self.at += 2
            return True
        if text in ("∀", "∃"):
            return self._quantifier(bar)
        self.fail("an expression")
        return None

    def bound_variables(self) -> list[str]:
        """Step over ``x: T, y <- C``; returns the names."""
        names: list[str] = []
        while True:
            if not self.is_name(self.at):
                self.fail("a bound variable")
                return names
            names.append(self.text[self.at])
            self.at += 1
            if self.accept(":"):
                self.type_()
            if self._at_domain(self.at):
                self.at += 2
                self.expression(False, True, False)
            self.attributes()
            if not (self.text[self.at] == "," and self.is_name(self.at + 1)):
                return names
            self.at += 1

    def _at_domain(self, at: int) -> bool:
        arrow = self.text[at] == "<" and self.text[at + 1] == "-" and at + 1 < self.count
        return arrow and self.tokens[at].end == self.tokens[at + 1].start

    def quantified(self, bar: bool = True) -> list[str]:
        """Step over bound variables and their ranges: ``x, y | R``."""
        names = self.bound_variables()
        while self.accept("|"):
            self.expression(False, True, bar)
            typed = self.text[self.at + 2] == ":" or self._at_domain(self.at + 2)
            if not (self.text[self.at] == "," and self.is_name(self.at + 1) and typed):
                break
            self.at += 1
            names += self.bound_variables()
        return names

    def _quantifier(self, bar: bool) -> bool:
        self.at += 1
        self.quantified(bar)
        self.attributes()
        if not (self.accept("::") or self.accept("•")):
            self.fail("'::'")
            return True
        return False

    def _comprehension(self, semi: bool, lam: bool, bar: bool) -> object:
        if not self.is_name(self.at + 1) or self.text[self.at + 1] in ("in",):
            return _NOT_SPECIAL
        is_map = self.text[self.at] in ("map", "imap")
        self.at += 1
        self.quantified(bar)
        if not (self.accept("::") or self.accept("•")):
            return True
        if is_map:
            self.expression(False, lam, bar)
            return not self.accept(":=")
        return False

    def _forall_or_exists(self, semi: bool, lam: bool, bar: bool) -> object:
        return self._quantifier(bar)

    def _let(self, semi: bool, lam: bool, bar: bool) -> object:
        if self.text[self.at] == "ghost":
            if self.text[self.at + 1] != "var":
                return _NOT_SPECIAL
            self.at += 1
        self.at += 1
        while self.at < self.count and self.text[self.at] not in (":=", ":|", ":-"):
            text = self.text[self.at]
            if text == "(":
                self.skip_bracket()
            elif self.accept(":"):
                self.type_()
            elif self.at_attribute():
                self.attributes()
            elif text in (",", ".") or self.is_name(self.at):
                self.at += 1
            else:
                self.fail("':='")
                return True
        self.at += 1
        self.attributes()
        self.expressions(False, True)
        self.expect(";")
        return False

    def _if(self, semi: bool, lam: bool, bar: bool) -> object:
        self.at += 1
        self.guard()
        if self.expect("then"):
            self.expression(True, True, True)
            if self.expect("else"):
                return False
        return True

    def guard(self, lam: bool = True) -> Range:
        """Step over a condition, or a binding guard ``x: T, y :| P``."""
        first = self.at
        self.expression(True, lam, True)
        while self.text[self.at] in (",", ":"):
            if self.accept(":"):
                self.type_()
            else:
                self.at += 1
                self.expression(True, lam, True)
        if self.accept(":|"):
            self.expression(True, lam, True)
        return Range(first, self.at)

    def _match(self, semi: bool, lam: bool, bar: bool) -> object:
        self.at += 1
        self.expression(True, lam, True)
        opening = self.at if self.text[self.at] == "{" else -1
        close = self.lexed.closer.get(opening, self.count) if opening >= 0 else self.count
        if opening >= 0:
            self.at += 1
        while self.at < close and self.accept("case"):
            self.pattern()
            self.expression(semi or opening >= 0, lam, bar)
        if opening >= 0:
            if self.at < close:
                self.fail("'case'")
            self._leave_bracket(opening, close)
        return True

    def pattern(self) -> None:
        """Step over what stands between ``case`` and ``=>``, and over the arrow."""
        self.attributes()
        while self.at < self.count and self.text[self.at] != "=>":
            text = self.text[self.at]
            if text == "(":
                self.skip_bracket()
            elif self.accept(":"):
                self.type_()
            elif (
                text in (",", ".", "-", "|") or self.kind[self.at] not in (TokenKind.OPERATOR, TokenKind.WORD)
            ) or self.is_name(self.at):
                self.at += 1
            else:
                break
        self.expect("=>")

    # --- statements inside expressions --------------------------------------------------------------------------

    def _statement_expression(self, semi: bool, lam: bool, bar: bool) -> object:
        text, nxt = self.text[self.at], self.text[self.at + 1]
        if text in ("hide", "reveal") and nxt == "*" and self.text[self.at + 2] == ";":
            pass
        elif text in ("expect", "reveal", "hide", "calc") and (
            nxt in (".", ",", ")", "]", ";", ":=", ":", "[", "") or (nxt in _INFIX and (text != "calc" or nxt == "in"))
        ):
            return _NOT_SPECIAL
        if text in ("expect", "reveal", "hide") and nxt == "(" and self.text[self.at - 1] != ";":
            # may be a call of something of that name; a statement is followed by ';' and an operand
            close = self.lexed.closer.get(self.at + 1, self.count)
            if self.text[min(close + 1, self.count)] != ";":
                return _NOT_SPECIAL
        outer, self.sink = self.sink, []
        statement = self.simple_proof_statement()
        statement.embedded = self.sink
        self.sink = outer
        self.sink.append(statement)
        return False

    def simple_proof_statement(self) -> Statement:
        """Read an assert, assume, expect, calc, reveal or hide statement."""
        raise NotImplementedError

    def braced_block(self) -> Block:
        """Read a block of statements."""
        raise NotImplementedError


_NOT_SPECIAL = object()
_WORD_OPERANDS = {
    "forall": ExpressionParser._forall_or_exists,
    "exists": ExpressionParser._forall_or_exists,
    "set": ExpressionParser._comprehension,
    "iset": ExpressionParser._comprehension,
    "map": ExpressionParser._comprehension,
    "imap": ExpressionParser._comprehension,
    "var": ExpressionParser._let,
    "ghost": ExpressionParser._let,
    "if": ExpressionParser._if,
    "match": ExpressionParser._match,
    "assert": ExpressionParser._statement_expression,
    "assume": ExpressionParser._statement_expression,
    "expect": ExpressionParser._statement_expression,
    "calc": ExpressionParser._statement_expression,
    "reveal": ExpressionParser._statement_expression,
    "hide": ExpressionParser._statement_expression,
}
