"""Reading actions from text and writing them: by hand and by property."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verulaw_rl.episodes.action import Action, InvalidAction, program_text
from verulaw_rl.episodes.actions import parse, write
from verulaw_rl.episodes.tools import tool_schemas
from verulaw_rl.languages.insertions import Insertion

pytestmark = pytest.mark.unit
ALL = ("verify", "run", "audit", "submit")
PROGRAM = "method M() {}\n"


def tags(text: str, hand_in: str = "full", allowed: tuple[str, ...] = ALL) -> Action | InvalidAction:
    return parse(text, "tags", hand_in, allowed)


def tools(text: str, hand_in: str = "full") -> Action | InvalidAction:
    return parse(text, "tools", hand_in, ALL)


@pytest.mark.parametrize(
    "text",
    [
        "<submit>\nmethod M() {}\n</submit>",
        "<submit>method M() {}</submit>",
        "I will try this.\n<submit>\n\n```dafny\nmethod M() {}\n```\n</submit>\nThat should do.",
        "<submit>```dafny\nmethod M() {}\n```</submit>",
        "<submit>Here it is:\n```\nmethod M() {}\n```\n</submit>",
        "<submit>\n```dafny\nmethod M() {}\n</submit>",
        "<think>maybe <submit>wrong</submit></think><submit>method M() {}</submit>",
        "maybe <verify>wrong</verify></think>\n<submit>method M() {}</submit>",
        "I use `<submit>` now.\n<submit>method M() {}</submit>",
        "```\n<submit>\nmethod M() {}\n</submit>\n```",
    ],
)
def test_a_submission_is_read(text: str) -> None:
    assert tags(text) == Action("submit", program=PROGRAM)


def test_a_fenced_program_may_hold_tags() -> None:
    program = 'method M() { print "</submit><verify>"; }\n'
    assert tags(f"<submit>\n```\n{program}```\n</submit>") == Action("submit", program=program)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no_action"),
        ("method M() {}", "no_action"),
        ("<think><submit>a</submit>", "no_action"),
        ("<submit>a</submit><verify>b</verify>", "several_actions"),
        ("<submit>a</submit> <done/>", "several_actions"),
        ("<submit>method M() {}", "unclosed"),
        ("a</submit>", "unopened"),
        ("<submit> \n </submit>", "no_program"),
        ("<assist>a</assist>", "not_offered"),
        ("<submit>\n```\na\n```\n```\nb\n```\n</submit>", "several_programs"),
        ("<run><program>a</run>", "unclosed"),
        ("<run>a<calls>b</run>", "unclosed"),
        ("a" * 400_001, "too_long"),
        ("<submit>\ud800</submit>", "not_text"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    action = tags(text)
    assert isinstance(action, InvalidAction)
    assert action.reason == reason
    assert action.message.endswith(".")


@pytest.mark.parametrize("text", ["<done/>", "<done />", "I stop.\n<done></done>"])
def test_done(text: str) -> None:
    assert tags(text) == Action("done")


def test_run_in_both_forms() -> None:
    expected = Action("run", program=PROGRAM, calls="print 1;\n")
    assert tags("<run><program>\nmethod M() {}\n</program><calls>print 1;</calls></run>") == expected
    assert tags("<run>\n```dafny\nmethod M() {}\n```\n<calls>\nprint 1;\n</calls>\n</run>") == expected
    assert tags("<run>method M() {}</run>") == Action("run", program=PROGRAM)


def test_insertions() -> None:
    text = "<submit>\n@5\n    invariant i <= n\n    invariant 0 <= i\n\n@0\n// top\n</submit>"
    expected = (Insertion(5, "    invariant i <= n\n    invariant 0 <= i"), Insertion(0, "// top"))
    assert tags(text, "insertions") == Action("submit", insertions=expected)
    assert tags("<submit></submit>", "insertions") == Action("submit", insertions=())


@pytest.mark.parametrize("body", ["invariant x\n@3\ny", "@3\n@4\ny", "@3: invariant x", "@3"])
def test_bad_insertions(body: str) -> None:
    action = tags(f"<submit>{body}</submit>", "insertions")
    assert isinstance(action, InvalidAction)
    assert action.reason == "bad_insertions"


def test_tool_calls_as_models_print_them() -> None:
    hermes = '<tool_call>\n{"name": "submit", "arguments": {"program": "method M() {}\\n"}}\n</tool_call>'
    coder = (
        "<tool_call>\n<function=submit>\n<parameter=program>\nmethod M() {}\n</parameter>\n</function>\n</tool_call>"
    )
    as_text = '<tool_call>{"name": "submit", "arguments": "{\\"program\\": \\"method M() {}\\"}"}</tool_call>'
    for text in (hermes, coder, as_text, f"<think>so</think>\nNow.\n{hermes}"):
        assert tools(text) == Action("submit", program=PROGRAM)
    listed = (
        '<tool_call>{"name": "verify", "arguments": {"insertions": [{"after_line": 5, "text": "a\\nb"}]}}</tool_call>'
    )
    assert tools(listed, "insertions") == Action("verify", insertions=(Insertion(5, "a\nb"),))
    assert tools('<tool_call>{"name": "done", "arguments": {}}</tool_call>') == Action("done")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<submit>a</submit>", "no_action"),
        ('<tool_call>{"name": "submit"', "bad_json"),
        ("<tool_call>submit</tool_call>", "bad_json"),
        ('<tool_call>{"name": "submit", "arguments": [1]}</tool_call>', "bad_json"),
        ('<tool_call>{"name": "submit", "arguments": {"program": "a"}}', "unclosed"),
        ('<tool_call>{"name": "fly", "arguments": {}}</tool_call>', "not_offered"),
        ('<tool_call>{"name": "submit", "arguments": {"program": 3}}</tool_call>', "bad_arguments"),
        ('<tool_call>{"name": "submit", "arguments": {}}</tool_call>', "bad_arguments"),
        ('<tool_call>{"name": "done"}</tool_call><tool_call>{"name": "done"}</tool_call>', "several_actions"),
        ("<tool_call>" + '{"a":' * 200_000, "too_long"),
        ("<tool_call>" + '{"a":' * 50_000, "bad_json"),
    ],
)
def test_bad_tool_calls(text: str, reason: str) -> None:
    action = tools(text)
    assert isinstance(action, InvalidAction)
    assert action.reason == reason


def test_schemas_name_what_parse_reads() -> None:
    for hand_in, argument in (("full", "program"), ("insertions", "insertions")):
        schemas = tool_schemas(ALL, hand_in)
        assert [s["function"]["name"] for s in schemas] == [*ALL, "done"]
        assert schemas[0]["function"]["parameters"]["required"] == [argument]
        json.dumps(schemas)


FRAGMENTS = st.sampled_from(
    ["<submit>", "</submit>", "<run>", "</run>", "<program>", "</program>", "<calls>", "</calls>", "<done/>", "```",
     "```dafny\n", "\n", "@3", "@", "<think>", "</think>", "<tool_call>", "</tool_call>", "{", "}", '"name"', ":", "`",
     '{"name": "submit", "arguments": {"program": "x"}}', "<function=submit>", "<parameter=program>", "</parameter>"]
)  # fmt: skip
SOUP = st.lists(FRAGMENTS | st.text(max_size=5), max_size=25).map("".join)


@given(SOUP, st.sampled_from(["tags", "tools"]), st.sampled_from(["full", "insertions"]))
def test_parse_never_raises(text: str, wire_format: str, hand_in: str) -> None:
    assert isinstance(parse(text, wire_format, hand_in, ALL), Action | InvalidAction)


def safe(text: str) -> bool:
    """Text that a tag body can hold: no thinking tags."""
    return "<think>" not in text and "</think>" not in text


PROGRAMS = SOUP.map(lambda text: program_text(text.replace("\r", ""))).filter(lambda text: bool(text) and safe(text))
LINES = PROGRAMS.map(lambda p: p.removesuffix("\n")).filter(lambda p: "@" not in p)
INSERTIONS = st.lists(st.builds(Insertion, st.integers(0, 99), LINES), max_size=4).map(tuple)


@given(
    st.one_of(
        st.builds(Action, st.sampled_from(["verify", "audit", "submit"]), program=PROGRAMS),
        st.builds(Action, st.just("run"), program=PROGRAMS, calls=PROGRAMS | st.just("")),
        st.just(Action("done")),
    ),
    st.sampled_from(["tags", "tools"]),
)
def test_what_is_written_is_read_back(action: Action, wire_format: str) -> None:
    assert parse(write(action, wire_format), wire_format, "full", ALL) == action


@given(INSERTIONS, st.sampled_from(["tags", "tools"]))
def test_insertions_are_read_back(insertions: tuple[Insertion, ...], wire_format: str) -> None:
    action = Action("submit", insertions=insertions)
    assert parse(write(action, wire_format), wire_format, "insertions", ALL) == action


@pytest.mark.parametrize(
    "piece",
    ["<submit>", "</submit>", "<submit>\n```x\n", "```\n", "<think>", "<think></think>", "<run><calls>", "@1\n",
     "<tool_call>{", "<tool_call><function=a><parameter=b>", "<done/>", "\n\n ", "`"],
)  # fmt: skip
def test_long_nonsense_is_read_quickly(piece: str) -> None:
    text = piece * (390_000 // len(piece))
    started = time.process_time()
    for wire_format in ("tags", "tools"):
        parse(f"<submit>{text}", wire_format, "insertions", ALL)
        parse(f"<submit>{text}</submit>", wire_format, "insertions", ALL)
    assert time.process_time() - started < 30  # a quadratic reader takes hours; a linear one well under a second
