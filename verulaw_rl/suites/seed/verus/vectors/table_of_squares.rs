// difficulty: 2
use vstd::prelude::*;

verus! {

fn squares(n: usize) -> (v: Vec<u64>)
    requires
        n <= 1000,
    ensures
        v.len() == n,
        forall|k: int| 0 <= k < n ==> v[k] == k * k,
{
    let mut v: Vec<u64> = Vec::new();
    let mut i: usize = 0;
    while i < n
        invariant
            i <= n <= 1000,
            v.len() == i,
            forall|k: int| 0 <= k < i ==> v[k] == k * k,
        decreases n - i,
    {
        proof {
            assert(i * i <= 1_000_000) by (nonlinear_arith)
                requires
                    0 <= i <= 1000,
            ;
        }
        v.push(i as u64 * i as u64);
        i = i + 1;
    }
    v
}

fn main() {
}

} // verus!
