"""Which annotations may be taken out of a candidate: assertions, invariants and calls of lemmas, never a block."""

import pytest

from verulaw_rl.evidence.ablation import called
from verulaw_rl.languages.base import Annotation, AnnotationKind, Span

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lemma(x);", "Lemma"),
        ("M.Lemma<int>(x);", "Lemma"),
        ("if (x) { Lemma(x); }", None),
        ("while (i < n) { i := i + 1; }", None),
        ("forall (x) { Lemma(x); }", None),
        ("iffy(x);", "iffy"),
        ("ghost var x := 1;", None),
    ],
)
def test_what_a_ghost_statement_calls(text: str, name: str | None) -> None:
    annotation = Annotation(AnnotationKind.GHOST, "M", text, text, Span(0, len(text)), 1)
    assert called(annotation) == name
