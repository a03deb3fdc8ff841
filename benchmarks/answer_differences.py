"""CPU seconds that word differences take for the longest answers allowed, in the worst known cases.

python -m benchmarks.answer_differences
"""

import random
import time
from collections.abc import Sequence

from sessions.comparing.word_diff import word_diff

LONGEST = 200_000
BEST_OF = 3


def _prose(words: int, seed: int) -> list[str]:
    """Return words of which few are frequent and many are rare, in sentences of fifteen words."""
    draw = random.Random(seed)
    drawn = (f"w{min(int(draw.paretovariate(0.8)), 20_000)}" for _ in range(words))
    return [f"{word}." if place % 15 == 14 else word for place, word in enumerate(drawn)]


def _edited(words: Sequence[str], share: float) -> list[str]:
    draw = random.Random(2)
    return [f"x{draw.randrange(5_000)}" if draw.random() < share else word for word in words]


def _filled(text: str) -> str:
    return (text * (LONGEST // len(text) + 1))[:LONGEST]


def _cjk(seed: int) -> str:
    draw = random.Random(seed)
    return "".join(chr(0x4E00 + draw.randrange(2_000)) for _ in range(LONGEST))


def cases() -> dict[str, tuple[str, str]]:
    """Return pairs of texts, by a description of each pair."""
    prose, repeated = _prose(46_000, 1), ["a"] * 3_000
    return {
        "prose of 600 words, a tenth replaced": (" ".join(prose[:600]), " ".join(_edited(prose[:600], 0.1))),
        "prose of 5,000 words, a tenth replaced": (" ".join(prose[:5000]), " ".join(_edited(prose[:5000], 0.1))),
        "prose of 30,000 words, a tenth replaced": (" ".join(prose[:30000]), " ".join(_edited(prose[:30000], 0.1))),
        "prose of 200,000 characters, another one": (" ".join(prose)[:LONGEST], " ".join(_prose(46_000, 7))[:LONGEST]),
        "3,000 times the same word, two edits": (" ".join(repeated), " ".join(_edited(repeated, 0.01))),
        "the same word, 100,000 times": (_filled("a "), _filled("b a a ")),
        "no word in common": (" ".join(f"a{n}" for n in range(30_000)), " ".join(f"b{n}" for n in range(30_000))),
        "one giant word": ("a" * LONGEST, "a" * (LONGEST - 1) + "b"),
        "Chinese, all different": (_cjk(1), _cjk(2)),
        "lines of one letter": (_filled("a\n"), _filled("b\n")),
        "full stops": (_filled(". "), _filled("! ")),
    }


def main() -> None:
    for name, (older, newer) in cases().items():
        seconds = []
        for _ in range(BEST_OF):
            start = time.process_time()
            found = word_diff(older, newer)
            seconds.append(time.process_time() - start)
        print(f"{name:42} {min(seconds):6.3f} s, {len(found.stretches):5} stretches")


if __name__ == "__main__":
    main()
