"""The one way past the triggers: who can use it, how long, and what it leaves."""

import threading

import pytest
from django.db import IntegrityError, connection, connections, transaction

from annotation.models import Guideline
from config.erasure import NO_ROW, open_erasure
from config.models import Erasure

pytestmark = [pytest.mark.quick, pytest.mark.both]


@pytest.fixture
def guideline(make_study):
    return make_study().guidelines.get()


@pytest.mark.django_db
def test_frozen_rows_can_be_deleted_only_while_an_erasure_is_open(guideline, make_study):
    with open_erasure("study:1") as erased:
        assert erased.empty(Guideline.objects.filter(pk=guideline.pk), text="") == 1
        assert erased.delete(Guideline.objects.filter(study__slug="study")) == 1
        assert erased.delete(Guideline.objects.filter(study__slug="study")) == 0
    assert not Guideline.objects.exists()
    erasure = Erasure.objects.get()
    counts = {"deleted annotation.Guideline": 1, "emptied annotation.Guideline": 1}
    assert (erasure.scope, erasure.counts, erasure.open_id) == ("study:1", counts, None)
    make_study("second")
    with pytest.raises(IntegrityError), transaction.atomic():
        Guideline.objects.all().delete()


@pytest.mark.django_db
def test_an_erasure_that_fails_deletes_nothing_and_leaves_no_trace(guideline):
    def fail_half_way():
        with open_erasure("study:1"):
            Guideline.objects.all().delete()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert Guideline.objects.exists()
    assert not Erasure.objects.exists()


@pytest.mark.django_db
def test_an_erasure_is_itself_never_changed_or_deleted_not_even_by_another_one():
    with open_erasure("study:1"):
        pass
    for change in (
        lambda: Erasure.objects.update(scope="study:2"),
        lambda: Erasure.objects.update(open=NO_ROW),
        lambda: Erasure.objects.all().delete(),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            change()
        with pytest.raises(IntegrityError), open_erasure("study:2"):
            change()
    assert Erasure.objects.get().scope == "study:1"


@pytest.mark.django_db
def test_an_erasure_cannot_point_at_a_row_that_would_let_it_be_committed_open():
    with open_erasure("study:1"):
        pass
    for row in (Erasure(open_id=Erasure.objects.get().pk, scope="x"), Erasure(pk=NO_ROW, scope="x")):
        with pytest.raises(IntegrityError), transaction.atomic():
            row.save(force_insert=True)


@pytest.mark.django_db(transaction=True)
def test_an_open_erasure_cannot_be_committed(guideline):
    def forget_to_close():
        with transaction.atomic():
            Erasure.objects.create(scope="forgotten", open_id=NO_ROW)
            Guideline.objects.all().delete()

    with pytest.raises(IntegrityError):
        forget_to_close()
    assert Guideline.objects.exists()
    assert not Erasure.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_open_erasure_of_one_connection_lets_no_other_delete(guideline):
    """On PostgreSQL the other delete is refused at once; on SQLite it first waits for the one write lock."""
    tried, refused = threading.Event(), []

    def delete_from_another_connection():
        tried.set()
        try:
            Guideline.objects.filter(pk=guideline.pk).delete()
        except IntegrityError as problem:
            refused.append(str(problem))
        finally:
            connections.close_all()

    other = threading.Thread(target=delete_from_another_connection)
    with open_erasure("study:1"):
        assert Erasure.objects.filter(open=NO_ROW).exists()
        other.start()
        tried.wait()
        if connection.vendor == "postgresql":
            other.join(30)
            assert len(refused) == 1
    other.join(30)
    assert len(refused) == 1
    assert "is kept" in refused[0]
    assert Guideline.objects.filter(pk=guideline.pk).exists()
