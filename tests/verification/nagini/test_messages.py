"""What each kind of Nagini's errors means: sentences as Nagini 1.2.0 prints them, positions and ids apart.

Sentences of kinds that need threads, locks, input and output or two executions are those of
``nagini_translation/lib/errors/messages.py``, filled in.
"""

import ast

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Category
from verulaw_rl.verification.nagini.find import find_nagini
from verulaw_rl.verification.nagini.messages import ERROR_TEXTS, ERRORS, REASON_TEXTS, error_of, meaning
from verulaw_rl.verification.nagini.output import from_text

POST, INV, ASSERT = Category.POSTCONDITION, Category.INVARIANT, Category.ASSERTION
SAFE, TERM = Category.SAFETY, Category.TERMINATION

PRINTED = [
    ("Postcondition of post might not hold. Assertion (Result() > a) might not hold.", POST, "postcondition"),
    (
        "Postcondition of C.m might not hold. There might be insufficient permission to access self.x.",
        POST,
        "postcondition",
    ),
    ('Postcondition of f might not hold. Assertion "return type is correct" might not hold.', SAFE, "return_type"),
    ("Loop invariant might not hold on entry. Assertion (i > 0) might not hold.", INV, "invariant_entry"),
    ("Loop invariant might not be preserved. Assertion (s == i) might not hold.", INV, "invariant_maintained"),
    (
        "Loop invariant might not hold on entry. Obligation MustTerminate(n) measure might be non-positive.",
        TERM,
        "measure",
    ),
    ("Assert might fail. Assertion (x > 0) might not hold.", ASSERT, "assertion"),
    ("Refute holds in all cases or could not be reached. Assertion definitely holds.", ASSERT, "refutation"),
    ("The precondition of method needs might not hold. Assertion (a > 0) might not hold.", SAFE, "precondition"),
    (
        "The precondition of method f might not hold. Obligation MustTerminate(0) measure might be non-positive.",
        TERM,
        "measure",
    ),
    ("The precondition of function f might not hold. Assertion (n >= 0) might not hold.", SAFE, "precondition"),
    ("The precondition of function len might not hold. There might be insufficient permission.", SAFE, "permission"),
    ("The precondition of l[3] might not hold. ", SAFE, "index"),
    ("The precondition of l[i] = 3 might not hold. ", SAFE, "index"),
    ("The precondition of (a // b) might not hold. ", SAFE, "division"),
    ("The precondition of (a % b) might not hold. Assertion (b != 0) might not hold.", SAFE, "division"),
    ("The precondition of (a == b) might not hold. Assertion False might not hold.", SAFE, "precondition"),
    ('Exhale might fail. Assertion "method raises no exceptions" might not hold.', SAFE, "exception"),
    ('Exhale might fail. Assertion "method only raises exceptions of type E" might not hold.', SAFE, "exception"),
    ("Exhale might fail. There might be insufficient permission to access x.f.", SAFE, "permission"),
    ("Inhale might fail. Fraction p might be negative.", SAFE, "permission"),
    ("Assignment might fail. There might be insufficient permission to access c.n.", SAFE, "permission"),
    ("Assignment might fail. Receiver of c.n might be null.", SAFE, "null"),
    ("Method call might fail. Divisor x might be zero.", SAFE, "division"),
    ("Conditional statement might fail. There might be insufficient permission to access c.n.", SAFE, "permission"),
    ("While statement might fail. Fraction p might not be positive", SAFE, "permission"),
    ("Fold might fail. Assertion (c.n > 0) might not hold.", SAFE, "fold"),
    ("Unfold might fail. There might be insufficient permission to access positive(c).", SAFE, "permission"),
    ("Unfold might fail. Assertion (c.n > 0) might not hold.", SAFE, "unfold"),
    ("Predicate access might fail. There might be insufficient permission.", SAFE, "permission"),
    ("Contract might not be well-formed. There might be insufficient permission to access c.n.", SAFE, "permission"),
    (
        "Contract might not be well-formed. Receiver expression of quantified permission is not injective.",
        SAFE,
        "permission",
    ),
    ("Contract might not be well-formed. Assertion (i < n) might not hold.", SAFE, "wellformedness"),
    ("Function pure_reads might not be well-formed. Assertion (c.n > 0) might not hold.", SAFE, "wellformedness"),
    (
        "Predicate P might not be well-formed. Predicate family addition might not be self-framing.",
        SAFE,
        "wellformedness",
    ),
    ("Expression x may not be defined. Local variable may not have been defined.", SAFE, "undefined"),
    ("Expression f may not be defined. Global name may not have been defined.", SAFE, "undefined"),
    ("Expression f() may not be defined. Global dependencies may not be defined.", SAFE, "undefined"),
    ("Thread creation may fail. Thread argument may not fit target method parameter type.", SAFE, "thread"),
    ("Thread start may fail. Thread's target method may not be listed in start statement.", SAFE, "thread"),
    ("Thread start may fail. May not have permission to start thread.", SAFE, "thread"),
    ("Thread join may fail. Thread level may not be lower than current thread.", SAFE, "thread"),
    ("Thread join may fail. Thread may not be joinable.", SAFE, "thread"),
    ("Lock invariant might not hold. Assertion (x > 0) might not hold.", SAFE, "lock_invariant"),
    (
        "Probabilistic non-interference might not be satisfied. Assertion Low(x) might not hold.",
        SAFE,
        "non_interference",
    ),
    (
        "Possibilistic non-interference might not be satisfied. Assertion Low(x) might not hold.",
        SAFE,
        "non_interference",
    ),
    (
        "Function might not terminate. Termination measure might not decrease or might not be bounded.",
        TERM,
        "decreases",
    ),
    ("Function might not terminate. Termination condition might not hold.", TERM, "decreases"),
    ("Operation might not terminate. Termination measure n might be non-positive.", TERM, "termination"),
    ("Operation might not terminate. Termination measure of op might be not smaller.", TERM, "termination"),
    ("Operation might not terminate. Gap g might be enabled in terminating IO operation.", TERM, "termination"),
    (
        "Operation might not terminate. "
        "Parent IO operation termination condition does not imply op termination condition.",
        TERM,
        "termination",
    ),
    ("Termination channel might exist. Assertion c might not hold.", TERM, "termination"),
    ("Obligation leak check failed. Callee f might not take MustTerminate obligation.", TERM, "obligation_leak"),
    ("Obligation leak check failed. Loop might not promise to terminate.", TERM, "obligation_leak"),
    ("Obligation leak check failed. Loop might not keep promise to terminate.", TERM, "obligation_leak"),
    (
        "Obligation leak check failed. Callee post might not take all unsatisfied obligations from the caller.",
        TERM,
        "obligation_leak",
    ),
    ("Obligation leak check failed. Body of method f might leak obligations.", TERM, "obligation_leak"),
    (
        "Obligation leak check failed. Loop might not take all unsatisfied obligations from the context.",
        TERM,
        "obligation_leak",
    ),
    ("Obligation leak check failed. Loop body might leak obligations.", TERM, "obligation_leak"),
    (
        "Contract might not be well-formed. "
        "Loop condition part (i < n) is not framed at the point where obligation is used.",
        TERM,
        "measure",
    ),
]


@pytest.mark.unit
@pytest.mark.parametrize(("sentence", "category", "kind"), PRINTED, ids=[s[:60] for s, _, _ in PRINTED])
def test_a_printed_sentence(sentence, category, kind):
    (failure,) = from_text(
        f"Verification failed\nErrors:\n{sentence} (a.py@3.4--3.9)\nVerification took 1.00 seconds."
    ).failures
    assert (failure.at.file, failure.at.start.line, failure.at.start.column, failure.at.end.column) == ("a.py", 3, 4, 9)
    found = meaning(failure.error, failure.reason, failure.because, failure.message, None)
    assert (found.category, found.kind) == (category, kind)
    assert f"{failure.message} {failure.because}".strip() == sentence.strip()


@pytest.mark.unit
def test_every_kind_has_a_sentence():
    read = [error_of(sentence) for sentence, _, _ in PRINTED]
    assert None not in read
    assert {r[0] for r in read} == set(ERRORS)
    named = {reason for _, reason in REASON_TEXTS}
    assert {r[2] for r in read} >= named - {"internal", "unknown.family.receiver.type"}
    assert {error for _, error in ERROR_TEXTS} == {*ERRORS, "internal"}


@pytest.mark.unit
def test_an_expression_that_holds_the_same_words():
    # A string of the program's own, printed inside the sentence.
    said = 'Postcondition of f might not hold. Assertion (s == "x might not hold. y") might not hold.'
    assert error_of(said)[2:] == ("assertion.false", 'Assertion (s == "x might not hold. y") might not hold.')


@pytest.mark.unit
def test_an_obligation_that_is_not_to_end():
    of = ("leak_check.failed", "method_body.leaks_obligations", "", "")
    assert meaning(*of, "def f() -> None:\n    Requires(MustRelease(l, 2))").category is SAFE
    assert meaning(*of, "def f() -> None:\n    Requires(MustTerminate(2))").category is TERM


@pytest.mark.tool
def test_the_installed_nagini_has_no_other_kinds():
    try:
        tool = find_nagini()
    except UserError as error:
        pytest.skip(str(error))
    (file,) = tool.python.parent.parent.glob("lib/*/site-packages/nagini_translation/lib/errors/messages.py")
    tables = {
        node.targets[0].id: {key.value for key in node.value.keys}
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
    }
    assert tables["ERRORS"] == {*ERRORS, "internal"}
    of_two_executions = {
        r for r in tables["REASONS"] if r.startswith(("sif", "high.")) or "sif" in r or "missing.termination" in r
    }
    assert tables["REASONS"] - of_two_executions <= {reason for _, reason in REASON_TEXTS}
