"""The one place that lists the verifiers. Adding one adds its folder, and here how to get and how to read it."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.errors import UserError
from verulaw_rl.verification.adapter import Adapter
from verulaw_rl.verification.verdict import Verdict

Reader = Callable[[str, str | None], Verdict]
"""From recorded output, and the program that it is about where that is at hand, to a verdict."""


def _dafny(warm: bool) -> Adapter:
    from verulaw_rl.verification.dafny.adapter import DafnyAdapter

    return DafnyAdapter(warm=warm)


def _dafny_reader() -> Reader:
    from verulaw_rl.verification.dafny.recorded import recorded_verdict

    return recorded_verdict


def _nagini(warm: bool) -> Adapter:
    from verulaw_rl.verification.nagini.adapter import NaginiAdapter

    return NaginiAdapter(warm=warm)


def _nagini_reader() -> Reader:
    from verulaw_rl.verification.nagini.recorded import recorded_verdict

    return recorded_verdict


def _verus(warm: bool) -> Adapter:
    from verulaw_rl.verification.verus.adapter import VerusAdapter

    return VerusAdapter(warm=warm)


def _verus_reader() -> Reader:
    from verulaw_rl.verification.verus.recorded import recorded_verdict

    return recorded_verdict


_TOOLS: dict[str, tuple[Callable[[bool], Adapter], Callable[[], Reader]]] = {
    "dafny": (_dafny, _dafny_reader),
    "nagini": (_nagini, _nagini_reader),
    "verus": (_verus, _verus_reader),
}


def tool_names() -> tuple[str, ...]:
    """Names that :func:`get_adapter` and :func:`get_reader` know, sorted."""
    return tuple(sorted(_TOOLS))


def get_adapter(language: str, *, warm: bool = True) -> Adapter:
    """An adapter for the installed tool of a language.

    Args:
        language: of the programs.
        warm: keep the tool running between programs where it can be; otherwise start it for each.

    Raises:
        UserError: no such language, or its tool is missing or unsupported.
    """
    if language not in _TOOLS:
        raise UserError(f"no verifier for language {language!r}; known: {', '.join(tool_names())}")
    return _TOOLS[language][0](warm)


def get_reader(tool: str) -> Reader:
    """What reads recorded output of a tool. Needs no installed tool.

    Raises:
        UserError: no such tool.
    """
    if tool not in _TOOLS:
        raise UserError(f"--tool {tool}: unknown; known: {', '.join(tool_names())}")
    return _TOOLS[tool][1]()
