"""Reading programs that a user names."""

from __future__ import annotations

from pathlib import Path

from verulaw_rl.errors import UserError


def read_program(path: Path) -> str:
    """Text of a program, line ends as they are.

    Raises:
        UserError: the file is missing, unreadable or not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 (byte {error.start}); save it as UTF-8") from None
