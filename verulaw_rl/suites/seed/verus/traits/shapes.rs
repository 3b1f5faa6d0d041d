// difficulty: 2
use vstd::prelude::*;

verus! {

trait Shape {
    spec fn area_of(&self) -> nat;

    spec fn small(&self) -> bool;

    fn area(&self) -> (a: u64)
        requires
            self.small(),
        ensures
            a == self.area_of(),
    ;
}

struct Square {
    side: u32,
}

struct Rectangle {
    width: u32,
    height: u32,
}

impl Shape for Square {
    spec fn area_of(&self) -> nat {
        (self.side * self.side) as nat
    }

    spec fn small(&self) -> bool {
        self.side <= 1000
    }

    fn area(&self) -> (a: u64) {
        let side = self.side as u64;
        assert(side * side <= 1_000_000) by (nonlinear_arith)
            requires
                0 <= side <= 1000,
        ;
        side * side
    }
}

impl Shape for Rectangle {
    spec fn area_of(&self) -> nat {
        (self.width * self.height) as nat
    }

    spec fn small(&self) -> bool {
        self.width <= 1000 && self.height <= 1000
    }

    fn area(&self) -> (a: u64) {
        let width = self.width as u64;
        let height = self.height as u64;
        assert(width * height <= 1_000_000) by (nonlinear_arith)
            requires
                0 <= width <= 1000,
                0 <= height <= 1000,
        ;
        width * height
    }
}

fn main() {
}

} // verus!
