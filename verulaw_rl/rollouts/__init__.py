"""Rollouts: many episodes at once, with exact sampled tokens."""
