"""Imported annotations: their ratings, their revisions, and which are refused."""

import pytest

from annotation.models import Annotation, Rating, Slot
from files.reading import annotation_import, import_study
from tests.files.reading.conftest import ANNOTATION, only_problem, problems_of

pytestmark = pytest.mark.django_db


def test_annotations_bring_their_ratings_and_only_the_latest_submitted_ones_are_current(folder):
    revisions = [
        ANNOTATION,
        {**ANNOTATION, "revision": 2, "answers": {"follows": True, "how_well": 5}},
        {**ANNOTATION, "rater": "bob"},
        {**ANNOTATION, "rater": "bob", "revision": 2, "status": "skipped", "answers": {}, "reason": "broken"},
    ]
    import_study(folder(annotations=revisions[:1]))
    import_study(folder(annotations=revisions))
    current = Rating.objects.filter(is_current=True).order_by("question__position")
    assert list(current.values_list("rater__name", "question__key", "number")) == [
        ("ann", "follows", 1.0),
        ("ann", "how_well", 5.0),
    ]
    assert Rating.objects.count() == 6
    assert list(Annotation.objects.order_by("rater__name", "revision").values_list("is_current", flat=True)) == [
        False, True, False, True,
    ]  # fmt: skip
    assert not Slot.objects.exists()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"answers": {"follows": True}}, "answers.how_well"),
        ({"answers": {"follows": False, "how_well": 4}}, "answers.how_well"),
        ({"answers": {"follows": "yes"}}, "answers.follows"),
        ({"answers": {"colour": 1, "follows": False}}, "answers.colour"),
        ({"status": "done"}, "status"),
        ({"revision": 0}, "revision"),
        ({"outputs": ["north", "south"], "status": "skipped"}, "outputs"),
        ({"outputs": ["west"]}, "outputs"),
        ({"shown": ["south"]}, "shown"),
        ({"client_key": "x"}, '"client_key"'),
        ({"revision": 3}, "revision"),
        ({"tool_use": {"step": "x"}}, "tool_use.step"),
        ({"tool_use": {"step": -1}}, "tool_use.step"),
        ({"tool_use": {"step": True}}, "tool_use.step"),
        ({"tool_use": {"step": None}}, "tool_use.step"),
        ({"protocol_version": 99}, "protocol_version"),
    ],
)
def test_an_annotation_that_the_form_would_refuse_is_refused(folder, change, field):
    assert only_problem(folder(annotations=[{**ANNOTATION, **change}]))[1] == field


def test_revisions_may_come_in_any_order_but_none_may_be_missing(folder, monkeypatch):
    monkeypatch.setattr(annotation_import.AnnotationImport, "batch_size", 2)
    one, two, three, four = ({**ANNOTATION, "revision": number} for number in (1, 2, 3, 4))
    [(line, field, reason)] = problems_of(folder(annotations=[three, four, one, {**one, "rater": "bob"}]))
    assert (line, field) == (3, "revision")
    assert "revision 2" in reason
    import_study(folder(annotations=[three, two, {**one, "rater": "bob"}, one]))
    import_study(folder(annotations=[four]))
    assert Annotation.objects.filter(rater__name="ann").count() == 4
    assert Annotation.objects.get(rater__name="ann", is_current=True).revision == 4


def test_an_existing_revision_with_other_answers_is_refused(folder):
    import_study(folder(annotations=[ANNOTATION]))
    changed = {**ANNOTATION, "answers": {"follows": True, "how_well": 1}}
    [(line, field, reason)] = problems_of(folder(annotations=[changed]))
    assert (line, field) == (1, "revision")
    assert "is different" in reason
