// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn odds(n: nat) -> nat
    decreases n,
{
    if n == 0 {
        0
    } else {
        odds((n - 1) as nat) + (2 * n - 1) as nat
    }
}

proof fn odds_are_squares(n: nat)
    ensures
        odds(n) == n * n,
    decreases n,
{
    if n > 0 {
        let m = (n - 1) as nat;
        odds_are_squares(m);
        assert(n * n == m * m + 2 * m + 1) by (nonlinear_arith)
            requires
                n == m + 1,
        ;
    }
}

fn sum_of_odds(n: u32) -> (total: u64)
    requires
        n <= 1000,
    ensures
        total == n * n,
{
    let mut total: u64 = 0;
    let mut i: u32 = 0;
    while i < n
        invariant
            i <= n <= 1000,
            total == odds(i as nat),
            total <= i * 2000,
        decreases n - i,
    {
        total = total + 2 * i as u64 + 1;
        i = i + 1;
    }
    proof {
        odds_are_squares(n as nat);
    }
    total
}

fn main() {
}

} // verus!
