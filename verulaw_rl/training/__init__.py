"""Training: warm start, GRPO, run folders."""
