"""Random damage to programs, for tests that nothing raises, hangs or loses text."""

import random
from collections.abc import Sequence


def mutate(source: str, rng: random.Random, fragments: Sequence[str]) -> str:
    """The source with a few cuts, insertions, repetitions and lost lines."""
    for _ in range(rng.choice([1, 1, 1, 2, 5, 20])):
        at, other = rng.randrange(len(source) + 1), rng.randrange(len(source) + 1)
        match rng.randrange(6):
            case 0:
                source = source[:at] + source[at + rng.randrange(1, 30) :]
            case 1:
                source = f"{source[:at]} {rng.choice(fragments)} {source[at:]}"
            case 2:
                source = source[:at] + rng.choice(fragments) * rng.randrange(1, 100) + source[at:]
            case 3:
                source = source[:at]
            case 4:
                source = source[:at] + source[other : other + rng.randrange(200)] + source[at:]
            case _:
                lines = source.split("\n")
                first = rng.randrange(len(lines))
                del lines[first : first + rng.randrange(1, 4)]
                source = "\n".join(lines)
    return source
