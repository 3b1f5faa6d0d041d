// difficulty: 1
use vstd::prelude::*;

verus! {

#[derive(Clone, Copy)]
struct Point {
    x: i32,
    y: i32,
}

spec fn left_of(a: Point, b: Point) -> bool {
    a.x < b.x
}

fn leftmost(points: &Vec<Point>) -> (best: usize)
    requires
        points.len() > 0,
    ensures
        best < points.len(),
        forall|k: int| 0 <= k < points.len() ==> !left_of(points[k], points[best as int]),
{
    let mut best: usize = 0;
    let mut i: usize = 1;
    while i < points.len()
        invariant
            best < i <= points.len(),
            forall|k: int| 0 <= k < i ==> !left_of(points[k], points[best as int]),
        decreases points.len() - i,
    {
        if points[i].x < points[best].x {
            best = i;
        }
        i = i + 1;
    }
    best
}

fn main() {
}

} // verus!
