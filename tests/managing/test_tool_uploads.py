"""Files of other tools on the pages that make and fill studies: recognised, converted and checked by workers."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import Item, Question, Rating, Study
from config.background.claiming import run_waiting
from managing.models import ItemUpload
from managing.uploads.receiving import WHOLE
from managing.uploads.tool_conversion import looks_like_tool_file, tool_of
from tests.conftest import draft_study, live_study, make_person

pytestmark = pytest.mark.django_db

NEW = reverse("managing:new_study")


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path


@pytest.fixture
def browser(client, db):
    client.force_login(make_person("maker", is_staff=True))
    return client


def task(number, **answers):
    """A task of Label Studio, whose rater 7 answered."""
    results = [
        {"from_name": name, "to_name": "text", "type": kind, "value": value}
        for name, (kind, value) in answers.items()
    ]  # fmt: skip
    given = {"id": 1, "completed_by": 7, "result": results, "updated_at": "2026-03-01T10:00:00Z", "lead_time": 2}
    return {"id": number, "data": {"text": f"The ferry {number} sails."}, "annotations": [given], "predictions": []}


def tone(number, label):
    return task(number, tone=("choices", {"choices": [label]}))


def doccano(*labels):
    lines = [{"id": number, "text": f"Text {number}.", "label": [label]} for number, label in enumerate(labels)]
    return "".join(json.dumps(one) + "\n" for one in lines).encode()


def new(browser, name, body, **more):
    """Make a study from a file; return its upload after its dry run."""
    response = browser.post(NEW, {"file": SimpleUploadedFile(name, body), **more})
    assert response.status_code == 302, response.content.decode()
    run_waiting()
    return ItemUpload.objects.latest("pk"), response["Location"]


def imported(browser, upload):
    browser.post(reverse("managing:import_upload", args=[upload.study.slug, upload.pk]))
    run_waiting()
    return browser.get(reverse("managing:uploaded", args=[upload.study.slug, upload.pk])).content.decode()


def test_a_new_study_takes_questions_items_and_answers_from_label_studio(browser):
    body = json.dumps([tone(1, "plain"), tone(2, "warm")]).encode()
    upload, address = new(browser, "Our ferries.json", body)
    page = browser.get(address).content.decode()
    assert "Recognised as a file of <strong>Label Studio (JSON)</strong>" in page
    assert "Question tone: category." in page
    assert "It would add 2 items, 2 outputs, 2 ratings, 1 raters." in page.replace("1 rater.", "1 raters.")
    study = upload.study
    assert (study.title, Item.objects.count()) == ("Our ferries", 0)  # nothing is imported yet
    assert "Imported: 2 items" in imported(browser, upload)
    study = Study.objects.get()
    assert (study.slug, study.title, study.status) == ("our-ferries", "Our ferries", "draft")
    question = study.questions.get()
    assert (question.key, question.type, question.spec) == ("tone", "category", {"choices": ["plain", "warm"]})
    assert list(Rating.objects.order_by("item__key").values_list("value", "rater__name", "seconds")) == [
        ("plain", "user-7", 2.0), ("warm", "user-7", 2.0),
    ]  # fmt: skip


def test_a_study_takes_a_file_of_doccano_by_its_own_questions(browser, owner):
    study = draft_study(items=0)
    study.questions.all().delete()
    choices = {"choices": ["calm", "rough", "frozen"]}
    Question.objects.create(study=study, position=0, key="label", type="category", text="How is it?", spec=choices)
    add_member(study, owner, "owner", None)
    browser.force_login(owner)
    body = doccano("calm", "rough", "stormy")
    browser.post(
        reverse("managing:upload", args=["study"]), {"table": "items", "file": SimpleUploadedFile("ann.jsonl", body)}
    )
    run_waiting()
    upload = ItemUpload.objects.get()
    findings = upload.steps.latest("pk").findings
    assert findings["tool"].startswith("doccano")
    assert [(one["line"], one["field"]) for one in findings["problems"]] == [(3, "ratings.jsonl value")]
    assert (
        "Import</button>" not in browser.get(reverse("managing:uploaded", args=["study", upload.pk])).content.decode()
    )
    body = doccano("calm", "rough", "frozen")
    browser.post(
        reverse("managing:upload", args=["study"]), {"table": "items", "file": SimpleUploadedFile("ann.jsonl", body)}
    )
    run_waiting()
    page = imported(browser, ItemUpload.objects.latest("pk"))
    assert "Imported: 3 items" in page
    assert set(Rating.objects.values_list("rater__name", "value")) == {
        ("ann", "calm"), ("ann", "rough"), ("ann", "frozen"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "body", "reason"),
    [
        ("items.json", b'[{"what": "else"}]', "is not a file of"),
        ("items.json", b"[" * 5000, "nested deeper"),
        ("export.json", json.dumps([{**tone(1, "x"), "annotations": 7}]).encode(), "must be a list"),
        ("export.jsonl", b'{"id": "a", "document": "d", "instruction": "i", "outputs": []}\n', "is not a file of"),
        ("export.json", b'[{"data": {}, "annotations": []}]', "is missing"),
        ("export.json", b"[\xff]", "is not UTF-8"),
    ],
)
def test_what_cannot_be_converted_is_refused_with_its_reason(browser, name, body, reason):
    upload, address = new(browser, name, body, slug="moved")
    page = browser.get(address).content.decode()
    assert reason in page, page
    assert "Import</button>" not in page
    assert not Item.objects.exists()
    imported(browser, upload)
    assert upload.steps.get().kind == "check"


def test_a_large_file_of_a_tool_is_left_to_the_command(browser, settings):
    settings.OTHER_TOOL_BYTES = 1000
    _, address = new(browser, "export.json", json.dumps([tone(one, "x") for one in range(20)]).encode())
    assert "use the command convert" in browser.get(address).content.decode()


@pytest.mark.parametrize("name", ["../../etc/ann.jsonl", "..jsonl", "a/\u202eb\u0301.jsonl", "x" * 190 + ".jsonl"])
def test_the_name_of_a_file_is_no_place_on_this_site(browser, tmp_path, name):
    upload, _ = new(browser, name, doccano("calm"), slug="moved")
    assert "problems" not in upload.steps.get().findings
    assert not list((tmp_path / "uploads").glob("convert-*"))
    assert [one.name for one in tmp_path.iterdir() if one.is_dir()] == ["uploads"]


def test_only_a_draft_without_answers_takes_its_questions_from_a_file(browser, owner, live, tmp_path):
    browser.force_login(owner)
    address = reverse("managing:upload", args=[live.slug])
    assert f'value="{WHOLE}"' not in browser.get(address).content.decode()
    refused = browser.post(address, {"table": WHOLE, "file": SimpleUploadedFile("ann.jsonl", doccano("calm"))})
    assert refused.status_code == 422
    announced = browser.post(
        reverse("managing:begin_upload", args=[live.slug]), {"table": WHOLE, "name": "a.json", "size": 5}
    )
    assert (announced.status_code, "Only a draft" in announced.json()["problem"]) == (422, True)


@pytest.fixture
def live(owner, rater):
    return live_study(owner, rater)


def test_own_files_are_of_no_tool(tmp_path):
    for name, line in {
        "items": {"id": "a", "document": "d", "instruction": "i", "outputs": [{"id": "x", "text": "t"}]},
        "ratings": {"item": "a", "output": "x", "rater": "ann", "question": "label", "value": True},
        "sessions": {"id": "a", "question": "Why?", "papers": []},
    }.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(line) + "\n")
        assert tool_of(path) is None


@pytest.mark.parametrize(
    ("name", "body", "is_of_tool"),
    [
        ("study.yaml", b"slug: a", False), ("study.json", b'{"slug": "a", "questions": []}', False),
        ("study.json", b"{", False), ("export.JSON", b" [1]", True), ("a.jsonl", b"", True),
        ("state.json", b'{"user_id": "ann"}', True), ("items.csv", b"", False),
    ],
)  # fmt: skip
def test_study_files_are_told_from_files_of_tools(name, body, is_of_tool):
    assert looks_like_tool_file(name, len(body), body) is is_of_tool
