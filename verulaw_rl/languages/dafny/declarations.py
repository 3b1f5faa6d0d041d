"""Declarations: the top layer of the parser. :func:`parse_program` is its one entrance."""

from __future__ import annotations

from dataclasses import dataclass

from verulaw_rl.languages.dafny.statements import StatementParser
from verulaw_rl.languages.dafny.syntax import Declaration, Parameter
from verulaw_rl.languages.dafny.tokens import lex
from verulaw_rl.languages.lexed import Lexed, Range, TokenKind, words

_MODIFIERS = words(
    """
    abstract ghost static protected replaceable opaque extern inductive twostate least greatest public
    """
)
_SPEC = frozenset({"requires", "ensures", "modifies", "reads", "decreases", "invariant"})
_CALLABLE_WORDS = {
    "function": "function",
    "predicate": "predicate",
    "copredicate": "predicate",
    "method": "method",
    "lemma": "lemma",
    "colemma": "lemma",
    "comethod": "lemma",
    "constructor": "constructor",
    "iterator": "iterator",
}
_DECLARATION_WORDS = frozenset(_CALLABLE_WORDS) | words(
    """
    module class trait datatype codatatype type newtype const var import export include
    """
)


@dataclass(slots=True)
class Program:
    """A parsed program: its tokens, its outermost declarations, and the first thing that could not be read."""

    lexed: Lexed
    declarations: list[Declaration]
    error: str | None
    garbage: list[Range]
    """Stretches that could not be read as anything."""


def parse_program(source: str) -> Program:
    """Read any text as a program; never raises."""
    parser = DeclarationParser(lex(source))
    declarations = parser.declarations(parser.count, "")
    for index, kind in enumerate(parser.kind[: parser.count]):
        if kind == TokenKind.ERROR:
            parser.fail("a Dafny token", index)
            break
    error = parser.error
    if parser.lexed.strays:
        line = parser.lexed.line(parser.lexed.strays[0].start)
        error = f"line {line}: '}}' closes nothing"
    return Program(parser.lexed, declarations, error, parser.garbage)


class DeclarationParser(StatementParser):
    """Adds declarations to the cursor."""

    def declarations(self, close: int, path: str) -> list[Declaration]:
        """Read declarations until the token ``close``; ``path`` is that of what holds them."""
        found: list[Declaration] = []
        while self.at < close:
            before = self.at
            found += self._declaration(path)
            if self.at == before:
                self.fail("a declaration")
                self.at = max(before + 1, min(self.lexed.closer.get(before, before) + 1, close))
                self.garbage.append(Range(before, self.at))
        return found

    def _declaration(self, path: str) -> list[Declaration]:
        first = self.at
        while self.text[self.at] == "@" and self.is_word(self.at + 1):
            self.at += 2
            if self.text[self.at] == "(":
                self.skip_bracket()
        modifiers: set[str] = set()
        while self.text[self.at] in _MODIFIERS and self.is_word(self.at) and self._leads_to_declaration(self.at + 1):
            modifiers.add(self.text[self.at])
            self.at += 1
        word = self.text[self.at]
        if not self.is_word(self.at) or word not in _DECLARATION_WORDS:
            self.at = first if self.at == first else self.at
            return []
        if not self.enter():
            return []
        d = Declaration("", "", "", first, first, self.at, frozenset(modifiers), named_at=self.at)
        self.at += 1
        if word in _CALLABLE_WORDS:
            d.kind = _CALLABLE_WORDS[word]
            if word == "copredicate":
                d.modifiers = d.modifiers | {word}
            self._callable(d, path)
            found = [d]
        elif word == "var":
            found = self._fields(d, path)
        else:
            _OTHER[word](self, d, path)
            found = [d]
        self.at = min(self.at, self.count)
        for each in found:
            each.last = max(self.at, each.last)
        self.depth -= 1
        return found

    def _leads_to_declaration(self, at: int) -> bool:
        limit = at + len(_MODIFIERS)
        while at < limit and self.text[at] in _MODIFIERS and self.is_word(at):
            at += 1
        return self.is_word(at) and self.text[at] in _DECLARATION_WORDS

    def _name(self, d: Declaration, path: str, default: str = "") -> None:
        self.attributes()
        d.name = default
        if self.is_name(self.at) or (self.is_word(self.at) and self.text[self.at + 1] in ("(", "<", ":", "{")):
            d.named_at = self.at
            d.name = self.text[self.at]
            self.at += 1
        elif not default:
            self.fail("a name")
        d.path = f"{path}.{d.name}" if path else d.name

    def _sign(self, d: Declaration) -> None:
        d.signature = Range(d.first, self.at)

    def _type_parameters(self) -> None:
        if self.text[self.at] != "<":
            return
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
            depth += (text == "<") - (text == ">")
            if depth == 0:
                return
        self.fail("'>'")

    # --- callables ----------------------------------------------------------------------------------------------

    def _formals(self) -> list[Parameter]:
        if self.text[self.at] != "(":
            return []
        opening = self.at
        close = self.lexed.closer.get(opening, self.count)
        found: list[Parameter] = []
        level = 0
        for i in range(opening + 1, min(close, self.count)):
            text = self.text[i]
            if text in "([{<":
                level += 1
            elif text in ")]}>":
                level -= 1
            elif level == 0 and self.text[i + 1] == ":" and self.is_name(i):
                start = i
                while start > opening + 1 and self.text[start - 1] not in (",",):
                    start -= 1
                ghost = any(self.text[k] == "ghost" for k in range(start, i))
                found.append(Parameter(text, ghost))
        self.skip_bracket()
        return found

    def _callable(self, d: Declaration, path: str) -> None:
        if d.kind in ("function", "predicate") and self.text[self.at] == "method":
            d.modifiers = d.modifiers | {"method"}
            self.at += 1
        self._name(d, path, "_ctor" if d.kind == "constructor" else "")
        self._type_parameters()
        if self.text[self.at] == "[":  # least predicate P[nat](…)
            self.skip_bracket()
        if self.accept("..."):
            pass
        else:
            if self.text[self.at] == "(":
                d.parameters = self._formals()
            elif d.kind != "predicate":
                self.fail("'('")
            if d.kind in ("function", "predicate"):
                if self.accept(":"):
                    if self.text[self.at] == "(" and self.is_name(self.at + 1) and self.text[self.at + 2] == ":":
                        d.results = self._formals()
                    else:
                        self.type_()
            elif self.text[self.at] in ("returns", "yields"):
                self.at += 1
                d.results = self._formals()
        self._sign(d)
        d.clauses = self.clauses(_SPEC)
        if self.text[self.at] == "{" and not self.at_attribute():
            first = self.at
            if d.kind in ("function", "predicate"):
                self._function_body(d)
            else:
                d.block = self.braced_block()
            d.body = Range(first, self.at)
            if self.text[self.at] == "by" and self.text[self.at + 1] == "method" and self.text[self.at + 2] == "{":
                self.at += 2
                d.by_method = self.braced_block()

    def _function_body(self, d: Declaration) -> None:
        opening = self.at
        close = self.lexed.closer.get(opening, self.count)
        self.at += 1
        outer, self.sink = self.sink, []
        if self.text[self.at] == "..." and self.at < close:
            self.at += 1
        elif self.at < close:
            self.expression(True)
            self.accept(";")
        if self.at < close:
            self.fail("'}'")
            self.at = close
        d.embedded = self.sink
        self.sink = outer
        self._leave_bracket(opening, close)

    # --- everything else ----------------------------------------------------------------------------------------

    def _fields(self, d: Declaration, path: str) -> list[Declaration]:
        found: list[Declaration] = []
        self.attributes()
        while True:
            f = Declaration("field", "", "", d.first, d.first, d.keyword, d.modifiers, named_at=self.at)
            start = self.at
            self._name(f, path)
            if self.accept(":"):
                self.type_()
            if self.accept(":="):
                self.expression()
            f.signature = Range(start, self.at)
            found.append(f)
            if not self.accept(","):
                break
        self.accept(";")
        return found

    def _const(self, d: Declaration, path: str) -> None:
        d.kind = "const"
        self._name(d, path)
        if self.accept(":"):
            self.type_()
        if self.accept(":=") or self.accept("==") or (self.accept("...") and self.accept(":=")):
            self.expression()
        self._sign(d)
        self.accept(";")

    def _members(self, d: Declaration) -> None:
        if self.text[self.at] != "{" or self.at_attribute():
            return
        opening = self.at
        close = self.lexed.closer.get(opening, self.count)
        d.body = Range(opening, opening)
        self.at += 1
        d.members = self.declarations(close, d.path)
        self._leave_bracket(opening, close)
        d.body = Range(opening, self.at)

    def _module(self, d: Declaration, path: str) -> None:
        d.kind = "module"
        self._qualified_name(d, path)
        while self.text[self.at] in ("refines", "replaces"):
            self.at += 1
            self._qualified()
        self._sign(d)
        if self.text[self.at] == "=":  # an old spelling of import
            self.at += 1
            self._qualified()
            self.accept(";")
            self._sign(d)
        elif self.text[self.at] != "{":
            self.fail("'{'")
        self._members(d)

    def _qualified_name(self, d: Declaration, path: str) -> None:
        self._name(d, path)
        while self.text[self.at] == "." and self.is_word(self.at + 1):
            d.name += "." + self.text[self.at + 1]
            d.path += "." + self.text[self.at + 1]
            self.at += 2

    def _qualified(self) -> None:
        while self.is_word(self.at):
            self.at += 1
            if self.text[self.at] == "`":
                self.at += 1
                if self.text[self.at] == "{":
                    self.skip_bracket()
                    return
                continue
            if not self.accept("."):
                return

    def _class(self, d: Declaration, path: str) -> None:
        d.kind = self.text[d.keyword]
        self._name(d, path)
        self._type_parameters()
        if self.accept("..."):
            pass
        while self.text[self.at] in ("extends", ","):
            self.at += 1
            self.type_()
        self._sign(d)
        if self.text[self.at] != "{":
            self.fail("'{'")
        self._members(d)

    def _datatype(self, d: Declaration, path: str) -> None:
        d.kind = self.text[d.keyword]
        self._name(d, path)
        self._type_parameters()
        if self.text[self.at] == "extends":
            self.at += 1
            self.type_()
            while self.accept(","):
                self.type_()
        if self.accept("..."):
            pass
        elif self.expect("="):
            self.accept("|")
            while True:
                self.attributes()
                while self.text[self.at] == "@" and self.is_word(self.at + 1):
                    self.at += 2
                    if self.text[self.at] == "(":
                        self.skip_bracket()
                if self.text[self.at] == "ghost":
                    self.at += 1
                self.attributes()
                if not self.is_name(self.at):
                    self.fail("a constructor")
                    break
                self.at += 1
                if self.text[self.at] == "(":
                    self.skip_bracket()
                if not self.accept("|"):
                    break
        self._sign(d)
        self.accept(";")
        self._members(d)

    def _type(self, d: Declaration, path: str) -> None:
        d.kind = self.text[d.keyword]
        self._name(d, path)
        while self.text[self.at] == "(":
            self.skip_bracket()
        self._type_parameters()
        while self.text[self.at] == "(":
            self.skip_bracket()
        if self.text[self.at] == "extends":
            self.at += 1
            self.type_()
            while self.accept(","):
                self.type_()
        if self.accept("="):
            self.attributes()
            if self.is_name(self.at) and self.text[self.at + 1] in (":", "|"):
                self.at += 1
                if self.accept(":"):
                    self.type_()
                if self.accept("|"):
                    self.expression(False, True)
                if self.text[self.at] == "ghost" and self.text[self.at + 1] == "witness":
                    self.at += 1
                if self.accept("witness"):
                    self.expression(False, True)
            else:
                self.type_()
                if self.text[self.at] == "ghost" and self.text[self.at + 1] == "witness":
                    self.at += 1
                if self.accept("witness"):
                    self.expression(False, True)
        elif self.accept("..."):
            pass
        self._sign(d)
        self.accept(";")
        self._members(d)
        self.accept(";")

    def _import(self, d: Declaration, path: str) -> None:
        d.kind = "import"
        self.accept("opened")
        self._name(d, path)
        if self.accept("=") or self.accept(":"):
            self._qualified()
        elif self.text[self.at] in (".", "`"):
            self.at -= 1
            self._qualified()
            if self.is_word(self.at - 1):
                d.name = self.text[self.at - 1]
                d.path = f"{path}.{d.name}" if path else d.name
        if self.text[self.at] in ("as", "default"):
            self.at += 1
            self._qualified()
        self._sign(d)
        self.accept(";")

    def _export(self, d: Declaration, path: str) -> None:
        d.kind = "export"
        self.attributes()
        d.name = "export"
        taken = _DECLARATION_WORDS | _MODIFIERS | {"provides", "reveals", "extends"}
        if self.is_word(self.at) and self.text[self.at] not in taken:
            d.name = self.text[self.at]
            self.at += 1
        d.path = f"{path}.{d.name}" if path else d.name
        self.accept("...")
        while self.text[self.at] in ("provides", "reveals", "extends"):
            self.at += 1
            while True:
                if not self.accept("*"):
                    self._qualified()
                if not self.accept(","):
                    break
        self._sign(d)
        self.accept(";")

    def _include(self, d: Declaration, path: str) -> None:
        d.kind = "include"
        d.name = self.text[self.at] if self.kind[self.at] == TokenKind.STRING else ""
        d.path = f"{path}.{d.name}" if path else d.name
        if d.name:
            self.at += 1
        else:
            self.fail("a file name")
        self._sign(d)
        self.accept(";")


_OTHER = {
    "module": DeclarationParser._module,
    "class": DeclarationParser._class,
    "trait": DeclarationParser._class,
    "datatype": DeclarationParser._datatype,
    "codatatype": DeclarationParser._datatype,
    "type": DeclarationParser._type,
    "newtype": DeclarationParser._type,
    "const": DeclarationParser._const,
    "import": DeclarationParser._import,
    "export": DeclarationParser._export,
    "include": DeclarationParser._include,
}
