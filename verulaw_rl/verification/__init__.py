"""Verification: programs in, Verdicts out. Adapters, warm workers, sandbox, pool."""
