"""Tricks in the shape of a proof that the audit lets pass because the verifier itself refuses or sees through them."""

import pytest

from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import Status

pytestmark = pytest.mark.tool

REFUSED = {
    "circular lemma": "lemma L(n: nat) ensures false { L(n); }",
    "lemmas in a circle": "lemma L(n: nat) ensures false { K(n); }\nlemma K(n: nat) ensures false { L(n); }",
    "impossible precondition, called": "lemma L() requires false ensures false { }\nmethod M() ensures false { L(); }",
    "circular function": "function F(n: nat): nat ensures false { F(n) }",
    "false invariant left by a break": """method M() returns (r: int) ensures r == 3
{ r := 4; while true invariant r == 3 decreases 0 { break; } }""",
    "invariant false at entry": "method M() returns (r: int) ensures r == 3 { while r < 0 invariant false { } }",
    "endless loop without measure": "method M() returns (r: int) ensures r == 3 { while true invariant true { } }",
    "endless ghost loop": "lemma L() ensures false { while true decreases * { } }",
    "endless recursion": "method M(n: nat) returns (r: int) ensures r == 3 { r := M(n); }",
    "empty subset type": "type T = x: int | false\nlemma L() ensures false { var t: T :| true; }",
    "witness that is none": "type T = x: int | x < x witness 0\nlemma L() ensures true { }",
    "forall with an empty body": "lemma L() ensures forall k: int :: k == 3 { forall k: int ensures k == 3 { } }",
    "circular constants": "const a: int := b + 1\nconst b: int := a\nlemma L() ensures false { }",
}


@pytest.fixture(scope="module")
def verify():
    with Pool(PoolSettings(workers=1)) as pool:
        yield pool_verifier(pool, "dafny")


@pytest.mark.parametrize("name", REFUSED)
def test_refused(verify, name):
    assert verify(REFUSED[name]).status in (Status.FAILED, Status.INVALID)


def test_an_impossible_precondition_proves_nothing_for_a_caller(verify):
    lemma = "lemma L() requires false ensures false { }\n"
    assert verify(lemma).status in (Status.VERIFIED, Status.INVALID)
    assert verify(lemma + "method M() ensures true { L(); }").status is Status.FAILED
