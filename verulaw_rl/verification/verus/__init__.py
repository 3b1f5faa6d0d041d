"""Verus: the command line with JSON output, tested on recorded output."""
