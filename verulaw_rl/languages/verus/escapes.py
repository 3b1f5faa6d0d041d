"""Proof escapes: constructs that Verus accepts without proof, or that keep it from looking.

:func:`find_escapes` looks through :class:`~verulaw_rl.languages.verus.added.Added` text: words, macros and attributes
at token level (so that nesting does not matter: ``by`` blocks, ``calc!``, closures, contracts of helpers), shapes at
statement and declaration level. For a whole program, whoever wrote it, every declaration is looked through
(:func:`all_escapes`).
"""

from __future__ import annotations

from verulaw_rl.languages.attributes import Attribute, Effect
from verulaw_rl.languages.base import Finding, FindingKind
from verulaw_rl.languages.lexed import TokenKind, words
from verulaw_rl.languages.verus.added import Added, whole
from verulaw_rl.languages.verus.attributes import attributes_in, is_known_to_authors
from verulaw_rl.languages.verus.expressions import CLAUSE_WORDS
from verulaw_rl.languages.verus.names import PLACEHOLDERS
from verulaw_rl.languages.verus.regions import PROOF_MACROS
from verulaw_rl.languages.verus.syntax import Declaration, Statement
from verulaw_rl.languages.verus.view import Reading, loop_body

_BELIEVED = words(
    """
    assume assume_ admit assume_new assume_new_fallback assume_specification assume_termination external_body
    """
)
"""Words that no added text may hold, whatever they are part of: paths and renaming imports lead to the same items."""
_TRUSTED = frozenset({"unsafe", "extern"})
_MACROS = (
    PROOF_MACROS
    | PLACEHOLDERS
    | words(
        """
    calc seq set map multiset iset imap vec matches is_variant decreases_to panic unreachable
    assert assert_eq assert_ne debug_assert print println eprint eprintln format
    open_atomic_invariant open_local_invariant atomic_with_ghost try_open_atomic_update
    """
    )
)
"""Macros that can be called: of vstd, or of Rust and then checked or refused; none reads files or hides proofs."""
_AUTHOR_MACROS = words("include include_str include_bytes exec_spec_unverified verus_erase_ghost")
KEYWORDS = CLAUSE_WORDS | words(
    "if else while match return break in is has matches implies by and or as let mut move loop for proof assert forall"
)
"""Words before a ``!`` that negates."""
_UNVERIFIED = {
    "assume_specification": "a contract for code that is not verified",
    "global": "a layout that is only compared when code is generated",
}
_ADVICE = "remove it on line LINE and prove the fact: with an assert, a loop clause, or a proof function with a body"


def find_escapes(reading: Reading, added: list[Added], given: Reading) -> list[Finding]:
    """Escapes in the text that a candidate added; macros that the given calls may be called again."""
    search = _Search(reading, of_author=False, macros=_called_macros(given))
    for each in added:
        search.look_through(each)
    return search.findings


def all_escapes(reading: Reading) -> list[Finding]:
    """Escapes anywhere in a program, whoever wrote them."""
    search = _Search(reading, of_author=True, macros=frozenset())
    search.attributes("", 0, len(reading.program.lexed.tokens))
    for declaration in reading.declarations:
        search.look_through(whole(reading, declaration))
    return search.findings


def _called_macros(reading: Reading) -> frozenset[str]:
    tokens = reading.program.lexed.tokens
    return frozenset(
        tokens[i].text
        for i in range(len(tokens) - 2)
        if tokens[i + 1].text == "!"
        and tokens[i].kind == TokenKind.WORD
        and tokens[i].text not in KEYWORDS
        and tokens[i + 2].text in ("(", "[", "{")
    )


class _Search:
    def __init__(self, reading: Reading, *, of_author: bool, macros: frozenset[str]) -> None:
        self.reading = reading
        self.lexed = reading.program.lexed
        self.of_author = of_author
        self.macros = macros
        self.findings: list[Finding] = []
        self._seen: set[tuple[str, int]] = set()

    def look_through(self, added: Added) -> None:
        """Search one piece of added text."""
        path = added.declaration.path
        for first, last in added.tokens:
            self._words(path, first, last)
            self.attributes(path, first, last, whole=added.whole)
        if added.whole:
            self._declaration(added.declaration)
        for statement in added.statements:
            self._endless(path, statement)

    def _find(
        self, construct: str, path: str, token: int, message: str, advice: str, kind: FindingKind = FindingKind.PROOF
    ) -> None:
        if (construct, token) in self._seen:
            return
        self._seen.add((construct, token))
        tokens = self.lexed.tokens
        line = self.lexed.line(tokens[min(token, len(tokens) - 1)].start)
        self.findings.append(Finding(kind, construct, path, line, message, advice.replace("LINE", str(line))))

    # --- words and attributes -----------------------------------------------------------------------------------

    def _words(self, path: str, first: int, last: int) -> None:
        tokens = self.lexed.tokens
        for at in range(first, min(last, len(tokens))):
            kind, text, _, _ = tokens[at]
            if kind != TokenKind.WORD:
                continue
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            if text in _BELIEVED and not self._in_attribute(at):
                self._find("assume", path, at, f"`{text}` in `{path}` is believed without proof", _ADVICE)
            elif text in _TRUSTED and not self.of_author:
                self._find(
                    "unsafe",
                    path,
                    at,
                    f"`{text}` in `{path}` is code that Verus does not look into",
                    f"remove `{text}` on line LINE",
                )
            elif (
                after == "!"
                and text not in KEYWORDS
                and at + 2 < len(tokens)
                and tokens[at + 2].text in ("(", "[", "{")
            ):
                self._macro(path, at, text)

    def _in_attribute(self, at: int) -> bool:
        """Whether a word names an attribute, which is reported as such."""
        return any(a.first <= at < a.last for a in attributes_in(self.lexed, max(0, at - 12), at + 1))

    def _macro(self, path: str, at: int, name: str) -> None:
        if name in _AUTHOR_MACROS or not (self.of_author or name in _MACROS or name in self.macros):
            self._find(
                "macro",
                path,
                at,
                f"`{name}!` in `{path}` stands for text that is not seen here",
                f"remove `{name}!` on line LINE and write what it stands for",
            )

    def attributes(self, path: str, first: int, last: int, *, whole: bool = False) -> None:
        """Search a range of tokens for attributes."""
        for attribute in attributes_in(self.lexed, first, last):
            if self.of_author:
                if not is_known_to_authors(attribute):
                    self._attribute(path, attribute)
            elif attribute.effect is Effect.ESCAPE:
                self._attribute(path, attribute)
            elif attribute.effect is Effect.CONTRACT and not (whole and attribute.name == "derive"):
                self._attribute(path, attribute, FindingKind.SPECIFICATION)

    def _attribute(self, path: str, attribute: Attribute, kind: FindingKind = FindingKind.PROOF) -> None:
        self._find(
            "attribute",
            path,
            attribute.first,
            f"`{attribute.canonical[:160]}` in `{path}` can switch off or weaken a check",
            f"remove the attribute `{attribute.name}` on line LINE",
            kind,
        )

    # --- declarations and statements ----------------------------------------------------------------------------

    def _declaration(self, d: Declaration) -> None:
        if d.kind == "axiom" or (d.kind in ("lemma", "method") and d.block is None and d.holder != "trait"):
            self._find(
                "bodyless_declaration",
                d.path,
                d.named_at,
                f"`{d.path}` has no body, so what it says is believed without proof",
                f"give `{d.path}` a body that proves its contract, or remove it",
            )
        elif d.kind in _UNVERIFIED:
            self._find(d.kind, d.path, d.named_at, f"`{d.path}` states {_UNVERIFIED[d.kind]}", "remove it")
        elif d.kind == "macro" and self.lexed.tokens[d.first].text == "macro_rules":
            self._find(
                "macro_definition",
                d.path,
                d.named_at,
                f"the macro `{d.name}` stands for text that is not seen here",
                "remove the macro; write out what it stands for",
            )
        elif d.kind == "module" and d.body is None:
            self._find("include", d.path, d.named_at, f"`mod {d.name};` is another file", "hand in one whole file")

    def _endless(self, path: str, s: Statement) -> None:
        """A loop that cannot end once it is entered; releases before 2025-05 do not ask for a measure."""
        if s.kind not in ("while", "loop") or any(g.kind == "decreases" for g in s.groups):
            return
        body = loop_body(s)
        if body is None:
            return
        inside = [self.lexed.tokens[i].text for i in range(body.first, body.last)]
        if {"break", "return", "?"}.intersection(inside):
            return
        guard = {self.lexed.tokens[i].text for i in range(*s.expression) if self.lexed.tokens[i].kind == TokenKind.WORD}
        if s.kind == "loop" or not (guard - {"true"}).intersection(inside):
            self._find(
                "endless_loop",
                path,
                s.keyword,
                f"a loop in `{path}` changes nothing that its condition depends on; what never ends proves anything",
                "on line LINE make progress in the loop and give it a `decreases`",
            )
