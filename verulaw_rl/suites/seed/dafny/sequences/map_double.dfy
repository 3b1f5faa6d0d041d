// difficulty: 1
// Every element doubled.
method DoubleAll(s: seq<int>) returns (d: seq<int>)
  ensures |d| == |s|
  ensures forall k :: 0 <= k < |s| ==> d[k] == 2 * s[k]
{
  d := [];
  while |d| < |s|
    invariant |d| <= |s|
    invariant forall k :: 0 <= k < |d| ==> d[k] == 2 * s[k]
    decreases |s| - |d|
  {
    d := d + [2 * s[|d|]];
  }
}
