// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn sorted(s: Seq<u32>) -> bool {
    forall|i: int, j: int| 0 <= i <= j < s.len() ==> s[i] <= s[j]
}

fn is_sorted(v: &Vec<u32>) -> (yes: bool)
    ensures
        yes == sorted(v@),
{
    if v.len() == 0 {
        return true;
    }
    let mut i: usize = 1;
    while i < v.len()
        invariant
            1 <= i <= v.len(),
            forall|a: int, b: int| 0 <= a <= b < i ==> v@[a] <= v@[b],
        decreases v.len() - i,
    {
        if v[i - 1] > v[i] {
            assert(v@[i - 1] > v@[i as int]);
            return false;
        }
        i = i + 1;
    }
    true
}

fn main() {
}

} // verus!
