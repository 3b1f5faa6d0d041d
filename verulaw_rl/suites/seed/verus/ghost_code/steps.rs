// difficulty: 1
use vstd::prelude::*;

verus! {

fn halve(n: u64) -> (h: u64)
    ensures
        h == n / 2,
{
    let mut h: u64 = 0;
    let mut rest: u64 = n;
    let ghost mut steps: int = 0;
    while rest >= 2
        invariant
            rest == n - 2 * steps,
            h == steps,
            h <= n,
            0 <= steps,
        decreases rest,
    {
        rest = rest - 2;
        h = h + 1;
        proof {
            steps = steps + 1;
        }
    }
    h
}

fn main() {
}

} // verus!
