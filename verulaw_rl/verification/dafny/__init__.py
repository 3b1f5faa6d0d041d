"""Dafny: finding it, its command line, its warm server, and reading what it prints."""
