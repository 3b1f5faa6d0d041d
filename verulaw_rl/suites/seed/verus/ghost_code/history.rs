// difficulty: 2
use vstd::prelude::*;

verus! {

struct Log {
    latest: u64,
    history: Ghost<Seq<u64>>,
}

impl Log {
    spec fn valid(&self) -> bool {
        self.history@.len() > 0 && self.history@.last() == self.latest
    }

    fn new(first: u64) -> (log: Log)
        ensures
            log.valid(),
            log.history@ == seq![first],
    {
        Log { latest: first, history: Ghost(seq![first]) }
    }

    fn record(&mut self, x: u64)
        requires
            old(self).valid(),
        ensures
            final(self).valid(),
            final(self).history@ == old(self).history@.push(x),
    {
        self.latest = x;
        self.history = Ghost(self.history@.push(x));
    }
}

fn record_all(v: &Vec<u64>, log: &mut Log)
    requires
        old(log).valid(),
    ensures
        final(log).valid(),
        final(log).history@ == old(log).history@ + v@,
{
    let mut i: usize = 0;
    assert(log.history@ =~= old(log).history@ + v@.take(0));
    while i < v.len()
        invariant
            i <= v.len(),
            log.valid(),
            log.history@ == old(log).history@ + v@.take(i as int),
        decreases v.len() - i,
    {
        log.record(v[i]);
        assert(log.history@ =~= old(log).history@ + v@.take(i + 1));
        i = i + 1;
    }
    assert(v@.take(i as int) =~= v@);
}

fn main() {
}

} // verus!
