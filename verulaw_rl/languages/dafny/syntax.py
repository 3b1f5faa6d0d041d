"""The tree that the parser builds: declarations, clauses and statements, as ranges of tokens.

Every node says ``first`` and ``last``: the half-open range of token indices that it covers.
Expressions have no nodes, only ranges; what matters inside them (``assert E; e``, ``calc``, lemma
calls) is listed as ``embedded`` statements of the node that holds the expression. Nodes are filled
by the parser and only read afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verulaw_rl.languages.lexed import NOWHERE, Range


@dataclass(slots=True)
class ClauseNode:
    """One clause of a declaration or loop; ``expression`` leaves out keyword, attributes and semicolon."""

    kind: str
    first: int
    last: int
    keyword: int
    attributes: Range
    expression: Range
    free: bool = False


@dataclass(slots=True)
class Block:
    """A list of statements; ``braced`` unless it is what follows ``case … =>``."""

    first: int
    last: int
    braced: bool
    statements: list[Statement] = field(default_factory=list)


@dataclass(slots=True)
class Local:
    """A local variable that a statement declares."""

    name: str
    ghost: bool


@dataclass(slots=True)
class CalcStep:
    """One step of a calc: ``left operator right`` (token ranges of the lines)."""

    left: Range
    operator: str
    right: Range


@dataclass(slots=True)
class Statement:
    """A statement, or a statement inside an expression (then an element of ``embedded``).

    Kinds: block if while for match assert assume expect calc forall var assign call return yield
    print break modify reveal new opaque skeleton empty error. ``first`` includes labels.
    """

    kind: str
    first: int
    last: int = 0
    keyword: int = 0
    """First token behind the labels."""
    label: str | None = None
    attributes: Range = NOWHERE
    expression: Range = NOWHERE
    """Condition or guard of assert, assume, expect, if, while, match."""
    operator: str = ""
    """``:=``, ``:|`` or ``:-`` of assignments and variable declarations."""
    targets: list[Range] = field(default_factory=list)
    values: list[Range] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    """Declared variables; for ``for`` and ``forall`` the bound ones."""
    clauses: list[ClauseNode] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    """Nested statement lists in source order: branches, cases, loop body, by-block, calc hints."""
    steps: list[CalcStep] = field(default_factory=list)
    embedded: list[Statement] = field(default_factory=list)
    has_else: bool = False

    @property
    def is_loop(self) -> bool:
        """Whether it is a while or for loop."""
        return self.kind in ("while", "for")


@dataclass(slots=True)
class Parameter:
    """A formal parameter or result."""

    name: str
    ghost: bool


@dataclass(slots=True)
class Declaration:
    """A declaration with everything it holds; ``members`` of modules, classes, traits and types."""

    kind: str
    name: str
    path: str
    first: int
    last: int
    keyword: int
    modifiers: frozenset[str] = frozenset()
    signature: Range = NOWHERE
    parameters: list[Parameter] = field(default_factory=list)
    results: list[Parameter] = field(default_factory=list)
    clauses: list[ClauseNode] = field(default_factory=list)
    body: Range | None = None
    block: Block | None = None
    """Statements of a method-like body."""
    by_method: Block | None = None
    embedded: list[Statement] = field(default_factory=list)
    """Statements inside a function body's expression."""
    members: list[Declaration] = field(default_factory=list)
    named_at: int = 0
    """Token of the name (of the keyword where there is no name)."""

    @property
    def callable(self) -> bool:
        """Whether it has a contract."""
        return self.kind in CALLABLE_KINDS

    @property
    def ghost(self) -> bool:
        """Whether it leaves nothing in the compiled program."""
        if self.kind in ("function", "predicate"):
            return "ghost" in self.modifiers or bool(self.modifiers & ALWAYS_GHOST)
        return self.kind == "lemma" or "ghost" in self.modifiers


CALLABLE_KINDS = frozenset({"function", "predicate", "method", "constructor", "lemma", "iterator"})
METHOD_KINDS = frozenset({"method", "constructor", "lemma", "iterator"})
FUNCTION_KINDS = frozenset({"function", "predicate"})
ALWAYS_GHOST = frozenset({"twostate", "least", "greatest", "inductive", "copredicate"})
