// difficulty: 1
use vstd::prelude::*;

verus! {

fn lowest_bit(x: u32) -> (b: u32)
    ensures
        b == x % 2,
{
    assert(x & 1 == x % 2) by (bit_vector);
    x & 1
}

fn clear_low_byte(x: u32) -> (y: u32)
    ensures
        y <= x,
        y & 0xff == 0,
{
    assert(x & 0xffff_ff00 <= x) by (bit_vector);
    assert((x & 0xffff_ff00) & 0xff == 0) by (bit_vector);
    x & 0xffff_ff00
}

fn main() {
}

} // verus!
