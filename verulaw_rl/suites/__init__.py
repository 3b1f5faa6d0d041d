"""Suites: instances, their builder, splits and the bundled seed suite."""
