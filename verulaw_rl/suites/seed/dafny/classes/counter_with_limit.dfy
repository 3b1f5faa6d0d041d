// difficulty: 2
// A counter that stays within its limit.
class Counter {
  var value: nat
  var limit: nat

  constructor(max: nat)
    ensures value == 0 && limit == max
  {
    value := 0;
    limit := max;
  }

  method Advance(steps: nat) returns (done: nat)
    requires value <= limit
    modifies this
    ensures limit == old(limit)
    ensures value == old(value) + done <= limit
    ensures done < steps ==> value == limit
    ensures done <= steps
  {
    done := 0;
    while done < steps && value < limit
      invariant limit == old(limit)
      invariant value == old(value) + done <= limit
      invariant done <= steps
      decreases steps - done
    {
      value := value + 1;
      done := done + 1;
    }
  }
}
