// difficulty: 1
use vstd::prelude::*;

verus! {

fn fill(n: usize, x: u8) -> (v: Vec<u8>)
    ensures
        v.len() == n,
        forall|k: int| 0 <= k < n ==> v[k] == x,
{
    let mut v: Vec<u8> = Vec::new();
    let mut i: usize = 0;
    while i < n
        invariant
            i <= n,
            v.len() == i,
            forall|k: int| 0 <= k < i ==> v[k] == x,
        decreases n - i,
    {
        v.push(x);
        i = i + 1;
    }
    v
}

fn main() {
}

} // verus!
