"""Declarations: the top layer of the parser. :func:`parse_program` is its one entrance.

Only what stands inside ``verus! { }`` is Verus; everything outside is kept as text that nothing looks into.
A declaration's path is its names joined by dots; what an ``impl`` holds is below its type (``Stack.push``), or
below type and trait (``Stack.View.view``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verulaw_rl.languages.lexed import Lexed, Range, TokenKind, words
from verulaw_rl.languages.verus.expressions import CLAUSE_WORDS
from verulaw_rl.languages.verus.statements import StatementParser
from verulaw_rl.languages.verus.syntax import Declaration, Parameter
from verulaw_rl.languages.verus.tokens import lex

MACROS = frozenset({"verus"})
"""Macros whose braces hold declarations that Verus verifies."""

_MODIFIERS = words("pub open closed uninterp broadcast axiom default const async unsafe extern spec proof exec")
_FUNCTION_CLAUSES = CLAUSE_WORDS - {"when", "via", "invariant", "invariant_except_break", "invariant_ensures"}
_KINDS_OF_FUNCTION = {"spec": "function", "proof": "lemma", "axiom": "axiom"}
_STARTS = words(
    """
    fn struct enum union trait impl mod use const static type macro_rules global assume_specification broadcast extern
    """
)


@dataclass(slots=True)
class Program:
    """A parsed program: tokens, outermost declarations, the first thing that could not be read."""

    lexed: Lexed
    declarations: list[Declaration]
    error: str | None
    garbage: list[Range]
    """Stretches that could not be read as anything."""
    macros: list[Range] = field(default_factory=list)
    """Tokens inside the braces of each ``verus!``."""


def parse_program(source: str) -> Program:
    """Read any text as a program; never raises."""
    parser = DeclarationParser(lex(source))
    macros = []
    declarations: list[Declaration] = []
    at = 0
    while at < parser.count:
        if parser.text[at] == "macro_rules" and parser.text[at + 1] == "!":
            at = max(at, parser.close_of(at + 3))
        elif parser.text[at] in MACROS and parser.text[at + 1] == "!" and parser.text[at + 2] in ("{", "("):
            close = parser.close_of(at + 2)
            parser.at = at + 3
            declarations += parser.declarations(min(close, parser.count), "", "")
            macros.append(Range(at + 3, min(close, parser.count)))
            if close >= parser.count:
                parser.fail("what closes 'verus!'", parser.count)
            at = close
        at += 1
    error = parser.error
    broken = next((i for i in range(parser.count) if parser.kind[i] == TokenKind.ERROR), None)
    if error is None and broken is not None:
        parser.fail("a token of Rust", broken)
        error = parser.error
    if parser.lexed.strays:
        error = f"line {parser.lexed.line(parser.lexed.strays[0].start)}: '}}' closes nothing"
    if error is None and not macros:
        error = "line 1: no verus! { } in the program"
    return Program(parser.lexed, declarations, error, parser.garbage, macros)


class DeclarationParser(StatementParser):
    """Adds declarations to the cursor."""

    def __init__(self, lexed: Lexed) -> None:
        super().__init__(lexed)
        self._inside: list[Declaration] = []
        """The functions whose bodies are being read."""

    def declarations(self, close: int, path: str, holder: str) -> list[Declaration]:
        """Read declarations until the token ``close``; ``path`` and ``holder`` are of what holds them."""
        found: list[Declaration] = []
        while self.at < close:
            before = self.at
            if self.text[self.at] == ";":
                self.at += 1
                continue
            d = self._declaration(path, holder)
            if d is not None:
                found.append(d)
            if self.at <= before or d is None:
                self.fail("a declaration", before)
                self.at = max(before + 1, self.at, min(self.lexed.closer.get(before, before) + 1, close))
                self.garbage.append(Range(before, self.at))
        self.at = min(self.at, close)
        return found

    def item_statement(self) -> bool:
        """Read a declaration inside a body."""
        at = self.at
        if not self._leads_to_declaration(at):
            return False
        holder = self._inside[-1] if self._inside else None
        d = self._declaration(holder.path if holder else "", "body")
        if d is None:
            self.at = at
            return False
        if holder is not None:
            holder.members.append(d)
        return self.at > at

    def _leads_to_declaration(self, at: int) -> bool:
        limit = at + 14
        while at < limit and (self.text[at] in _MODIFIERS or self.text[at] in ("ghost", "tracked", '"C"', '"Rust"')):
            if self.text[at] in ("const", "extern") and self.text[at + 1] not in _MODIFIERS | {"fn", '"C"', '"Rust"'}:
                return self.is_word(at + 1)
            if self.text[at] == "broadcast" and self.text[at + 1] in ("use", "group"):
                return self.text[at + 1] == "group"
            at += 1
            if self.text[at] == "(":
                at = self.close_of(at) + 1
            if at >= self.count:
                return False
        if self.text[at] == "type":
            return self.is_word(at + 1)
        if self.text[at] == "union":
            return self.is_word(at + 1) and self.text[at + 2] in ("{", "<")
        if self.text[at] == "macro_rules":
            return self.text[at + 1] == "!"
        if self.text[at] == "global":
            return self.text[at + 1] in ("layout", "size_of")
        return self.is_word(at) and self.text[at] in _STARTS

    # --- one declaration ----------------------------------------------------------------------------------------

    def _declaration(self, path: str, holder: str) -> Declaration | None:
        first = self.at
        attributes = self.attributes()
        inner = [a for a in attributes if self.text[a.first + 1] == "!"]
        if inner and len(inner) == len(attributes):
            name = self.lexed.canonical(first, self.at)
            return Declaration("attribute", name, _join(path, name), first, self.at, first, attributes, holder=holder)
        if not self.enter():
            return None
        try:
            d = self._unattributed(path, holder, first, attributes)
        finally:
            self.depth -= 1
        if d is not None:
            self.at = min(max(self.at, first + 1), self.count)
            d.last = self.at
            if d.signature.last <= d.signature.first:
                d.signature = Range(d.signature.first, d.last)
        return d

    def _unattributed(self, path: str, holder: str, first: int, attributes: list[Range]) -> Declaration | None:
        start = self.at
        modifiers = self._modifiers()
        word = self.text[self.at]
        d = Declaration("", "", path, first, first, self.at, attributes, modifiers, Range(start, start), holder=holder)
        if self.is_word(self.at) and word in _ITEMS:
            self.at += 1
            _ITEMS[word](self, d, path)
            return d
        if self.is_word(self.at) and self.text[self.at + 1] == "!":
            d.kind, d.name = "macro", word
            self.at += 2
            if self.is_word(self.at):
                d.name = self.text[self.at]
                self.at += 1
            if self.text[self.at] in ("{", "(", "["):
                self.skip_bracket()
            self.accept(";")
            d.path = _join(path, d.name)
            return d
        if "const" in modifiers and self.is_word(self.at):
            self._const(d, path)
            return d
        if "extern" in modifiers or "broadcast" in modifiers:
            d.kind = "extern" if "extern" in modifiers else "broadcast_use"
            self.pattern(frozenset({";"}))
            self.accept(";")
            return d
        return None

    def _modifiers(self) -> frozenset[str]:
        found: set[str] = set()
        while True:
            text = self.text[self.at]
            if text in ("ghost", "tracked") and self.text[self.at + 1] in ("struct", "enum", "union", "pub", "static"):
                found.add(text)
                self.at += 1
            elif (
                (text == "broadcast" and self.text[self.at + 1] in ("use", "group"))
                or text == "global"
                or text not in _MODIFIERS
                or not self.is_word(self.at)
            ):
                return frozenset(found)
            else:
                found.add(text)
                self.at += 1
                if self.text[self.at] == "(" and text in ("pub", "open", "spec", "closed"):
                    self.skip_bracket()
                elif text == "extern" and self.kind[self.at] == TokenKind.STRING:
                    self.at += 1

    def _name(self, d: Declaration, path: str) -> None:
        d.named_at = self.at
        if self.is_word(self.at):
            d.name = self.text[self.at]
            self.at += 1
        else:
            self.fail("a name")
        d.path = _join(path, d.name)

    def _where(self) -> None:
        if not self.accept("where"):
            return
        while (
            self.at < self.count
            and self.text[self.at] not in ("{", ";", "}")
            and not (self.text[self.at] in CLAUSE_WORDS and self.is_word(self.at))
        ):
            if self.text[self.at] in ("(", "["):
                self.skip_bracket()
            else:
                self.at += 1

    def _sign(self, d: Declaration) -> None:
        d.signature = Range(d.signature.first, self.at)

    # --- functions ----------------------------------------------------------------------------------------------

    def _function(self, d: Declaration, path: str) -> None:
        mode = next((m for m in ("axiom", "spec", "proof") if m in d.modifiers), "exec")
        d.kind = _KINDS_OF_FUNCTION.get(mode, "method")
        self._name(d, path)
        if self.text[self.at] == "<":
            self.angle()
        if self.text[self.at] == "(":
            d.parameters = self._parameters()
        else:
            self.fail("'('")
        self._result(d)
        self._where()
        if self.text[self.at] == "by" and self.text[self.at + 1] == "(":
            first = self.at
            self.at += 1
            self.skip_bracket()
            d.prover = Range(first, self.at)
        self._sign(d)
        d.groups = self.clause_groups(_FUNCTION_CLAUSES, item=True)
        if self.text[self.at] == "{":
            first = self.at
            self._inside.append(d)
            outer = (self.blocks, self.returns)
            self.blocks, self.returns = [], []
            d.block = self.block()
            self.blocks, self.returns = outer
            self._inside.pop()
            d.body = Range(first, self.at)
        elif not self.accept(";"):
            self.fail("'{' or ';'")

    def _parameters(self) -> list[Parameter]:
        opening, close = self.at, min(self.close_of(self.at), self.count)
        self.at += 1
        found: list[Parameter] = []
        while self.at < close:
            before = self.at
            self.attributes()
            pattern = self.pattern(frozenset({":", ","}))
            names = [self.text[i] for i in range(*pattern) if self.text[i] == "self"] or self.bound_names(pattern)
            text = [self.text[i] for i in range(*pattern)]
            mutable = "mut" in text and "&" not in text and self.text[pattern.first] not in ("Ghost", "Tracked")
            type_ = self._until_comma(close) if self.accept(":") else Range(self.at, self.at)
            found.append(Parameter(names, mutable, type_))
            self.accept(",")
            if self.at == before:
                self.at += 1
        self.at = close
        self.leave_bracket(opening, self.close_of(opening))
        return found

    def _until_comma(self, close: int) -> Range:
        first, depth = self.at, 0
        while self.at < close:
            text = self.text[self.at]
            if text == "," and depth == 0:
                break
            if text in ("(", "[", "{"):
                self.skip_bracket()
                continue
            depth += (text == "<") - (text == ">")
            self.at += 1
        self.at = min(self.at, close)
        return Range(first, self.at)

    def _result(self, d: Declaration) -> None:
        if not self.accept("->"):
            return
        if self.text[self.at] == "tracked":
            d.result_tracked = True
            self.at += 1
        if self.text[self.at] == "(":
            at = self.at + 1
            if self.text[at] == "tracked":
                at += 1
            name = at + 1 if self.text[at] == "mut" else at
            if self.is_word(name) and self.text[name + 1] == ":":
                d.result_tracked = d.result_tracked or at > self.at + 1
                d.result_name = self.text[name]
                whole = self.skip_bracket()
                d.result_type = Range(name + 2, max(name + 2, whole.last - 1))
                return
        d.result_type = self.type_()

    # --- everything else ----------------------------------------------------------------------------------------

    def _members(self, d: Declaration, path: str) -> None:
        if self.text[self.at] != "{":
            if not self.accept(";"):
                self.fail("'{'")
            return
        opening, close = self.at, self.close_of(self.at)
        self.at += 1
        d.members = self.declarations(min(close, self.count), path, d.kind)
        self.leave_bracket(opening, close)
        d.body = Range(opening, self.at)

    def _data(self, d: Declaration, path: str) -> None:
        d.kind = self.text[self.at - 1]
        self._name(d, path)
        if self.text[self.at] == "<":
            self.angle()
        self._where()
        if self.text[self.at] == "(":
            self.skip_bracket()
            self._where()
            self.accept(";")
        elif self.text[self.at] == "{":
            self.skip_bracket()
        elif not self.accept(";"):
            self.fail("'{'")
        self._sign(d)

    def _trait(self, d: Declaration, path: str) -> None:
        d.kind = "trait"
        self._name(d, path)
        if self.text[self.at] == "<":
            self.angle()
        if self.accept(":"):
            self.pattern(frozenset({"{", "where", ";"}))
        self._where()
        self._sign(d)
        self._members(d, d.path)

    def _impl(self, d: Declaration, path: str) -> None:
        d.kind = "impl"
        if self.text[self.at] == "<":
            self.angle()
        first = self.at
        self.accept("!")
        names = [self._last_name(self.type_())]
        if self.accept("for"):
            names.insert(0, self._last_name(self.type_()))
        header = self.lexed.canonical(first, self.at)
        self._where()
        self._sign(d)
        d.name = f"impl {header}"
        d.path = _join(path, d.name)
        d.self_type = names[0]
        self._members(d, _join(path, ".".join(names)))

    def _last_name(self, type_: Range) -> str:
        depth, name = 0, ""
        for i in range(*type_):
            text = self.text[i]
            depth += (text in ("<", "(", "[")) - (text in (">", ")", "]"))
            if depth == 0 and self.is_word(i) and text not in ("dyn", "mut", "const", "impl"):
                name = text
        return name or self.lexed.canonical(*type_)

    def _module(self, d: Declaration, path: str) -> None:
        d.kind = "module"
        self._name(d, path)
        self._sign(d)
        self._members(d, d.path)

    def _use(self, d: Declaration, path: str) -> None:
        d.kind = "use"
        first = self.at
        self.pattern(frozenset({";"}))
        d.name = self.lexed.canonical(first, self.at)
        d.path = _join(path, d.name)
        self.expect(";")

    def _const(self, d: Declaration, path: str) -> None:
        d.kind = "static" if self.text[self.at - 1] == "static" else "const"
        self.accept("mut")
        self._name(d, path)
        if self.accept(":"):
            self.type_()
        self._sign(d)
        d.groups = self.clause_groups(_FUNCTION_CLAUSES, item=True)
        if self.accept("="):
            self.expression()
            self.expect(";")
            d.signature = Range(d.signature.first, self.at)
        elif self.text[self.at] == "{":
            self.skip_bracket()
            d.signature = Range(d.signature.first, self.at)
        elif not self.accept(";"):
            self.fail("'='")

    def _type_alias(self, d: Declaration, path: str) -> None:
        d.kind = "type"
        self._name(d, path)
        self.pattern(frozenset({";"}))
        self.expect(";")

    def _macro_rules(self, d: Declaration, path: str) -> None:
        d.kind = "macro"
        self.accept("!")
        self._name(d, path)
        if self.text[self.at] in ("{", "(", "["):
            self.skip_bracket()
        self.accept(";")

    def _global(self, d: Declaration, path: str) -> None:
        d.kind, d.name, d.path = "global", "global", _join(path, "global")
        self.pattern(frozenset({";"}))
        self.expect(";")

    def _assume_specification(self, d: Declaration, path: str) -> None:
        d.kind = "assume_specification"
        if self.text[self.at] == "<":
            self.angle()
        first = self.at
        if self.text[self.at] == "[":
            self.skip_bracket()
        d.name = self.lexed.canonical(first, self.at)
        d.path = _join(path, d.name)
        if self.text[self.at] == "(":
            d.parameters = self._parameters()
        self._result(d)
        self._where()
        self._sign(d)
        d.groups = self.clause_groups(_FUNCTION_CLAUSES, item=True)
        self.expect(";")

    def _broadcast_item(self, d: Declaration, path: str) -> None:
        """``broadcast use`` or ``broadcast group``: other uses of the word are modifiers."""
        if self.accept("group"):
            d.kind = "broadcast_group"
            self._name(d, path)
            if self.text[self.at] == "{":
                self.skip_bracket()
            return
        d.kind = "broadcast_use"
        self.accept("use")
        first = self.at
        self.pattern(frozenset({";"}))
        d.name = f"broadcast use {self.lexed.canonical(first, self.at)}"
        d.path = _join(path, d.name)
        self.expect(";")


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_ITEMS = {
    "fn": DeclarationParser._function,
    "struct": DeclarationParser._data,
    "enum": DeclarationParser._data,
    "union": DeclarationParser._data,
    "trait": DeclarationParser._trait,
    "impl": DeclarationParser._impl,
    "mod": DeclarationParser._module,
    "use": DeclarationParser._use,
    "static": DeclarationParser._const,
    "type": DeclarationParser._type_alias,
    "macro_rules": DeclarationParser._macro_rules,
    "global": DeclarationParser._global,
    "assume_specification": DeclarationParser._assume_specification,
    "broadcast": DeclarationParser._broadcast_item,
}
