"""One episode: from the given of an instance to its end, turn by turn, and what it is worth.

The rules of an episode (design, ``Episodes and actions``; ``Reward of an episode``) without prompts and without
Gymnasium: ``env`` wraps it. It keeps its own account: nothing that the agent claims counts.
"""

from __future__ import annotations

import time
from dataclasses import replace

from verulaw_rl.config.episode import EpisodeConfig
from verulaw_rl.episodes import observations
from verulaw_rl.episodes.action import Action, InvalidAction
from verulaw_rl.episodes.actions import parse
from verulaw_rl.episodes.record import Summary, Turn, summarise
from verulaw_rl.episodes.services import Assistance, Services
from verulaw_rl.episodes.value import value_so_far
from verulaw_rl.evidence.evidence import Evidence
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.insertions import InsertionError, apply_insertions
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.instance import Instance

VERIFIED, DONE, TURN_BUDGET, CONTEXT_FULL = "verified", "done", "turn_budget", "context_full"
"""Why an episode ended; a caller of :meth:`Episode.truncate` may give another reason."""


class Episode:
    """The running account of one episode. Not for use by several threads at once."""

    def __init__(self, instance: Instance, settings: EpisodeConfig, services: Services) -> None:
        self.instance = instance
        self.settings = settings
        self.services = services
        self.turns: list[Turn] = []
        self.end_reason: str | None = None
        self._evidence: dict[str, Evidence] = {}
        self._assistance: dict[str, Assistance] = {}

    @property
    def value(self) -> float:
        """Value so far; after the end the reward, or where that is ``None`` what the steps were paid."""
        if self.end_reason is not None and (reward := self.summary().reward) is not None:
            return reward
        submissions = [t.best_score for t in self.turns if t.action == "submit"]
        scores = [None if s is None else s.total for s in submissions]
        return value_so_far(scores, sum(t.wasted for t in self.turns), self.services.terms)

    def summary(self) -> Summary:
        """Reward, scores and components as if the episode ended now."""
        return summarise(self.turns, self.services.terms)

    def play(self, text: str) -> Turn:
        """Take one assistant turn."""
        started = time.monotonic()
        action = parse(text, self.settings.wire_format, self.settings.hand_in, self.settings.actions)
        turn = self._answer(text, action)
        if turn.action == "submit" and (_proved(turn.evidence) or _proved(turn.assisted_evidence)):
            self.end_reason = VERIFIED
        elif turn.action == "done":
            self.end_reason = DONE
        elif len(self.turns) + 1 >= self.settings.turns:
            self.end_reason = TURN_BUDGET
        left = self.settings.turns - len(self.turns) - 1
        closing = observations.turns_left(left, self.settings) if self.end_reason is None else ""
        times = {**(turn.evidence.times if turn.evidence else {}), "turn_s": time.monotonic() - started}
        self.turns.append(replace(turn, observation=turn.observation + closing, times=times))
        return self.turns[-1]

    def truncate(self, reason: str, text: str = "") -> None:
        """End the episode without a further turn; it costs nothing.

        Args:
            reason: why, such as ``context_full``.
            text: what the assistant had written of a turn that was cut off.
        """
        if text:
            self.turns.append(Turn(text, observation=""))
        self.end_reason = reason

    def _answer(self, text: str, action: Action | InvalidAction) -> Turn:
        given = self.instance.given
        if isinstance(action, InvalidAction):
            return self._invalid(text, action)
        if action.kind == "done":
            return Turn(text, "The episode is over.", action="done")
        try:
            program = action.program if action.insertions is None else apply_insertions(given, action.insertions)
        except InsertionError as error:
            return self._invalid(text, InvalidAction("bad_insertions", f"{error}."))
        program = program or ""
        place = observations.places(given, action.insertions)
        turn = Turn(text, "", action=action.kind, program=program, calls=action.calls)
        match action.kind:
            case "run":
                result = self.services.execute(self.instance, program, action.calls)
                return replace(turn, observation=observations.run(result))
            case "audit":
                findings = self.services.audit(self.instance, program)
                return replace(turn, observation=observations.audit(findings, place, self.settings))
            case "verify":
                evidence = self._collect(program)
                said = observations.verdict(evidence, program, place, self.settings)
                return replace(turn, observation=said, evidence=evidence)
            case "assist":
                return self._assist(turn, program, place)
            case "submit":
                return self._submit(turn, program, place)
        raise AssertionError(f"the action {action.kind} was offered but nothing answers it")

    def _submit(self, turn: Turn, program: str, place: observations.Place) -> Turn:
        """Score a candidate. A program scored before in this episode, whatever came between, is unchanged."""
        earlier = [t for t in self.turns if t.action == "submit"]
        unchanged = any(t.program == program and self._shown_score(t.evidence) is not None for t in earlier)
        evidence = self._collect(program)
        said = observations.verdict(evidence, program, place, self.settings)
        turn = self._assisted(replace(turn, evidence=evidence), program, evidence)
        both = [e for t in (*earlier, turn) for e in (t.evidence, t.assisted_evidence)]
        best = max((s for s in map(self._shown_score, both) if s is not None), default=None)
        shown = self._shown_score(evidence)
        said += observations.score(shown, best, unchanged, self.settings)
        better = None if turn.assisted_evidence is None else self._shown_score(turn.assisted_evidence)
        if better is not None and (shown is None or better > shown):
            said += observations.completed(turn, better, self.instance.language, self.settings)
        score = self.services.reward.score(evidence)
        return replace(turn, observation=said, score=score, unchanged=unchanged)

    def _assist(self, turn: Turn, program: str, place: observations.Place) -> Turn:
        """Show what the specialist makes of a candidate, and how it scores."""
        evidence = self._collect(program)
        turn = self._assisted(replace(turn, evidence=evidence), program, evidence)
        score = None if turn.assisted_evidence is None else self._shown_score(turn.assisted_evidence)
        if score is None:
            said = observations.verdict(evidence, program, place, self.settings)
            said += observations.not_completed(turn.assist_note, self.settings)
        else:
            said = observations.completed(turn, score, self.instance.language, self.settings).lstrip("\n")
        # Only a submission is scored.
        return replace(turn, observation=said, assisted=None)

    def _assisted(self, turn: Turn, program: str, evidence: Evidence) -> Turn:
        """The turn with what the specialist makes of a candidate that is intact and not yet verified.

        What it makes is audited against the instance, verified and scored like any candidate, so that it can cheat
        no more than the agent can; nothing that it does lowers what the candidate earns by itself.
        """
        assist = self.services.assist
        if assist is None or self.instance.task is not Task.CODE_GENERATION:
            return turn
        if evidence.verified or not evidence.intact or self.services.reward.score(evidence).total is None:
            return replace(turn, assist_note="nothing to complete")
        if program not in self._assistance:
            self._assistance[program] = assist(self.instance, program, self.services)
        answer = self._assistance[program]
        if answer.program is None or answer.program == program:
            return replace(turn, assist_note=answer.note or "left as it is")
        completed = self._collect(answer.program)
        return replace(
            turn,
            assisted=self.services.reward.score(completed),
            assisted_program=answer.program,
            assisted_evidence=completed,
        )

    def _shown_score(self, evidence: Evidence | None) -> float | None:
        """The score that the agent is told: probes would show in the true one."""
        return None if evidence is None else self.services.reward.score(evidence.without_probes()).total

    def _collect(self, program: str) -> Evidence:
        """Evidence, once per program; what no verifier could be run for is tried again."""
        if program not in self._evidence:
            evidence = self.services.collect(self.instance, program)
            if self.services.reward.score(evidence).total is None:
                return evidence
            self._evidence[program] = evidence
        return self._evidence[program]

    def _invalid(self, text: str, action: InvalidAction) -> Turn:
        shown = get_language(self.instance.language).illustration
        return Turn(text, observations.invalid(action, self.settings, shown), invalid=action)


def _proved(evidence: Evidence | None) -> bool:
    return evidence is not None and evidence.verified and evidence.intact
