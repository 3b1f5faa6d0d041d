// difficulty: 3
use vstd::prelude::*;

verus! {

spec fn total(s: Seq<int>) -> int
    decreases s.len(),
{
    if s.len() == 0 {
        0
    } else {
        total(s.drop_last()) + s.last()
    }
}

proof fn total_of_concatenation(a: Seq<int>, b: Seq<int>)
    ensures
        total(a + b) == total(a) + total(b),
    decreases b.len(),
{
    if b.len() == 0 {
        assert(a + b =~= a);
    } else {
        assert((a + b).drop_last() =~= a + b.drop_last());
        assert((a + b).last() == b.last());
        total_of_concatenation(a, b.drop_last());
    }
}

proof fn total_splits(s: Seq<int>, k: int)
    requires
        0 <= k <= s.len(),
    ensures
        total(s) == total(s.take(k)) + total(s.skip(k)),
{
    assert(s =~= s.take(k) + s.skip(k));
    total_of_concatenation(s.take(k), s.skip(k));
}

fn main() {
}

} // verus!
