// difficulty: 2
use vstd::prelude::*;

verus! {

fn running_maximum(v: &Vec<u32>) -> (r: Vec<u32>)
    ensures
        r.len() == v.len(),
        forall|k: int, j: int| 0 <= j <= k < v.len() ==> v[j] <= r[k],
{
    let mut r: Vec<u32> = Vec::new();
    let mut most: u32 = 0;
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            r.len() == i,
            forall|j: int| 0 <= j < i ==> v[j] <= most,
            forall|k: int, j: int| 0 <= j <= k < i ==> v[j] <= r[k],
        decreases v.len() - i,
    {
        if v[i] > most {
            most = v[i];
        }
        r.push(most);
        i = i + 1;
    }
    r
}

fn main() {
}

} // verus!
