// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn is_even(n: nat) -> bool
    decreases n,
{
    if n == 0 {
        true
    } else {
        is_odd((n - 1) as nat)
    }
}

spec fn is_odd(n: nat) -> bool
    decreases n,
{
    if n == 0 {
        false
    } else {
        is_even((n - 1) as nat)
    }
}

proof fn one_of_both(n: nat)
    ensures
        is_even(n) != is_odd(n),
    decreases n,
{
    if n > 0 {
        one_of_both((n - 1) as nat);
    }
}

proof fn even_is_divisible(n: nat)
    ensures
        is_even(n) <==> n % 2 == 0,
        is_odd(n) <==> n % 2 == 1,
    decreases n,
{
    if n > 0 {
        even_is_divisible((n - 1) as nat);
    }
}

fn check_even(n: u64) -> (yes: bool)
    ensures
        yes == is_even(n as nat),
{
    proof {
        even_is_divisible(n as nat);
    }
    n % 2 == 0
}

fn main() {
}

} // verus!
