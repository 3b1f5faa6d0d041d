// difficulty: 1
use vstd::prelude::*;

verus! {

struct Account {
    cents: u64,
}

impl Account {
    fn deposit(&mut self, amount: u64)
        requires
            old(self).cents + amount <= u64::MAX,
        ensures
            final(self).cents == old(self).cents + amount,
    {
        self.cents = self.cents + amount;
    }

    fn withdraw(&mut self, amount: u64) -> (paid: u64)
        ensures
            paid <= amount,
            final(self).cents + paid == old(self).cents,
            old(self).cents >= amount ==> paid == amount,
    {
        let paid = if self.cents >= amount { amount } else { self.cents };
        self.cents = self.cents - paid;
        paid
    }
}

fn transfer(from: &mut Account, to: &mut Account, amount: u64)
    requires
        old(to).cents + amount <= u64::MAX,
    ensures
        final(from).cents + final(to).cents == old(from).cents + old(to).cents,
{
    let paid = from.withdraw(amount);
    to.deposit(paid);
}

fn main() {
}

} // verus!
