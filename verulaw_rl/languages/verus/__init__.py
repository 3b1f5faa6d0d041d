"""Verus: syntax of what stands inside ``verus! { }``."""
