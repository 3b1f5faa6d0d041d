"""Every `verulaw-rl ...` command of the documentation exists, with every option that it names."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from verulaw_rl.cli.main import COMMANDS, build_app

pytestmark = pytest.mark.unit

REPOSITORY = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(?:bash|sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/)?verulaw-rl( .*)$")


def documented() -> list[tuple[str, str]]:
    pages = [page for page in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))] if page.is_file()]
    blocks = [(page.name, block) for page in pages for block in FENCE.findall(page.read_text(encoding="utf-8"))]
    lines = [(page, line.strip()) for page, block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [(page, match[1].strip()) for page, line in lines if (match := COMMAND.match(line))]


@pytest.mark.parametrize(("page", "line"), documented())
def test_documented_command_exists(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[0].startswith("-"):
        assert words[0] in {"--help", "--version"}, f"{page}: verulaw-rl has no option {words[0]}"
        return
    assert words[0] in COMMANDS, f"{page}: no command {words[0]!r}"
    command = typer.main.get_command(build_app(words[0])).commands[words[0]]
    known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)} | {"--help", "-h"}
    shell = next((n for n, word in enumerate(words) if word in {"|", ">", "&&", ";", "2>", "2>&1"}), len(words))
    for word in words[1:shell]:
        if word.startswith("-") and word != "-":
            assert word.partition("=")[0] in known, f"{page}: `verulaw-rl {words[0]}` has no option {word}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    command = typer.main.get_command(build_app(name)).commands[name]
    assert command.help, f"`verulaw-rl {name} --help` says nothing"
    silent = [p.name for p in command.params if not getattr(p, "help", None)]
    assert not silent, f"`verulaw-rl {name} --help` says nothing of {silent}"
