"""Nothing raises, hangs or loses text, whatever the text is."""

import random
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.languages.mutation import mutate
from verulaw_rl.languages.base import Check, Point
from verulaw_rl.languages.dafny.language import DAFNY
from verulaw_rl.languages.dafny.view import read

pytestmark = pytest.mark.unit

_MUTATIONS = 10_000
_LIMIT_S = 0.05
"""Processor time for 150 lines."""

_FRAGMENTS = [
    "{", "}", "(", ")", "[", "]", "<", ">", ";", ":", ",", "|", "=>", "::", "/*", "*/", "//", '"', '@"', "'", "case",
    "if", "while", "method", "forall", "assert", "calc", "{:", "requires", "reads", "decreases", "var", "match", "else",
    "by", "\r", "\u2028", "é", "\0", "*", "as", "ghost", "label", "@", "new", "return", "datatype", "function",
]  # fmt: skip

_REPEATED = [
    "(", "{", "[", "if a then ", "a<", "(a requires ", "while a\n", "match x case A => ", "calc {", "/*", "'", '"',
    '@"', "forall x | ", "set x | ", "var x := ", "if case a => ", "label a: ", "if a {", "while a {", "{ case ",
    "a requires ",
    "x => ", "|", "!", "a.", "F<", "method M() {", "module A {", "ghost ", "{:", "@a(", "assert a by {", "calc { a; {",
    "if a {} else ", "} ", "while a if b { ", "while a\nwhile b {", "L(); ", "seq<", "map x :: ", "requires ", "->",
]  # fmt: skip


def use_everything(source: str) -> None:
    """Every operation on the text."""
    reading = read(source)
    assert reading.view.lossless
    stripped = DAFNY.strip_annotations(source)
    DAFNY.strip_bodies(source)
    DAFNY.probes(source, stripped)
    points = [Point("entry"), Point("exit"), Point("calls"), Point("loop_head"), Point("after_loop"), Point("token", 3)]
    checks = [Check(f"{i}", d.path, p, "true") for d in reading.view.declarations for i, p in enumerate(points)]
    DAFNY.instrument(source, tuple(checks), tuple(a.span for a in reading.view.annotations))


@given(st.text())
def test_any_text(source: str) -> None:
    use_everything(source)


@example(["calc", "{", "<", "calc", "ghost", "by", "}"])  # once a loop without end
@example(["calc", "{", "<", "{:", "}"])
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*_FRAGMENTS, "x", "1", "M()", "x := 1;", "invariant"]), max_size=60))
def test_any_sequence_of_tokens(tokens: list[str]) -> None:
    use_everything("method M() { " + " ".join(tokens))
    use_everything(" ".join(tokens))


@pytest.mark.parametrize("unit", _REPEATED)
@pytest.mark.parametrize("prefix", ["", "method M() { ", "function f(): int { "])
def test_deep_nesting_takes_no_more_than_linear_time(prefix: str, unit: str) -> None:
    def cost(count: int) -> float:
        source = prefix + unit * count
        started = time.process_time()
        assert DAFNY.parse(source).lossless
        return time.process_time() - started

    small, large = cost(500), cost(4000)
    # Eight times the text: quadratic would be 64 times the cost. A busy machine triples a short reading.
    assert large < 5 or large < 30 * small


def test_mutated_programs(shared_data: Path) -> None:
    rng = random.Random(20)
    files = sorted((shared_data / "dafnybench/ground_truth").glob("*.dfy"))
    texts = [text for text in (p.read_bytes().decode() for p in rng.sample(files, 200)) if len(text) < 2000]
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
