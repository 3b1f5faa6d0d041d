// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn power(e: nat) -> nat
    decreases e,
{
    if e == 0 {
        1
    } else {
        2 * power((e - 1) as nat)
    }
}

proof fn power_grows(small: nat, large: nat)
    requires
        small <= large,
    ensures
        power(small) <= power(large),
    decreases large,
{
    if small < large {
        power_grows(small, (large - 1) as nat);
    }
}

fn power_of_two(e: u32) -> (p: u64)
    requires
        power(e as nat) <= u64::MAX,
    ensures
        p == power(e as nat),
{
    let mut p: u64 = 1;
    let mut i: u32 = 0;
    while i < e
        invariant
            i <= e,
            p == power(i as nat),
            power(e as nat) <= u64::MAX,
        decreases e - i,
    {
        proof {
            power_grows((i + 1) as nat, e as nat);
        }
        p = 2 * p;
        i = i + 1;
    }
    p
}

fn main() {
}

} // verus!
