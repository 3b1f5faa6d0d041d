"""Which instances a run uses."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from verulaw_rl.config.base import ConfigModel


class FileSuite(ConfigModel):
    """A suite that ``verulaw-rl build`` wrote."""

    type: Literal["file"] = "file"
    path: str
    """JSONL file."""
    train_split: str = "train"
    """Split that the warm start and GRPO draw from."""
    heldout_split: str = "heldout"
    """Split that is only evaluated."""


class SeedSuite(ConfigModel):
    """The bundled seed suite, built under the installed tool."""

    type: Literal["seed"] = "seed"
    language: str = "dafny"
    """Whose seed programs."""
    heldout_share: float = Field(default=0.3, gt=0, lt=1)
    """Share of programs held out, counted by near-duplicate group."""
    seed: int = 0
    """Of the split."""


class GeneratedSuite(ConfigModel):
    """Parametrised variants of loop programs, generated and verified at the start of a run."""

    type: Literal["generated"] = "generated"
    seed: int = 0
    """Of the variants."""
    train: int = Field(default=96, ge=1)
    """Training instances."""
    heldout: int = Field(default=64, ge=1)
    """Held-out instances."""
    warm_start: int = Field(default=256, ge=0)
    """Further training programs, for the tokenizer and the warm start only: neither verified nor probed."""
    families: tuple[str, ...] = ()
    """Families to draw from; all when empty."""
    heldout_families: tuple[str, ...] = ()
    """Families kept out of training: the held-out split holds these alone. When empty, structural variants of all
    families (direction, comparisons, array or sequence, ...) are held out instead."""
    names: int | None = Field(default=None, ge=1)
    """Identifiers that each role draws from; fewer are quicker to learn."""
    constants: int | None = Field(default=None, ge=1)
    """Values that each constant draws from; fewer are quicker to learn."""


SuiteConfig = Annotated[FileSuite | SeedSuite | GeneratedSuite, Field(discriminator="type")]
"""One of the kinds of suite, by ``type``."""
