import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, OutputScores


@pytest.fixture
def outputs_of():
    """Build `Outputs` with all systems on all items, or on those with a true entry in `there` (items, systems)."""

    def build(items, systems, lengths=None, there=None):
        names = tuple("abcdefghijklmnop"[:systems])
        item, system = np.repeat(np.arange(items), systems), np.tile(np.arange(systems), items)
        keep = np.ones(item.size, dtype=bool) if there is None else np.asarray(there).ravel()
        length = np.ones(item.size) if lengths is None else np.asarray(lengths, dtype=float)
        return Outputs(item[keep], system[keep], length[keep], names, items)

    return build


@pytest.fixture
def scores_of():
    """Build `OutputScores` from rows (output, rater, value)."""

    def build(rows):
        output, rater, value = zip(*rows, strict=True) if rows else ((), (), ())
        names = tuple(sorted(set(rater)))
        codes = np.array([names.index(name) for name in rater], dtype=np.int64)
        return OutputScores(np.array(output, dtype=np.int64), codes, np.array(value, dtype=float), names)

    return build


@pytest.fixture
def chosen():
    """Build `OutputChoices` from rows (shown first, shown second, rater, winner or None), outputs as codes.

    A fifth entry, False, says that the order is not known.
    """

    def build(rows):
        names = tuple(sorted({row[2] for row in rows}))
        columns = np.zeros((len(rows), 5), dtype=np.int64)
        for place, (shown, other, rater, winner, *known) in enumerate(rows):
            first, second = sorted((shown, other))
            choice = TIE if winner is None else FIRST if winner == first else SECOND
            order = UNKNOWN if known == [False] else FIRST if shown == first else SECOND
            columns[place] = first, second, names.index(rater), choice, order
        return OutputChoices(*columns.T, names)

    return build


@pytest.fixture
def random_choices():
    """Draw `count` choices of `raters` about random pairs of outputs of one item."""

    def draw(rng, outputs, count, raters=3):
        one = rng.integers(0, outputs.size, count)
        other = rng.integers(0, outputs.size, count)
        good = (outputs.item[one] == outputs.item[other]) & (one != other)
        first, second = np.minimum(one, other)[good], np.maximum(one, other)[good]
        n = first.size
        names = tuple(f"r{number}" for number in range(raters))
        return OutputChoices(
            first, second, rng.integers(0, raters, n), rng.integers(0, 3, n), rng.integers(-1, 2, n), names
        )

    return draw
