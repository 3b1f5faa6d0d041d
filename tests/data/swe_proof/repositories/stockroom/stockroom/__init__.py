"""Levels of a stockroom."""
