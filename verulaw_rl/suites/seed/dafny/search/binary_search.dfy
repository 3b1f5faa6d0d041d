// difficulty: 2
// Binary search in a sorted array.
predicate Ascending(a: array<int>)
  reads a
{
  forall i, j :: 0 <= i < j < a.Length ==> a[i] <= a[j]
}

method BinarySearch(a: array<int>, key: int) returns (found: bool, pos: nat)
  requires Ascending(a)
  ensures found ==> pos < a.Length && a[pos] == key
  ensures !found ==> forall k :: 0 <= k < a.Length ==> a[k] != key
{
  var lo, hi := 0, a.Length;
  while lo < hi
    invariant 0 <= lo <= hi <= a.Length
    invariant forall k :: 0 <= k < lo ==> a[k] < key
    invariant forall k :: hi <= k < a.Length ==> key < a[k]
    decreases hi - lo
  {
    var mid := (lo + hi) / 2;
    if a[mid] < key {
      lo := mid + 1;
    } else if key < a[mid] {
      hi := mid;
    } else {
      return true, mid;
    }
  }
  return false, 0;
}
