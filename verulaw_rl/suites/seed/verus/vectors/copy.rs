// difficulty: 1
use vstd::prelude::*;

verus! {

fn copy(source: &Vec<u64>) -> (target: Vec<u64>)
    ensures
        target@ == source@,
{
    let mut target: Vec<u64> = Vec::new();
    let mut i: usize = 0;
    assert(target@ =~= source@.subrange(0, 0));
    while i < source.len()
        invariant
            i <= source.len(),
            target@ == source@.subrange(0, i as int),
        decreases source.len() - i,
    {
        target.push(source[i]);
        assert(source@.subrange(0, i + 1) =~= source@.subrange(0, i as int).push(source@[i as int]));
        i = i + 1;
    }
    assert(source@.subrange(0, i as int) =~= source@);
    target
}

fn main() {
}

} // verus!
