// difficulty: 1
use vstd::prelude::*;

verus! {

fn maximum(v: &Vec<i64>) -> (m: i64)
    requires
        v.len() > 0,
    ensures
        forall|k: int| 0 <= k < v.len() ==> v[k] <= m,
        exists|k: int| 0 <= k < v.len() && v[k] == m,
{
    let mut m = v[0];
    let mut i: usize = 1;
    while i < v.len()
        invariant
            1 <= i <= v.len(),
            forall|k: int| 0 <= k < i ==> v[k] <= m,
            exists|k: int| 0 <= k < i && v[k] == m,
        decreases v.len() - i,
    {
        if v[i] > m {
            m = v[i];
        }
        i = i + 1;
    }
    m
}

fn main() {
}

} // verus!
