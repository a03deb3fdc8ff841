import pytest

from agreement.arrays.pair_choices import collect_choices
from agreement.arrays.rankings import collect_rankings
from agreement.arrays.rating_arrays import collect


@pytest.fixture
def ratings_of():
    """Build `Ratings` from {(item, output): {rater: value}} or from rows (item, output, rater, value)."""

    def build(given, categories=()):
        rows = given
        if isinstance(given, dict):
            rows = [
                (item, output, rater, value)
                for (item, output), answers in given.items()
                for rater, value in answers.items()
            ]
        items, outputs, raters, values = zip(*rows, strict=True) if rows else ((), (), (), ())
        return collect(items, outputs, raters, values, categories)

    return build


@pytest.fixture
def choices_of():
    """Build `PairChoices` from rows (item, output, output, rater, winner or None); the first output is shown first."""

    def build(rows, lengths=None):
        items, first, second, raters, winners = zip(*rows, strict=True) if rows else ((), (), (), (), ())
        return collect_choices(items, list(zip(first, second, strict=True)), raters, winners, first, lengths)

    return build


@pytest.fixture
def rankings_of():
    """Build `Rankings` from rows (item, rater, {output: rank}); outputs are shown in the order given."""

    def build(rows, lengths=None):
        items, raters, ranks = zip(*rows, strict=True) if rows else ((), (), ())
        return collect_rankings(items, raters, ranks, [list(given) for given in ranks], lengths)

    return build
