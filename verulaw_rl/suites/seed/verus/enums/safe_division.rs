// difficulty: 1
use vstd::prelude::*;

verus! {

fn divide_if_possible(a: u64, b: u64) -> (q: Option<u64>)
    ensures
        b == 0 <==> q is None,
        q matches Some(v) ==> v == a / b,
{
    if b == 0 {
        None
    } else {
        Some(a / b)
    }
}

fn sum_of_quotients(v: &Vec<u64>, d: u64) -> (total: Option<u128>)
    requires
        v.len() <= 1000,
    ensures
        d == 0 && v.len() > 0 ==> total is None,
        d != 0 ==> total is Some,
{
    let mut total: u128 = 0;
    let mut i: usize = 0;
    while i < v.len()
        invariant
            i <= v.len() <= 1000,
            d == 0 ==> i == 0,
            total <= i * 0xffff_ffff_ffff_ffff,
        decreases v.len() - i,
    {
        match divide_if_possible(v[i], d) {
            None => {
                return None;
            },
            Some(q) => {
                total = total + q as u128;
            },
        }
        i = i + 1;
    }
    Some(total)
}

fn main() {
}

} // verus!
