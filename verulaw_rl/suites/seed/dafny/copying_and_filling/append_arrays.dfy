// difficulty: 2
// Concatenation of two arrays into a new one.
method Append(a: array<int>, b: array<int>) returns (c: array<int>)
  ensures c.Length == a.Length + b.Length
  ensures c[..] == a[..] + b[..]
{
  c := new int[a.Length + b.Length];
  var i := 0;
  while i < a.Length
    invariant 0 <= i <= a.Length
    invariant c[..i] == a[..i]
  {
    c[i] := a[i];
    i := i + 1;
  }
  var j := 0;
  while j < b.Length
    invariant 0 <= j <= b.Length
    invariant c[..a.Length] == a[..]
    invariant c[a.Length..a.Length + j] == b[..j]
  {
    c[a.Length + j] := b[j];
    j := j + 1;
  }
  assert c[..] == c[..a.Length] + c[a.Length..];
}
