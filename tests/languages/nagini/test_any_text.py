"""Nothing raises, hangs or loses text, whatever the text is."""

import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.mutation import mutate
from verulaw_rl.languages.base import FALSE, Check, Point, Task
from verulaw_rl.languages.nagini.language import NAGINI
from verulaw_rl.languages.nagini.view import read

pytestmark = [pytest.mark.unit, pytest.mark.filterwarnings("ignore::SyntaxWarning")]

_MUTATIONS = 10_000 if os.environ.get("VERULAW_FULL") == "1" else 400
_LIMIT_S = 5.0
"""Processor time for everything that can be done with a text of 2,000 characters."""

_FRAGMENTS = [
    "(", ")", "[", "]", "{", "}", ":", ",", ";", "#", '"', "'", '"""', "\\", "\n", "\n    ", "\t", "\r", "\f",
    "lambda i: ",
    "if ", "else:", "while True:", "for x in a:", "def f() -> int:", "class C:", "@Pure", "@", "return", "pass", "...",
    "Requires(", "Ensures(Result() == 1)", "Invariant(i >= 0)", "Assert(False)", "Fold(p(x))", "Assume(", "Old(", "and",
    "# type: int", "# type: ignore", "try:", "except:", "async ", "await ", "yield", "global x", "del x", "é", "\0",
    "Ａ",
    "x: int = 1", "match x:", "case 1:", "f'{x}'", ":=", "not ", "-", "**", "break", "import os", "from m import *",
]  # fmt: skip

_REPEATED = [
    "(", "[", "-", "not ", "a.", "a[0]", "x = ", "1 + ", "lambda: ", "a if b else ", "if a:\n    pass\nel", "f(",
    "@a\n",
    "{1: ", "f'{", "'''", "\\\n", ";", "x and ", "x < ", "try: pass\n", "def f(): pass\n", "class A: pass\n", "*", "~",
]  # fmt: skip


def use_everything(source: str) -> None:
    """Every operation on the text."""
    reading = read(source)
    assert reading.view.lossless
    stripped = NAGINI.strip_annotations(source)
    bodyless = NAGINI.strip_bodies(source)
    assert read(stripped).view.lossless
    if reading.view.error is None:
        assert read(stripped).view.error is None
        assert read(bodyless).view.error is None
    NAGINI.probes(source, stripped)
    points = [Point("entry"), Point("exit"), Point("calls"), Point("loop_head"), Point("after_loop"), Point("token", 3)]
    checks = [Check(f"{d.path}{i}", d.path, p, FALSE) for d in reading.view.declarations for i, p in enumerate(points)]
    placed = NAGINI.instrument(source, tuple(checks), tuple(a.span for a in reading.view.annotations))
    if reading.view.error is None:
        assert read(placed.text).view.error is None
        assert {s.check for s in placed.sites} | set(placed.unplaced) == {c.id for c in checks}
    for task in Task:
        NAGINI.targets(reading.view, task)
        NAGINI.audit(task, source, stripped)
        NAGINI.audit(task, bodyless, source)
    NAGINI.escapes(source)
    NAGINI.trivial_programs(bodyless)


@given(st.text())
def test_any_text(source: str) -> None:
    use_everything(source)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*_FRAGMENTS, "x", "1", "f()", "x = 1"]), max_size=40))
def test_any_sequence_of_pieces(pieces: list[str]) -> None:
    use_everything("def f() -> int:\n    " + " ".join(pieces))
    use_everything(" ".join(pieces))


@pytest.mark.parametrize("unit", _REPEATED)
def test_deep_nesting_is_refused_or_read_in_time(unit: str) -> None:
    started = time.process_time()
    for count in (50, 1000):
        use_everything("x = " + unit * count)
        use_everything(unit * count + "1")
    assert time.process_time() - started < _LIMIT_S


def test_mutated_programs(shared_data: Path) -> None:
    rng = random.Random(20)
    files = [*(shared_data / "humaneval-nagini").glob("*.py"), *(shared_data / "audit-cases").glob("n_*.py")]
    texts = [text for text in (p.read_bytes().decode() for p in sorted(files)) if len(text) < 2000]
    readable = 0
    for _ in range(_MUTATIONS):
        source = mutate(rng.choice(texts), rng, _FRAGMENTS)
        started = time.process_time()
        use_everything(source)
        spent = time.process_time() - started
        assert spent <= _LIMIT_S, f"{spent:.3f} s for {source!r}"
        readable += read(source).view.error is None
    assert readable > _MUTATIONS // 20  # some of them are still programs
