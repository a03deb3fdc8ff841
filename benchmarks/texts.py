"""How long the text figures of many turns take: `python -m benchmarks.texts [TURNS WORDS]`."""

import random
import sys
import time

from agreement.turns.turn_figures import TurnRow, text_figures


def turns(number: int, words: int) -> list[TurnRow]:
    """Return turns with answers of this many words, of which a random third is replaced."""
    drawn = random.Random(1)
    vocabulary = [f"word{n}" for n in range(3000)]
    rows = []
    for turn in range(number):
        source = [drawn.choice(vocabulary) for _ in range(words)]
        target = [word if drawn.random() < 2 / 3 else drawn.choice(vocabulary) for word in source]
        rows.append(TurnRow("s", "m", turn + 1, "style", "good", "Make it so", " ".join(source), " ".join(target)))
    return rows


if __name__ == "__main__":
    number, words = (int(given) for given in (sys.argv[1:] or ("5000", "600")))
    rows = turns(number, words)
    start = time.perf_counter()
    figures = text_figures(rows)
    print(f"{number} turns of {words} words: {time.perf_counter() - start:.2f} s, {figures['total']['edit_distance']}")
