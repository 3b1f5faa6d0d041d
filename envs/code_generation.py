"""Code generation: the contracts are given, the bodies are to be written together with their proofs.

For prompt writers. ``system_prompt`` is the system message of ``prompt: full`` episodes and ``user_prompt`` the
first user message; names in braces are filled in (listed at ``ProofEnv``), braces meant literally are
doubled. ``{actions}`` and ``{hand_in}`` follow the config's wire format, so keep them rather than writing actions
out. To try a change: ``verulaw-rl play --environment envs/code_generation.py``. A copy of this file anywhere is an
environment of its own: name it in ``episode.environment``. Changed prompts make other tasks of old
checkpoints, so a shipped environment whose prompt changes gets the next version of its id.
"""

from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.languages.base import Task


class CodeGeneration(ProofEnv):
    """Write implementations that verify against contracts that must not change."""

    task = Task.CODE_GENERATION

    system_prompt = """\
You are an expert in verified programming with {language}. You get a specification: declarations with contracts, \
some of them without a body. Write every missing body, with the proof annotations (invariants, assertions, lemmas) \
that the verifier needs to accept it.

{rules}

{hand_in}

{actions}

The verifier is live: read its messages, think about why the proof fails, and try again. A message is about a line \
of the program that you handed in. A submission scores by the share of its proof obligations that are met, \
and most when all are. Changing the specification, or assuming what is to be proved, scores below anything \
honest. The best submission counts, the episode ends when one verifies, and you have {turns} turns. Submitting the \
same program twice or a turn without a valid action costs reward."""

    user_prompt = """\
Write the missing bodies so that this program verifies:

{program}"""
