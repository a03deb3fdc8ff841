"""What an import stores, once and completely or not at all."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry
from annotation.conversations import MUST
from annotation.models import (
    Annotation,
    Guideline,
    Item,
    Membership,
    Output,
    Question,
    Rater,
    Rating,
    Slot,
    Study,
    Task,
)
from config.bulk_insert import insert_rows
from files.reading import ImportRefusedError, import_attempt, import_study
from tests.files.reading.conftest import ANNOTATION, ITEM, RATING, only_problem

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


def test_a_study_is_made_as_a_draft_with_everything_it_has(folder, owner):
    done = import_study(
        folder(ratings=[RATING], scores=[{**RATING, "rater": "judge", "rater_kind": "model"}]), owner=owner
    )
    study = Study.objects.get()
    assert done.is_new
    assert done.added == {"items": 1, "outputs": 2, "ratings": 1, "scores": 1, "raters": 2}
    assert (study.slug, study.status, study.redundancy, study.language) == ("ferries", "draft", 2, "en")
    assert list(study.questions.order_by("position").values_list("key", flat=True)) == [
        "follows",
        "how_well",
        "comment",
    ]
    assert Guideline.objects.get().text == "Read everything."
    assert Membership.objects.get().role == "owner"
    assert list(Output.objects.order_by("position").values_list("key", "text")) == [
        ("north", "At nine."),
        ("south", "At ten."),
    ]
    rating = Rating.objects.get(rater__kind="human")
    assert (rating.value, rating.number, rating.level, rating.annotation) == (4, 4.0, "interval", None)
    assert not Slot.objects.exists()


def test_the_import_is_audited_once_with_counts_and_digests(folder):
    import_study(folder(ratings=[RATING]))
    entry = AuditEntry.objects.get(action="study imported")
    assert entry.new["added"]["ratings"] == 1
    assert set(entry.new["sha256"]) == {"items", "ratings"}


def test_importing_the_same_folder_again_changes_nothing(folder):
    repeat = {**RATING, "submitted_at": "2026-01-01T00:00:00Z"}
    given = folder(
        ratings=[RATING, RATING, repeat, repeat], annotations=[ANNOTATION, {**ANNOTATION, "revision": 2}], scores=[]
    )
    import_study(given)
    counts = [model.objects.count() for model in (Item, Output, Rater, Rating, Annotation, Task, Guideline, Question)]
    again = import_study(given)
    assert not any(again.added.values())
    assert counts == [
        model.objects.count() for model in (Item, Output, Rater, Rating, Annotation, Task, Guideline, Question)
    ]


def test_going_live_makes_tasks_and_slots_and_later_items_get_their_own(folder, capsys):
    call_command("import_study", str(folder()), "--live")
    assert Study.objects.get().status == "live"
    assert Slot.objects.count() == 4
    more = {**ITEM, "outputs": [*ITEM["outputs"], {"id": "west", "text": "Never."}]}
    call_command("import_study", str(folder(items=[more, {**ITEM, "id": "quay"}])))
    assert Slot.objects.count() == 2 * 5
    assert list(Output.objects.filter(item__key="harbour").order_by("position").values_list("key", flat=True)) == [
        "north",
        "south",
        "west",
    ]


def test_an_unknown_owner_is_refused_before_anything_is_stored(folder):
    with pytest.raises(CommandError, match="no user called 'nobody'"):
        call_command("import_study", str(folder()), "--owner", "nobody")
    assert not Study.objects.exists()


def test_a_member_with_another_role_does_not_become_an_owner(folder, rater):
    import_study(folder())
    Membership.objects.create(study=Study.objects.get(), person=rater, role="annotator")
    with pytest.raises(ImportRefusedError, match="is annotator of"):
        import_study(folder(), owner=rater)
    assert Membership.objects.get().role == "annotator"


def test_one_bad_row_in_ten_thousand_stores_nothing_until_it_is_fixed(folder):
    items = [{**ITEM, "id": f"item-{number}"} for number in range(10_000)]
    items[7000] = {**items[7000], "document": 5}
    assert only_problem(folder(items=items)) == (7001, "document", MUST)
    items[7000] = {**items[7000], "document": "five"}
    assert import_study(folder(items=items)).added["items"] == 10_000
    assert Item.objects.count() == 10_000


def test_a_crash_in_the_middle_stores_nothing(folder, monkeypatch):
    from files.reading import row_packing

    def crash(model, *rest):
        if model is Rating:
            raise RuntimeError("power cut")
        return insert_rows(model, *rest)

    monkeypatch.setattr(row_packing, "insert_rows", crash)
    with pytest.raises(RuntimeError, match="power cut"):
        import_study(folder(ratings=[RATING]))
    assert Study.objects.count() == Item.objects.count() == Rater.objects.count() == 0


def test_the_last_line_of_an_import_gives_the_address_and_the_next_step(folder, capsys, monkeypatch):
    monkeypatch.setenv("PORT", "8100")
    call_command("import_study", str(folder()))
    last, address = capsys.readouterr().out.splitlines()[-1], "http://127.0.0.1:8100/studies/ferries/"
    assert last == f"Next: check it and make it live at {address}, or with: manage.py make_live ferries"
    call_command("import_study", str(folder()), "--live")
    assert capsys.readouterr().out.splitlines()[-1] == f"See {address}"


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_large_import_refreshes_the_statistics_of_its_tables(folder, monkeypatch):
    """PostgreSQL would otherwise read a new study as if its tables were empty, until its own upkeep looks at them."""
    monkeypatch.setattr(import_attempt, "MANY_ROWS", 2)
    with CaptureQueriesContext(connection) as queries:
        import_study(folder(items=[ITEM, {**ITEM, "id": "pier"}], ratings=[RATING]))
    refreshed = [query["sql"] for query in queries if query["sql"].startswith("ANALYZE")]
    tables = (Item, Output) if connection.vendor == "postgresql" else ()
    assert sorted(refreshed) == sorted(f'ANALYZE "{model._meta.db_table}"' for model in tables)
