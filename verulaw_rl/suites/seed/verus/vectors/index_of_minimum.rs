// difficulty: 2
use vstd::prelude::*;

verus! {

fn index_of_minimum(v: &Vec<u32>) -> (least: usize)
    requires
        v.len() > 0,
    ensures
        least < v.len(),
        forall|k: int| 0 <= k < v.len() ==> v[least as int] <= v[k],
        forall|k: int| 0 <= k < least ==> v[least as int] < v[k],
{
    let mut least: usize = 0;
    let mut i: usize = 1;
    while i < v.len()
        invariant
            least < i <= v.len(),
            forall|k: int| 0 <= k < i ==> v[least as int] <= v[k],
            forall|k: int| 0 <= k < least ==> v[least as int] < v[k],
        decreases v.len() - i,
    {
        if v[i] < v[least] {
            least = i;
        }
        i = i + 1;
    }
    least
}

fn main() {
}

} // verus!
