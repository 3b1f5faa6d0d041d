// difficulty: 1
use vstd::prelude::*;

verus! {

fn all_equal(v: &Vec<u8>, x: u8) -> (same: bool)
    ensures
        same == (forall|k: int| 0 <= k < v.len() ==> v[k] == x),
{
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            forall|k: int| 0 <= k < i ==> v[k] == x,
        decreases v.len() - i,
    {
        if v[i] != x {
            assert(v[i as int] != x);
            return false;
        }
        i = i + 1;
    }
    true
}

fn main() {
}

} // verus!
