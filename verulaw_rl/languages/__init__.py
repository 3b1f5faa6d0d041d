"""Languages: regions, stripping, insertions, checks and audit rules, one folder per language."""
