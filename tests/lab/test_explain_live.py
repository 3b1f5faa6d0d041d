"""A program explained from a live run of the verifier."""

from pathlib import Path

import pytest

from tests.lab.test_explain import explained

pytestmark = pytest.mark.tool


def test_a_program(repository: Path):
    instance = "seed/arithmetic_loops/divide_by_subtracting:annotation_repair"
    seen = explained(repository / "tests/data/divide.dfy", "--suite", "seed", "--instance", instance)
    assert [c["id"] for c in seen["obligations"] if c["discharged"]] == [
        "postcondition:DivMod:0",
        "postcondition:DivMod:1",
        "safety:DivMod",
        "termination:DivMod:loop0",
    ]
    # As README.md shows of `score`: weights 0.25, 0.4, 0.1, 0.1 and an invariant of the candidate's own that fails.
    assert seen["score"]["total"] == pytest.approx(0.45 / 0.85)
    assert [(f["line"], f["category"]) for f in seen["failures"]] == [(11, "invariant")]
