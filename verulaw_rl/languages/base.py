"""What every language gives: the syntax of a program, as the rest of the system sees it.

A :class:`Language` reads a program into a :class:`ProgramView` (never raising on any text), says
which characters are specification, annotation or executable, and makes programs from programs:
strip annotations, strip bodies, place checks. It knows nothing of verifiers, instances or rewards.
One folder per language implements it; ``languages.registry`` is the one place that lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol

from verulaw_rl.languages.insertions import Insertion

if TYPE_CHECKING:
    from verulaw_rl.languages.capabilities import Capability, Standing
    from verulaw_rl.languages.rewrites import Rewrite


class Task(StrEnum):
    """What the agent is asked to do with the given text."""

    ANNOTATION_REPAIR = "annotation_repair"
    CODE_GENERATION = "code_generation"
    PATCH_GENERATION = "patch_generation"


class RegionKind(StrEnum):
    """The three parts of a verified program (paper, section 2)."""

    SPECIFICATION = "specification"
    ANNOTATION = "annotation"
    EXECUTABLE = "executable"


class Category(StrEnum):
    """Kinds of proof obligation (``Words`` of the design; paper, appendix C.1)."""

    POSTCONDITION = "postcondition"
    INVARIANT = "invariant"
    ASSERTION = "assertion"
    SAFETY = "safety"
    TERMINATION = "termination"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of character offsets ``[start, end)`` in a program's text."""

    start: int
    end: int

    def contains(self, offset: int) -> bool:
        """Whether the offset lies in the range."""
        return self.start <= offset < self.end


@dataclass(frozen=True, slots=True)
class Region:
    """A run of text of one kind. A program's regions, joined in order, are its text byte for byte."""

    kind: RegionKind
    span: Span


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: ``requires``, ``ensures``, ``modifies``, ``reads``, ``decreases``, ``invariant``, ..."""

    kind: str
    expression: str
    """Source text of the expression (or expression list), without keyword, attributes and semicolon."""
    canonical: str
    """Tokens of attributes and expression joined by one blank: equal exactly when the clauses are the same."""
    span: Span
    """From the first modifier or keyword to the end of the clause, optional semicolon included."""
    expression_span: Span
    line: int
    """1-based line of the keyword."""


@dataclass(frozen=True, slots=True)
class LoopView:
    """A loop of a body, in source order within its declaration (``index`` from 0)."""

    index: int
    line: int
    span: Span
    clauses: tuple[Clause, ...]
    body: Span | None
    """Braces included; ``None`` for a loop without body."""


class AnnotationKind(StrEnum):
    """What an annotation is."""

    INVARIANT = "invariant"
    ASSERT = "assert"
    CALC = "calc"
    DECREASES = "decreases"
    GHOST = "ghost"
    """Any other proof text: lemma calls, ghost variables, ``forall`` proofs, ``reveal``."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """One removable piece of proof text inside a declaration."""

    kind: AnnotationKind
    declaration: str
    """Qualified path of the declaration that holds it."""
    text: str
    canonical: str
    span: Span
    """The whole piece: removing exactly these characters removes the annotation."""
    line: int
    loop: int | None = None
    """Index of the loop that an invariant or a loop's decreases belongs to."""
    point: Point | None = None
    """Program point at which it stands, where it is one that an untouched executable text fixes."""


@dataclass(frozen=True, slots=True)
class DeclarationView:
    """A declaration: module, class, datatype, type, function, predicate, method, lemma, ..."""

    kind: str
    name: str
    path: str
    """Names joined by dots from the outermost named module: ``M.C.name``; unique in a valid program."""
    line: int
    span: Span
    signature: str
    """Canonical tokens of modifiers, attributes, type parameters, formals and results."""
    clauses: tuple[Clause, ...]
    loops: tuple[LoopView, ...]
    body: Span | None
    """Braces included; ``None`` when there is none."""
    callable: bool
    """Whether it is something that has a contract: function, predicate, method, constructor, lemma, iterator."""
    ghost: bool
    """Whether it leaves nothing in the compiled program (lemmas, ghost methods, ghost functions)."""
    recursive: bool = False
    """Whether it can call itself, directly or through other declarations of the program."""
    termination: bool = True
    """Whether the tool is asked to prove that it ends: always in some languages, by its contract in others."""
    asserts: tuple[Clause, ...] = ()
    """``assert`` statements of the body, in source order."""


@dataclass(frozen=True, slots=True)
class Point:
    """A program point that survives any change of annotations, since executable text fixes it.

    ``entry``: the first thing in the body; ``exit``: the end of the body and before each return (``index``
    unused, several sites);
    ``loop_head`` and ``after_loop``: ``index`` is the loop's index in its declaration;
    ``token``: immediately before the ``index``-th executable token of the declaration's body, behind
    the annotations that stand there; ``calls``: after each call statement of the (ghost) body.
    """

    kind: Literal["entry", "exit", "loop_head", "after_loop", "token", "calls"]
    index: int = 0


FALSE = "false"
"""The formula that never holds, as checks write it; ``instrument`` puts it into the language's own words."""


@dataclass(frozen=True, slots=True)
class Check:
    """A formula to be checked at a point, in isolation: it proves nothing else and is not proved by itself."""

    id: str
    declaration: str
    point: Point
    expression: str
    """In the language's syntax, or :data:`FALSE`."""


@dataclass(frozen=True, slots=True)
class CheckSite:
    """Where one check was placed: a failing diagnostic on lines ``[first_line, last_line]`` refutes it there."""

    check: str
    declaration: str
    first_line: int
    last_line: int
    after_loops: tuple[int, ...] = ()
    """Loops of the declaration that every path to this site may have run through."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A program with checks placed in it."""

    text: str
    sites: tuple[CheckSite, ...]
    unplaced: tuple[str, ...] = ()
    """Checks whose declaration or point the program does not have."""


@dataclass(frozen=True, slots=True)
class LoopProposals:
    """Invariants to try at one loop, likeliest first: they may be false or not even resolve."""

    offset: int
    """Where they go in the program."""
    lines: tuple[str, ...]
    """One invariant each, line end included; any of them may be left out."""
    before: str = ""
    after: str = ""
    """What stands around those that are put in."""


@dataclass(frozen=True, slots=True)
class AnnotationProbe:
    """A fact of a reference proof with the points at which it is to hold."""

    category: Category
    declaration: str
    points: tuple[Point, ...]
    expression: str


@dataclass(frozen=True, slots=True)
class ProgramView:
    """What is seen in a program. ``error`` is ``None`` or says what could not be read; views are best-effort then."""

    source: str
    declarations: tuple[DeclarationView, ...]
    regions: tuple[Region, ...]
    annotations: tuple[Annotation, ...]
    error: str | None = None
    by_path: dict[str, DeclarationView] = field(default_factory=dict, compare=False, repr=False)

    @property
    def lossless(self) -> bool:
        """Whether the regions joined give the source back."""
        return "".join(self.source[r.span.start : r.span.end] for r in self.regions) == self.source


class FindingKind(StrEnum):
    """Which of the two offences a finding is."""

    SPECIFICATION = "specification"
    PROOF = "proof"


@dataclass(frozen=True, slots=True)
class Finding:
    """One offence: the construct, the place, and what to do instead, in words that a model can act on."""

    kind: FindingKind
    construct: str
    """Stable short name, e.g. ``assume``, ``bodyless_declaration``, ``clause_changed``."""
    declaration: str
    line: int
    """1-based line in the candidate (in the given for something that vanished)."""
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How the language's texts are cut roughly, to compare whole programs (near-duplicates)."""

    comment: re.Pattern[str]
    keywords: frozenset[str]
    """Words that shape a program; all others are names."""


@dataclass(frozen=True, slots=True)
class Illustration:
    """Pieces of the language that a prompt shows how an action is written with."""

    insertions: tuple[Insertion, ...]
    """Proof text after some lines of a program."""
    calls: str
    """What ``run`` may be asked to execute, each line ended."""


class Language(Protocol):
    """Syntax of one language. Every method is pure, and ``parse`` never raises."""

    name: str
    suffix: str
    """File name suffix, with the dot."""
    lexicon: Lexicon
    illustration: Illustration

    @property
    def capabilities(self) -> Mapping[Capability, Standing]:
        """What the language can do here, and on what evidence: one entry for every capability."""
        ...

    def parse(self, source: str) -> ProgramView:
        """Read a program; any text at all gives a view."""
        ...

    def targets(self, program: ProgramView, task: Task) -> tuple[DeclarationView, ...]:
        """Declarations to be proved: bodies that carry obligations (for code generation: bodies to be written)."""
        ...

    def strip_annotations(self, source: str) -> str:
        """The program without its removable proof annotations (what benchmarks remove)."""
        ...

    def strip_bodies(self, source: str) -> str:
        """The program without method and lemma bodies; contracts and declarations stay."""
        ...

    def probes(self, reference: str, given: str) -> tuple[AnnotationProbe, ...]:
        """Facts of the reference proof that the given lost, each with its points."""
        ...

    def instrument(self, program: str, checks: tuple[Check, ...], drop: tuple[Span, ...] = ()) -> Instrumented:
        """The program less the annotations at ``drop``, with each check placed in isolation at its point."""
        ...

    def audit(self, task: Task, given: str, candidate: str) -> tuple[Finding, ...]:
        """Every change of the specification (and of frozen code) and every proof escape that the candidate adds."""
        ...

    def escapes(self, source: str) -> tuple[Finding, ...]:
        """Every construct of a program that a verifier accepts without proof, whoever wrote it."""
        ...

    def rewrites(self, task: Task, reference: str) -> Iterator[Rewrite]:
        """Dishonest and honest rewrites of a verified program, for ``verulaw-rl attack``; none where it has none.

        A rewrite that does not parse is left out by the caller.
        """
        ...

    def trivial_programs(self, given: str) -> tuple[str, ...]:
        """The given of code generation with trivial bodies: default values, the input unchanged; ``()`` for none."""
        ...

    def proposals(self, program: ProgramView) -> tuple[LoopProposals, ...]:
        """Loop invariants to try, from templates; ``()`` where there is no loop, or the language has no templates."""
        ...

    def rules(self, task: Task) -> str:
        """The language's rules for a prompt, in under 400 tokens."""
        ...
