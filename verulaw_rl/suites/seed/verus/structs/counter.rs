// difficulty: 1
use vstd::prelude::*;

verus! {

struct Counter {
    value: u64,
    limit: u64,
}

impl Counter {
    spec fn valid(&self) -> bool {
        self.value <= self.limit
    }

    fn new(limit: u64) -> (c: Counter)
        ensures
            c.valid(),
            c.value == 0,
            c.limit == limit,
    {
        Counter { value: 0, limit }
    }

    fn tick(&mut self) -> (moved: bool)
        requires
            old(self).valid(),
        ensures
            final(self).valid(),
            final(self).limit == old(self).limit,
            moved == (old(self).value < old(self).limit),
            moved ==> final(self).value == old(self).value + 1,
            !moved ==> final(self).value == old(self).value,
    {
        if self.value < self.limit {
            self.value = self.value + 1;
            true
        } else {
            false
        }
    }
}

fn run(limit: u64) -> (c: Counter)
    ensures
        c.valid(),
        c.value == limit,
{
    let mut c = Counter::new(limit);
    let mut i: u64 = 0;
    while i < limit
        invariant
            i <= limit,
            c.valid(),
            c.limit == limit,
            c.value == i,
        decreases limit - i,
    {
        c.tick();
        i = i + 1;
    }
    c
}

fn main() {
}

} // verus!
