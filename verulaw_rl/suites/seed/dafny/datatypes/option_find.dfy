// difficulty: 2
// First even element as an option.
datatype Option = None | Some(value: int)

method FirstEven(s: seq<int>) returns (r: Option)
  ensures r.Some? ==> r.value in s && r.value % 2 == 0
  ensures r.None? <==> forall k :: 0 <= k < |s| ==> s[k] % 2 != 0
{
  r := None;
  var i := 0;
  while i < |s|
    invariant 0 <= i <= |s|
    invariant r == None
    invariant forall k :: 0 <= k < i ==> s[k] % 2 != 0
  {
    if s[i] % 2 == 0 {
      r := Some(s[i]);
      return;
    }
    i := i + 1;
  }
}
