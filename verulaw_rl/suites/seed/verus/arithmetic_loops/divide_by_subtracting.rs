// difficulty: 2
use vstd::prelude::*;

verus! {

fn divide(n: u64, d: u64) -> (result: (u64, u64))
    requires
        d > 0,
    ensures
        n == result.0 * d + result.1,
        result.1 < d,
{
    assert(0 * d == 0) by (nonlinear_arith);
    let mut q: u64 = 0;
    let mut r: u64 = n;
    while r >= d
        invariant
            d > 0,
            n == q * d + r,
            q <= n - r,
        decreases r,
    {
        proof {
            assert((q + 1) * d == q * d + d) by (nonlinear_arith);
        }
        r = r - d;
        q = q + 1;
    }
    (q, r)
}

fn main() {
}

} // verus!
