"""Boogie's procedure names, as Dafny prints them, back to declaration paths.

``Impl$$_module.__default.M`` is the body of ``M``; ``CheckWellformed$$_0_A.C.m`` the contract of
``A.C.m``. Dafny escapes identifiers (``_`` as ``__``, ``'`` as ``_k``, ``?`` as ``_q``, ``#`` as
``_h``) and prints of a nested module only its last name, so a printed name may be a suffix of the
path. Names of 4.x are already paths. Seen with Dafny 2.3.0.
"""

from __future__ import annotations

import re
from typing import Literal

Part = Literal["body", "wellformedness", "override", "other"]

_PARTS: dict[str, Part] = {"Impl": "body", "CheckWellformed": "wellformedness", "OverrideCheck": "override"}
_ESCAPES = {"__": "_", "_k": "'", "_q": "?", "_h": "#"}
_SUFFIXES: tuple[tuple[str, Part], ...] = ((" (correctness)", "body"), (" (well-formedness)", "wellformedness"))

CONSTRUCTOR = "_ctor"
"""Dafny's name of a constructor without name."""


def split_procedure(name: str) -> tuple[str, Part]:
    """Path (without enclosing modules of a nested module) and part of a procedure name."""
    prefix, separator, rest = name.partition("$$")
    if not separator:
        for suffix, part in _SUFFIXES:
            if name.endswith(suffix):
                return name.removesuffix(suffix), part
        return name, "body"
    module, *members = rest.split(".")
    parts = [] if module == "_module" else [_unescape(re.sub(r"^_\d+_", "", module))]
    parts += [_unescape(m) for m in members if m != "__default"]
    return ".".join(parts).removesuffix("#"), _PARTS.get(prefix, "other")


def _unescape(name: str) -> str:
    return re.sub(r"__|_k|_q|_h", lambda m: _ESCAPES[m[0]], name)
