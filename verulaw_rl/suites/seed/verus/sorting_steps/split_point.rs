// difficulty: 2
use vstd::prelude::*;

verus! {

fn count_small(v: &Vec<i32>, pivot: i32) -> (small: Vec<i32>)
    ensures
        small.len() <= v.len(),
        forall|k: int| 0 <= k < small.len() ==> small[k] < pivot,
        forall|k: int| 0 <= k < v.len() && v[k] < pivot ==> small@.contains(v[k]),
{
    let mut small: Vec<i32> = Vec::new();
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            small.len() <= i,
            forall|k: int| 0 <= k < small.len() ==> small[k] < pivot,
            forall|k: int| 0 <= k < i && v[k] < pivot ==> small@.contains(v[k]),
        decreases v.len() - i,
    {
        if v[i] < pivot {
            let ghost before = small@;
            small.push(v[i]);
            proof {
                assert(small@[small@.len() - 1] == v[i as int]);
                assert forall|k: int| 0 <= k < i + 1 && v[k] < pivot implies small@.contains(v[k]) by {
                    if k < i {
                        let at = choose|at: int| 0 <= at < before.len() && before[at] == v[k];
                        assert(small@[at] == v[k]);
                    }
                }
            }
        }
        i = i + 1;
    }
    small
}

fn main() {
}

} // verus!
