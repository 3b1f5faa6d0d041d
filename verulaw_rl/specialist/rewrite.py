"""Whether a specialist's answer is the candidate with only its proof annotations rewritten. Pure.

The audit of annotation repair says it: the candidate without its annotations is what was "given", and the answer may
add proof text to that and nothing else. So the implementation, the contracts of the candidate's own helpers and
whatever else it declares stay as they were. That the answer also keeps the *instance's* contracts is not looked at
here: it is audited against the instance like any candidate.
"""

from __future__ import annotations

from verulaw_rl.audit.check import check
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language


def rewrite_fault(language: str, candidate: str, answer: str) -> str | None:
    """Why an answer is no rewriting of the candidate's annotations; ``None`` where it is one.

    Args:
        language: of both programs.
        candidate: what the agent handed in.
        answer: what the specialist made of it.
    """
    syntax = get_language(language)
    if syntax.parse(answer).error is not None:
        return "it cannot be read"
    findings = check(language, Task.ANNOTATION_REPAIR, syntax.strip_annotations(candidate), answer).findings
    return f"it changes more than annotations ({findings[0].construct.replace('_', ' ')})" if findings else None
