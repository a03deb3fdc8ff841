"""The pages that make studies: from templates, files and other studies."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import Item, ItemCopy, Membership, Output, Study, WrittenExample
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.slugs import proposed_slug
from annotation.studies.study_erasure import erase_study
from config.background.claiming import run_waiting
from files.reading.study_file import checked_study
from files.writing.study_yaml import study_body
from managing.building import duplicating
from managing.building.making_views import next_address
from managing.building.template_library import study_templates
from tests.conftest import live_study, make_person

NEW = reverse("managing:new_study")
FILE = "slug: ferries\ntitle: Ferries\nprotocol: rating\nredundancy: 2\nquestions:\n  - {key: follows, type: binary}\n"

pytestmark = pytest.mark.django_db


@pytest.fixture
def maker(client, db):
    """A member of staff who is signed in."""
    person = make_person("maker", is_staff=True)
    client.force_login(person)
    return person


@pytest.fixture
def source(maker, owner, rater):
    """A live study with items that the maker is a researcher of."""
    study = live_study(owner, rater)
    add_member(study, maker, "researcher", None)
    return study


def upload(client, text, **more):
    return client.post(NEW, {"file": SimpleUploadedFile("study.yaml", text.encode()), **more})


@pytest.mark.parametrize("key", study_templates())
def test_a_template_makes_a_draft_that_can_go_live_with_items(key, client, maker):
    address = reverse("managing:from_template", args=[key])
    page = client.get(address).content.decode()
    assert all(question["text"].split("'")[0] in page for question in study_templates()[key].body["questions"])
    made = client.post(address, {"title": "Meine Fähren!", "slug": ""})
    study = Study.objects.get()
    assert (made.status_code, made["Location"]) == (302, next_address(study))
    assert (study.slug, study.title, study.status) == ("meine-fahren", "Meine Fähren!", "draft")
    assert Membership.objects.get(study=study, person=maker).role == "owner"
    assert "##" in study.guidelines.get().text


@pytest.mark.parametrize("key", study_templates())
def test_every_template_is_a_valid_study_with_its_own_words(key):
    template = study_templates()[key]
    file = checked_study({**template.body, "slug": "x"}, key)
    assert len(file.guidelines) > 500
    assert template.about
    assert template.next
    assert "title" not in template.body
    assert "demo" not in file.guidelines.lower()


def test_templates_come_in_their_order():
    assert [template.place for template in study_templates().values()] == list(range(1, len(study_templates()) + 1))


def test_a_title_is_needed_and_a_slug_must_be_free(client, maker):
    address = reverse("managing:from_template", args=["plain"])
    assert "Give the study a title." in client.post(address, {"title": " "}).content.decode()
    for _ in range(2):
        client.post(address, {"title": "Boats"})
    assert set(Study.objects.values_list("slug", flat=True)) == {"boats", "boats-2"}
    for slug, says in (("boats", "This is taken"), ("new", "This new is an address"), ("Boats!", "lower case letters")):
        refused = client.post(address, {"title": "Boats", "slug": slug})
        assert refused.status_code == 422
        assert says in refused.content.decode()
    assert Study.objects.count() == 2


@pytest.mark.parametrize(
    ("title", "slug"), [("Näh & Fern: 2", "nah-fern-2"), ("船", "study"), ("New", "study"), ("x" * 99, "x" * 80)]
)
def test_slugs_are_proposed_from_titles(title, slug):
    assert proposed_slug(title) == slug


def test_a_study_file_makes_a_draft(client, maker):
    assert upload(client, FILE).status_code == 302
    assert upload(client, FILE, slug="ferries-again").status_code == 302
    assert set(Study.objects.values_list("slug", "title")) == {("ferries", "Ferries"), ("ferries-again", "Ferries")}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (FILE.replace("redundancy: 2", "redundancy: 0\ncolour: red"), "Study: redundancy: must be a whole number"),
        (FILE + "slug: x\n", "study.yaml, line 7"),
        ("just text", "Study: must contain a mapping"),
        ("x" * 1_000_001, "The file is larger than 1,000,000 bytes."),
        (FILE.replace("ferries", "new"), "This new is an address of this site"),
    ],
)
def test_a_wrong_study_file_is_refused_with_all_its_problems(client, maker, text, says):
    page = upload(client, text)
    assert page.status_code == 422
    assert says in page.content.decode()
    assert not Study.objects.exists()


def test_an_uploaded_file_changes_no_study_that_exists(client, maker):
    upload(client, FILE)
    assert "This is taken" in upload(client, FILE.replace("Ferries", "Boats")).content.decode()
    assert Study.objects.get().title == "Ferries"


def test_only_studies_that_somebody_runs_can_be_duplicated(client, maker, make_study, source):
    other = make_study("other")
    page = client.get(NEW).content.decode()
    assert reverse("managing:duplicate", args=[source.slug]) in page
    assert reverse("managing:duplicate", args=[other.slug]) not in page
    assert client.post(reverse("managing:duplicate", args=[other.slug]), {"title": "x"}).status_code == 404


def test_a_copy_asks_the_same_of_the_same_items(client, maker, source):
    WrittenExample.objects.create(study=source, position=0, outputs="At ten.", values={"how_well": 1}, digest="d")
    address = reverse("managing:duplicate", args=[source.slug])
    assert f"Copy of {source}" in client.get(address).content.decode()
    client.post(address, {"title": "Again", "slug": "again", "with_items": "on"})
    made = Study.objects.get(slug="again")
    assert (made.status, made.title) == ("draft", "Again")
    assert study_body(made) == {**study_body(source), "slug": "again", "title": "Again"}
    assert contents(made) == contents(source)
    assert made.written_examples.count() == 1
    assert [one.person for one in Membership.objects.filter(study=made)] == [maker]
    prepare(made, 60)
    make_live(made, maker)


def test_a_copy_names_no_adjudicators_of_the_study(client, maker, source):
    section = {"by": "annotators", "raters": ["rater-one", "rater-two"]}
    Study.objects.filter(pk=source.pk).update(options={**source.options, "adjudication": section})
    client.post(reverse("managing:duplicate", args=[source.slug]), {"title": "Again"})
    assert Study.objects.get(slug="again").options["adjudication"] == {"by": "annotators"}


def test_a_copy_without_items_has_none(client, maker, source):
    client.post(reverse("managing:duplicate", args=[source.slug]), {"title": "Again"})
    assert not Study.objects.get(slug="again").items.exists()


def test_a_copy_of_a_blinded_study_calls_systems_by_their_codes(client, maker, source):
    Study.objects.update(options={"blind_researchers": True, "seed": 2}, systems={"system-north": {"family": "n"}})
    client.post(reverse("managing:duplicate", args=[source.slug]), {"title": "Again", "with_items": "on"})
    made = Study.objects.get(slug="again")
    assert made.options == {"blind_researchers": True, "seed": 2}
    assert made.systems == {}
    keys = set(Output.objects.filter(item__study=made).values_list("key", flat=True))
    assert len(keys) == 3
    assert all(key.startswith("System ") for key in keys)


def test_many_items_are_copied_by_workers(client, maker, source, monkeypatch):
    monkeypatch.setattr(duplicating, "COPIED_AT_ONCE", 1)
    address = reverse("managing:duplicate", args=[source.slug])
    page = client.post(address, {"title": "Again", "with_items": "on"}, follow=True)
    assert "The items are being copied." in page.content.decode()
    made = Study.objects.get(slug="again")
    assert not made.items.exists()
    run_waiting()
    assert contents(made) == contents(source)
    page = client.get(reverse("managing:copying", args=["again"])).content.decode()
    assert f"{source.items.count()} items are here." in page
    ItemCopy.objects.update(status="queued", ended_at=None, lease_until=None, attempt=0)
    run_waiting()
    assert contents(made) == contents(source)


def test_copying_from_a_study_that_is_gone_says_so(client, maker, owner, source, monkeypatch):
    monkeypatch.setattr(duplicating, "COPIED_AT_ONCE", 1)
    client.post(reverse("managing:duplicate", args=[source.slug]), {"title": "Again", "with_items": "on"})
    Study.objects.filter(pk=source.pk).update(status="closed")
    erase_study(Study.objects.get(pk=source.pk), owner)
    run_waiting()
    assert "has been deleted" in client.get(reverse("managing:copying", args=["again"])).content.decode()


def test_the_home_page_offers_a_new_study_to_staff_alone(client, maker, owner, rater, source):
    offers = f'href="{NEW}"'
    assert offers in client.get("/").content.decode()
    for person in (owner, rater):
        client.force_login(person)
        assert offers not in client.get("/").content.decode()


def test_the_list_takes_few_queries(client, maker, make_study, django_assert_max_num_queries):
    for number in range(30):
        add_member(make_study(f"study-{number}", items=0), maker, "owner", None)
    with django_assert_max_num_queries(6):
        client.get(NEW)


def contents(study):
    items = Item.objects.filter(study=study).order_by("pk")
    outputs = Output.objects.filter(item__study=study).order_by("item", "position")
    return list(items.values_list("key", "document", "instruction", "gold")), list(
        outputs.values_list("item__key", "key", "text")
    )
