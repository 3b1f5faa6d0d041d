// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn fib(n: nat) -> nat
    decreases n,
{
    if n == 0 {
        0
    } else if n == 1 {
        1
    } else {
        fib((n - 1) as nat) + fib((n - 2) as nat)
    }
}

proof fn fib_grows(small: nat, large: nat)
    requires
        small <= large,
    ensures
        fib(small) <= fib(large),
    decreases large - small,
{
    if small < large {
        fib_grows(small, (large - 1) as nat);
        if large >= 2 {
            assert(fib(large) == fib((large - 1) as nat) + fib((large - 2) as nat));
        }
    }
}

fn fibonacci(n: u64) -> (f: u64)
    requires
        fib(n as nat) <= u64::MAX,
    ensures
        f == fib(n as nat),
{
    if n == 0 {
        return 0;
    }
    let mut previous: u64 = 0;
    let mut current: u64 = 1;
    let mut i: u64 = 1;
    while i < n
        invariant
            1 <= i <= n,
            previous == fib((i - 1) as nat),
            current == fib(i as nat),
            fib(n as nat) <= u64::MAX,
        decreases n - i,
    {
        i = i + 1;
        proof {
            fib_grows(i as nat, n as nat);
        }
        let next = previous + current;
        previous = current;
        current = next;
    }
    current
}

fn main() {
}

} // verus!
