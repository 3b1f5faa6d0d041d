// difficulty: 2
use vstd::prelude::*;

verus! {

fn multiply(a: u32, b: u32) -> (product: u64)
    ensures
        product == a * b,
{
    assert(a * 0 == 0 && 0 <= a * b <= 0xffff_ffff * 0xffff_ffff) by (nonlinear_arith)
        requires
            0 <= a <= 0xffff_ffff,
            0 <= b <= 0xffff_ffff,
    ;
    let mut product: u64 = 0;
    let mut i: u32 = 0;
    while i < b
        invariant
            i <= b,
            product == a * i,
            product <= a * b,
            a * b <= 0xffff_ffff * 0xffff_ffff,
        decreases b - i,
    {
        proof {
            assert(a * (i + 1) == a * i + a) by (nonlinear_arith);
            assert(a * (i + 1) <= a * b) by (nonlinear_arith)
                requires
                    0 <= a,
                    i + 1 <= b,
            ;
        }
        product = product + a as u64;
        i = i + 1;
    }
    product
}

fn main() {
}

} // verus!
