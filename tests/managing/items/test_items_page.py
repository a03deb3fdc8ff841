"""The table of items: what it shows, finds and sorts, and how many queries that takes."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, skip, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Rater, Rating
from annotation.studies.planning import plan_chunk
from annotation.studies.steered_items import withdraw
from config.bulk_insert import refresh_statistics
from managing.items.filters import ItemFilters
from managing.models import ItemLocalAlpha, ItemSummary
from tests.conftest import add_item, make_person
from tests.reports.computing import compute_requested, read

MOST_QUERIES = 15


@pytest.fixture
def counted(study):
    """The study with four more items, which imported raters disagree about more and more."""
    for number in range(4):
        item = add_item(study, f"more-{number}", categories=["news", "odd"] if number % 2 else "even")
        for name in ("one", "two"):
            rater, _ = Rater.objects.get_or_create(study=study, name=name)
            value = 1 + (number if name == "two" else 0)
            Rating.objects.create(
                study=study, question=study.questions.get(key="how_well"), rater=rater, item=item,
                output=item.outputs.first(), level="interval", number=value, value=value,
            )  # fmt: skip
    while plan_chunk(study):
        pass
    return study


def keys(client, study, query=""):
    response = read(client, reverse("managing:items", args=[study.slug]) + query)
    return [row.key for row, _ in response.context["rows"]]


def test_items_are_shown_in_study_order_before_anything_is_counted(client, owner, counted):
    client.force_login(owner)
    response = client.get(reverse("managing:items", args=[counted.slug]))
    assert [row.key for row, _ in response.context["rows"]][:3] == ["item-0", "item-1", "more-0"]
    assert "are being counted" in response.content.decode()
    assert [
        row.key for row, _ in client.get(reverse("managing:items", args=["study"]) + "?q=more-2").context["rows"]
    ] == ["more-2"]


def test_items_are_sorted_by_disagreement_with_those_that_have_none_last(client, owner, counted):
    client.force_login(owner)
    found = keys(client, counted, "?sort=disagreement")
    assert found == ["more-3", "more-2", "more-1", "more-0", "item-0", "item-1"]
    assert keys(client, counted, "?sort=agreement")[0] == "more-0"
    assert ItemSummary.objects.get(key="more-0").disagreement == 0
    assert ItemSummary.objects.get(key="item-0").disagreement is None


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?q=MORE-1", ["more-1"]),
        ("?q=ferry+sails&category=odd", ["more-1", "more-3"]),
        ("?category=even", ["more-0", "more-2"]),
        ("?q=100%25", []),
        ("?least=0.5", ["more-2", "more-3"]),
        ("?least=0.01&most=0.5", ["more-1"]),
        ("?state=open&q=item", ["item-0", "item-1"]),
        ("?pool=training", []),
        ("?rater=two&least=0.5", ["more-2", "more-3"]),
        ("?rater=nobody", []),
        ("?question=how_well&answer=3", ["more-2"]),
        ("?question=how_well&answer=1&beside=3", ["more-2"]),
        ("?question=how_well&answer=1&beside=1", ["more-0"]),
        ("?question=how_well&answer=3&beside=4", []),
        ("?question=nothing&answer=1", []),
        ("?question=how_well&answer_from=3&answer_below=4", ["more-2"]),
        ("?question=how_well&answer_from=4", ["more-3"]),
        ("?question=how_well&answer=1&guidelines=none", ["more-0", "more-1", "more-2", "more-3"]),
        ("?question=how_well&answer=1&guidelines=1", []),
        ("?question=how_well&answer=3&system=system-north", ["more-2"]),
        ("?question=how_well&answer=3&system=system-west", []),
        ("?question=how_well&category_answer=3", []),
        ("?question=how_well&alpha=0.9", ["more-0"]),
        ("?question=how_well&alpha=-1&below=0.9", ["more-1", "more-2", "more-3"]),
        ("?question=follows&alpha=-1", []),
        ("?question=how_well&guidelines=nonsense&answer=4", ["more-3"]),
        ("?system=system-north&category=odd", ["more-1", "more-3"]),
        ("?system=nothing", []),
        ("?least=nonsense&q=item-1", ["item-1"]),
    ],
)
def test_filters_are_combined_and_invalid_ones_left_out(client, owner, counted, query, found):
    client.force_login(owner)
    assert keys(client, counted, query) == found


def test_items_of_a_blinded_study_are_not_found_by_a_systems_name(client, owner, counted):
    system = counted.items.first().outputs.first().key
    add_item(counted, "other", systems=("elsewhere",))
    client.force_login(owner)
    assert "other" not in keys(client, counted, f"?system={system}")
    counted.options["blind_researchers"] = True
    counted.save()
    assert "other" in keys(client, counted, f"?system={system}")
    assert "id_system" not in read(client, reverse("managing:items", args=["study"])).content.decode()


def test_flagged_skipped_and_withdrawn_items_are_found(client, owner, rater, counted):
    given = rater_for(counted, rater)
    first = next_assignment(counted, given)
    flag(first, "Two outputs are the same.")
    skip(first, Submission({}, revision=1), "I do not know.")
    withdraw(Item.objects.get(key="more-3"), "It is a duplicate.", owner)
    client.force_login(owner)
    assert keys(client, counted, "?mark=flagged") == keys(client, counted, "?mark=skipped") == [first.task.item.key]
    assert keys(client, counted, "?mark=withdrawn") == ["more-3"]
    assert ItemSummary.objects.get(key="more-3").disagreement is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("given", "index"),
    [
        ({"mark": "flagged"}, "item_summary_flagged"),
        ({"mark": "skipped"}, "item_summary_skipped"),
        ({"mark": "withdrawn"}, "item_summary_withdrawn"),
        ({"sort": "answers"}, "item_summary_most_answers"),
        ({"sort": "few"}, "item_summary_by_answers"),
        ({"sort": "disagreement"}, "item_summary_most_differing"),
        ({"sort": "agreement"}, "item_summary_by_difference"),
    ],
)
def test_marked_and_sorted_items_of_a_large_study_are_found_by_an_index(study, given, index):
    items = Item.objects.bulk_create(
        Item(study=study, key=f"row-{number:04}", digest="d", instruction="Sail.") for number in range(3000)
    )
    ItemSummary.objects.bulk_create(
        ItemSummary(
            item=item, study=study, key=item.key, pool="main", state="open", answers=number % 7,
            flags=number % 500 == 1, skips=number % 500 == 2, withdrawn=number % 500 == 3,
            disagreement=number % 9 / 8 if number % 2 else None,
        )
        for number, item in enumerate(items)
    )  # fmt: skip
    refresh_statistics(ItemSummary)
    found = ItemFilters(given).rows(study).values_list("pk", flat=True)[:51]
    assert len(found) == (51 if "sort" in given else 6)
    plan = found.explain()
    assert index in plan
    assert "TEMP B-TREE" not in plan
    assert "Sort" not in plan


def test_a_page_asks_for_new_counts_after_an_answer(client, owner, rater, counted):
    client.force_login(owner)
    keys(client, counted)
    task = next_assignment(counted, rater_for(counted, rater))
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0, guidelines_version=1))
    keys(client, counted)
    summary = ItemSummary.objects.get(item=task.task.item)
    assert (summary.raters, summary.answers, summary.state) == (1, 2, "work")


def test_columns_are_kept_in_the_address(client, owner, counted):
    client.force_login(owner)
    page = reverse("managing:items", args=[counted.slug])
    response = read(client, page, {"columns": ["flags", "pool"], "sort": "key"})
    assert [key for key, _ in response.context["columns"]] == ["pool", "flags"]
    assert response.context["filters"].address(page=2) .split("?")[1].split("&") == [
        "sort=key", "columns=flags", "columns=pool", "page=2",
    ]  # fmt: skip


def test_a_long_list_has_pages_and_takes_few_queries(client, owner, make_study):
    study = make_study()
    add_member(study, owner, "owner", None)
    Item.objects.bulk_create(
        Item(study=study, key=f"row-{number:04}", digest="d", instruction="Sail.") for number in range(120)
    )
    client.force_login(owner)
    page = reverse("managing:items", args=[study.slug])
    read(client, page)
    for query in (
        {},
        {"page": 2},
        {"page": "99999"},
        {"page": "x"},
        {"q": "sail", "sort": "disagreement"},
        {"rater": "one", "system": "any", "sort": "disagreement"},
    ):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            response = client.get(page, query)
        assert response.status_code == 200
        assert len(queries) <= MOST_QUERIES
    assert keys(client, study, "?page=3")[-1] == "row-0119"


def test_counting_again_writes_only_what_has_changed(counted, client, owner):
    client.force_login(owner)
    keys(client, counted)
    before = dict(ItemSummary.objects.values_list("pk", "text"))
    ItemSummary.objects.update(text="kept as it is")
    withdraw(Item.objects.get(key="more-3"), "It is a duplicate.", owner)
    ItemSummary.objects.exclude(key="more-3").update(text="changed")
    for pk, text in before.items():
        ItemSummary.objects.exclude(key="more-3").filter(pk=pk).update(text=text)
    with CaptureQueriesContext(connection) as queries:
        client.get(reverse("managing:items", args=["study"]))
        compute_requested()
    inserts = [one["sql"] for one in queries if 'INSERT INTO "managing_itemsummary"' in one["sql"]]
    assert len(inserts) <= 1
    assert ItemSummary.objects.get(key="more-3").withdrawn


def test_local_alphas_are_found_by_an_index_and_follow_the_answers(counted, client, owner):
    client.force_login(owner)
    assert keys(client, counted, "?question=how_well&alpha=0.9") == ["more-0"]
    found = ItemLocalAlpha.objects.filter(question=counted.questions.get(key="how_well"), alpha__gte=0.9, alpha__lt=1)
    with CaptureQueriesContext(connection) as queries:
        plan = found.values("item").order_by().explain()
    assert "local_alpha_of_question" in plan or connection.vendor != "sqlite", queries
    withdraw(Item.objects.get(key="more-0"), "It is a duplicate.", owner)
    assert keys(client, counted, "?question=how_well&alpha=0.9") == []
    with CaptureQueriesContext(connection) as queries:
        assert keys(client, counted, "?question=how_well&alpha=-1") == ["more-1", "more-2", "more-3"]
    assert len(queries) <= MOST_QUERIES


def test_only_researchers_of_the_study_see_its_items(client, rater, study):
    client.force_login(make_person("somebody"))
    assert client.get(reverse("managing:items", args=[study.slug])).status_code == 404
    client.force_login(rater)
    assert client.get(reverse("managing:items", args=[study.slug])).status_code == 404
