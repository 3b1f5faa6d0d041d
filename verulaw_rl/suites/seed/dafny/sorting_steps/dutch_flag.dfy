// difficulty: 3
// Sorting three colours in one pass.
datatype Colour = Red | White | Blue

method DutchFlag(a: array<Colour>) returns (r: nat, b: nat)
  modifies a
  ensures r <= b <= a.Length
  ensures forall k :: 0 <= k < r ==> a[k] == Red
  ensures forall k :: r <= k < b ==> a[k] == White
  ensures forall k :: b <= k < a.Length ==> a[k] == Blue
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  r, b := 0, a.Length;
  var w := 0;
  while w < b
    invariant 0 <= r <= w <= b <= a.Length
    invariant forall k :: 0 <= k < r ==> a[k] == Red
    invariant forall k :: r <= k < w ==> a[k] == White
    invariant forall k :: b <= k < a.Length ==> a[k] == Blue
    invariant multiset(a[..]) == multiset(old(a[..]))
    decreases b - w
  {
    match a[w] {
      case Red =>
        a[r], a[w] := a[w], a[r];
        r := r + 1;
        w := w + 1;
      case White =>
        w := w + 1;
      case Blue =>
        b := b - 1;
        a[w], a[b] := a[b], a[w];
    }
  }
}
