// difficulty: 3
// The sum of a concatenation is the sum of the sums.
function Sum(s: seq<int>): int
{
  if s == [] then 0 else s[0] + Sum(s[1..])
}

lemma SumOfConcatenation(s: seq<int>, t: seq<int>)
  ensures Sum(s + t) == Sum(s) + Sum(t)
{
  if s == [] {
    assert s + t == t;
  } else {
    assert (s + t)[1..] == s[1..] + t;
    SumOfConcatenation(s[1..], t);
  }
}

method SumTwo(s: seq<int>, t: seq<int>) returns (sum: int)
  ensures sum == Sum(s + t)
{
  sum := 0;
  var i := |t|;
  while i > 0
    invariant 0 <= i <= |t|
    invariant sum == Sum(t[i..])
  {
    i := i - 1;
    sum := sum + t[i];
    assert t[i..][1..] == t[i + 1..];
  }
  assert t[0..] == t;
  var j := |s|;
  while j > 0
    invariant 0 <= j <= |s|
    invariant sum == Sum(s[j..]) + Sum(t)
  {
    j := j - 1;
    sum := sum + s[j];
    assert s[j..][1..] == s[j + 1..];
  }
  assert s[0..] == s;
  SumOfConcatenation(s, t);
}
