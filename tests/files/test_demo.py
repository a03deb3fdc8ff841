"""The demo starts with answers, a fifth left open; a second start changes nothing; without answers if asked for."""

import pytest
from django.core.management import call_command

from accounts.models import Person
from annotation.models import Annotation, Rating, Slot, Study

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]
ANSWERED = ("demo-listwise", "demo-pairwise", "demo-rating")


def start(tmp_path, **options):
    call_command("demo", links=str(tmp_path / "links.txt"), **options)


def values():
    ratings = Rating.objects.order_by("study__slug", "item__key", "rater__person", "question__key", "output__key")
    return list(ratings.values_list("item__key", "rater__person__username", "question__key", "value"))


def test_a_fifth_of_the_places_is_left_open_and_the_rest_is_answered(tmp_path):
    start(tmp_path)
    for study in Study.objects.filter(slug__in=ANSWERED):
        slots = Slot.objects.filter(study=study)
        filled = slots.filter(state="filled").count()
        assert filled == int(slots.count() * 4 / 5) > 0
        assert not slots.filter(state="held").exists()
        assert Annotation.objects.filter(rater__study=study).count() == filled
    before = values()
    start(tmp_path)
    assert values() == before


def test_without_answers_there_are_none(tmp_path):
    start(tmp_path, empty=True)
    assert Study.objects.filter(slug__in=ANSWERED, status="live").count() == 3
    assert not Annotation.objects.exists()


def test_the_researcher_may_enter_the_admin_and_nobody_else(tmp_path):
    start(tmp_path, empty=True)
    assert list(Person.objects.filter(is_staff=True).values_list("username", "is_superuser")) == [
        ("demo-researcher", False)
    ]


def test_an_operator_needs_no_e_mail_address(monkeypatch):
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "a long enough password")
    call_command("createsuperuser", username="operator", interactive=False)
    assert Person.objects.get(username="operator").is_superuser
