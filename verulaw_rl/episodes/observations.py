"""What the agent reads after a turn.

Built from the verifier's messages on the plain candidate, the audit's findings, the status and the score
without probes, and from nothing else: no probe shows, whatever the hidden reference proves. Texts are in a
fixed order and hold no times or paths, so one action has one observation. ``compact`` is a few words per unmet
obligation, for tiny models.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes.action import InvalidAction
from verulaw_rl.episodes.prompts import example, fenced
from verulaw_rl.episodes.record import Turn
from verulaw_rl.evidence.evidence import Evidence, Message
from verulaw_rl.languages.base import Finding, Illustration
from verulaw_rl.languages.insertions import Insertion
from verulaw_rl.verification.execution import Outcome, RunResult
from verulaw_rl.verification.verdict import Status

MAX_OUTPUT_CHARACTERS = 4_000
MAX_QUOTE_CHARACTERS = 120

_RAN: dict[Outcome, str] = {
    "ok": "It ran to its end.",
    "rejected": "It was not run.",
    "failed": "It stopped with an error.",
    "timeout": "It did not end in time and was stopped.",
    "limit": "It was stopped at a limit of memory, processes or output.",
    "unavailable": "Programs cannot be run here.",
}

Place = Callable[[int], str]
"""The words for a line of the candidate."""


def places(given: str, insertions: Sequence[Insertion] | None) -> Place:
    """How lines of the candidate are named: ``line N`` of a whole program, or in terms of the insertions."""
    if insertions is None:
        return lambda line: f"line {line}"
    names: list[str] = []
    for number in range(given.removesuffix("\n").count("\n") + 2):
        if number:
            names.append(f"line {number}")
        inserted = [line for i in insertions if i.after_line == number for line in i.text.split("\n")]
        names += [f"@{number} line {k}" for k in range(1, len(inserted) + 1)]
    return lambda line: names[line - 1] if 0 < line <= len(names) else f"line {line}"


def verdict(evidence: Evidence, candidate: str, place: Place, settings: EpisodeConfig) -> str:
    """What the verifier and the audit say of a candidate."""
    shown, more = _unmet(evidence, settings.observation_messages)
    if settings.prompt == "compact":
        findings = [f"{place(f.line)} {_words(f.construct)}" for f in evidence.findings]
        unmet = [f"{place(m.line)} {_words(m.kind or str(m.category or 'error'))}" for m in shown]
        return "\n".join([_compact_headline(evidence), *findings, *dict.fromkeys(unmet), *_rest(more)])
    lines = [_headline(evidence, len(shown) + more)]
    lines += [_finding(f, place) for f in _ordered(evidence.findings)]
    lines += [_message(m, candidate, place) for m in shown]
    if evidence.missing:
        lines.append(f"- not checked: {', '.join(sorted(evidence.missing))}")
    return "\n".join([*lines, *_rest(more)])


def score(shown: float | None, best: float | None, unchanged: bool, settings: EpisodeConfig) -> str:
    """The line that closes a submission's observation; empty for ``compact``."""
    if settings.prompt == "compact":
        return "\nunchanged" if unchanged else ""
    parts = ["It could not be scored." if shown is None else f"Score {shown:.3f}."]
    if best is not None:
        parts.append(f"Best so far {best:.3f}.")
    if unchanged:
        parts.append("You had submitted this very program before, which costs reward.")
    return "\n" + " ".join(parts)


def completed(turn: Turn, shown: float, language: str, settings: EpisodeConfig) -> str:
    """What the proof specialist made of a candidate, and its score."""
    evidence, program = turn.assisted_evidence, turn.assisted_program
    assert evidence is not None
    assert program is not None
    if settings.prompt == "compact":
        return f"\nassisted {_compact_headline(evidence)}"
    said = _headline(evidence, len(evidence.messages)).removesuffix(".").removesuffix(":")
    whole = "" if evidence.findings else f"\n{fenced(program, language)}"
    return f"\nThe proof specialist's version: {said}. It scores {shown:.3f}.{whole}"


def not_completed(note: str, settings: EpisodeConfig) -> str:
    """That the specialist gave nothing."""
    return "" if settings.prompt == "compact" else f"\nThe proof specialist adds nothing: {note or 'none is there'}."


def audit(findings: Sequence[Finding], place: Place, settings: EpisodeConfig) -> str:
    """The audit's findings."""
    if settings.prompt == "compact":
        return "\n".join(f"{place(f.line)} {_words(f.construct)}" for f in _ordered(findings)) or "intact"
    if not findings:
        return "The integrity audit finds nothing: the specification is kept and nothing is assumed unproved."
    return "\n".join(["The integrity audit rejects this program:", *(_finding(f, place) for f in _ordered(findings))])


def run(result: RunResult) -> str:
    """Output of an execution."""
    output = "\n".join(part for part in (result.stdout.strip("\n"), result.message.strip("\n")) if part)
    if len(output) > MAX_OUTPUT_CHARACTERS:
        output = f"{output[:MAX_OUTPUT_CHARACTERS]}\n... and {len(output) - MAX_OUTPUT_CHARACTERS} characters more"
    return f"{_RAN[result.outcome]}\n{output or '(no output)'}"


def invalid(action: InvalidAction, settings: EpisodeConfig, shown: Illustration) -> str:
    """What was wrong with a turn, and how a valid one looks."""
    if settings.prompt == "compact":
        return f"invalid {_words(action.reason)}"
    kind = "submit" if "submit" in settings.actions else settings.actions[0]
    offered = ", ".join((*settings.actions, "done"))
    return (
        f"Invalid turn: {action.message} It costs a turn and reward. Each turn holds one action of {offered}. "
        f"A valid one looks like this:\n{example(kind, settings, shown)}"
    )


def turns_left(left: int, settings: EpisodeConfig) -> str:
    """The line that tells the budget; empty for ``compact``."""
    if settings.prompt == "compact":
        return ""
    return f"\nTurns left: {left}."


def _unmet(evidence: Evidence, limit: int) -> tuple[list[Message], int]:
    """Errors in a fixed order, each once, and how many were left out."""
    errors = {
        (m.line, m.column, str(m.category or ""), m.message): m for m in evidence.messages if m.severity == "error"
    }
    ordered = [errors[key] for key in sorted(errors)]
    return ordered[:limit], max(0, len(ordered) - limit)


def _headline(evidence: Evidence, unmet: int) -> str:
    count = f"{unmet} unmet obligation{'s' if unmet != 1 else ''}"
    if evidence.findings and evidence.status is None:
        return "Rejected by the integrity audit, and not verified:"
    if evidence.findings:
        accepted = "accepts it all the same" if evidence.verified else f"leaves {count}"
        return f"Rejected by the integrity audit; the verifier {accepted}:"
    if evidence.verified:
        return "Verified: every obligation is met."
    if evidence.status is Status.INVALID:
        return "Not verified: the program does not parse, resolve or type-check."
    if evidence.status is Status.TIMEOUT:
        return f"Not verified: the solver ran out of its budget; {count}."
    if evidence.status is Status.ERROR or evidence.status is None:
        fault = "the verifier crashes on this program." if evidence.program_fault else "the verifier could not be run."
        return f"Not verified: {fault}"
    return f"Not verified: {count}."


def _compact_headline(evidence: Evidence) -> str:
    if evidence.findings:
        return "rejected"
    if evidence.verified:
        return "verified"
    return "unverified" if evidence.status in (Status.FAILED, Status.VERIFIED, None) else str(evidence.status)


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.line, f.kind, f.construct, f.declaration, f.message))


def _finding(finding: Finding, place: Place) -> str:
    said = "; ".join(_one_line(part).removesuffix(".") for part in (finding.message, finding.advice) if part)
    return f"- {finding.kind}, {place(finding.line)}: {said}."


def _message(message: Message, candidate: str, place: Place) -> str:
    lines = candidate.split("\n")
    quote = lines[message.line - 1].strip()[:MAX_QUOTE_CHARACTERS] if 0 < message.line <= len(lines) else ""
    where = f"{place(message.line)} `{quote}`" if quote else place(message.line)
    clause = _one_line(message.clause or "")
    about = f" ({clause})" if clause and clause not in quote else ""
    return f"- {message.category or 'error'}, {where}: {_one_line(message.message)}{about}"


def _rest(more: int) -> list[str]:
    return [f"... and {more} more"] if more else []


def _words(name: str) -> str:
    return name.replace("_", " ")


def _one_line(text: str) -> str:
    return " ".join(text.split())
