// difficulty: 3
// Reversing twice gives the sequence back.
function Rev(s: seq<int>): seq<int>
{
  if s == [] then [] else Rev(s[1..]) + [s[0]]
}

lemma RevAppend(s: seq<int>, x: int)
  ensures Rev(s + [x]) == [x] + Rev(s)
{
  if s == [] {
    assert s + [x] == [x];
  } else {
    calc {
      Rev(s + [x]);
      { assert (s + [x])[1..] == s[1..] + [x]; }
      Rev(s[1..] + [x]) + [s[0]];
      { RevAppend(s[1..], x); }
      [x] + Rev(s[1..]) + [s[0]];
      [x] + (Rev(s[1..]) + [s[0]]);
      [x] + Rev(s);
    }
  }
}

lemma RevTwice(s: seq<int>)
  ensures Rev(Rev(s)) == s
{
  if s != [] {
    RevAppend(Rev(s[1..]), s[0]);
    RevTwice(s[1..]);
  }
}
