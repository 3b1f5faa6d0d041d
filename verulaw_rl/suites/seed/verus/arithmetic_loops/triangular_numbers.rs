// difficulty: 1
use vstd::prelude::*;

verus! {

spec fn triangle(n: nat) -> nat
    decreases n,
{
    if n == 0 {
        0
    } else {
        n + triangle((n - 1) as nat)
    }
}

fn triangle_up_to(n: u32) -> (total: u64)
    requires
        n <= 1000,
    ensures
        total == triangle(n as nat),
{
    let mut total: u64 = 0;
    let mut i: u32 = 0;
    while i < n
        invariant
            i <= n,
            n <= 1000,
            total == triangle(i as nat),
            total <= i * 1000,
        decreases n - i,
    {
        i = i + 1;
        total = total + i as u64;
    }
    total
}

fn main() {
}

} // verus!
