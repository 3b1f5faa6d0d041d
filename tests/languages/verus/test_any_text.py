"""Nothing raises, hangs or loses text, whatever the text is."""

import os
import random
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.languages.mutation import mutate
from verulaw_rl.languages.base import Check, Point, Task
from verulaw_rl.languages.verus.language import VERUS
from verulaw_rl.languages.verus.view import read
from verulaw_rl.suites.seed import seed_programs

pytestmark = pytest.mark.unit

_MUTATIONS = 10_000 if os.environ.get("VERULAW_FULL") == "1" else 1_000
_LIMIT_S = 0.05
"""Processor time for 150 lines."""

_FRAGMENTS = [
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", ",", "|", "||", "=>", "->", "::", "/*", "*/", "//", '"', 'r#"',
    "'", "'a", "#[", "#![", "!", "!(", "==>", "&&&", "|||", "@", "..", "by", "if", "else", "match", "while", "loop",
    "for", "in", "let", "ghost", "fn", "spec", "proof", "forall", "assert", "assert forall", "calc!", "requires",
    "ensures", "invariant", "decreases", "when", "returns", "matches", "is", "as", "return", "impl", "trait", "struct",
    "verus! {", "macro_rules!", "broadcast", "use", "\r", "\u2028", "é", "\0", "r#", "implies", "unsafe", "const",
]  # fmt: skip

_REPEATED = [
    "(", "{", "[", "<", "if a ", "if a { ", "if a {} else ", "match x { _ => ", "match x ", "while a ", "while a { ",
    "loop { ", "for x in ", "forall|x| ", "|a| ", "|a| requires ", "|a| -> ", "a as ", "a as fn(", "x matches A @ ",
    "assert(a) by { ", "assert forall|x| ", "proof { ", "/*", "'", '"', 'r#"', "#[", "#![a] ", "return ", "a::<", "a.",
    "a->", "!", "&", "..", "let x = ", "let Some(x) = a else { ", "fn f() { ", "fn f() -> ", "spec fn f(", "impl A { ",
    "trait T { ", "mod m { ", "requires ", "ensures a, ", "decreases a when ", "invariant a, ", "a ==> ", "&&& ", "m!{",
    "verus! { ", "broadcast use ", "const ", "pub open spec ", "'a: ", "unsafe { ", "x has ", "S { a: ",
    "a atomically ",
]  # fmt: skip


def use_everything(source: str) -> None:
    """Every operation on the text."""
    reading = read(source)
    assert reading.view.lossless
    stripped = VERUS.strip_annotations(source)
    written = VERUS.strip_bodies(source)
    VERUS.probes(source, stripped)
    VERUS.trivial_programs(written)
    points = [Point("entry"), Point("exit"), Point("calls"), Point("loop_head"), Point("after_loop"), Point("token", 3)]
    checks = [Check(f"{i}", d.path, p, "true") for d in reading.view.declarations for i, p in enumerate(points)]
    VERUS.instrument(source, tuple(checks), tuple(a.span for a in reading.view.annotations))
    VERUS.escapes(source)
    for task, given_text in ((Task.ANNOTATION_REPAIR, stripped), (Task.CODE_GENERATION, written)):
        VERUS.targets(reading.view, task)
        VERUS.audit(task, given_text, source)
        VERUS.audit(task, source, given_text)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text(source: str) -> None:
    use_everything(source)
    use_everything("verus! { " + source)


@example(["assert", "forall", "is"])  # these two once went past the end
@example(["{", "#![", "}", "#!["])
@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*_FRAGMENTS, "x", "1", "f()", "x = 1;", "lemma(x);", "todo!()"]), max_size=60))
def test_any_sequence_of_tokens(tokens: list[str]) -> None:
    use_everything("verus! { fn f() { " + " ".join(tokens))
    use_everything("verus! { fn " + " ".join(tokens))
    use_everything("verus! { " + " ".join(tokens))


@pytest.mark.parametrize("unit", _REPEATED)
def test_deep_nesting_takes_no_more_than_linear_time(unit: str) -> None:
    def cost(prefix: str, count: int) -> float:
        source = prefix + unit * count
        started = time.process_time()
        assert VERUS.parse(source).lossless
        return time.process_time() - started

    for prefix in ("verus! { ", "verus! { fn f() { "):
        small, large = cost(prefix, 200), cost(prefix, 1600)
        # Eight times the text: quadratic would be 64 times the cost. A busy machine triples a short reading.
        assert large < 1 or large < 30 * small, prefix


def test_mutated_programs(shared_data: Path) -> None:
    """A thousand by default, ten thousand with ``VERULAW_FULL=1``."""
    rng = random.Random(20)
    files = sorted((shared_data / "humaneval-verus").glob("*.rs"))
    texts = [p.read_bytes().decode().partition("### VERUS END")[0] for p in files]
    texts = [t for t in texts if 200 < len(t) < 6000] + [p.text for p in seed_programs("verus")]
    for index in range(_MUTATIONS):
        source = mutate(rng.choice(texts), rng, _FRAGMENTS)
        allowed = _LIMIT_S * max(1, source.count("\n") / 150)
        for _ in range(10):  # the quickest reading: neither the garbage collector nor a busy machine is the parser
            read.cache_clear()
            started = time.process_time()
            assert read(source).view.lossless
            spent = time.process_time() - started
            if spent <= allowed:
                break
        assert spent <= allowed, f"{spent:.3f} s for {source!r}"
        if index % 10 == 0:
            use_everything(source)
