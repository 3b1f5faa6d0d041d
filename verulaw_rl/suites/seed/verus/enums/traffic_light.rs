// difficulty: 1
use vstd::prelude::*;

verus! {

enum Light {
    Red,
    Green,
    Amber,
}

spec fn rank(l: Light) -> int {
    match l {
        Light::Red => 0,
        Light::Green => 1,
        Light::Amber => 2,
    }
}

fn next(l: Light) -> (n: Light)
    ensures
        rank(n) == (rank(l) + 1) % 3,
{
    match l {
        Light::Red => Light::Green,
        Light::Green => Light::Amber,
        Light::Amber => Light::Red,
    }
}

fn main() {
}

} // verus!
