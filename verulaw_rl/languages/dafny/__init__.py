"""Dafny: tokens, parser, regions, strip, instrument and audit, for the dialects 2.3 and 4.x."""
