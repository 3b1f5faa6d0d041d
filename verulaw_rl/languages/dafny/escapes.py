"""Proof escapes: constructs that a verifier accepts without proof, or that make it unsound.

:func:`find_escapes` looks through :class:`~verulaw_rl.languages.dafny.added.Added` text: words and
attributes at token level (so that nesting does not matter: by-blocks, calc hints, statement expressions,
contracts of helpers), shapes at statement and declaration level. For a whole program, whoever wrote it,
every declaration is looked through (:func:`all_escapes`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from verulaw_rl.languages.attributes import Effect
from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.dafny.added import Added, header, parents, whole
from verulaw_rl.languages.dafny.attributes import attributes_in, is_known_to_authors
from verulaw_rl.languages.dafny.regions import is_star
from verulaw_rl.languages.dafny.statements import StatementParser
from verulaw_rl.languages.dafny.syntax import ClauseNode, Declaration, Statement
from verulaw_rl.languages.dafny.view import Reading
from verulaw_rl.languages.lexed import Range, TokenKind

_BITVECTOR = re.compile(r"bv\d+")
_CLAUSE_WORDS = frozenset({"requires", "ensures", "invariant", "yield", "decreases", "modifies", "reads"})
_NOT_A_CONJUNCTION = frozenset(
    {"||", "==>", "<==>", "<==", "forall", "exists", "if", "match", "var", "∨", "⇒", "⇔", "⇐", "∀", "∃"}
)


def find_escapes(reading: Reading, added: list[Added]) -> list[Finding]:
    """Escapes in the text that a candidate added."""
    search = _Search(reading, of_author=False)
    for each in added:
        search.look_through(each)
    return search.findings


def all_escapes(reading: Reading) -> list[Finding]:
    """Escapes anywhere in a program, whoever wrote them."""
    search = _Search(reading, of_author=True)
    for declaration in reading.declarations:
        search.look_through(whole(declaration))
    return search.findings


@dataclass(frozen=True, slots=True)
class _Types:
    """Names of types that matter to the search."""

    perhaps_empty: frozenset[str]
    """Traits and types without definition: a value of one may not exist."""
    bitvector: frozenset[str]
    """Types defined from bit vectors."""


class _Search:
    def __init__(self, reading: Reading, *, of_author: bool) -> None:
        self.reading = reading
        self.lexed = reading.program.lexed
        self.of_author = of_author
        self.holders = parents(reading.declarations)
        self.findings: list[Finding] = []
        self.types = _types(reading)
        self._seen: set[tuple[str, int]] = set()

    def look_through(self, added: Added) -> None:
        """Search one piece of added text."""
        path = added.declaration.path
        for first, last in added.tokens:
            self._words(path, first, last)
            self._attributes(path, first, last)
        if added.whole:
            self._declaration(added.declaration)
            self._inside_expression(added.declaration.signature, added)
        for clause in added.clauses:
            self._clause(path, clause, added.declaration)
            self._inside_expression(clause.expression, added)
        for statement in added.statements:
            self._statement(path, statement, added)

    def _find(self, construct: str, path: str, token: int, message: str, advice: str) -> None:
        if (construct, token) in self._seen:
            return
        self._seen.add((construct, token))
        tokens = self.lexed.tokens
        line = self.lexed.line(tokens[min(token, len(tokens) - 1)].start)
        advice = advice.replace("LINE", str(line))
        self.findings.append(Finding(FindingKind.PROOF, construct, path, line, message, advice))

    # --- words and attributes -----------------------------------------------------------------------------------

    def _words(self, path: str, first: int, last: int) -> None:
        tokens = self.lexed.tokens
        for at in range(first, last):
            kind, text, _, _ = tokens[at]
            if kind != TokenKind.WORD:
                continue
            before = tokens[at - 1].text if at else ""
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if text == "assume":
                self._find(
                    "assume",
                    path,
                    at,
                    f"`assume` in `{path}` is believed without proof",
                    "remove the assume on line LINE and prove the fact instead: with an assert, a loop invariant, "
                    "or a lemma that has a body",
                )
            elif text == "expect" and before == ":-":
                self._expect(path, at)
            elif text == "free" and after in _CLAUSE_WORDS:
                self._find(
                    "free_clause",
                    path,
                    at,
                    f"a `free` clause in `{path}` is believed without proof",
                    "remove the word `free` on line LINE and prove the clause",
                )
            elif text == "var":
                self._value_of_empty_type(path, at, last)

    def _expect(self, path: str, at: int) -> None:
        self._find(
            "expect",
            path,
            at,
            f"`expect` in `{path}` is believed by the verifier and only checked when the program runs",
            "remove the expect on line LINE and prove the fact with an assert",
        )

    def _attributes(self, path: str, first: int, last: int) -> None:
        for attribute in attributes_in(self.lexed, first, last):
            allowed = (
                is_known_to_authors(attribute)
                if self.of_author
                else attribute.effect in (Effect.STEERING, Effect.MEANING)
            )
            if not allowed:
                self._find(
                    "attribute",
                    path,
                    attribute.first,
                    f"`{attribute.canonical[:160]}` in `{path}` can switch off or weaken a check",
                    f"remove the attribute `{attribute.name}` on line LINE",
                )

    def _value_of_empty_type(self, path: str, at: int, last: int) -> None:
        """``var o: T := *``, ``:| true`` or never set, where T may have no values: then everything follows."""
        tokens = self.lexed.tokens
        stop = at + 1
        while stop < last and tokens[stop].text not in (":=", ":|", ";", "::", "}"):
            stop += 1
        types = {t.text for t in tokens[at + 1 : stop]} & self.types.perhaps_empty
        if types and stop < last and self._from_nowhere(tokens[at + 1].text, stop, last):
            name = min(types)
            self._find(
                "value_of_empty_type",
                path,
                at,
                f"a value of type `{name}` is taken from nowhere in `{path}`; the type may have none",
                "on line LINE use a value that exists, such as a parameter",
            )

    def _from_nowhere(self, variable: str, at: int, last: int) -> bool:
        tokens = self.lexed.tokens
        rest = [t.text for t in tokens[at + 1 : last]]
        if tokens[at].text == ":=":
            return rest[:1] == ["*"]
        if tokens[at].text == ":|":
            condition = rest[: rest.index(";")] if ";" in rest else rest
            words = {w for w in condition if w[0].isalpha() or w[0] == "_"}
            return words <= {variable, "true", "false"}
        pairs = pairwise(rest)
        return tokens[at].text == ";" and not any(a == variable and b in (":=", ":|", ",") for a, b in pairs)

    # --- declarations -------------------------------------------------------------------------------------------

    def _declaration(self, d: Declaration) -> None:
        tokens = self.lexed.tokens
        words = {tokens[i].text for i in range(*d.signature)}
        at = d.named_at
        if d.callable and d.body is None:
            self._find(
                "bodyless_declaration",
                d.path,
                at,
                f"the {d.kind} `{d.path}` has no body, so what it says is believed without proof",
                f"give `{d.path}` a body that proves its contract, or remove it",
            )
        elif d.kind == "const" and not words & {":=", "=="} and not (self.of_author and self._is_set_by_constructor(d)):
            self._find(
                "bodyless_constant",
                d.path,
                at,
                f"the constant `{d.path}` has no value, and its type may have none",
                f"give `{d.path}` a value",
            )
        elif d.kind == "include":
            self._find(
                "include", d.path, at, "an included file is not verified", "remove the include; hand in one whole file"
            )
        elif d.kind == "import" and ":" in words:
            self._find("abstract_import", d.path, at, f"`{d.path}` imports a module without its proofs", "remove it")
        elif d.kind == "module" and words & {"refines", "replaces"} and not self.of_author:
            self._find(
                "refinement",
                d.path,
                at,
                f"the module `{d.path}` refines another; that its lemmas end is not checked again there",
                "remove the module and prove the lemma directly",
            )
        elif d.kind in ("type", "newtype") and self._has_star_witness(d):
            self._find(
                "unwitnessed_type",
                d.path,
                at,
                f"the type `{d.path}` says `witness *`: it may have no values",
                f"give `{d.path}` a witness, or do without the type",
            )
        if self._holds_function(d, words):
            self._find(
                "function_valued_field",
                d.path,
                at,
                f"`{d.path}` holds a function in an object; one that applies the field is never checked to end",
                "pass the function as a parameter",
            )
        self._bitvector_recursion(d)

    def _is_set_by_constructor(self, d: Declaration) -> bool:
        holder = self.holders.get(id(d))
        return holder is not None and holder.kind == "class" and "static" not in d.modifiers

    def _holds_function(self, d: Declaration, words: set[str]) -> bool:
        holder = self.holders.get(id(d))
        in_object = (
            d.kind in ("field", "const") and holder is not None and holder.kind in ("class", "trait", "iterator")
        )
        return in_object and bool(words & {"->", "-->", "~>"}) and not self.of_author

    def _has_star_witness(self, d: Declaration) -> bool:
        tokens = self.lexed.tokens
        return any(tokens[i].text == "witness" and tokens[i + 1].text == "*" for i in range(d.first, d.last - 1))

    def _bitvector_recursion(self, d: Declaration) -> None:
        """Older versions compare bit vectors in a measure wrongly: a cycle through ``k + 1`` and ``k - 1`` passes."""
        if self.of_author or not d.callable or d.body is None or any(c.kind == "decreases" for c in d.clauses):
            return
        names = {p.name for p in d.parameters} & self._bitvector_names(d)
        if names and self.reading.view.by_path[d.path].recursive:
            self._bitvector_measure(d.path, d.named_at, min(names))

    def _bitvector_measure(self, path: str, at: int, name: str) -> None:
        self._find(
            "bitvector_measure",
            path,
            at,
            f"the bit vector `{name}` measures that `{path}` ends; that is not checked soundly",
            "on line LINE use a measure of type int or nat",
        )

    def _bitvector_names(self, d: Declaration) -> set[str]:
        """Names that the declaration gives a bit-vector type."""
        tokens = self.lexed.tokens
        return {
            tokens[i - 1].text
            for i in range(d.first + 1, d.last - 1)
            if tokens[i].text == ":" and self._is_bitvector(tokens[i + 1].text)
        }

    def _is_bitvector(self, word: str) -> bool:
        return _BITVECTOR.fullmatch(word) is not None or word in self.types.bitvector

    # --- clauses and statements ---------------------------------------------------------------------------------

    def _clause(self, path: str, clause: ClauseNode, d: Declaration) -> None:
        if clause.kind != "decreases":
            return
        if is_star(self.reading.program, clause):
            self._find(
                "decreases_star",
                path,
                clause.first,
                f"`decreases *` in `{path}` gives up that it ends; what never ends proves anything",
                "on line LINE give a measure that goes down with each step",
            )
        elif not self.of_author:
            words = {self.lexed.tokens[i].text for i in range(*clause.expression)}
            bitvectors = {w for w in words if self._is_bitvector(w)} | (words & self._bitvector_names(d))
            if bitvectors:
                self._bitvector_measure(path, clause.first, min(bitvectors))

    def _statement(self, path: str, s: Statement, added: Added) -> None:
        if s.kind == "expect":
            self._expect(path, s.keyword)
        if s.is_loop and not s.blocks and s.operator != "case":
            self._find(
                "bodyless_loop",
                path,
                s.keyword,
                f"a loop in `{path}` has no body; its invariants and the end of its guard are believed",
                "give the loop on line LINE a body",
            )
        if s.kind in ("forall", "opaque") and not s.blocks:
            self._find(
                "bodyless_forall",
                path,
                s.keyword,
                f"a `{s.kind}` statement in `{path}` has no body; what it ensures is believed without proof",
                "give the statement on line LINE a body in braces, with the proof (it may be empty: `{ }`)",
            )
        for clause in s.clauses:
            self._clause(path, clause, added.declaration)
        if added.executable and not self.of_author and not self.reading.marks.is_proof(s):
            self._such_that(path, s)
        for inner in (*s.embedded, *(each for block in s.blocks for each in block.statements)):
            self._statement(path, inner, added)

    def _inside_expression(self, expression: Range, added: Added) -> None:
        """Look through the proofs inside an expression whose statements the tree does not keep."""
        tokens = self.lexed.tokens
        at = expression.first
        while at < expression.last:
            if tokens[at].text in ("assert", "calc"):
                parser = StatementParser(self.lexed)
                parser.at = at
                statement = parser.simple_proof_statement()
                self._statement(added.declaration.path, statement, added)
                at = max(at + 1, statement.last)
            else:
                at += 1

    def _such_that(self, path: str, s: Statement) -> None:
        """``m :| P`` in compiled code asks for a value instead of computing it, unless its range is a finite one."""
        tokens = self.lexed.tokens
        inside = {i for b in s.blocks for i in range(b.first, b.last)}
        for e in s.embedded:
            inside.update(range(e.first, e.last))
        for clause in s.clauses:
            inside.update(range(clause.first, clause.last))
        for at in range(s.first, s.last):
            if tokens[at].text == ":|" and at not in inside and not self._has_finite_range(at, s):
                self._find(
                    "such_that_implementation",
                    path,
                    at,
                    f"`:|` in the implementation of `{path}` asks for a value instead of computing it",
                    "on line LINE compute the value; `x :| x in s && …` or `x :| 0 <= x < n && …` may search a range",
                )

    def _has_finite_range(self, at: int, s: Statement) -> bool:
        """Whether each variable left of ``:|`` is in a collection or between two bounds."""
        tokens = self.lexed.tokens
        names: set[str] = set()
        back = at - 1
        while back >= s.first and tokens[back].text not in ("var", "if", "case", "ghost", "{", "}", ";", "("):
            if tokens[back].kind == TokenKind.WORD and tokens[back - 1].text != ":":
                names.add(tokens[back].text)
            back -= 1
        limited: set[str] = set()
        last = min((b.first for b in s.blocks if b.first > at), default=s.last)
        for conjunct in self._conjuncts(at + 1, last):
            if len(conjunct) > 2 and conjunct[1] == "in":
                limited.add(conjunct[0])
            comparisons = [i for i, text in enumerate(conjunct) if text in ("<", "<=", "≤")]
            for left, right in pairwise(comparisons):
                limited.update(conjunct[left + 1 : right] if right - left == 2 else ())
        return bool(names) and names <= limited

    def _conjuncts(self, first: int, last: int) -> list[list[str]]:
        """Conjuncts of a condition, brackets as one item each; none where it is no plain conjunction."""
        tokens = self.lexed.tokens
        conjuncts: list[list[str]] = [[]]
        at = first
        while at < last and tokens[at].text not in (";", "}", ")", "=>"):
            text = tokens[at].text
            close = self.lexed.closer.get(at, at)
            if text in _NOT_A_CONJUNCTION or any(t.text in ("iset", "imap") for t in tokens[at : close + 1]):
                return []
            if text in ("&&", "∧"):
                conjuncts.append([])
            else:
                conjuncts[-1].append(text)
            at = close + 1
        return conjuncts


def _types(reading: Reading) -> _Types:
    headers = {d.name: header(reading, d)[0] for d in reading.declarations if d.kind in ("type", "newtype")}
    empty = {d.name for d in reading.declarations if d.kind == "trait"}
    empty |= {name for name, words in headers.items() if "=" not in words or _witness_star(words)}
    bitvector = {name for name, words in headers.items() if any(_BITVECTOR.fullmatch(w) for w in words)}
    datatypes = {d.name: header(reading, d)[0] for d in reading.declarations if d.kind in ("datatype", "codatatype")}
    return _Types(frozenset(_holding(empty, headers | datatypes)), frozenset(_holding(bitvector, headers)))


def _holding(names: set[str], headers: dict[str, list[str]]) -> set[str]:
    """The names, and those of declarations that are made of them, however deeply."""
    while more := {name for name, words in headers.items() if name not in names and not names.isdisjoint(words)}:
        names = names | more
    return names


def _witness_star(words: list[str]) -> bool:
    return any(a == "witness" and b == "*" for a, b in pairwise(words))
