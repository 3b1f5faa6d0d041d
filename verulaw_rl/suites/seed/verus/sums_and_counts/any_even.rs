// difficulty: 1
use vstd::prelude::*;

verus! {

spec fn even(x: u32) -> bool {
    x % 2 == 0
}

fn first_even(v: &Vec<u32>) -> (found: Option<usize>)
    ensures
        found matches Some(i) ==> i < v.len() && even(v[i as int]),
        found is None ==> forall|k: int| 0 <= k < v.len() ==> !even(v[k]),
{
    for i in 0..v.len()
        invariant
            forall|k: int| 0 <= k < i ==> !even(v[k]),
    {
        if v[i] % 2 == 0 {
            return Some(i);
        }
    }
    None
}

fn main() {
}

} // verus!
