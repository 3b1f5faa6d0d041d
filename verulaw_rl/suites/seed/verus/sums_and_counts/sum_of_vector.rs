// difficulty: 2
use vstd::prelude::*;

verus! {

spec fn sum(s: Seq<u32>) -> nat
    decreases s.len(),
{
    if s.len() == 0 {
        0
    } else {
        sum(s.drop_last()) + s.last() as nat
    }
}

fn sum_of(v: &Vec<u32>) -> (total: u64)
    requires
        v.len() <= 1000,
    ensures
        total == sum(v@),
{
    let mut total: u64 = 0;
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len() <= 1000,
            total == sum(v@.take(i as int)),
            total <= i * 0xffff_ffff,
        decreases v.len() - i,
    {
        proof {
            assert(v@.take(i + 1).drop_last() =~= v@.take(i as int));
        }
        total = total + v[i] as u64;
        i = i + 1;
    }
    assert(v@.take(i as int) =~= v@);
    total
}

fn main() {
}

} // verus!
