"""Rules about the shape of ratings: that each fits its question."""

from collections.abc import Iterator

from annotation.models import Question
from annotation.questions import question_types
from operating.data_check import DataCheck, Row, sql_check, sql_rows

WRONG = (
    "SELECT r.id, r.question_id, r.level FROM annotation_rating r "
    "WHERE r.question_id = %s AND r.annotation_id IS NOT NULL AND r.level <> %s"
)


def wrong_levels() -> Iterator[Row]:
    """Ratings of people in another level of measurement than that of their question's type."""
    types = question_types()
    for pk, kind in Question.objects.order_by("pk").values_list("pk", "type"):
        if kind in types:
            yield from sql_rows(WRONG, [pk, types[kind].level])


CHECKS = (
    DataCheck("ratings_of_another_level", "A rating does not have the level of its question.", wrong_levels),
    sql_check(
        "ratings_without_number",
        "A rating on a scale has no number.",
        "SELECT id, question_id, level FROM annotation_rating WHERE annotation_id IS NOT NULL "
        "AND level IN ('ordinal', 'interval') AND number IS NULL",
    ),
    sql_check(
        "choices_without_pair",
        "A choice between two outputs names no pair of them.",
        "SELECT id, question_id FROM annotation_rating WHERE annotation_id IS NOT NULL AND level = 'choice' "
        "AND other_output_id IS NULL",
    ),
)
