# difficulty: 1
from nagini_contracts.contracts import *


def multiply(a: int, b: int) -> int:
    Requires(b >= 0)
    Ensures(Result() == a * b)
    product = 0
    i = 0
    while i < b:
        Invariant(0 <= i and i <= b)
        Invariant(product == a * i)
        product = product + a
        i = i + 1
    return product
