"""What the audit says of two Dafny texts, in short."""

import json
from pathlib import Path

from verulaw_rl.audit.check import AuditReport, check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language

REPAIR = Task.ANNOTATION_REPAIR
WRITE = Task.CODE_GENERATION

GIVEN = """\
predicate Bounds(s: seq<int>, m: int)
{
  forall k :: 0 <= k < |s| ==> s[k] <= m
}

function SumTo(s: seq<int>, n: nat): int
  requires n <= |s|
{
  if n == 0 then 0 else SumTo(s, n - 1) + s[n - 1]
}

lemma Helpful(s: seq<int>, i: nat)
  requires i < |s|
  ensures SumTo(s, i + 1) == SumTo(s, i) + s[i]
{
}

method Note(i: int)
{
  print i;
}

method Total(s: seq<int>) returns (t: int)
  requires |s| < 100
  ensures t == SumTo(s, |s|)
  ensures t == t
{
  t := 0;
  var i := 0;
  while i < |s|
  {
    t := t + s[i];
    i := i + 1;
  }
  if t == 7 {
    t := 7;
  }
}
"""
"""A program for annotation repair, changed by the tests through :func:`edit`."""

AFTER_LOOP = "  if t == 7 {\n"


def edit(old: str, new: str, text: str = GIVEN) -> str:
    """The text with one change, which must apply."""
    assert text.count(old) == 1, old
    return text.replace(old, new)


def audit(task: Task, given: str, candidate: str, language: str = "dafny") -> AuditReport:
    """The static audit of two texts."""
    return check(language, task, given, candidate)


def constructs(report: AuditReport) -> set[str]:
    """Short names of what was found."""
    return {f.construct for f in report.findings}


def recorded_cases(folder: Path, language: str = "dafny") -> list[tuple[str, dict, str, str]]:
    """Name, description, given and candidate of each recorded case of a language."""
    suffix = get_language(language).suffix
    out = []
    for path in sorted((folder / "audit-cases").glob("*.json")):
        case = json.loads(path.read_text())
        if case["language"] == language:
            given, candidate = (path.with_name(f"{path.stem}.{k}{suffix}").read_bytes() for k in ("given", "candidate"))
            out.append((path.stem, case, given.decode(), candidate.decode()))
    return out
