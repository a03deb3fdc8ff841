import pytest

from agreement.data import collect


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
