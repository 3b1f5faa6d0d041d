// difficulty: 2
// Posting a list of movements to an account that refuses to go below zero.
class Account {
  var balance: int
  var refused: nat

  constructor()
    ensures balance == 0 && refused == 0
  {
    balance := 0;
    refused := 0;
  }

  method Post(movements: seq<int>)
    requires balance >= 0
    modifies this
    ensures balance >= 0
    ensures refused >= old(refused)
    ensures refused <= old(refused) + |movements|
    ensures (forall k :: 0 <= k < |movements| ==> movements[k] >= 0) ==> refused == old(refused)
  {
    var i := 0;
    while i < |movements|
      invariant 0 <= i <= |movements|
      invariant balance >= 0
      invariant old(refused) <= refused <= old(refused) + i
      invariant (forall k :: 0 <= k < i ==> movements[k] >= 0) ==> refused == old(refused)
    {
      if balance + movements[i] >= 0 {
        balance := balance + movements[i];
      } else {
        refused := refused + 1;
      }
      i := i + 1;
    }
  }
}
