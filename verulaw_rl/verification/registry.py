"""The one place that lists the verifiers. Adding one adds its folder and a line here."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.errors import UserError
from verulaw_rl.verification.adapter import Adapter


def _dafny() -> Adapter:
    from verulaw_rl.verification.dafny.adapter import DafnyAdapter

    return DafnyAdapter()


_ADAPTERS: dict[str, Callable[[], Adapter]] = {"dafny": _dafny}


def get_adapter(language: str) -> Adapter:
    """An adapter for the installed tool of a language.

    Raises:
        UserError: no such language, or its tool is missing or unsupported.
    """
    if language not in _ADAPTERS:
        raise UserError(f"no verifier for language {language!r}; known: {', '.join(sorted(_ADAPTERS))}")
    return _ADAPTERS[language]()
