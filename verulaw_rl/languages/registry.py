"""The one place that lists the languages. Adding one adds its folder and a line here."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Language


def _dafny() -> Language:
    from verulaw_rl.languages.dafny.language import DAFNY

    return DAFNY


def _nagini() -> Language:
    from verulaw_rl.languages.nagini.language import NAGINI

    return NAGINI


def _verus() -> Language:
    from verulaw_rl.languages.verus.language import VERUS

    return VERUS


_LANGUAGES: dict[str, Callable[[], Language]] = {"dafny": _dafny, "nagini": _nagini, "verus": _verus}


def language_names() -> tuple[str, ...]:
    """Names that :func:`get_language` knows, sorted."""
    return tuple(sorted(_LANGUAGES))


def get_language(name: str) -> Language:
    """The language of that name.

    Raises:
        UserError: no such language.
    """
    try:
        return _LANGUAGES[name]()
    except KeyError:
        raise UserError(f"unknown language {name!r}; known: {', '.join(language_names())}") from None
