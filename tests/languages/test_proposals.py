"""Invariants that languages propose from templates: what is expected is read off each program."""

import pytest

from verulaw_rl.languages.candidates import with_candidates
from verulaw_rl.languages.registry import get_language
from verulaw_rl.languages.templates import comparisons

pytestmark = pytest.mark.unit

FILL = {
    "dafny": """method Fill(a: array<int>, n: int) returns (c: int)
  requires 0 <= n <= a.Length
  modifies a
  ensures forall k :: 0 <= k < n ==> a[k] == 7
{
  c := 0;
  while c < n
  {
    a[c] := 7;
    c := c + 1;
  }
}
""",
    "nagini": """from typing import List
from nagini_contracts.contracts import *


def fill(n: int) -> List[int]:
    Requires(n >= 0)
    Ensures(Acc(list_pred(Result())))
    Ensures(len(Result()) == n)
    made: List[int] = []
    i = 0
    while i < n:
        made.append(7)
        i += 1
    return made
""",
    "verus": """use vstd::prelude::*;
verus! {
fn count(n: u64) -> (i: u64)
    ensures i == n,
{
    let mut i = 0;
    while i < n {
        i += 1;
    }
    i
}
}
""",
}
PROPOSED = {
    "dafny": [
        "    invariant c <= n\n",
        "    invariant 0 <= c\n",
        "    invariant (0 <= n <= a.Length)\n",
        "    invariant (forall k :: 0 <= k < c ==> a[k] == 7)\n",
        "    invariant forall k :: c <= k < a.Length ==> a[k] == old(a[k])\n",
    ],
    "nagini": [
        "        Invariant(n >= 0)\n        Invariant(Acc(list_pred(made)))\n        Invariant(i <= n)\n",
        "        Invariant(0 <= i)\n",
        "        Invariant(len(made) == i)\n",
    ],
    "verus": ["    while i < n \n        invariant\n            i <= n,\n            i == n,\n"],
}
WITHOUT_LOOP = {
    "dafny": "method M()\n{\n}\n",
    "nagini": "def m() -> None:\n    pass\n",
    "verus": "verus! {\nfn main() { }\n}\n",
}


@pytest.mark.parametrize("name", sorted(FILL))
def test_candidates_of_a_loop(name: str) -> None:
    language = get_language(name)
    text = with_candidates(language, FILL[name])
    assert text is not None
    for expected in PROPOSED[name]:
        assert expected in text
    assert language.parse(text).error is None
    assert language.strip_annotations(text).split() == FILL[name].split(), "nothing but invariants is added"


@pytest.mark.parametrize("name", sorted(WITHOUT_LOOP))
def test_nothing_to_propose(name: str) -> None:
    assert with_candidates(get_language(name), WITHOUT_LOOP[name]) is None
    assert with_candidates(get_language(name), "}{ no program") is None


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        (" (i < a.Length && found) ", [("i", "<", "a.Length")]),
        ("(i < n) && (0 <= f(j))", [("i", "<", "n"), ("0", "<=", "f(j)")]),
        ("i < len(a) and not (a[i] == x)", [("i", "<", "len(a)")]),
        ("forall k :: 0 <= k ==> k < n", []),
    ],
)
def test_comparisons_of_a_guard(guard: str, expected: list[tuple[str, str, str]]) -> None:
    assert [c for c in comparisons(guard) if not c[0].startswith("not")] == expected
