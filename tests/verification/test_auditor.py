"""Reading the report of ``dafny audit``, in the lines that 4.x prints; the tool itself is not run here."""

from pathlib import Path

import pytest

from verulaw_rl.verification.dafny.auditor import audit_command, parse_audit
from verulaw_rl.verification.dafny.find import DafnyTool

pytestmark = pytest.mark.unit

REPORT = """\
p1.dfy(38,2): Warning: program contains an assume statement (to suppress this warning, annotate the statement with {:axiom})
p1.dfy(95,4): Warning: this forall statement has no body
p1.dfy(27,15): Warning: Shift: Declaration has explicit `{:axiom}` attribute. Possible mitigation: Provide a proof or test.
p1.dfy(38,2): Warning: M.C.Minus: Definition has `assume` statement in body. Possible mitigation: Replace with `assert` and prove or add `{:axiom}`.
other.dfy(9,2): Warning: Elsewhere: Definition contains loop with no body. Possible mitigation: Provide a body.
p1.dfy(102,4): Warning: Loop: Definition contains loop with no body. Possible mitigation: Provide a body.
Dafny auditor completed with 4 findings

Dafny program verifier did not attempt verification
"""  # noqa: E501


def test_findings_with_declaration_and_place():
    found = parse_audit(REPORT, "p1.dfy")
    assert found is not None
    assert [(d.declaration, d.location.line, d.location.column) for d in found] == [
        ("Shift", 27, 15),
        ("M.C.Minus", 38, 2),
        ("Loop", 102, 4),
    ]
    assert found[0].message == "Declaration has explicit `{:axiom}` attribute."
    assert all(d.category is None and d.severity == "warning" for d in found)


def test_a_clean_report_and_one_that_broke_off():
    assert parse_audit("Dafny auditor completed with 0 findings\r\n", "p1.dfy") == ()
    assert parse_audit("Unrecognized command or argument 'audit'.", "p1.dfy") is None
    assert parse_audit("", "p1.dfy") is None


def test_command():
    tool = DafnyTool.__new__(DafnyTool)
    object.__setattr__(tool, "command", ("dafny",))
    assert audit_command(tool, "p1.dfy") == ["dafny", "audit", "p1.dfy"]
    assert Path(audit_command(tool, "p1.dfy")[-1]).suffix == ".dfy"
