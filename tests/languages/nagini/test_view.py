"""What is seen in a Nagini program: declarations, clauses, regions, annotations."""

from pathlib import Path

import pytest

from verulaw_rl.languages.base import AnnotationKind, Point, RegionKind, Task
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.view import read

pytestmark = pytest.mark.unit

PROGRAM = '''\
from typing import List, Optional
from nagini_contracts.contracts import *
from nagini_contracts.obligations import MustTerminate

LIMIT = 10


class Cell:
    def __init__(self, content: int) -> None:
        Ensures(cell(self))
        self.content = content  # type: int
        Fold(cell(self))


@Predicate
def cell(c: Cell) -> bool:
    return Acc(c.content)


@Pure
def twice(n: int) -> int:
    Requires(n >= 0)
    Ensures(Result() == 2 * n)
    Decreases(n)
    return 0 if n == 0 else 2 + twice(n - 1)


def lemma(n: int) -> bool:
    """Not a contract: Ensures(False)"""
    Requires(n >= 0)
    Ensures(twice(n) == 2 * n)
    Assert(n >= 0)
    return True


def total(a: List[int], o: Optional[int]) -> int:
    Requires(Acc(list_pred(a)) and len(a) > 0)
    Requires(o is not None and o > 0)
    Requires(MustTerminate(2))
    Ensures(Acc(list_pred(a)))
    Ensures(Result() >= 0 and Result() < 5)
    seen = 0
    t = i = 0
    while i < len(a):
        Invariant(Acc(list_pred(a)) and 0 <= i)
        Invariant(MustTerminate(len(a) - i + 1))
        # the sum so far
        Assert(t >= 0)
        i = i + 1
        seen = i
        if seen > 3:
            Assert(seen > 2)
    lemma(t)
    return t
'''


def text_of(kind: RegionKind) -> str:
    view = read(PROGRAM).view
    return "|".join(PROGRAM[r.span.start : r.span.end].strip() for r in view.regions if r.kind is kind)


def test_declarations_have_kinds_paths_and_bodies():
    view = read(PROGRAM).view
    assert view.error is None
    assert {d.path: d.kind for d in view.declarations} == {
        "LIMIT": "const",
        "Cell": "class",
        "Cell.__init__": "constructor",
        "cell": "predicate",
        "twice": "function",
        "lemma": "method",
        "total": "method",
    }
    assert {d.path for d in view.declarations if d.recursive} == {"twice"}
    assert {d.path for d in view.declarations if d.ghost} == {"lemma"}
    assert {d.path for d in view.declarations if d.termination} == {"twice", "total"}


def test_clauses_are_conjuncts_but_for_what_a_test_of_a_type_guards():
    clauses = read(PROGRAM).view.by_path["total"].clauses
    assert [(c.kind, c.canonical) for c in clauses] == [
        ("requires", "Acc(list_pred(a))"),
        ("requires", "len(a) > 0"),
        ("requires", "o is not None and o > 0"),
        ("requires", "MustTerminate(2)"),
        ("ensures", "Acc(list_pred(a))"),
        ("ensures", "Result() >= 0"),
        ("ensures", "Result() < 5"),
    ]
    for c in clauses:
        assert PROGRAM[c.expression_span.start : c.expression_span.end] == c.expression


def test_a_docstring_is_no_contract():
    assert [c.kind for c in read(PROGRAM).view.by_path["lemma"].clauses] == ["requires", "ensures"]


def test_permissions_are_specification_in_contracts_and_annotation_in_loops():
    assert "Requires(Acc(list_pred(a)) and len(a) > 0)" in text_of(RegionKind.SPECIFICATION)
    assert "Invariant(Acc(list_pred(a)) and 0 <= i)" in text_of(RegionKind.ANNOTATION)


def test_regions_follow_what_the_statements_do():
    executable, annotation = text_of(RegionKind.EXECUTABLE), text_of(RegionKind.ANNOTATION)
    assert "self.content = content" in executable
    assert "while i < len(a):" in executable
    assert "i = i + 1" in executable
    assert "return t" in executable
    assert "Fold(cell(self))" in annotation
    assert "lemma(t)" in annotation
    assert "return True" in annotation  # of the lemma
    assert "seen = i" in annotation  # only proof text reads it
    assert "if seen > 3:" in annotation
    assert "return 0 if n == 0" in text_of(RegionKind.SPECIFICATION)


def test_annotations_say_what_and_where():
    found = [a for a in read(PROGRAM).view.annotations if a.declaration == "total"]
    assert [(a.kind, a.text.split("\n")[0], a.loop, a.point and a.point.kind) for a in found] == [
        (AnnotationKind.GHOST, "seen = 0", None, "token"),
        (AnnotationKind.INVARIANT, "Invariant(Acc(list_pred(a)) and 0 <= i)", 0, "loop_head"),
        (AnnotationKind.DECREASES, "Invariant(MustTerminate(len(a) - i + 1))", 0, None),
        (AnnotationKind.ASSERT, "Assert(t >= 0)", None, "token"),
        (AnnotationKind.GHOST, "seen = i", None, "token"),
        (AnnotationKind.GHOST, "if seen > 3:", None, "token"),
        (AnnotationKind.ASSERT, "Assert(seen > 2)", None, None),
        (AnnotationKind.GHOST, "lemma(t)", None, "token"),
    ]


def test_points_do_not_depend_on_annotations():
    stripped = NAGINI.strip_annotations(PROGRAM)
    (behind,) = [a.point for a in read(PROGRAM).view.annotations if a.text == "lemma(t)"]
    assert [a.point for a in read(stripped).view.annotations if a.text == "lemma(t)"] == [behind]
    assert behind == Point("token", 4)  # t = i = 0; while; i = i + 1; end of the loop's body; return t


def test_targets_of_each_task():
    view = read(PROGRAM).view
    repair = [d.path for d in NAGINI.targets(view, Task.ANNOTATION_REPAIR)]
    write = [d.path for d in NAGINI.targets(view, Task.CODE_GENERATION)]
    assert repair == ["Cell.__init__", "twice", "lemma", "total"]
    assert write == ["lemma", "total"]  # constructors declare the fields that contracts speak of


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_offsets_count_characters_whatever_the_line_ends(ending: str):
    source = PROGRAM.replace("# the sum so far", "# Σ, ‘so far’").replace("LIMIT = 10", 'LIMIT = "Ä𝄞"; OTHER = 1')
    source = source.replace("\n", ending)
    view = read(source).view
    assert view.error is None
    assert view.lossless
    for a in view.annotations:
        assert source[a.span.start : a.span.end] == a.text
    assert {a.text.split("(")[0] for a in view.annotations if a.kind is AnnotationKind.ASSERT} == {"Assert"}


def test_every_public_program_is_read(shared_data: Path):
    files = sorted((shared_data / "humaneval-nagini").glob("*.py"))
    assert len(files) == 106
    for file in files:
        view = read(file.read_text()).view
        assert view.error is None, file.name
        assert view.lossless, file.name
        assert view.annotations or "Invariant" not in view.source, file.name
