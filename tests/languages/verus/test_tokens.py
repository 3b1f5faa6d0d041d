"""The lexical structure of Rust."""

import pytest

from verulaw_rl.languages.lexed import TokenKind
from verulaw_rl.languages.verus.tokens import canonical, lex

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("source", "tokens"),
    [
        ("a /* b /* c */ d */ e", "a e"),
        ("a // b\nc", "a c"),
        ("/// doc\n//! doc\n/** doc */ f", "f"),
        ("'a' 'b 'c: b'x' '\\'' '\\u{1F600}' '\\\\'", "'a' 'b 'c : b'x' '\\'' '\\u{1F600}' '\\\\'"),
        ("<'a,'b>(x: &'a str)", "< 'a , 'b > ( x : & 'a str )"),
        ('r"\\" x r#"a"b"# y "c\\"d" b"e"', 'r"\\" x r#"a"b"# y "c\\"d" b"e"'),
        ("r#assume r#fn", "assume fn"),
        ("1..2 1.0 1.max 0xff_u8 1e10 10int x.0.1", "1 .. 2 1.0 1 . max 0xff_u8 1e10 10int x . 0.1"),
        ("a ==> b <==> c <== d =~= e =~~= f", "a ==> b <==> c <== d =~= e =~~= f"),
        ("&&& a ||| b === c !== d", "&&& a ||| b === c !== d"),
        ("Vec<Vec<u8>>", "Vec < Vec < u8 > >"),
        ("x@ ->0 t!is A 0..=n", "x @ -> 0 t ! is A 0 ..= n"),
        ("#![trigger f(x)]", "# ! [ trigger f ( x ) ]"),
    ],
)
def test_tokens(source: str, tokens: str) -> None:
    assert canonical(source) == tokens


def test_comments_are_kept_apart() -> None:
    source = "a /* x /* y */ z */ // w\nb"
    assert [source[c.start : c.end] for c in lex(source).comments] == ["/* x /* y */ z */", "// w"]


@pytest.mark.parametrize("source", ['"open', 'r#"open"', "'", "§", "\0"])
def test_what_is_no_token_is_an_error(source: str) -> None:
    assert [t.kind for t in lex(source).tokens] == [TokenKind.ERROR]


def test_lines_end_with_a_line_feed_only() -> None:
    """rustc counts those alone: ``\\r``, ``\\u2028`` and form feeds are white space."""
    lexed = lex("a\r\nb\rc\u2028d\n e")
    assert [lexed.line(t.start) for t in lexed.tokens] == [1, 2, 2, 2, 3]
