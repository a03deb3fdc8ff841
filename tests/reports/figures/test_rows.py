"""From rating rows to arrays: the selection, order and codes of rows."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from annotation.models import Output, Question, Rater, Rating
from reports.figures import rows
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.value_rows import ratings

pytestmark = [pytest.mark.quick, pytest.mark.django_db]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def rate(make_study):
    """A function that adds a rating of the n-th output; the study has two items of three outputs each."""
    study = make_study()
    outputs = list(Output.objects.order_by("pk"))

    def add(rater, output, value, question="how_well", **more):
        kind = more.pop("kind", "human")
        made, _ = Rater.objects.update_or_create(study=study, name=rater, defaults={"kind": kind})
        return Rating.objects.create(
            study=study, question=study.questions.get(key=question), rater=made, item=outputs[output].item,
            output=outputs[output], level="interval", value=value,
            number=value if isinstance(value, int | float) else None, **more,
        )  # fmt: skip

    add.study = study
    return add


def read(rate, question="how_well", **choice):
    return ratings(RatedItems(rate.study), rate.study.questions.get(key=question), rows.Choice(**choice))


def test_codes_are_in_the_order_of_import_and_of_names(rate):
    rate("zoe", 4, 2)
    rate("ann", 0, 5)
    rate("ann", 4, 3)
    read_ratings = read(rate)
    assert read_ratings.raters == ("ann", "zoe")
    assert read_ratings.systems == ("system-north", "system-south")
    assert read_ratings.value.tolist() == [2, 5, 3]
    assert read_ratings.rater.tolist() == [1, 0, 0]
    assert read_ratings.unit.tolist() == [1, 0, 1]
    assert read_ratings.item.tolist() == [0, 1]
    assert read_ratings.system.tolist() == [0, 1]


def test_only_people_count_unless_other_raters_are_chosen(rate):
    rate("ann", 0, 5)
    rate("judge", 0, 3.5, kind="model")
    assert read(rate).value.tolist() == [5]
    assert read(rate, kinds=frozenset({"human", "model"})).value.tolist() == [5, 3.5]


def test_the_latest_repeat_counts_in_whatever_order_rows_are(rate):
    rate("ann", 0, 1, submitted_at=NOON + timedelta(hours=1))
    rate("ann", 0, 2, submitted_at=NOON)
    rate("ann", 0, 3, ordinal=1)
    rate("ann", 0, 4)
    assert read(rate).value.tolist() == [4, 3, 2, 1]
    assert read(rate).latest().value.tolist() == [1]


def test_answers_that_were_revised_are_not_read(rate):
    rate("ann", 0, 1, is_current=False)
    rate("ann", 0, 2)
    assert read(rate).value.tolist() == [2]


def test_no_ratings_are_empty_arrays(rate):
    assert read(rate).value.size == 0


def test_a_rating_of_a_whole_task_has_no_system(rate):
    rating = rate("ann", 0, 1)
    Rating.objects.create(
        study=rate.study, question=rating.question, rater=rating.rater, item=rating.item, level="interval", value=2,
        number=2,
    )  # fmt: skip
    made = read(rate)
    assert made.system[made.unit].tolist() == [0, -1]
    assert made.item[made.unit].tolist() == [0, 0]


def test_categories_are_codes_into_their_sorted_names(rate):
    Question.objects.create(
        study=rate.study, position=9, key="kind", type="category", spec={"choices": ["news", "mail"], "multiple": True}
    )
    for output, value in enumerate(["news", "mail", "news", ["mail", "news"]]):
        rate("ann", output, value, "kind")
    made = read(rate, "kind")
    assert made.categories == ('["mail","news"]', "mail", "news")
    assert [made.categories[code] for code in made.value.astype(int)] == ["news", "mail", "news", '["mail","news"]']


def test_guidelines_versions_are_separate_unless_pooled(rate):
    rate("ann", 0, 1)
    rate("ann", 1, 2, guidelines_version=1)
    rate("ann", 2, 3, guidelines_version=2)
    rate("judge", 0, 4, kind="model")
    assert rows.versions(rate.study, rows.Choice()) == {None: 1, 1: 1, 2: 1}
    assert read(rate, version=2).value.tolist() == [3]
    assert read(rate).value.tolist() == [1]
    assert read(rate, pooled=True).value.tolist() == [1, 2, 3]
    both = read(rate, version=2, kinds=frozenset({"human", "model"}))
    assert np.sort(both.value).tolist() == [3, 4]
