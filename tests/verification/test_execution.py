"""Running programs in the sandbox with the installed Dafny."""

import pytest

from verulaw_rl.errors import UserError
from verulaw_rl.verification.dafny.find import find_dafny
from verulaw_rl.verification.execution import ExecutionLimits
from verulaw_rl.verification.pool import Pool, PoolSettings

pytestmark = pytest.mark.tool

PROGRAM = """\
method Max(a: int, b: int) returns (m: int)
  ensures m >= a && m >= b
{
  if a > b { m := a; } else { m := b; }
}

ghost method G() {}
"""


@pytest.fixture(scope="module")
def pool():
    try:
        find_dafny()
    except UserError as error:
        pytest.skip(str(error))
    with Pool(PoolSettings(workers=1)) as pool:
        yield pool


def run(pool: Pool, calls: str, program: str = PROGRAM, **limits):
    return pool.execute("dafny", program, calls, ExecutionLimits(**limits))


def test_prints(pool):
    result = run(pool, 'var x := Max(3, 4);\nprint x, " ", Max(9, 2) == 9;'.replace(' " ", Max(9, 2) == 9', ' "\\n"'))
    assert (result.outcome, result.stdout, result.exit_status) == ("ok", "4\n", 0)
    assert result.sandbox == pool.sandbox.mode


def test_a_program_with_a_main(pool):
    program = 'method Main() { print "hi"; }'
    assert run(pool, "", program).stdout == "hi"
    assert run(pool, "print 1;", program).outcome == "rejected"
    assert run(pool, "", PROGRAM).outcome == "rejected"


def test_not_compiled(pool):
    result = run(pool, "var x := Nowhere(1);")
    assert result.outcome == "rejected"
    assert "Nowhere" in result.message
    assert "verifier finished" not in result.message


def test_an_exception(pool):
    result = run(pool, "print 1; var a := new int[3]; var i := Max(3, 4); print a[i];")
    assert (result.outcome, result.stdout) == ("failed", "1")
    assert "IndexOutOfRange" in result.message or "index" in result.message.lower()
    assert " at " not in result.message


def test_endless(pool):
    result = run(pool, "while true decreases * { }", wall_s=8)
    assert result.timed_out
    assert result.stdout == ""


def test_too_much_output(pool):
    result = run(pool, "while true decreases * { print 1; }", output_bytes=5000)
    assert result.outcome == "limit"
    assert 0 < len(result.stdout) <= 5000
