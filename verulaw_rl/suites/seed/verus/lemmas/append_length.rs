// difficulty: 1
use vstd::prelude::*;

verus! {

spec fn double(s: Seq<int>) -> Seq<int>
    decreases s.len(),
{
    if s.len() == 0 {
        s
    } else {
        double(s.drop_last()).push(2 * s.last())
    }
}

proof fn double_keeps_length(s: Seq<int>)
    ensures
        double(s).len() == s.len(),
    decreases s.len(),
{
    if s.len() > 0 {
        double_keeps_length(s.drop_last());
    }
}

proof fn double_elements(s: Seq<int>, k: int)
    requires
        0 <= k < s.len(),
    ensures
        double(s).len() == s.len(),
        double(s)[k] == 2 * s[k],
    decreases s.len(),
{
    double_keeps_length(s);
    double_keeps_length(s.drop_last());
    if k < s.len() - 1 {
        double_elements(s.drop_last(), k);
        assert(double(s)[k] == double(s.drop_last())[k]);
    }
}

fn main() {
}

} // verus!
