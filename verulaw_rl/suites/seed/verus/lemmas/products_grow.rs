// difficulty: 1
use vstd::prelude::*;

verus! {

proof fn product_grows(a: nat, b: nat, c: nat)
    requires
        a <= b,
    ensures
        a * c <= b * c,
{
    assert(a * c <= b * c) by (nonlinear_arith)
        requires
            a <= b,
    ;
}

fn area(width: u32, height: u32) -> (a: u64)
    requires
        width <= 10_000,
        height <= 10_000,
    ensures
        a == width * height,
        a <= 100_000_000,
{
    proof {
        product_grows(width as nat, 10_000, height as nat);
    }
    width as u64 * height as u64
}

fn main() {
}

} // verus!
