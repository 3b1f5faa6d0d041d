"""Episodes: actions, prompts, the Gymnasium base environment, records."""
