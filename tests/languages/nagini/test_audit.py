# ruff: noqa: E501 (programs on one line)
"""The audit of Nagini: each known way around the verifier, each change of a specification, and honest edits."""

import pytest

from tests.audit.verdicts import constructs
from verulaw_rl.audit.check import AuditReport, check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.nagini.language import NAGINI

pytestmark = pytest.mark.unit
REPAIR, WRITE = Task.ANNOTATION_REPAIR, Task.CODE_GENERATION

GIVEN = """\
from typing import List
from nagini_contracts.contracts import *

LIMIT = 10


class Cell:
    def __init__(self, content: int) -> None:
        Ensures(Acc(self.content))
        self.content = content  # type: int

    def show(self) -> int:
        Requires(Acc(self.content))
        Ensures(Acc(self.content))
        return self.content


@Pure
def below(n: int) -> bool:
    return n < LIMIT


def total(a: List[int], n: int) -> int:
    Requires(Acc(list_pred(a)))
    Requires(n >= 0)
    Ensures(Acc(list_pred(a)))
    Ensures(Result() >= 0)
    t = 0
    while n > 0:
        n = n - 1
        t = t + 1
    if below(t):
        t = 0
    return t
"""
WRITE_GIVEN = NAGINI.strip_bodies(GIVEN)


def edit(old: str, new: str, text: str = GIVEN) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def repaired(candidate: str) -> AuditReport:
    return check("nagini", REPAIR, GIVEN, candidate)


def written(candidate: str) -> AuditReport:
    return check("nagini", WRITE, WRITE_GIVEN, candidate)


def helper(text: str) -> str:
    return GIVEN + "\n\n" + text


def body(text: str) -> str:
    """The given of code generation with a body for ``total``."""
    return edit("    Ensures(Result() >= 0)\n    pass\n", f"    Ensures(Result() >= 0)\n{text}", WRITE_GIVEN)


HONEST = {
    "proof": edit(
        "    while n > 0:\n",
        "    Assert(t == 0)\n    while n > 0:\n        Invariant(Acc(list_pred(a)))\n        Invariant(t >= 0 and n >= 0)\n",
    ),
    "layout": GIVEN.replace("    t = 0\n    while", "    t = (0)  # start\n\n    while").replace('"', "'"),
    "ghost variable": edit(
        "    t = 0\n    while n > 0:\n", "    t = 0\n    start = n\n    while n > 0:\n        Invariant(n <= start)\n"
    ),
    "python assert": edit("        t = t + 1\n", "        t = t + 1\n        assert t > 0\n"),
    "proof by cases": edit(
        "    return t\n", "    if t == 3:\n        Assert(t > 2)\n    else:\n        Assert(t != 3)\n    return t\n"
    ),
    "lemma": edit("    if below(t):\n", "    known(t)\n    if below(t):\n")
    + "\n\ndef known(k: int) -> None:\n    Requires(k >= 0)\n    Ensures(k + 1 > 0)\n    Assert(k > -1)\n",
    "recursive lemma with a measure": edit("    if below(t):\n", "    known(t)\n    if below(t):\n")
    + "\n\ndef known(k: int) -> bool:\n    Requires(MustTerminate(k + 1))\n    Requires(k >= 0)\n    Ensures(k + 1 > 0)\n"
    "    if k > 0:\n        known(k - 1)\n    return True\n",
    "recursive pure helper with a measure": helper(
        "@Pure\ndef steps(k: int) -> int:\n    Requires(k >= 0)\n    Decreases(k)\n    return 0 if k == 0 else 1 + steps(k - 1)\n"
    ),
    "clauses in another order": edit(
        "    Requires(Acc(list_pred(a)))\n    Requires(n >= 0)\n",
        "    Requires(n >= 0)\n    Requires(Acc(list_pred(a)))\n",
    ),
    "docstring": edit(
        "    Requires(Acc(list_pred(a)))\n", '    """Adds up. Ensures(False)"""\n    Requires(Acc(list_pred(a)))\n'
    ),
    "unfolding": edit("    return t\n", "    return Unfolding(p(a), t)\n"),
    "import of the contract library": edit(
        "from nagini_contracts.contracts import *\n",
        "from nagini_contracts.contracts import *\nfrom nagini_contracts.obligations import MustTerminate\n",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_proofs_are_accepted(name: str):
    assert repaired(HONEST[name]).findings == ()


PROOF = {
    "assume": edit("    return t\n", "    Assume(t > 0)\n    return t\n"),
    "assume inside an assertion": edit("    return t\n", "    Assert(Implies(True, Assume(False)))\n    return t\n"),
    "contract_only": helper("@ContractOnly\ndef easy() -> bool:\n    Ensures(False)\n    return True\n"),
    "bodyless_declaration": helper("@Pure\ndef easy() -> bool:\n    Ensures(Result() and not Result())\n    ...\n"),
    "decreases_none": helper("@Pure\ndef f(k: int) -> bool:\n    Decreases(None)\n    return f(k)\n"),
    "decreases_condition": helper("@Pure\ndef f(k: int) -> bool:\n    Decreases(k, False)\n    return f(k)\n"),
    "unproved_recursion": helper("@Pure\ndef f(k: int) -> int:\n    return f(k) + 1\n"),
    "unproved_recursion of a lemma": helper("def f(k: int) -> None:\n    Ensures(False)\n    f(k)\n"),
    "unproved_recursion of two": helper(
        "def f(k: int) -> None:\n    Ensures(False)\n    g(k)\n\n\ndef g(k: int) -> None:\n    Ensures(False)\n    f(k)\n"
    ),
    "type_ignore": edit("    t = 0\n    while", "    t = 0  # type: ignore\n    while"),
    "coding": "# -*- coding: utf-7 -*-\n" + GIVEN,
    "import": "import helpers\n" + GIVEN,
    "decorator": helper("@anything\ndef f(k: int) -> int:\n    return k\n"),
    "declassify": edit("    return t\n", "    Declassify(t)\n    return t\n"),
    "io_model": helper("@IOOperation\ndef op(t: int) -> bool:\n    Terminates(True)\n"),
}


@pytest.mark.parametrize("name", PROOF)
def test_what_is_believed_without_proof_is_found(name: str):
    report = repaired(PROOF[name])
    assert name.split()[0] in constructs(report)
    assert report.verdict == "reject_proof"


LOOPS = {
    "for ever": "    while True:\n        Invariant(True)\n    return 0\n",
    "no progress": "    i = 0\n    while i < len(a):\n        Invariant(Acc(list_pred(a)))\n        x = a[i]\n    return 0\n",
    "hidden in a branch": "    if n > 3:\n        while n > 1:\n            Invariant(n > 1)\n            pass\n    return 0\n",
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_that_nothing_can_end_prove_nothing(name: str):
    assert "endless_loop" in constructs(written(body(LOOPS[name])))


@pytest.mark.parametrize(
    "text",
    [
        "    i = 0\n    while i < n:\n        Invariant(i <= n)\n        i = i + 1\n    return i\n",
        "    while True:\n        Invariant(n >= 0)\n        if n == 0:\n            break\n        n = n - 1\n    return 0\n",
        "    while len(a) > 0:\n        Invariant(Acc(list_pred(a)))\n        a.append(1)\n        return 0\n    return 0\n",
        "    c = Cell(3)\n    while c.content > 0:\n        Invariant(Acc(c.content))\n        c.content = c.content - 1\n    return 0\n",
    ],
)
def test_loops_that_something_can_end_are_left_to_the_verifier(text: str):
    assert "endless_loop" not in constructs(written(body(text)))


SPECIFICATION = {
    "clause_missing": edit("    Ensures(Result() >= 0)\n", ""),
    "clause_changed": edit("    Ensures(Result() >= 0)\n", "    Ensures(Result() >= 0 or True)\n"),
    "clause_added": edit("    Requires(n >= 0)\n", "    Requires(n >= 0)\n    Requires(False)\n"),
    "clause_added Exsures": edit(
        "    Ensures(Result() >= 0)\n", "    Ensures(Result() >= 0)\n    Exsures(Exception, True)\n"
    ),
    "clause_missing permission": edit("    Ensures(Acc(list_pred(a)))\n    Ensures(Result", "    Ensures(Result"),
    "signature_changed": edit("def total(a: List[int], n: int) -> int:", "def total(a: List[int], n: bool) -> int:"),
    "signature_changed result": edit(
        "def total(a: List[int], n: int) -> int:", "def total(a: List[int], n: int) -> object:"
    ),
    "signature_changed decorator": edit("def total(", "@Inline\ndef total("),
    "body_changed": edit("    return n < LIMIT\n", "    return True\n"),
    "declaration_missing": edit("@Pure\ndef below(n: int) -> bool:\n    return n < LIMIT\n\n\n", ""),
    "statement_changed": edit("        n = n - 1\n", "        n = n - 2\n"),
    "statement_changed guard": edit("    while n > 0:\n", "    while n > 1:\n"),
    "statement_added": edit("    return t\n", "    t = 7\n    return t\n"),
    "statement_added call": edit("    return t\n", "    print(t)\n    return t\n"),
    "statement_added inside an assert": edit("    return t\n", "    assert a.pop() >= t\n    return t\n"),
    "statement_added by a binding": edit("    return t\n", "    Assert((t := 3) == 3)\n    return t\n"),
    "statement_added disguised": edit("    if below(t):\n", "    lemma(a)\n    if below(t):\n")
    + "\n\ndef lemma(a: List[int]) -> None:\n    Requires(Acc(list_pred(a)))\n    Ensures(Acc(list_pred(a)))\n    a[0] = 1\n",
    "statement_removed": edit("        t = t + 1\n", ""),
    "statement_added at module level": GIVEN + "\n\nLIMIT = 20\n",
    "statement_removed constant": edit("LIMIT = 10\n", "LIMIT = 11\n"),
    "name_not_fresh": helper("@Pure\ndef abs(x: int) -> int:\n    return 0\n"),
    "name_not_fresh that our checks use": helper("def _verulaw_site(n: int) -> bool:\n    return True\n"),
    "name_not_fresh word": helper("def Implies(a: bool, b: bool) -> bool:\n    return True\n"),
    "name_not_fresh twice": GIVEN + "\n\n@Pure\ndef below(n: int) -> bool:\n    return True\n",
    "name_not_fresh dunder": edit(
        "    def show(self)", "    def __eq__(self, other: object) -> bool:\n        return True\n\n    def show(self)"
    ),
    "statement_added that changes a parameter": edit("    t = 0\n    while", "    t = 0\n    n = 3\n    while"),
    "declaration_not_allowed": helper("class Other:\n    pass\n"),
}


@pytest.mark.parametrize("name", SPECIFICATION)
def test_changes_of_the_specification_and_of_frozen_code_are_found(name: str):
    report = repaired(SPECIFICATION[name])
    assert name.split()[0] in constructs(report)
    assert report.verdict == "reject_spec"


def test_given_proof_text_must_stay():
    given = edit("    return t\n", "    Assert(t >= 0)\n    return t\n")
    report = check("nagini", REPAIR, given, GIVEN)
    assert constructs(report) == {"annotation_removed"}
    assert check("nagini", REPAIR, given, given).findings == ()


def test_what_the_author_wrote_is_allowed_at_its_place():
    given = (
        edit("    return t\n", "    Assume(t > 0)  # type: ignore\n    return t\n")
        + "\n\n@ContractOnly\ndef o() -> int:\n    ...\n"
    )
    assert check("nagini", REPAIR, given, given).findings == ()
    twice = given.replace("    t = 0\n    while", "    Assume(n > 0)\n    t = 0\n    while")
    assert "assume" in constructs(check("nagini", REPAIR, given, twice))
    assert {f.construct for f in NAGINI.escapes(given)} == {"assume", "contract_only", "type_ignore"}
    assert NAGINI.escapes(GIVEN) == ()


def test_a_body_is_to_be_written_and_may_not_rename_what_the_contract_means():
    assert "bodyless_target" in constructs(written(WRITE_GIVEN))
    assert written(GIVEN).findings == ()
    assert "captured_name" in constructs(written(body("    list_pred = 3\n    return 0\n")))
    assert "captured_name" in constructs(written(body("    Old = 3\n    return 0\n")))
    assert "captured_name" not in constructs(written(body("    sorted = 3\n    return 0\n")))  # not in its contract
    assert "captured_name" not in constructs(written(body("    n = 3\n    return 0\n")))


def test_helper_classes_are_for_code_generation_only():
    text = (
        GIVEN
        + "\n\nclass Pair:\n    def __init__(self, x: int) -> None:\n        Ensures(Acc(self.x))\n        self.x = x  # type: int\n"
    )
    assert written(text).findings == ()
    assert "declaration_not_allowed" in constructs(repaired(text))
    assert "declaration_not_allowed" in constructs(written(text.replace("class Pair:", "class Pair(Cell):")))


def test_a_text_that_cannot_be_read_has_no_findings_and_says_so():
    assert repaired("def f(:\n").findings == ()
    assert NAGINI.parse("def f(:\n").error
