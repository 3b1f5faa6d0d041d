// difficulty: 2
use vstd::prelude::*;

verus! {

fn square_root(n: u32) -> (root: u32)
    requires
        n < 0x1000_0000,
    ensures
        root * root <= n,
        n < (root + 1) * (root + 1),
{
    let mut root: u32 = 0;
    let mut next: u64 = 1;
    assert(root * root == 0 && (root + 1) * (root + 1) == 1) by (nonlinear_arith)
        requires
            root == 0,
    ;
    while next <= n as u64
        invariant
            root * root <= n,
            root <= n < 0x1000_0000,
            next == (root + 1) * (root + 1),
        decreases n - root,
    {
        proof {
            assert(root + 1 <= (root + 1) * (root + 1)) by (nonlinear_arith)
                requires
                    0 <= root,
            ;
            assert((root + 2) * (root + 2) == (root + 1) * (root + 1) + 2 * root + 3) by (nonlinear_arith);
        }
        root = root + 1;
        next = next + 2 * root as u64 + 1;
    }
    root
}

fn main() {
}

} // verus!
