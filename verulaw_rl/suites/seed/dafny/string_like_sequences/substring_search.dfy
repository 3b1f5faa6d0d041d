// difficulty: 3
// First place at which a pattern occurs in a text.
method FindSubstring(text: string, pattern: string) returns (at: int)
  ensures at == -1 || (0 <= at <= |text| - |pattern| && text[at..at + |pattern|] == pattern)
  ensures at == -1 ==> forall k :: 0 <= k <= |text| - |pattern| ==> text[k..k + |pattern|] != pattern
  ensures forall k :: 0 <= k < at ==> text[k..k + |pattern|] != pattern
{
  at := 0;
  while at + |pattern| <= |text|
    invariant 0 <= at
    invariant forall k :: 0 <= k < at && k + |pattern| <= |text| ==> text[k..k + |pattern|] != pattern
    decreases |text| - at
  {
    var j := 0;
    while j < |pattern| && text[at + j] == pattern[j]
      invariant 0 <= j <= |pattern|
      invariant text[at..at + j] == pattern[..j]
    {
      assert text[at..at + j + 1] == text[at..at + j] + [text[at + j]];
      j := j + 1;
    }
    if j == |pattern| {
      assert pattern[..j] == pattern;
      return;
    }
    assert text[at..at + |pattern|][j] != pattern[j];
    at := at + 1;
  }
  at := -1;
}
