"""verulaw_rl: reinforcement learning for language models that write programs proved correct.

The rooms, in the order in which they may import one another, are ``languages``, ``verification``,
``audit``, ``evidence`` (beside ``suites``), ``episodes``, ``rollouts``, ``training`` and
``evaluation``, ``cli``; ``config`` stands below all of them. ``tests/unit/test_import_order.py``
and ``scripts/test.sh`` hold them to it.
"""

__version__ = "0.1.0"
