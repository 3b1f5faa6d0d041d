"""Stripping annotations and bodies."""

from pathlib import Path

import pytest

from tests.languages.dafny.test_regions import erased
from verulaw_rl.languages.dafny.language import DAFNY

pytestmark = pytest.mark.unit

FULL = """\
// sums up
function f(n: nat): nat
  decreases n // shrinks
{
  assert n >= 0; if n == 0 then 0 else (assert true; f(n - 1))
}

lemma L(n: nat) ensures f(n) == 0
{
  if n > 0 {
    calc {
      f(n);
      f(n - 1);
      { L(n - 1); }
      0;
    }
  }
  L2(n);
}

method M(n: nat) returns (r: nat)
  requires n > 0
  ensures r == n
{
  r := 0; assert r == 0;
  ghost var g := 1;
  while r < n
    // keeps the bound
    invariant r <= n // by step
    invariant
      r >= 0 &&
      g == 1
    decreases n - r    {
    r := r + 1;
    /* why */ assert r <= n by {
      L(n);
    }
  }
  assert A: r == n;
  reveal A;
}

method Forever() decreases * { while true decreases * invariant true { } }
"""

STRIPPED = """\
// sums up
function f(n: nat): nat
{
  if n == 0 then 0 else (f(n - 1))
}

lemma L(n: nat) ensures f(n) == 0
{
  if n > 0 {
  }
  L2(n);
}

method M(n: nat) returns (r: nat)
  requires n > 0
  ensures r == n
{
  r := 0;
  ghost var g := 1;
  while r < n
    // keeps the bound
    {
    r := r + 1;
    /* why */
  }
  assert A: r == n;
  reveal A;
}

method Forever() decreases * { while true decreases * { } }
"""


def test_strip_annotations() -> None:
    stripped = DAFNY.strip_annotations(FULL)
    assert stripped == STRIPPED
    assert DAFNY.strip_annotations(stripped) == stripped


def test_strip_bodies() -> None:
    source = "lemma L()\n  ensures true\n{\n  // how\n}\n\nmethod M() returns (r: int) { r := 1; }\n"
    source += "function f(): int { 1 }\n"
    expected = "lemma L()\n  ensures true\n\nmethod M() returns (r: int)\nfunction f(): int { 1 }\n"
    assert DAFNY.strip_bodies(source) == expected


def test_tokens_never_join() -> None:
    source = "method M(n: nat) { while n<9invariant n>0invariant true{ } label a:assert true;n := 1; }"
    assert DAFNY.parse(DAFNY.strip_annotations(source)).error is None


@pytest.mark.parametrize("folder", ["dafnybench/ground_truth", "humaneval-dafny"])
def test_public_programs_stay_programs(shared_data: Path, folder: str) -> None:
    for path in sorted((shared_data / folder).glob("*.dfy"))[::3]:
        source = path.read_bytes().decode()
        stripped = DAFNY.strip_annotations(source)
        view = DAFNY.parse(stripped)
        assert view.error is None, path
        assert erased(stripped) == erased(source), path
        assert DAFNY.strip_annotations(stripped) == stripped, path
        left = {a.kind.value for a in view.annotations} & {"invariant", "decreases", "calc"}
        assert not left, path
        bodyless = DAFNY.parse(DAFNY.strip_bodies(source))
        assert bodyless.error is None, path
        assert [(d.path, d.signature, len(d.clauses)) for d in bodyless.declarations] == [
            (d.path, d.signature, len(d.clauses)) for d in DAFNY.parse(source).declarations
        ], path
