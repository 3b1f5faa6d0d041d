"""``verulaw-rl inspect``: what we see in a program."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from verulaw_rl.cli.files import read_program
from verulaw_rl.errors import UserError
from verulaw_rl.languages.base import Clause, DeclarationView, Language, ProgramView, RegionKind
from verulaw_rl.languages.registry import get_language

_STYLES = {
    RegionKind.SPECIFICATION: "cyan",
    RegionKind.ANNOTATION: "yellow",
    RegionKind.EXECUTABLE: "default",
}


def inspect_command(
    files: Annotated[list[Path], typer.Argument(help="Programs to read.", metavar="FILE...")],
    language: Annotated[str, typer.Option(help="Language of the programs.")] = "dafny",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a file, one a line.")] = False,
) -> None:
    """Show what we see in programs: declarations, clauses, loops, annotations, and which text is what.

    A file that cannot be read, or not in full, says so under `error`; the exit status is 0 all the same.

    Example: verulaw-rl inspect --language dafny program.dfy --json
    """
    reader = get_language(language)
    for path in files:
        view, error = _read(reader, path)
        if as_json:
            typer.echo(json.dumps(_row(path, view, error)))
        else:
            _show(Console(), path, view, error)


def _read(reader: Language, path: Path) -> tuple[ProgramView | None, str | None]:
    try:
        view = reader.parse(read_program(path))
    except UserError as error:
        return None, str(error)
    return view, view.error


def _row(path: Path, view: ProgramView | None, error: str | None) -> dict[str, Any]:
    """The JSON object of one file; scripts rely on its keys."""
    return {
        "file": str(path),
        "lossless": view is not None and view.lossless,
        "declarations": [_declaration(d) for d in view.declarations] if view else [],
        "annotations": [{"kind": a.kind.value, "line": a.line, "text": a.text} for a in view.annotations]
        if view
        else [],
        "regions": [{"kind": r.kind.value, "start": r.span.start, "end": r.span.end} for r in view.regions]
        if view
        else [],
        "error": error,
    }


def _declaration(d: DeclarationView) -> dict[str, Any]:
    return {
        "kind": d.kind,
        "name": d.name,
        "path": d.path,
        "line": d.line,
        "ghost": d.ghost,
        "clauses": [_clause(c) for c in d.clauses],
        "loops": [{"line": loop.line, "clauses": [_clause(c) for c in loop.clauses]} for loop in d.loops],
        "body": d.body is not None,
    }


def _clause(c: Clause) -> dict[str, Any]:
    return {"kind": c.kind, "line": c.line, "expression": c.expression}


def _show(console: Console, path: Path, view: ProgramView | None, error: str | None) -> None:
    tree = Tree(f"[bold]{escape(str(path))}[/]")
    if error:
        tree.add(f"[red]{escape(error)}[/]")
    if view is None:
        console.print(tree)
        return
    for d in view.declarations:
        ghost = "ghost " if d.ghost and d.kind != "lemma" else ""
        bodyless = "" if d.body or not d.callable else " [red](no body)[/]"
        node = tree.add(f"[dim]{d.line}[/] {ghost}{d.kind} [bold]{escape(d.path)}[/]{bodyless}")
        for c in d.clauses:
            node.add(_clause_markup(c))
        for loop in d.loops:
            below = node.add(f"[dim]{loop.line}[/] loop {loop.index}")
            for c in loop.clauses:
                below.add(_clause_markup(c))
    console.print(tree, highlight=False)
    annotations = Counter(a.kind.value for a in view.annotations)
    counted = ", ".join(f"{n} {kind}" for kind, n in sorted(annotations.items())) or "none"
    console.print(f"annotations: {counted}; regions joined give the file back: {view.lossless}", highlight=False)
    legend = ", ".join(f"[{style}]{kind.value}[/]" for kind, style in _STYLES.items())
    console.print(f"regions: {legend}", highlight=False)
    text = Text()
    for region in view.regions:
        text.append(view.source[region.span.start : region.span.end], style=_STYLES[region.kind])
    console.print(text, highlight=False)


def _clause_markup(c: Clause) -> str:
    return f"[dim]{c.line}[/] {c.kind} {escape(' '.join(c.expression.split()))}"
