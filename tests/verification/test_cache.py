import pytest

from verulaw_rl.languages.base import Category
from verulaw_rl.verification.cache import MemoryCache, cache_key, cacheable
from verulaw_rl.verification.verdict import (
    DeclarationOutcome,
    Diagnostic,
    Limits,
    Location,
    Status,
    ToolIdentity,
    Verdict,
    VerifyRequest,
)

pytestmark = pytest.mark.unit

TOOL = ToolIdentity("dafny", "2.3.0", "z3 4.8.5")


def verdict(status: Status, outcome: str = "verified") -> Verdict:
    failed = Diagnostic(Category.ASSERTION, "error", Location(1, 0), "assertion violation")
    return Verdict(status, (failed,), True, TOOL, (DeclarationOutcome("M", "body", outcome),))  # type: ignore[arg-type]


def test_the_key_holds_what_a_verdict_depends_on():
    base = cache_key(VerifyRequest("dafny", "a"), TOOL)
    assert base == cache_key(VerifyRequest("dafny", "a", Limits(wall_s=1)), TOOL)
    assert base != cache_key(VerifyRequest("dafny", "b"), TOOL)
    assert base != cache_key(VerifyRequest("dafny", "a", Limits(solver_s=1)), TOOL)
    assert base != cache_key(VerifyRequest("dafny", "a", Limits(error_limit=1)), TOOL)
    assert base != cache_key(VerifyRequest("dafny", "a", Limits(solver_seed=0)), TOOL)
    assert base != cache_key(VerifyRequest("dafny", "a"), ToolIdentity("dafny", "2.3.0", "z3 4.8.12"))


def test_only_settled_verdicts_are_kept():
    assert cacheable(verdict(Status.VERIFIED))
    assert cacheable(verdict(Status.FAILED, "failed"))
    assert not cacheable(verdict(Status.FAILED, "timeout"))
    assert not cacheable(verdict(Status.TIMEOUT, "timeout"))
    assert not cacheable(verdict(Status.ERROR))


def test_the_least_recent_goes():
    cache = MemoryCache(2)
    cache.put("a", verdict(Status.VERIFIED))
    cache.put("b", verdict(Status.VERIFIED))
    assert cache.get("a") is not None
    cache.put("c", verdict(Status.VERIFIED))
    assert cache.get("b") is None
    assert cache.get("a") is not None
    assert MemoryCache(0).get("a") is None
