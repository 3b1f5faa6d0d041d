"""What a verifier said of one program, as plain data. Adapters make it; everything above reads it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self

from verulaw_rl.languages.base import Category


class Status(StrEnum):
    """Outcome of one verification. ``error`` is the tool's or the machine's, never an honest program's."""

    VERIFIED = "verified"
    FAILED = "failed"
    INVALID = "invalid"
    TIMEOUT = "timeout"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the program: 1-based line; column as the tool prints it (Dafny: 0-based)."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Related:
    """A location attached to a diagnostic, such as the clause that could not be proved."""

    location: Location
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the tool about the program."""

    category: Category | None
    """``None`` for messages that are no failed obligation: parse, resolution, type errors, warnings."""
    severity: Literal["error", "warning", "info"]
    location: Location
    message: str
    declaration: str | None = None
    """Qualified path of the declaration, where the tool says it (procedure names) or the position gives it."""
    clause: str | None = None
    """Text of the clause that failed, where the position gives it."""
    kind: str = ""
    """Finer than the category: ``invariant_entry``, ``invariant_maintained``, ``division``, ``parse``, ..."""
    related: tuple[Related, ...] = ()
    undecided: bool = False
    """The check was not refuted: the solver ran out on it."""

    def key(self) -> tuple[object, ...]:
        """Identity for de-duplication: the same failure on several paths counts once."""
        where = self.related[0].location if self.related else self.location
        return (self.category, self.kind, where)


@dataclass(frozen=True, slots=True)
class DeclarationOutcome:
    """What the tool said of one declaration: ``part`` is its body or its contract's well-formedness."""

    declaration: str
    part: Literal["body", "wellformedness", "override", "other"]
    outcome: Literal["verified", "failed", "timeout", "inconclusive", "skipped"]
    obligations: int | None = None
    """Checks that the tool counted, where it says so."""


@dataclass(frozen=True, slots=True)
class ToolIdentity:
    """Which tool gave a verdict. Part of the cache key and of every record: verdicts belong to a version."""

    name: str
    version: str
    solver: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds, apart: waiting for a worker, in the tool (wall), in the solver (CPU, ``None`` if unknown)."""

    queue_s: float = 0.0
    tool_s: float = 0.0
    solver_s: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a verifier said of one program."""

    status: Status
    diagnostics: tuple[Diagnostic, ...]
    complete: bool
    """Whether the tool reported all that it would: no error limit reached, nothing timed out or skipped."""
    tool: ToolIdentity
    declarations: tuple[DeclarationOutcome, ...] = ()
    verified_count: int | None = None
    error_count: int | None = None
    message: str = ""
    """One line for a person: the summary, or what went wrong."""
    program_fault: bool = False
    """With ``error``: the program makes a fresh worker fail where a known good program verifies."""
    assumptions: tuple[Diagnostic, ...] = ()
    """What the tool's own auditor says a verified program believes without proof, where the tool has one."""
    cached: bool = False
    sandbox: str = ""
    """Which sandbox held: ``bwrap`` or ``none`` (the recorded fallback)."""
    times: Times = field(default_factory=Times, compare=False)

    @property
    def failures(self) -> tuple[Diagnostic, ...]:
        """Failed or undecided obligations, each once."""
        seen: dict[tuple[object, ...], Diagnostic] = {}
        for d in self.diagnostics:
            if d.severity == "error" and d.category is not None:
                seen.setdefault(d.key(), d)
        return tuple(seen.values())

    def to_json(self) -> dict[str, Any]:
        """Plain data for ``--json``: diagnostics carry ``line`` and ``column`` at top level."""
        out = asdict(self)
        everything = [*out["diagnostics"], *out["assumptions"]]
        for d, plain in zip((*self.diagnostics, *self.assumptions), everything, strict=True):
            plain.pop("location")
            plain["line"], plain["column"] = d.location.line, d.location.column
            for r, plain_r in zip(d.related, plain["related"], strict=True):
                plain_r.pop("location")
                plain_r["line"], plain_r["column"] = r.location.line, r.location.column
        return out


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one call. Solver work decides the verdict; the wall clock only guards the pool."""

    solver_s: float = 30.0
    """Solver work per declaration, in seconds of an idle machine; adapters turn it into resource units."""
    wall_s: float = 180.0
    memory_bytes: int = 4 * 2**30
    error_limit: int = 200
    """Errors reported per declaration before the tool stops looking."""
    solver_seed: int | None = None
    """Random seed of the solver, its own default when absent: another seed is another search for the same proof."""

    @classmethod
    def of_work(cls, solver_s: float, wall_s: float | None = None) -> Self:
        """Limits for so much solver work.

        Args:
            solver_s: solver work, in seconds.
            wall_s: wall clock; when absent so much that a loaded machine does not cut the work short.
        """
        return cls(solver_s, max(cls().wall_s, 4 * solver_s) if wall_s is None else wall_s)


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """One program to verify."""

    language: str
    program: str
    limits: Limits = field(default_factory=Limits)
