// difficulty: 2
// Counts of small numbers kept in an array of the object.
class Histogram {
  var counts: array<nat>

  constructor(n: nat)
    ensures fresh(counts) && counts.Length == n
    ensures forall k :: 0 <= k < n ==> counts[k] == 0
  {
    counts := new nat[n];
    new;
    var i := 0;
    while i < n
      invariant 0 <= i <= n
      invariant fresh(counts) && counts.Length == n
      invariant forall k :: 0 <= k < i ==> counts[k] == 0
    {
      counts[i] := 0;
      i := i + 1;
    }
  }

  method Largest() returns (most: nat)
    requires counts.Length > 0
    ensures most < counts.Length
    ensures forall k :: 0 <= k < counts.Length ==> counts[k] <= counts[most]
  {
    most := 0;
    var i := 1;
    while i < counts.Length
      invariant 1 <= i <= counts.Length
      invariant most < counts.Length
      invariant forall k :: 0 <= k < i ==> counts[k] <= counts[most]
    {
      if counts[i] > counts[most] {
        most := i;
      }
      i := i + 1;
    }
  }
}
