"""Nagini: Python with contracts, read with Python's own parser."""
