// difficulty: 2
use vstd::prelude::*;

verus! {

fn next_multiple(x: u64, d: u64, Ghost(k): Ghost<int>) -> (y: u64)
    requires
        d > 0,
        x == k * d,
        x + d <= u64::MAX,
    ensures
        y > x,
        y == (k + 1) * d,
{
    proof {
        assert((k + 1) * d == k * d + d) by (nonlinear_arith);
    }
    x + d
}

fn third_multiple(d: u64) -> (y: u64)
    requires
        0 < d < 0x1000_0000,
    ensures
        y == 3 * d,
{
    let one = next_multiple(0, d, Ghost(0));
    let two = next_multiple(one, d, Ghost(1));
    next_multiple(two, d, Ghost(2))
}

fn main() {
}

} // verus!
