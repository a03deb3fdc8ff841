"""What keeps pages and lists of the admin fast at 100,000 items: how they ask the database, not how long it takes."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.auditing import record
from accounts.limited_pages import LimitedPaginator
from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment, Item, Output, Rating, Slot, Task, TaskOutput
from annotation.studies.study_erasure import shown_rows_of
from files.entered.drafts import make_draft
from tests.conftest import add_item
from tests.managing.test_admin_actions import listing
from tests.query_plans import plan_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client, owner, study):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


@pytest.fixture
def answered(study, rater):
    """The assignment of the only answer."""
    task = next_assignment(study, rater_for(study, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, 0, 1))
    return task


def statements(client, address):
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return [one["sql"] for one in caught]


def other_draft(person, slug):
    return make_draft(
        {"slug": slug, "protocol": "rating", "redundancy": 1, "questions": [{"key": "good", "type": "binary"}]}, person
    )


def found(client, address):
    return list(client.get(address).context["cl"].result_list)


@pytest.mark.thorough
@pytest.mark.parametrize("model", [Annotation, Assignment, Rating])
def test_a_search_finds_whole_names_and_ids_only(client, staff, answered, model):
    item, name = answered.task.item.key, answered.rater.name
    rows = list(model.objects.order_by("-pk"))
    for term in (item, name):
        assert found(client, f"{listing(model)}?q={term}") == rows
        assert found(client, f"{listing(model)}?q={term[:-1]}") == []
        asked = statements(client, f"{listing(model)}?q={term}")
        assert not [sql for sql in asked if " LIKE " in sql.upper()]


def test_a_search_finds_nothing_of_other_studies(client, staff, answered, stranger):
    other = other_draft(stranger, "others")
    item = add_item(other, "hidden")
    item.tasks.create(key="one")
    assert found(client, f"{listing(Task)}?q=hidden") == []
    assert found(client, f"{listing(Item)}?q=hidden") == []
    assert found(client, f"{listing(Item)}?of=others") == []


def test_all_large_lists_say_what_their_search_finds(client, staff):
    large = {model: one for model, one in admin.site._registry.items() if getattr(one, "is_large", False)}
    assert len(large) > 20
    assert [model for model, one in large.items() if one.search_fields and not one.search_help_text] == []


def test_a_list_joins_the_rows_of_a_page_only_and_ends(client, staff, study, monkeypatch):
    monkeypatch.setattr(LimitedPaginator, "most", 60)
    for number in range(70):
        add_item(study, f"more-{number:02}")
    page = client.get(f"{listing(Item)}?p=2").context["cl"]
    assert (page.result_count, len(page.result_list)) == (61, 11)
    asked = statements(client, f"{listing(Item)}?p=2")
    assert not [sql for sql in asked if "OFFSET" in sql or "COUNT(*)" in sql]


def test_a_list_names_its_studies_so_that_the_database_joins_no_others(client, staff, answered):
    for model in (Task, TaskOutput, Slot, Annotation):
        asked = [sql for sql in statements(client, listing(model)) if f'FROM "{model._meta.db_table}"' in sql]
        assert asked
        assert not [sql for sql in asked if "membership" in sql]


def test_the_items_of_a_chosen_study_bound_what_is_read(client, staff, study, answered):
    first, last = study.items.order_by("pk").first().pk, study.items.order_by("pk").last().pk
    for model in (Task, TaskOutput, Slot):
        asked = statements(client, f"{listing(model)}?of={study.slug}")
        [keys] = [sql for sql in asked if f'FROM "{model._meta.db_table}"' in sql and "LIMIT 5001" in sql]
        assert f'"item_id" >= {first}' in keys
        assert f'"item_id" <= {last}' in keys


def test_items_of_several_studies_are_read_in_the_order_of_an_index(client, staff, study, answered):
    """And until the page is full, not all of them to be sorted."""
    other = other_draft(staff, "second")
    first, last = study.items.order_by("pk").first().pk, add_item(other, "last").pk
    for model in (Task, Output):
        asked = statements(client, listing(model))
        [keys] = [sql for sql in asked if f'FROM "{model._meta.db_table}"' in sql and "LIMIT 5001" in sql]
        assert f'"item_id" >= {first}' in keys
        assert f'"item_id" <= {last}' in keys
        if connection.vendor == "sqlite":  # with so few rows PostgreSQL reads and sorts them all
            assert "TEMP B-TREE FOR ORDER BY" not in plan_of(keys)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="with so few rows PostgreSQL reads them all")
@pytest.mark.parametrize(
    ("model", "filters", "index"),
    [(Annotation, "surplus__exact=1", "annotation_surplus"), (Rating, "is_current__exact=0", "rating_earlier")],
)
def test_rows_that_are_rare_are_found_by_an_index_of_them_alone(client, staff, answered, model, filters, index):
    asked = statements(client, f"{listing(model)}?{filters}")
    [keys] = [sql for sql in asked if f'FROM "{model._meta.db_table}"' in sql and "LIMIT 5001" in sql]
    assert f"INDEX {index}" in plan_of(keys)


def test_items_of_other_studies_between_those_of_two_are_not_read(client, staff, stranger, study, answered):
    between, last = other_draft(stranger, "between"), other_draft(staff, "last")
    for number in range(20):
        add_item(between, f"foreign-{number}")
    add_item(last, "last")
    for model in (Task, Output):
        asked = statements(client, listing(model))
        [keys] = [sql for sql in asked if f'FROM "{model._meta.db_table}"' in sql and "LIMIT 5001" in sql]
        assert '"item_id" >=' not in keys
    assert {output.item.study_id for output in found(client, listing(Output))} == {study.pk, last.pk}


def test_no_address_sorts_a_large_list(client, staff, answered):
    asked = statements(client, f"{listing(Slot)}?o=3")
    assert not [sql for sql in asked if 'ORDER BY "annotation_slot"."state"' in sql]


def test_the_audit_is_not_counted_and_is_searched_by_whole_texts(client, staff, study):
    staff.is_superuser = True
    staff.save()
    record("tried", "one thing", actor=staff, study="elsewhere")
    address = reverse("admin:accounts_auditentry_changelist")
    assert not [sql for sql in statements(client, address) if "COUNT(" in sql and "auditentry" in sql]
    entry = AuditEntry.objects.get(action="tried")
    for term in ("tried", "elsewhere", "one+thing"):
        assert found(client, f"{address}?q={term}") == [entry]
    assert entry in found(client, f"{address}?q={staff.username}")
    assert found(client, f"{address}?q=elsewher") == []


def test_the_page_that_deletes_asks_no_table_under_an_empty_one(owner, study, answered):
    draft = other_draft(owner, "empty")
    add_item(draft, "only")
    with CaptureQueriesContext(connection) as caught:
        rows = dict(shown_rows_of(draft))
    asked = "".join(one["sql"] for one in caught)
    assert rows["items"] == 1
    assert "annotation_task" in asked
    assert "annotation_taskoutput" not in asked
    assert "task outputs" in dict(shown_rows_of(study))


def test_a_search_for_items_is_one_statement(client, staff, study):
    address = f"{reverse('managing:items', args=[study.slug])}?q=item"
    asked = [sql for sql in statements(client, address) if "COUNT(*)" in sql and "annotation_item" in sql]
    assert asked == []


def test_the_page_of_preparation_asks_little(client, owner, django_assert_max_num_queries):
    client.force_login(owner)
    draft = other_draft(owner, "prepared")
    address = reverse("preparing:prepare", args=[draft.slug])
    client.get(address)
    with django_assert_max_num_queries(12):
        assert client.get(address).status_code == 200
