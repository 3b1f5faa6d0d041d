// difficulty: 2
use vstd::prelude::*;

verus! {

fn reversed(v: &Vec<u32>) -> (r: Vec<u32>)
    ensures
        r.len() == v.len(),
        forall|k: int| 0 <= k < v.len() ==> r[k] == v[v.len() - 1 - k],
{
    let mut r: Vec<u32> = Vec::new();
    let mut i: usize = v.len();
    while i > 0
        invariant
            i <= v.len(),
            r.len() == v.len() - i,
            forall|k: int| 0 <= k < r.len() ==> r[k] == v[v.len() - 1 - k],
        decreases i,
    {
        i = i - 1;
        r.push(v[i]);
    }
    r
}

fn main() {
}

} // verus!
