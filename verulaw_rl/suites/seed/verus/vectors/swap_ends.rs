// difficulty: 1
use vstd::prelude::*;

verus! {

fn swap_ends(v: &mut Vec<u8>)
    requires
        old(v).len() >= 2,
    ensures
        final(v)@.len() == old(v)@.len(),
        final(v)@[0] == old(v)@.last(),
        final(v)@.last() == old(v)@[0],
        forall|k: int| 0 < k < old(v)@.len() - 1 ==> final(v)@[k] == old(v)@[k],
{
    let last = v.len() - 1;
    let first_value = v[0];
    let last_value = v[last];
    v.set(0, last_value);
    v.set(last, first_value);
}

fn main() {
}

} // verus!
