"""Audit: AuditReport from a given program and a candidate; it outranks the verifier."""
