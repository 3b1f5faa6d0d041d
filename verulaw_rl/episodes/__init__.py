"""Episodes: actions, prompts, the Gymnasium base environment, and records of what happened.

Importing this package registers the environments' ids with Gymnasium.
"""

from verulaw_rl.episodes.registration import register_environments

register_environments()
