"""Lexical traps, each as Dafny's own scanner has it (facts seen by running Dafny 2.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.languages.dafny.tokens import canonical, lex
from verulaw_rl.languages.lexed import TokenKind

pytestmark = pytest.mark.unit


def texts(source: str) -> list[str]:
    return [t.text for t in lex(source).tokens]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a /* x /* y */ z */ b", ["a", "b"]),
        ("a // x\rb", ["a", "b"]),
        ("a // x\u2028b\nc", ["a", "c"]),
        ("a /* never closed", ["a"]),
        ('"/*" + "//"', ['"/*"', "+", '"//"']),
        ('@"\\" + x', ['@"\\"', "+", "x"]),
        ('@"a""b" x', ['@"a""b"', "x"]),
        ("'\"' + x", ["'\"'", "+", "x"]),
        ("'\\'' x", ["'\\''", "x"]),
        ("m' n'' a'b", ["m'", "n''", "a'b"]),
        ("Cons? T?", ["Cons?", "T?"]),
        ("a[0..n] 1.5 0x1F 1_000", ["a", "[", "0", "..", "n", "]", "1.5", "0x1F", "1_000"]),
        ("x.0.1", ["x", ".", "0.1"]),
        ("a !in b !inside", ["a", "!in", "b", "!", "inside"]),
        ("a<==>b<==c==>d", ["a", "<==>", "b", "<==", "c", "==>", "d"]),
        ("seq<seq<int>>", ["seq", "<", "seq", "<", "int", ">", ">"]),
        ("x<-1", ["x", "<", "-", "1"]),
        ("{:verify false} { : x }", ["{", ":", "verify", "false", "}", "{", ":", "x", "}"]),
        ("x :| y :- z := w :: u", ["x", ":|", "y", ":-", "z", ":=", "w", "::", "u"]),
        ("a -> b --> c ~> d", ["a", "->", "b", "-->", "c", "~>", "d"]),
        ("a !! b", ["a", "!!", "b"]),
        ("\ufeffmethod", ["method"]),
    ],
)
def test_tokens(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_unknown_characters_are_error_tokens() -> None:
    kinds = [t.kind for t in lex('a é \x00 "open\nb').tokens]
    assert kinds == [TokenKind.WORD, TokenKind.ERROR, TokenKind.ERROR, TokenKind.ERROR, TokenKind.WORD]


def test_lines_end_where_dafny_ends_them() -> None:
    lexed = lex("a\r\nb\rc\nd\x0be")
    assert [lexed.line(t.start) for t in lexed.tokens] == [1, 2, 3, 4, 4]


def test_brackets_are_matched_and_stray_braces_set_aside() -> None:
    lexed = lex("f(a[1]) { ( }")
    assert lexed.closer == {1: 6, 3: 5, 7: 9, 8: 9}
    damaged = lex("method M() {\n  x := 1;\n    }\n  y := 2;\n}\n")
    assert [t.start for t in damaged.strays] == [27]


@given(st.text())
def test_tokens_comments_and_blanks_are_the_text(source: str) -> None:
    lexed = lex(source)
    pieces = sorted(
        [(t.start, t.end) for t in (*lexed.tokens, *lexed.strays)] + [(c.start, c.end) for c in lexed.comments]
    )
    position = 0
    for start, end in pieces:
        assert source[position:start].strip(" \t\r\n\f\v\ufeff") == ""
        assert start >= position
        position = end
    assert source[position:].strip(" \t\r\n\f\v\ufeff") == ""
    assert canonical(source) == " ".join(t.text for t in lexed.tokens)
