// difficulty: 3
// Two different positions of a sorted array whose elements add up to a target.
method PairWithSum(a: array<int>, target: int) returns (found: bool, left: nat, right: nat)
  requires forall i, j :: 0 <= i < j < a.Length ==> a[i] <= a[j]
  ensures found ==> left < right < a.Length && a[left] + a[right] == target
  ensures !found ==> forall i, j :: 0 <= i < j < a.Length ==> a[i] + a[j] != target
{
  left, right := 0, 0;
  if a.Length < 2 {
    return false, 0, 0;
  }
  var hi := a.Length - 1;
  while left < hi
    invariant 0 <= left <= hi < a.Length
    invariant forall i, j :: 0 <= i < left && i < j < a.Length ==> a[i] + a[j] != target
    invariant forall i, j :: 0 <= i < j && hi < j < a.Length ==> a[i] + a[j] != target
    decreases hi - left
  {
    var sum := a[left] + a[hi];
    if sum == target {
      return true, left, hi;
    } else if sum < target {
      left := left + 1;
    } else {
      hi := hi - 1;
    }
  }
  return false, 0, 0;
}
