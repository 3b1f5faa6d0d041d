"""verulaw_rl: reinforcement learning for language models that write programs proved correct.

The rooms, in the order in which they may import one another, are ``languages``, ``verification``,
``audit``, ``evidence`` (beside ``suites``), ``episodes``, ``rollouts``, ``training`` and
``evaluation``, ``cli``; ``config`` stands below all of them. ``tests/unit/test_import_order.py``
and ``scripts/test.sh`` hold them to it.
"""

import sys

__version__ = "0.1.0"

if "gymnasium" in sys.modules:
    # Since 1.0 Gymnasium reads no entry points: a package registers its environments when it is imported. Where
    # Gymnasium comes later, or not at all, importing it here would only slow the start; `verulaw_rl.episodes` does it.
    from verulaw_rl.episodes.registration import register_environments

    register_environments()
