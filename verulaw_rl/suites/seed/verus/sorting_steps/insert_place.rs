// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn sorted(s: Seq<u32>) -> bool {
    forall|i: int, j: int| 0 <= i <= j < s.len() ==> s[i] <= s[j]
}

fn place_for(v: &Vec<u32>, x: u32) -> (p: usize)
    requires
        sorted(v@),
    ensures
        p <= v.len(),
        forall|k: int| 0 <= k < p ==> v@[k] < x,
        forall|k: int| p <= k < v.len() ==> x <= v@[k],
{
    let mut p: usize = 0;
    while p < v.len() && v[p] < x
        invariant
            p <= v.len(),
            sorted(v@),
            forall|k: int| 0 <= k < p ==> v@[k] < x,
        decreases v.len() - p,
    {
        p = p + 1;
    }
    p
}

fn main() {
}

} // verus!
