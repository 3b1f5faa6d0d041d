// difficulty: 1
// Position of a key in an array, or -1.
method LinearSearch(a: array<int>, key: int) returns (pos: int)
  ensures -1 <= pos < a.Length
  ensures pos >= 0 ==> a[pos] == key
  ensures pos == -1 ==> forall k :: 0 <= k < a.Length ==> a[k] != key
{
  pos := 0;
  while pos < a.Length
    invariant 0 <= pos <= a.Length
    invariant forall k :: 0 <= k < pos ==> a[k] != key
  {
    if a[pos] == key {
      return pos;
    }
    pos := pos + 1;
  }
  pos := -1;
}
