"""What each message text of Dafny's verifier means: category and kind.

Three families of wording are known: 2.3 ("might not hold", with ``BPnnnn`` codes), late 3.x (the
same sentences without codes) and 4.x ("could not be proved"). Sources: Dafny's own
``ProofObligationDescription`` texts and the outputs of its integration tests. A text that is not
here was written by the program (``{:error "..."}``) or is new: :func:`classify` gives ``None`` and
the caller decides by the position.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from verulaw_rl.languages.base import Category


class Meaning(NamedTuple):
    """Category and finer kind of a message."""

    category: Category
    kind: str


_P, _I, _A = Category.POSTCONDITION, Category.INVARIANT, Category.ASSERTION
_S, _T = Category.SAFETY, Category.TERMINATION

OTHER = Meaning(_S, "other")
"""A failed check that nothing tells more of."""

BP_CODES = {
    "BP5001": Meaning(_A, "assertion"),
    "BP5002": Meaning(_S, "precondition"),
    "BP5003": Meaning(_P, "postcondition"),
    "BP5004": Meaning(_I, "invariant_entry"),
    "BP5005": Meaning(_I, "invariant_maintained"),
}
"""Codes that 2.3 prints whatever the text says."""

_NOT = r"(might not|may not|could not|cannot)"

# Matched in order against the whole first line of a message. The first that fits counts.
_TABLE: tuple[tuple[str, Category, str], ...] = (
    (r"(A|a) postcondition (might not hold|could not be proved) on this return path\.?", _P, "postcondition"),
    (r"possible violation of yield-ensures condition", _P, "yield_postcondition"),
    (r"ensures (might not hold|could not be proved)", _A, "block_postcondition"),
    (
        r"(the )?\S+ must provide an equal or more detailed postcondition than in its parent trait",
        _P,
        "trait_postcondition",
    ),
    (
        r"(the )?\S+ must provide an equal or more permissive precondition than in its parent trait",
        _S,
        "trait_precondition",
    ),
    (r"(A|a) precondition for this call (might not hold|could not be proved)\.?", _S, "precondition"),
    (r"possible violation of function precondition.*", _S, "function_precondition"),
    (r"function precondition (might not hold|could not be proved).*", _S, "function_precondition"),
    (r"(This|this)( loop)? invariant (might not hold|could not be proved) on entry\.?", _I, "invariant_entry"),
    (
        r"(This|this)( loop)? invariant (might not be|could not be proved to be) maintained by the loop\.?",
        _I,
        "invariant_maintained",
    ),
    (r"loop invariant violation", _I, "invariant"),
    (r"(assertion violation|(This )?assertion (might not hold|could not be proved)\.?)", _A, "assertion"),
    (r"the calculation step between the previous line and this line (might not hold|could not be proved)", _A, "calc"),
    (r"possible violation of postcondition of forall statement", _A, "forall_postcondition"),
    (r"cannot prove termination; try supplying a decreases clause.*", _T, "termination_unproved"),
    (r"decreases (clause|expression) (might not|could not be proved to) decrease.*", _T, "decreases"),
    (r"failure to decrease termination measure.*", _T, "decreases"),
    (r"decreases (clause|expression).* must be bounded below by .*", _T, "decreases_bounded"),
    (r".*decreases clause must be below or equal to that in the trait", _T, "trait_decreases"),
    (r"default-value expression is not allowed to involve recursive or mutually recursive calls", _T, "default_value"),
    (r"possible division by zero|divisor must be nonzero", _S, "division"),
    (
        r".*\bout of range|upper bound (below lower bound or )?above length of .*|lower bound must not exceed .*",
        _S,
        "index",
    ),
    (r"element (may|might|could) not be (proved to be )?in domain", _S, "index"),
    (r"all array indicies must be in the domain of the initialization function", _S, "array_size"),
    (r"array size.*|unless an initializer is provided for the array elements, .*", _S, "array_size"),
    (r"new number of occurrences .*", _S, "conversion"),
    (r".*\b(may|might) be null|.*(may|might) dereference null|.*could not be proved to be non-null", _S, "null"),
    (r".*because it (may|might|could) .*null.*", _S, "null"),
    (r".*\b(must be|might not be|may not be|could not be proved to be) allocated.*", _S, "allocated"),
    (r".*not in the (enclosing|parent trait) context's (modifies|reads) clause", _S, "frame"),
    (r".*(may|might) violate context's (modifies|reads) clause", _S, "frame"),
    (
        r".*could not be proved to be (in|allowed by) the (current|enclosing|parent trait).* (modifies|reads) clause.*",
        _S,
        "frame",
    ),
    (r"insufficient reads clause to .*", _S, "frame"),
    (r"(reads|modifies) clause could not be proved to be empty.*", _S, "frame"),
    (r".*could not be proved to be in the .*(modifies|reads) (clause|frame).*", _S, "frame"),
    (r"an assignment to .* is only allowed to shrink the set", _S, "frame"),
    (r".*value does not satisfy the subset constraints of .*", _S, "constraint"),
    (r"value of expression \(of type .*\) is not known to be an instance of type .*", _S, "constraint"),
    (
        r".*result of operation (might violate|could not be proved to satisfy) (newtype|subset type) constraint for .*",
        _S,
        "constraint",
    ),
    (r".*value to be converted (might not fit|could not be proved to fit) in .*", _S, "conversion"),
    (r".*value to be converted (might be bigger than|could not be proved to be) .*natural number.*", _S, "conversion"),
    (r"a negative \S+ cannot be converted to an? .*|.* might be negative", _S, "conversion"),
    (r".*the real-based number must be an integer.*", _S, "conversion"),
    (r".*char (addition|subtraction) .*", _S, "conversion"),
    (r".*ORDINAL (addition|subtraction) .*|RHS of ORDINAL subtraction .*", _S, "conversion"),
    (r".*(shift|rotate) amount must .*", _S, "shift"),
    (r"destructor .* can only be applied to datatype values constructed by .*", _S, "destructor"),
    (r"source of datatype update must be constructed by .*", _S, "destructor"),
    (r"RHS is not certain to look like the pattern .*", _S, "match"),
    (r"missing case in .*|match has no cases .*", _S, "match"),
    (r"alternative cases .*", _S, "match"),
    (r".*in a compiled context.*ghost variant.*", _S, "match"),
    (
        r"[a-z-]+ .*, which is subject to definite-assignment rules, .*",
        _S,
        "definite_assignment",
    ),
    (r"cannot establish the existence of LHS values that satisfy the such-that predicate.*", _S, "such_that"),
    (r"to be compilable, the value of a let-such-that expression must be uniquely determined", _S, "such_that"),
    (r"entire range must be assignable to index variable.*", _S, "such_that"),
    (r"(when )?left-hand sides .*", _S, "aliasing"),
    (r"key expressions (may|might|could) .*", _S, "aliasing"),
    (r"cannot find witness .*|the given witness expression .*", _S, "witness"),
    (r"prefix-equality limit must be at least .*|replacement must be the same value", _S, "other"),
    (r"(the|an) 'older' parameter .*|.*parameter might be newer than .*", _S, "older"),
    (r"(type .* )?could not be proved to be a character.*|.*is not a valid character.*", _S, "conversion"),
)

_PATTERNS = tuple((re.compile(pattern), Meaning(category, kind)) for pattern, category, kind in _TABLE)

_PREFIX = re.compile(r"(trying witness .*?: |when converting shift amount .*?, the )")
"""What may stand before a text that is otherwise one of the table."""


def classify(text: str, code: str | None = None) -> Meaning | None:
    """Meaning of a verification failure's text.

    Args:
        text: the message without position and ``Error:``; only its first line counts.
        code: ``BPnnnn`` of 2.3, which outranks the text.
    """
    if code in BP_CODES:
        return BP_CODES[code]
    first = text.split("\n", 1)[0].strip()
    first = _PREFIX.sub("", first, count=1)
    for pattern, meaning in _PATTERNS:
        if pattern.fullmatch(first):
            return meaning
    return None
