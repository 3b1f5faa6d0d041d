// difficulty: 2
use vstd::prelude::*;

verus! {

fn binary_search(v: &Vec<u64>, x: u64) -> (found: Option<usize>)
    requires
        forall|i: int, j: int| 0 <= i <= j < v.len() ==> v[i] <= v[j],
    ensures
        match found {
            Some(i) => i < v.len() && v[i as int] == x,
            None => forall|k: int| 0 <= k < v.len() ==> v[k] != x,
        },
{
    let mut low: usize = 0;
    let mut high: usize = v.len();
    while low < high
        invariant
            low <= high <= v.len(),
            forall|i: int, j: int| 0 <= i <= j < v.len() ==> v[i] <= v[j],
            forall|k: int| 0 <= k < low ==> v[k] < x,
            forall|k: int| high <= k < v.len() ==> v[k] > x,
        decreases high - low,
    {
        let middle = low + (high - low) / 2;
        if v[middle] == x {
            return Some(middle);
        } else if v[middle] < x {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

fn main() {
}

} // verus!
