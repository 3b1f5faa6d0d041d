// difficulty: 2
// The even and the odd elements apart; nothing gets lost.
method SplitByParity(s: seq<int>) returns (even: seq<int>, odd: seq<int>)
  ensures forall k :: 0 <= k < |even| ==> even[k] % 2 == 0
  ensures forall k :: 0 <= k < |odd| ==> odd[k] % 2 == 1
  ensures multiset(s) == multiset(even) + multiset(odd)
{
  even, odd := [], [];
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant forall k :: 0 <= k < |even| ==> even[k] % 2 == 0
    invariant forall k :: 0 <= k < |odd| ==> odd[k] % 2 == 1
    invariant multiset(s[..i]) == multiset(even) + multiset(odd)
  {
    assert s[..i + 1] == s[..i] + [s[i]];
    if s[i] % 2 == 0 {
      even := even + [s[i]];
    } else {
      odd := odd + [s[i]];
    }
    i := i + 1;
  }
  assert s[..i] == s;
}
