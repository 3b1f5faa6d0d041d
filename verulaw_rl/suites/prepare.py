"""The instances of a run, from its config: read, built from the seed, or generated and verified.

Training calls it once at the start of a run and keeps the result in the run's folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from verulaw_rl.config.suite import FileSuite, GeneratedSuite, SeedSuite, SuiteConfig
from verulaw_rl.errors import UserError
from verulaw_rl.evidence.ablation import Verifier
from verulaw_rl.languages.base import Task
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.build import SourceProgram, build_suite
from verulaw_rl.suites.generate import FAMILIES, LANGUAGE, GeneratedProgram, generate
from verulaw_rl.suites.instance import Instance, Suite, load_suite
from verulaw_rl.suites.sources import evaluation_only, suite_programs
from verulaw_rl.suites.splits import EVALUATION
from verulaw_rl.suites.unverified import NOTICE

Progress = Callable[[int, int], None]

HELDOUT_SHARE = 0.25
"""Share of the structural variants that are held out where whole families are not."""
DRAWN_PER_PROGRAM = 3
"""Programs drawn for each one used, so that both sides of a split by variants are filled."""


@dataclass(frozen=True, slots=True)
class ProofPair:
    """A stripped program and its reference, for supervised training.

    Of a generated suite, those beyond the instances are not verified again: a demonstration proves nothing to
    anybody, and the families are tested to verify.
    """

    name: str
    given: str
    reference: str


@dataclass(frozen=True, slots=True)
class PreparedSuite:
    """Instances of a run and what its warm start learns from."""

    suite: Suite
    train_split: str
    heldout_split: str
    warm_start: tuple[ProofPair, ...]

    @property
    def train(self) -> tuple[Instance, ...]:
        """Training instances."""
        return self.suite.split(self.train_split)

    @property
    def heldout(self) -> tuple[Instance, ...]:
        """Held-out instances."""
        return self.suite.split(self.heldout_split)


def language_of(config: SuiteConfig) -> str:
    """Language of a run's programs.

    Raises:
        UserError: the suite cannot be read.
    """
    if isinstance(config, FileSuite):
        return load_suite(Path(config.path)).instances[0].language
    return config.language if isinstance(config, SeedSuite) else LANGUAGE


def prepare_suite(
    config: SuiteConfig, task: Task, verify: Verifier, progress: Progress = lambda done, total: None
) -> PreparedSuite:
    """Instances of one task for a run.

    Raises:
        UserError: the suite cannot be read, a split of it is empty, or it may only be evaluated on.
    """
    if isinstance(config, GeneratedSuite):
        prepared = _generated(config, task, verify, progress)
    elif isinstance(config, SeedSuite):
        name, programs, _ = suite_programs("seed", None, get_language(config.language).suffix, None)
        built = build_suite(
            name,
            config.language,
            programs,
            [task],
            verify,
            heldout_share=config.heldout_share,
            seed=config.seed,
            progress=progress,
        )
        prepared = _with_references(built.suite, "train", "heldout")
    else:
        prepared = _from_file(config, task)
    if any(i.unverified for i in prepared.suite.instances):
        raise UserError(f"suite {prepared.suite.name!r} is {NOTICE}; nothing can be trained or measured on it before")
    kept_out = sorted({i.suite for i in prepared.train if evaluation_only(i.suite) or i.split == EVALUATION})
    if kept_out:
        raise UserError(
            f"suite {kept_out[0]!r} is only evaluated on, so nothing may be trained on it: name another suite here, "
            "and this one in `verulaw-rl evaluate`"
        )
    for split, instances in ((prepared.train_split, prepared.train), (prepared.heldout_split, prepared.heldout)):
        if not instances:
            raise UserError(f"suite {prepared.suite.name!r} has no {task.value} instance in split {split!r}")
    return prepared


def _from_file(config: FileSuite, task: Task) -> PreparedSuite:
    suite = load_suite(Path(config.path))
    suite = Suite(suite.name, tuple(i for i in suite.instances if i.task is task))
    return _with_references(suite, config.train_split, config.heldout_split)


def _with_references(suite: Suite, train: str, heldout: str) -> PreparedSuite:
    return PreparedSuite(suite, train, heldout, _pairs(suite.split(train)))


def _pairs(instances: Sequence[Instance]) -> tuple[ProofPair, ...]:
    return tuple(ProofPair(i.program, i.given, i.reference) for i in instances)


def _generated(config: GeneratedSuite, task: Task, verify: Verifier, progress: Progress) -> PreparedSuite:
    """Held-out programs are of families, or of structural variants, that training never sees."""
    learning, heldout = draw_programs(config)
    programs = learning[: config.train] + heldout
    built = build_suite(
        "generated",
        LANGUAGE,
        [SourceProgram(p.name, p.text, p.family) for p in programs],
        [task],
        verify,
        progress=progress,
    )
    group = {p.name: p.family if config.heldout_families else f"{p.family}:{p.variant}" for p in programs}
    heldout_names = {p.name for p in heldout}
    instances = tuple(
        replace(i, group=group[i.program], split="heldout" if i.program in heldout_names else "train")
        for i in built.suite.instances
    )
    language = get_language(LANGUAGE)
    more = tuple(ProofPair(p.name, language.strip_annotations(p.text), p.text) for p in learning[config.train :])
    suite = Suite("generated", instances)
    return PreparedSuite(suite, "train", "heldout", more + _pairs(suite.split("train")))


def draw_programs(config: GeneratedSuite) -> tuple[list[GeneratedProgram], list[GeneratedProgram]]:
    """Programs to learn from and programs held out, of different families or of different structural variants.

    Raises:
        UserError: an unknown family, or fewer distinct programs than the config wants.
    """
    wanted = config.train + config.warm_start
    families = config.families or tuple(FAMILIES)
    learning: list[GeneratedProgram] = []
    heldout: list[GeneratedProgram] = []

    def draw(count: int, names: Sequence[str]) -> list[GeneratedProgram]:
        return generate(count, config.seed, names, config.names, config.constants)

    if config.heldout_families:
        rest = [f for f in families if f not in config.heldout_families]
        return draw(wanted, rest), draw(config.heldout, config.heldout_families)
    for program in draw(DRAWN_PER_PROGRAM * (wanted + config.heldout), families):
        digest = hashlib.sha256(f"{config.seed}/{program.family}/{program.variant}".encode()).digest()
        (heldout if digest[0] < HELDOUT_SHARE * 256 else learning).append(program)
    if len(learning) < wanted or len(heldout) < config.heldout:
        raise UserError("suite: too few distinct programs; name more families, or allow more names or constants")
    return learning[:wanted], heldout[: config.heldout]
