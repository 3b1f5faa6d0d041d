// difficulty: 2
use vstd::prelude::*;

verus! {

fn clamp(v: &mut Vec<u64>, most: u64)
    ensures
        final(v)@.len() == old(v)@.len(),
        forall|k: int| 0 <= k < old(v)@.len() ==> final(v)@[k] <= most,
        forall|k: int| 0 <= k < old(v)@.len() && old(v)@[k] <= most ==> final(v)@[k] == old(v)@[k],
{
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            v@.len() == old(v)@.len(),
            forall|k: int| 0 <= k < i ==> v@[k] <= most,
            forall|k: int| 0 <= k < i && old(v)@[k] <= most ==> v@[k] == old(v)@[k],
            forall|k: int| i <= k < v@.len() ==> v@[k] == old(v)@[k],
        decreases v.len() - i,
    {
        if v[i] > most {
            v.set(i, most);
        }
        i = i + 1;
    }
}

fn main() {
}

} // verus!
