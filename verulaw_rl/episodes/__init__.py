"""Episodes: actions, prompts, the Gymnasium base environment, and records of what happened."""
