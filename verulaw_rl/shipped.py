"""Files that environment authors and reward designers edit: found by path, else among those shipped.

``envs/``, ``rewards/`` and ``configs/`` stand at the top of a checkout and inside the wheel under
``verulaw_rl/_shipped``. They are executed from their path and never put on the import path, where
such general names would break other people's packages.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Literal

from verulaw_rl.errors import UserError

Kind = Literal["envs", "rewards", "configs", "slurm"]


def shipped_folder(kind: Kind) -> Path:
    """The folder of that kind: in the wheel, or at the top of the checkout."""
    package = Path(__file__).parent
    inside = package / "_shipped" / kind
    return inside if inside.is_dir() else package.parent / kind


def find_file(file: str, kind: Kind) -> Path:
    """Path of a user's file, or of the shipped one of that name.

    Raises:
        UserError: there is neither.
    """
    given = Path(file).expanduser()
    if given.is_file():
        return given.resolve()
    inner = given.parts[1:] if given.parts[:1] == (kind,) else given.parts
    shipped = shipped_folder(kind).joinpath(*inner)
    if shipped.is_file() and not given.is_absolute() and ".." not in inner:
        return shipped
    names = ", ".join(sorted(p.name for p in shipped_folder(kind).glob("*.*") if not p.name.startswith("_")))
    raise UserError(f"no file {file!r}; give a path, or one of the shipped {kind}: {names}")


def load_file(file: str, kind: Kind) -> tuple[Path, ModuleType]:
    """Execute a Python file as a module of a private name; the same file is executed once.

    Raises:
        UserError: there is no such file, or it fails while it is loaded.
    """
    path = find_file(file, kind)
    name = f"_verulaw_{kind}_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return path, sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UserError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return path, module
