"""Programs with candidate invariants in them, of those that their language proposes. Pure."""

from __future__ import annotations

from collections.abc import Callable

from verulaw_rl.languages.base import Language, LoopProposals

MAX_PER_LOOP = 48


def all_candidates(at: LoopProposals) -> tuple[str, ...]:
    """As many as a verifier still takes in its stride, likeliest first."""
    return at.lines[:MAX_PER_LOOP]


def with_candidates(
    language: Language, program: str, choose: Callable[[LoopProposals], tuple[str, ...]] = all_candidates
) -> str | None:
    """The program with candidates at its loops; ``None`` where none is proposed, or it cannot be read with or without.

    Args:
        language: of the program.
        program: with or without annotations of its own.
        choose: of the lines proposed at a loop those to put in.
    """
    view = language.parse(program)
    if view.error is not None:
        return None
    chosen = [(at, choose(at)) for at in language.proposals(view)]
    text = program
    for at, lines in sorted(chosen, key=lambda pair: pair[0].offset, reverse=True):
        if lines:
            text = text[: at.offset] + at.before + "".join(lines) + at.after + text[at.offset :]
    return text if text != program and language.parse(text).error is None else None
