// difficulty: 1
// A string without the blanks in front.
method TrimLeft(s: string) returns (t: string, blanks: nat)
  ensures blanks <= |s| && t == s[blanks..]
  ensures forall k :: 0 <= k < blanks ==> s[k] == ' '
  ensures t != "" ==> t[0] != ' '
{
  blanks := 0;
  while blanks < |s| && s[blanks] == ' '
    invariant 0 <= blanks <= |s|
    invariant forall k :: 0 <= k < blanks ==> s[k] == ' '
  {
    blanks := blanks + 1;
  }
  t := s[blanks..];
}
