"""Environments by file and by Gymnasium id.

``import verulaw_rl`` beside ``import gymnasium`` registers the ids, as ``gymnasium.make("verulaw_rl:verulaw_rl/
AnnotationRepair-v0")`` does; so does importing ``verulaw_rl.episodes`` at any time. Environments themselves are
imported when one is made. Configs and commands name environments by file: :func:`load_environment`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import register, registry

if TYPE_CHECKING:
    from verulaw_rl.episodes.env import ProofEnv

_IDS = {
    "verulaw_rl/AnnotationRepair-v0": "annotation_repair",
    "verulaw_rl/CodeGeneration-v0": "code_generation",
}


def register_environments() -> None:
    """Register the shipped environments' ids with Gymnasium; what is registered already stays."""
    for name, function in _IDS.items():
        if name not in registry:
            register(id=name, entry_point=f"{__name__}:{function}")


def load_environment(file: str) -> type[ProofEnv]:
    """The environment class of a file: a path, or the name of a shipped one.

    Raises:
        UserError: no such file, it cannot be loaded, or it does not define exactly one environment.
    """
    from verulaw_rl.episodes.env import ProofEnv
    from verulaw_rl.errors import UserError
    from verulaw_rl.shipped import load_file

    path, module = load_file(file, kind="envs")
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, ProofEnv) and value.__module__ == module.__name__
    ]
    if len(own) != 1:
        names = ", ".join(c.__name__ for c in own) or "none"
        raise UserError(f"{path} must define exactly one subclass of ProofEnv; it defines: {names}")
    for attribute in ("task", "system_prompt"):
        if not hasattr(own[0], attribute):
            raise UserError(f"{path}: {own[0].__name__} must set `{attribute}`")
    return own[0]


def annotation_repair(**settings: Any) -> ProofEnv:
    """Annotation repair, for Gymnasium's ``make``."""
    return load_environment("envs/annotation_repair.py")(**settings)


def code_generation(**settings: Any) -> ProofEnv:
    """Code generation, for Gymnasium's ``make``."""
    return load_environment("envs/code_generation.py")(**settings)
