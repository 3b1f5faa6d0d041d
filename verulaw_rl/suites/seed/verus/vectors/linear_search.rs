// difficulty: 1
use vstd::prelude::*;

verus! {

fn find(v: &Vec<u64>, x: u64) -> (found: Option<usize>)
    ensures
        match found {
            Some(i) => i < v.len() && v[i as int] == x,
            None => forall|k: int| 0 <= k < v.len() ==> v[k] != x,
        },
{
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len(),
            forall|k: int| 0 <= k < i ==> v[k] != x,
        decreases v.len() - i,
    {
        if v[i] == x {
            return Some(i);
        }
        i = i + 1;
    }
    None
}

fn main() {
}

} // verus!
