// difficulty: 3
// A number from its binary digits, most significant first.
function Value(bits: seq<bool>): nat
{
  if |bits| == 0 then 0
  else 2 * Value(bits[..|bits| - 1]) + (if bits[|bits| - 1] then 1 else 0)
}

function Pow2(n: nat): nat
{
  if n == 0 then 1 else 2 * Pow2(n - 1)
}

lemma ValueBound(bits: seq<bool>)
  ensures Value(bits) < Pow2(|bits|)
{
  if |bits| > 0 {
    ValueBound(bits[..|bits| - 1]);
  }
}

method Decode(bits: seq<bool>) returns (v: nat)
  ensures v == Value(bits)
  ensures v < Pow2(|bits|)
{
  v := 0;
  var i := 0;
  while i < |bits|
    invariant 0 <= i <= |bits|
    invariant v == Value(bits[..i])
  {
    assert bits[..i + 1][..i] == bits[..i];
    v := 2 * v + (if bits[i] then 1 else 0);
    i := i + 1;
  }
  assert bits[..i] == bits;
  ValueBound(bits);
}
