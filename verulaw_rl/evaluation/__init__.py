"""Evaluation: held-out rates, statistics, reports."""
