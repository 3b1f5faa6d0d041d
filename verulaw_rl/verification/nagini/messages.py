"""What each kind of Nagini's errors means: from its error and reason ids, and from the sentences that print them.

The ids are Viper's with Nagini's own conversions (``nagini_translation/lib/errors``, 1.2.0). The command line
prints sentences without ids; :data:`ERROR_TEXTS` and :data:`REASON_TEXTS` lead back. The resident program gives ids.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from verulaw_rl.languages.base import Category


@dataclass(frozen=True, slots=True)
class Meaning:
    """Category and finer kind of a failed check."""

    category: Category
    kind: str


_S, _T = Category.SAFETY, Category.TERMINATION

ERRORS: dict[str, Meaning] = {
    "postcondition.violated": Meaning(Category.POSTCONDITION, "postcondition"),
    "invariant.not.established": Meaning(Category.INVARIANT, "invariant_entry"),
    "invariant.not.preserved": Meaning(Category.INVARIANT, "invariant_maintained"),
    "assert.failed": Meaning(Category.ASSERTION, "assertion"),
    "refute.failed": Meaning(Category.ASSERTION, "refutation"),
    "call.precondition": Meaning(_S, "precondition"),
    "application.precondition": Meaning(_S, "precondition"),
    "exhale.failed": Meaning(_S, "exhale"),
    "inhale.failed": Meaning(_S, "inhale"),
    "assignment.failed": Meaning(_S, "assignment"),
    "call.failed": Meaning(_S, "call"),
    "if.failed": Meaning(_S, "condition"),
    "while.failed": Meaning(_S, "condition"),
    "fold.failed": Meaning(_S, "fold"),
    "unfold.failed": Meaning(_S, "unfold"),
    "predicateinstance.no.access": Meaning(_S, "permission"),
    "not.wellformed": Meaning(_S, "wellformedness"),
    "function.not.wellformed": Meaning(_S, "wellformedness"),
    "predicate.not.wellformed": Meaning(_S, "wellformedness"),
    "expression.undefined": Meaning(_S, "undefined"),
    "thread.creation.failed": Meaning(_S, "thread"),
    "thread.start.failed": Meaning(_S, "thread"),
    "thread.join.failed": Meaning(_S, "thread"),
    "lock.invariant.not.established": Meaning(_S, "lock_invariant"),
    "probabilistic.sif.violated": Meaning(_S, "non_interference"),
    "possibilistic.sif.violated": Meaning(_S, "non_interference"),
    "termination.failed": Meaning(_T, "decreases"),
    "termination_check.failed": Meaning(_T, "termination"),
    "termination_channel_check.failed": Meaning(_T, "termination"),
    "leak_check.failed": Meaning(_T, "obligation_leak"),
}
"""By error id; ``internal`` is none of them: it is the tool's."""

OTHER = Meaning(_S, "other")
"""For an id that is not in the table."""

_BY_REASON: dict[str, str] = {
    "insufficient.permission": "permission",
    "negative.permission": "permission",
    "permission.not.positive": "permission",
    "qp.not.injective": "permission",
    "division.by.zero": "division",
    "receiver.null": "null",
}
"""Finer than what the statement was: why it might fail. Of safety checks only."""

_TERMINATION_REASONS = frozenset(
    {
        "obligation_measure.non_positive",
        "termination_measure.non_positive",
        "measure.non_decreasing",
        "gap.enabled",
        "child_termination.not_implied",
        "must_terminate.not_taken",
        "must_terminate.loop_not_promised",
        "must_terminate.loop_promise_not_kept",
        "loop_condition.not_framed_for_obligation_use",
    }
)
"""Whatever was checked, these are about ending."""

_OTHER_OBLIGATIONS = re.compile(r"\b(?:MustInvoke|MustRelease|token|ctoken)\b")
_MUST_TERMINATE = re.compile(r"\bMustTerminate\b")


def meaning(error: str, reason: str, because: str, message: str, program: str | None) -> Meaning:
    """What a failed check is.

    Args:
        error: its id.
        reason: id of why it might fail.
        because: that reason in words.
        message: the error in words, which name the expression whose precondition might not hold.
        program: text of the program where it is known: an obligation may be one to end or one to release a lock.
    """
    found = ERRORS.get(error, OTHER)
    if reason in _TERMINATION_REASONS:
        return Meaning(_T, found.kind if found.category is _T else "measure")
    if error == "leak_check.failed" and program is not None:
        if _OTHER_OBLIGATIONS.search(program) and not _MUST_TERMINATE.search(program):
            return Meaning(_S, found.kind)
        return found
    if '"return type is correct"' in because:
        return Meaning(_S, "return_type")
    if '"method raises no exceptions"' in because or '"method only raises exceptions of type' in because:
        return Meaning(_S, "exception")
    if found.category is not _S:
        return found
    if error == "application.precondition" and (of := _of_expression(message)):
        return Meaning(_S, of)
    return Meaning(_S, _BY_REASON.get(reason, found.kind))


_PRECONDITION_OF = re.compile(r"The precondition of (?!function |method )(.+) might not hold\.", re.DOTALL)


def _of_expression(message: str) -> str:
    """``index`` or ``division`` where a built-in operation's precondition failed; the reason does not tell them."""
    m = _PRECONDITION_OF.fullmatch(message)
    if m is None:
        return ""
    try:
        node = ast.parse(m[1].strip(), mode="exec").body[0]
    except (SyntaxError, IndexError, ValueError, RecursionError, MemoryError):
        return ""
    value = getattr(node, "value", None) if isinstance(node, (ast.Expr, ast.Assign)) else None
    targets = node.targets if isinstance(node, ast.Assign) else []
    if any(isinstance(t, ast.Subscript) for t in targets) or isinstance(value, ast.Subscript):
        return "index"
    divides = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Div, ast.FloorDiv, ast.Mod))
    if divides or (isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod))):
        return "division"
    return ""


ERROR_TEXTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), error)
    for pattern, error in (
        (r"Postcondition of .*? might not hold\.", "postcondition.violated"),
        (r"Loop invariant might not hold on entry\.", "invariant.not.established"),
        (r"Loop invariant might not be preserved\.", "invariant.not.preserved"),
        (r"Assert might fail\.", "assert.failed"),
        (r"Refute holds in all cases or could not be reached\.", "refute.failed"),
        (r"The precondition of method .*? might not hold\.", "call.precondition"),
        (r"The precondition of .*? might not hold\.", "application.precondition"),
        (r"Exhale might fail\.", "exhale.failed"),
        (r"Inhale might fail\.", "inhale.failed"),
        (r"Assignment might fail\.", "assignment.failed"),
        (r"Method call might fail\.", "call.failed"),
        (r"Conditional statement might fail\.", "if.failed"),
        (r"While statement might fail\.", "while.failed"),
        (r"Fold might fail\.", "fold.failed"),
        (r"Unfold might fail\.", "unfold.failed"),
        (r"Predicate access might fail\.", "predicateinstance.no.access"),
        (r"Contract might not be well-formed\.", "not.wellformed"),
        (r"Function \S+ might not be well-formed\.", "function.not.wellformed"),
        (r"Predicate \S+ might not be well-formed\.", "predicate.not.wellformed"),
        (r"Expression .*? may not be defined\.", "expression.undefined"),
        (r"Thread creation may fail\.", "thread.creation.failed"),
        (r"Thread start may fail\.", "thread.start.failed"),
        (r"Thread join may fail\.", "thread.join.failed"),
        (r"Lock invariant might not hold\.", "lock.invariant.not.established"),
        (r"Probabilistic non-interference might not be satisfied\.", "probabilistic.sif.violated"),
        (r"Possibilistic non-interference might not be satisfied\.", "possibilistic.sif.violated"),
        (r"Function might not terminate\.", "termination.failed"),
        (r"Operation might not terminate\.", "termination_check.failed"),
        (r"Termination channel might exist\.", "termination_channel_check.failed"),
        (r"Obligation leak check failed\.", "leak_check.failed"),
        (r"An internal error occurred\.", "internal"),
    )
)
"""How an error line begins, and its id. (``call.precondition`` of what is no call reads like the next row.)"""

REASON_TEXTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), reason)
    for pattern, reason in (
        (r"Assertion .* might not hold\.|", "assertion.false"),
        (r"Assertion definitely holds\.", "refutation.true"),
        (r"There might be insufficient permission( to access .*)?\.", "insufficient.permission"),
        (r"Divisor (.* )?might be zero\.", "division.by.zero"),
        (r"Receiver (of .* )?might be null\.", "receiver.null"),
        (r"Fraction (.* )?might be negative\.", "negative.permission"),
        (r"Fraction (.* )?might not be positive\.?", "permission.not.positive"),
        (r"Receiver expression of quantified permission is not injective\.", "qp.not.injective"),
        (r"Termination measure might not decrease or might not be bounded\.", "tuple.false"),
        (r"Termination condition might not hold\.", "termination.condition.false"),
        (
            r"Termination measure of .* might be not smaller\.|Termination measure might not be smaller\.",
            "measure.non_decreasing",
        ),
        (r"Termination measure (.* )?might be non-positive\.", "termination_measure.non_positive"),
        (r"Obligation (.* )?measure might be non-positive\.", "obligation_measure.non_positive"),
        (r"Gap (.* )?might be enabled in terminating IO operation\.", "gap.enabled"),
        (
            r"Parent IO operation termination condition does not imply .*termination condition\.",
            "child_termination.not_implied",
        ),
        (r"Callee (.* )?might not take MustTerminate obligation\.", "must_terminate.not_taken"),
        (r"Loop might not promise to terminate\.", "must_terminate.loop_not_promised"),
        (r"Loop might not keep promise to terminate\.", "must_terminate.loop_promise_not_kept"),
        (
            r"Callee (.* )?might not take all unsatisfied obligations from the caller\.",
            "caller.has_unsatisfied_obligations",
        ),
        (r"(Body of method .*|Method body) might leak obligations\.", "method_body.leaks_obligations"),
        (
            r"Loop might not take all unsatisfied obligations from the context\.",
            "loop_context.has_unsatisfied_obligations",
        ),
        (r"Loop body might leak obligations\.", "loop_body.leaks_obligations"),
        (
            r"Loop condition part (.* )?is not framed at the point where obligation is used\.",
            "loop_condition.not_framed_for_obligation_use",
        ),
        (r"Local variable may not have been defined\.", "undefined.local.variable"),
        (r"Global name may not have been defined\.", "undefined.global.name"),
        (r"Global dependencies may not be defined\.", "missing.dependencies"),
        (r"Internal Viper error\.", "internal"),
        (r"Thread level may not be lower than current thread\.", "wait.level.invalid"),
        (r"Thread may not be joinable\.", "thread.not.joinable"),
        (r"Thread argument may not fit target method parameter type\.", "invalid.argument.type"),
        (r"Thread's target method may not be listed in start statement\.", "method.not.listed"),
        (r"May not have permission to start thread\.", "missing.start.permission"),
        (
            r"Might not be able to satisfy constraints from currently unknown predicate family members\.",
            "unknown.family.receiver.type",
        ),
        (r"Predicate family addition might not be self-framing\.", "family.member.not.framed"),
    )
)
"""A whole reason and its id; an empty one is a failed assertion of the built-in declarations."""


def error_of(text: str) -> tuple[str, str, str, str] | None:
    """Error id, error text, reason id and reason text of a printed line without its position.

    Where the error's sentence holds program text, the first cut that leaves a known reason is taken.
    """
    for pattern, error in ERROR_TEXTS:
        if (m := pattern.match(text)) is None:
            continue
        end = m.end()
        while True:
            because = text[end:].strip()
            reason = next((r for p, r in REASON_TEXTS if p.fullmatch(because)), None)
            if reason is not None:
                return error, text[:end], reason, because
            further = text.find(" might not hold.", end) if " might not hold." in m[0] else -1
            if further < 0:
                return error, m[0], "", text[m.end() :].strip()
            end = further + len(" might not hold.")
    return None
