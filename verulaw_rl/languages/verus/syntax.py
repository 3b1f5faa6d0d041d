"""The tree that the parser builds: declarations, clauses and statements, as ranges of tokens.

Every node says ``first`` and ``last``: the half-open range of token indices that it covers. Expressions
have no nodes, only ranges; the blocks inside them (branches, arms, closures) are the ``blocks`` of the
statement that holds the expression. Nodes are filled by the parser and only read afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from verulaw_rl.languages.lexed import NOWHERE, Range


@dataclass(slots=True)
class ClauseNode:
    """One clause of a group, from its attributes to the comma behind it; ``expression`` leaves out both."""

    kind: str
    first: int
    last: int
    expression: Range


@dataclass(slots=True)
class ClauseGroup:
    """A keyword with its clauses: ``requires a, b,``. ``open_end``: where ``when`` or ``via`` begins, else ``last``."""

    kind: str
    first: int
    last: int
    clauses: list[ClauseNode] = field(default_factory=list)
    open_end: int = 0


@dataclass(slots=True)
class Block:
    """A list of statements; ``braced`` unless it is the expression of a match arm or a loop used as a value."""

    first: int
    last: int
    braced: bool = True
    statements: list[Statement] = field(default_factory=list)
    closure: bool = False
    """Body of a closure: what returns there does not leave the function."""


class Return(NamedTuple):
    """A ``return`` somewhere in a statement: its keyword and value (empty for none)."""

    keyword: int
    value: Range


@dataclass(slots=True)
class Statement:
    """A statement.

    Kinds: let assert assert_forall assume proof calc reveal broadcast while for loop if match block call
    macro item return expression empty error.
    """

    kind: str
    first: int
    last: int = 0
    keyword: int = 0
    """First token behind attributes and label."""
    attributes: list[Range] = field(default_factory=list)
    expression: Range = NOWHERE
    """What is asserted; condition of a loop; value of a let."""
    mode: str = ""
    """``ghost`` or ``tracked`` for a let of that mode."""
    names: list[str] = field(default_factory=list)
    """Variables that a let or for declares; name of a macro."""
    groups: list[ClauseGroup] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    """Nested statement lists in source order."""
    returns: list[Return] = field(default_factory=list)
    semicolon: bool = False

    @property
    def is_loop(self) -> bool:
        """Whether it is a loop."""
        return self.kind in LOOPS

    @property
    def block_like(self) -> bool:
        """Whether Rust takes it for a statement without semicolon."""
        return self.kind in LOOPS or self.kind in ("if", "match", "block", "proof", "item")


@dataclass(slots=True)
class Parameter:
    """A formal parameter: the names that its pattern binds, and whether the body may assign to it."""

    names: list[str]
    mutable: bool
    type: Range


@dataclass(slots=True)
class Declaration:
    """A declaration with everything it holds.

    Kinds: method (exec fn), lemma (proof fn), function (spec fn), axiom, const, static, struct, enum, union,
    trait, impl, module, use, type, macro, broadcast_use, broadcast_group, global, assume_specification, extern.
    """

    kind: str
    name: str
    path: str
    first: int
    last: int
    named_at: int
    """Token of the name (of the keyword where there is no name)."""
    attributes: list[Range] = field(default_factory=list)
    """Outer and inner ones, brackets and hash included."""
    modifiers: frozenset[str] = frozenset()
    signature: Range = NOWHERE
    """From behind the outer attributes to where clauses or body begin."""
    parameters: list[Parameter] = field(default_factory=list)
    result_name: str = ""
    result_type: Range = NOWHERE
    result_tracked: bool = False
    prover: Range = NOWHERE
    """``by (nonlinear_arith)`` of a function."""
    groups: list[ClauseGroup] = field(default_factory=list)
    body: Range | None = None
    block: Block | None = None
    """Statements of a function's body."""
    members: list[Declaration] = field(default_factory=list)
    """Of modules, traits and impls; functions declared inside a body."""
    holder: str = ""
    """Kind of what holds it: trait, impl, module, or empty."""
    self_type: str = ""
    """For an impl: last segment of the name of its type."""

    @property
    def callable(self) -> bool:
        """Whether it has a contract."""
        return self.kind in CALLABLE_KINDS

    @property
    def ghost(self) -> bool:
        """Whether it leaves nothing in the compiled program."""
        return self.kind in ("function", "lemma", "axiom")


LOOPS = frozenset({"while", "for", "loop"})
CALLABLE_KINDS = frozenset({"method", "lemma", "function", "axiom", "assume_specification"})
METHOD_KINDS = frozenset({"method", "lemma"})
