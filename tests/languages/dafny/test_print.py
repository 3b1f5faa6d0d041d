"""Our reading of a program against that of Dafny's own parser, through its normalised print.

A sample of the public programs by default, all of them with ``VERULAW_FULL=1`` (several minutes).
"""

import os
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.languages.dafny.printing import dafny_print, read_print
from verulaw_rl.errors import UserError
from verulaw_rl.languages.dafny.view import read
from verulaw_rl.verification.dafny.find import find_dafny

pytestmark = pytest.mark.tool

_SAMPLE = 60
_BATCH = 20


def _reassembled(source: str) -> str:
    """The program put together from the tokens of its regions: no comment, and each region on lines of its own."""
    reading = read(source)
    pieces: list[str] = []
    tokens = iter(reading.program.lexed.tokens)
    token = next(tokens, None)
    for region in reading.view.regions:
        end = None
        while token is not None and token.start < region.span.end:
            assert region.span.start <= token.start
            assert token.end <= region.span.end
            pieces += [" " if end is not None and token.start > end else "", token.text]
            end, token = token.end, next(tokens, None)
        pieces.append("\n")
    assert token is None
    return "".join(pieces)


def _seen(source: str) -> list[tuple[str, str, tuple[str, ...], int, bool]]:
    """Declarations as :meth:`Printed.key` has them."""
    reading = read(source)
    found = []
    for view, node in zip(reading.view.declarations, reading.declarations, strict=True):
        if view.kind == "include":
            continue
        clauses = _printed_clauses(c.kind for c in view.clauses)
        if view.callable:
            for visit in reading.bodies[id(node)].visits:
                clauses += _printed_clauses(("free " if c.free else "") + c.kind for c in visit.statement.clauses)
        name = "" if view.name == "_ctor" or (view.kind, view.name) == ("export", "export") else view.name
        has_body = view.callable and view.body is not None
        found.append((view.kind, name, tuple(sorted(clauses)), len(view.loops), has_body))
    return found


def _printed_clauses(kinds: Iterable[str]) -> list[str]:
    """The print joins all reads, modifies and decreases of one declaration or loop to one clause each."""
    kinds = list(kinds)
    joined = {"reads", "modifies", "decreases"}
    return [kind for i, kind in enumerate(kinds) if kind not in joined or kind not in kinds[:i]]


def _write(folder: Path, prefix: str, texts: list[str]) -> list[Path]:
    paths = []
    for i, text in enumerate(texts):
        path = folder / f"{prefix}{i}.dfy"
        path.write_bytes(text.encode())
        paths.append(path)
    return paths


def test_regions_and_declarations_are_those_of_dafnys_parser(shared_data: Path, tmp_path: Path) -> None:
    try:
        tool = find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    if tool.dialect != "2":
        pytest.skip("the print is that of Dafny 2.3 (/dprint); 4.x is not compared")
    files = sorted((shared_data / "dafnybench/ground_truth").glob("*.dfy"))
    files += sorted((shared_data / "humaneval-dafny").glob("*.dfy"))
    random.Random(2).shuffle(files)
    if os.environ.get("VERULAW_FULL") != "1":
        files = files[:_SAMPLE]
    parsed = 0
    wrong: list[str] = []
    for start in range(0, len(files), _BATCH):
        batch = files[start : start + _BATCH]
        parsed += _compare(tool.command, batch, tmp_path, wrong)
    assert not wrong, "\n".join(wrong)
    assert parsed > len(files) // 2


def _compare(command: tuple[str, ...], batch: list[Path], folder: Path, wrong: list[str]) -> int:
    """Compare a batch; whatever differs is compared again one by one, so that the program is named."""
    sources = [path.read_bytes().decode() for path in batch]
    originals = _write(folder, "original", sources)
    printed, parsed = dafny_print(command, originals, folder / "original.out")
    kept = [i for i, path in enumerate(originals) if path in parsed]
    copies = _write(folder, "copy", [_reassembled(sources[i]) for i in kept])
    printed_again, parsed_again = dafny_print(command, copies, folder / "copy.out")
    problems = [f"{batch[i].name}: {read(sources[i]).view.error}" for i in kept if read(sources[i]).view.error]
    if len(parsed_again) != len(copies) or printed != printed_again:
        problems.append(f"{batch[0].name}: put together from regions it is another program")
    theirs = Counter(d.key() for d in read_print(printed))
    ours = Counter(d for i in kept for d in _seen(sources[i]))
    if ours != theirs:
        only_theirs, only_ours = list((theirs - ours).elements()), list((ours - theirs).elements())
        problems.append(f"{batch[0].name}: Dafny has {only_theirs[:3]}, we have {only_ours[:3]}")
    if problems and len(batch) > 1:
        for path in batch:
            _compare(command, [path], folder, wrong)
    else:
        wrong += problems
    return len(kept)
