"""The one place that lists the verifiers. Adding one adds its folder and a line here."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.errors import UserError
from verulaw_rl.verification.adapter import Adapter


def _dafny(warm: bool) -> Adapter:
    from verulaw_rl.verification.dafny.adapter import DafnyAdapter

    return DafnyAdapter(warm=warm)


def _nagini(warm: bool) -> Adapter:
    from verulaw_rl.verification.nagini.adapter import NaginiAdapter

    return NaginiAdapter(warm=warm)


def _verus(warm: bool) -> Adapter:
    from verulaw_rl.verification.verus.adapter import VerusAdapter

    return VerusAdapter(warm=warm)


_ADAPTERS: dict[str, Callable[[bool], Adapter]] = {"dafny": _dafny, "nagini": _nagini, "verus": _verus}


def get_adapter(language: str, *, warm: bool = True) -> Adapter:
    """An adapter for the installed tool of a language.

    Args:
        language: of the programs.
        warm: keep the tool running between programs where it can be; otherwise start it for each.

    Raises:
        UserError: no such language, or its tool is missing or unsupported.
    """
    if language not in _ADAPTERS:
        raise UserError(f"no verifier for language {language!r}; known: {', '.join(sorted(_ADAPTERS))}")
    return _ADAPTERS[language](warm)
