// difficulty: 2
use vstd::prelude::*;

verus! {

trait Weighted {
    spec fn weight_of(&self) -> nat;

    fn weight(&self) -> (w: u64)
        ensures
            w == self.weight_of(),
    ;
}

struct Parcel {
    grams: u32,
}

impl Weighted for Parcel {
    spec fn weight_of(&self) -> nat {
        self.grams as nat
    }

    fn weight(&self) -> (w: u64) {
        self.grams as u64
    }
}

fn heaviest<T: Weighted>(items: &Vec<T>) -> (best: usize)
    requires
        items.len() > 0,
    ensures
        best < items.len(),
        forall|k: int| 0 <= k < items.len() ==> items[k].weight_of() <= items[best as int].weight_of(),
{
    let mut best: usize = 0;
    let mut i: usize = 1;
    while i < items.len()
        invariant
            best < i <= items.len(),
            forall|k: int| 0 <= k < i ==> items[k].weight_of() <= items[best as int].weight_of(),
        decreases items.len() - i,
    {
        if items[i].weight() > items[best].weight() {
            best = i;
        }
        i = i + 1;
    }
    best
}

fn main() {
}

} // verus!
