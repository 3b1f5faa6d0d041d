// difficulty: 2
use vstd::prelude::*;

verus! {

struct Stack {
    items: Vec<u32>,
    most: usize,
}

impl Stack {
    spec fn valid(&self) -> bool {
        self.items.len() <= self.most
    }

    spec fn contents(&self) -> Seq<u32> {
        self.items@
    }

    fn new(most: usize) -> (s: Stack)
        ensures
            s.valid(),
            s.contents() == Seq::<u32>::empty(),
            s.most == most,
    {
        let s = Stack { items: Vec::new(), most };
        assert(s.contents() =~= Seq::<u32>::empty());
        s
    }

    fn push(&mut self, x: u32) -> (done: bool)
        requires
            old(self).valid(),
        ensures
            final(self).valid(),
            done ==> final(self).contents() == old(self).contents().push(x),
            !done ==> final(self).contents() == old(self).contents(),
    {
        if self.items.len() < self.most {
            self.items.push(x);
            true
        } else {
            false
        }
    }

    fn top(&self) -> (x: Option<u32>)
        requires
            self.valid(),
        ensures
            x matches Some(t) ==> self.contents().len() > 0 && t == self.contents().last(),
            x is None ==> self.contents().len() == 0,
    {
        if self.items.len() == 0 {
            None
        } else {
            Some(self.items[self.items.len() - 1])
        }
    }
}

fn main() {
}

} // verus!
