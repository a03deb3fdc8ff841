"""How long metrics take on many outputs with one reference each: `python -m benchmarks.metrics [OUTPUTS WORDS]`.

Outputs have about so many words in sentences of about 15, drawn as words of a language are: few are frequent. The
package rouge-score scores a sample of the same texts, for comparison, and its values must be the same.
"""

import os
import random
import resource
import sys
import time

import django
from rouge_score import rouge_scorer

SAMPLE = 500
VOCABULARY = 8000
SENTENCE = 15


def texts(number: int, words: int, seed: int) -> list[str]:
    """Return texts of `words` words give or take a third, one sentence per line in every second text."""
    drawn = random.Random(seed)
    vocabulary = [f"word{place}" for place in range(VOCABULARY)]
    weights = [1 / (place + 3) for place in range(VOCABULARY)]
    found = []
    for place in range(number):
        chosen = drawn.choices(vocabulary, weights, k=round(words * drawn.uniform(2 / 3, 4 / 3)))
        sentences = [" ".join(chosen[start : start + SENTENCE]) + "." for start in range(0, len(chosen), SENTENCE)]
        found.append(("\n" if place % 2 else " ").join(sentences))
    return found


def main() -> None:
    from judges.metrics import MetricInput, metrics

    number, words = (int(given) for given in (sys.argv[1:] or ("60000", "100")))
    outputs, references = texts(number, words, 1), texts(number, words, 2)
    inputs = [
        MetricInput(output, references=(reference,)) for output, reference in zip(outputs, references, strict=True)
    ]
    print(f"{number} outputs of about {words} words, one reference each; one process")
    for key, options in (
        ("words", {}),
        ("sentences", {}),
        ("rouge", {}),
        ("rouge", {"stemming": True}),
        ("rouge", {"sentences": "splitter"}),
    ):
        start, used = time.perf_counter(), time.process_time()
        found = metrics()[key].scores(inputs, options)
        seconds, used = time.perf_counter() - start, time.process_time() - used
        mean = sum(one.value for one in found) / number
        print(f"{key:10} {options!s:28} {seconds:8.2f} s, {used:8.2f} s of processor   mean {mean:.4f}")
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeLsum"])
    start = time.process_time()
    theirs = [scorer.score(references[place], outputs[place])["rougeLsum"].fmeasure for place in range(SAMPLE)]
    seconds = (time.process_time() - start) * number / SAMPLE
    ours = metrics()["rouge"].scores(inputs[:SAMPLE], {"variant": "rougeLsum"})
    differing = sum(one.value != other for one, other in zip(ours, theirs, strict=True))
    print(f"rouge-score alone, from a sample of {SAMPLE}: {seconds:8.2f} s of processor; {differing} values differ")
    print(f"highest resident size {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    main()
