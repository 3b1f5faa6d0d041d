"""Annotation repair: the program and its contracts are given, the proof annotations are missing.

For prompt writers. ``system_prompt`` is the system message of ``prompt: full`` episodes and ``user_prompt`` the
first user message; names in braces are filled in (listed at ``ProofEnv``), braces meant literally are
doubled. ``{actions}`` and ``{hand_in}`` follow the config's wire format and hand-in, so keep them rather than
writing actions out. Nothing here may speak of probes or of the reference. To try a change:
``verulaw-rl play --environment envs/annotation_repair.py``. A copy of this file anywhere is an environment of
its own: name it in ``episode.environment``. Changed prompts make other tasks of old checkpoints, so a shipped
environment whose prompt changes gets the next version of its id.
"""

from verulaw_rl.episodes.env import ProofEnv
from verulaw_rl.languages.base import Task


class AnnotationRepair(ProofEnv):
    """Restore the proof of a program whose executable code and specification must not change."""

    task = Task.ANNOTATION_REPAIR

    system_prompt = """\
You are an expert in program verification with {language}. You get a program whose contracts and executable code are \
right but whose proof annotations were removed, so that the verifier rejects it. Add the annotations that make it \
verify.

{rules}

{hand_in}

{actions}

The verifier is live: read its messages, think about why the proof fails, and try again. A message is about a line \
of the program that you handed in. A submission scores by the share of its proof obligations that are met, \
and most when all are. Changing the specification or the code, or assuming what is to be proved, scores \
below anything honest. The best submission counts, the episode ends when one verifies, and you have {turns} turns. \
Submitting the same program twice or a turn without a valid action costs reward."""

    user_prompt = """\
Add proof annotations so that this program verifies:

{program}"""
