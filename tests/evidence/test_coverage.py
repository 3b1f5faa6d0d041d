"""A program with fewer declarations or obligations checked than its instance requires is not verified."""

from dataclasses import replace

import pytest

from verulaw_rl.evidence.collect import collect
from verulaw_rl.evidence.coverage import assumed_declarations, missing_declarations
from verulaw_rl.evidence.live import pool_verifier
from verulaw_rl.languages.registry import get_language
from verulaw_rl.suites.bundled import bundled_suite
from verulaw_rl.verification.pool import Pool, PoolSettings
from verulaw_rl.verification.verdict import DeclarationOutcome, Diagnostic, Location, Status, ToolIdentity, Verdict

KEY = "seed/arithmetic_loops/divide_by_subtracting:annotation_repair"
INSTANCE = bundled_suite().get(KEY)
"""One method, ``DivMod``, with two postconditions."""
VIEW = get_language("dafny").parse(INSTANCE.reference)


def verdict(*outcomes: DeclarationOutcome, assumptions: tuple[Diagnostic, ...] = ()) -> Verdict:
    tool = ToolIdentity("dafny", "2.3.0", "z3 4.8.5")
    return Verdict(Status.VERIFIED, (), True, tool, outcomes, assumptions=assumptions)


def body(obligations: int | None, outcome="verified") -> DeclarationOutcome:
    return DeclarationOutcome("DivMod", "body", outcome, obligations)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("outcomes", "missing"),
    [
        ((body(9),), ()),
        ((body(2),), ()),
        ((body(1),), ("DivMod",)),
        ((body(0),), ("DivMod",)),
        ((), ("DivMod",)),
        ((body(None),), ()),
        ((body(None, "skipped"),), ("DivMod",)),
        ((DeclarationOutcome("Other", "body", "verified", 9),), ("DivMod",)),
    ],
)
def test_fewer_obligations_than_the_contract_has(outcomes, missing):
    assert INSTANCE.covered == ("DivMod",)
    assert missing_declarations(INSTANCE, VIEW, verdict(*outcomes)) == missing


@pytest.mark.unit
def test_a_declaration_without_a_body_is_missing():
    bodyless = get_language("dafny").parse(get_language("dafny").strip_bodies(INSTANCE.reference))
    assert missing_declarations(INSTANCE, bodyless, verdict(body(9))) == ("DivMod",)


@pytest.mark.unit
def test_what_the_tools_own_auditor_finds_is_a_proof_finding():
    believed = Diagnostic(None, "warning", Location(3, 2), "Declaration has explicit `{:axiom}` attribute.", "DivMod")
    found = assumed_declarations(verdict(body(9), assumptions=(believed,)))
    assert [(f.kind.value, f.construct, f.declaration, f.line) for f in found] == [("proof", "tool_audit", "DivMod", 3)]
    for assumed in ((), (believed,)):
        evidence = collect(INSTANCE, INSTANCE.reference, lambda _, a=assumed: verdict(body(9), assumptions=a))
        assert ("tool_audit" in {f.construct for f in evidence.findings}) is bool(assumed)
    assert not collect(INSTANCE, INSTANCE.reference, lambda _: verdict(body(1))).verified


LEFT_OUT = ("{:selective_checking}", "{:verify false}", "{:inline 1}")


@pytest.mark.tool
@pytest.mark.parametrize("attribute", LEFT_OUT)
def test_what_dafny_leaves_out_is_not_verified(attribute):
    """Dafny itself says of all three that nothing failed; the audit, which rejects them too, is left out here."""
    candidate = INSTANCE.reference.replace("method DivMod", f"method {attribute} DivMod")
    with Pool(PoolSettings(workers=1)) as pool:
        plain = pool_verifier(pool, "dafny")(candidate)
        whole = pool_verifier(pool, "dafny")(INSTANCE.reference)
    view = get_language("dafny").parse(candidate)
    assert not [d for d in plain.diagnostics if d.severity == "error"]
    assert missing_declarations(INSTANCE, view, replace(plain, status=Status.VERIFIED)) == ("DivMod",)
    assert missing_declarations(INSTANCE, VIEW, whole) == ()
