"""Files of other tools on the pages that make and fill studies: recognised, converted and checked by workers."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.blinding import names_of
from annotation.members.membership import add_member
from annotation.models import Item, Question, Rating, Study
from config.background.claiming import run_waiting
from managing.models import ItemUpload
from managing.uploads.receiving import WHOLE
from parts.other_tools.uploaded_files import ToolFormats, tool_of
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
    assert ToolFormats().is_other(name, len(body), body) is is_of_tool


SWAPPED = (
    b'<View><Text name="a" value="$model_b"/><Text name="b" value="$model_a"/><Pairwise name="pw" toName="a,b"/></View>'
)


def pair(number, side="left"):
    body = task(number, pw=("pairwise", {"selected": side}))
    body["annotations"][0]["result"][0]["to_name"] = "pw"
    return {**body, "data": {"prompt": "Which?", "model_a": f"A {number}.", "model_b": f"B {number}."}}


def several(browser, *files, address=NEW, **more):
    """Upload files together; return their upload after its dry run, and the page."""
    sent = [SimpleUploadedFile(name, body) for name, body in files]
    response = browser.post(address, {"file": sent, **more})
    assert response.status_code == 302, response.content.decode()
    run_waiting()
    return ItemUpload.objects.latest("pk"), browser.get(response["Location"]).content.decode()


def decided(browser, upload, **fields):
    response = browser.post(reverse("other_tools:decide", args=[upload.study.slug, upload.pk]), fields)
    run_waiting()
    return response, browser.get(reverse("managing:uploaded", args=[upload.study.slug, upload.pk])).content.decode()


def test_an_export_and_its_configuration_are_read_together(browser):
    export = json.dumps([pair(1), pair(2)]).encode()
    upload, page = several(browser, ("export.json", export), ("config.xml", SWAPPED))
    assert (upload.name, upload.files) == (
        "export.json and 1 more",
        [["export.json", len(export)], ["config.xml", len(SWAPPED)]],
    )
    assert "One comparison, to check the sides" in page
    example = upload.steps.get().findings["example"]
    assert [(one["side"], one["system"], one["text"], one["verdict"]) for one in example["texts"]] == [
        ("left", "model_b", "B 1.", "chosen"),
        ("right", "model_a", "A 1.", ""),
    ]
    assert (example["rater"], example["answer"]) == ("user-7", "model_b is better")
    assert "Imported: 2 items" in imported(browser, upload)
    assert set(Rating.objects.values_list("value", flat=True)) == {"model_b"}


def test_sides_that_no_file_tells_are_asked_for_and_can_be_decided_again(browser):
    upload, page = several(browser, ("export.json", json.dumps([pair(1), pair(2, "right")]).encode()))
    assert "Which text was where in <bdi>pw</bdi>?" in page
    assert "Import</button>" not in page
    same, _ = decided(browser, upload, **{"0-left": "model_a", "0-right": "model_a"})
    assert (same.status_code, b"Choose another field than on the left" in same.content) == (422, True)
    none, _ = decided(browser, upload, **{"0-left": "", "0-right": "north"})
    assert none.status_code == 422
    _, page = decided(browser, upload, **{"0-left": "model_a", "0-right": "model_b"})
    assert "In pw, model_a was left and model_b right." in page
    _, page = decided(browser, upload, again="1")
    assert "Which text was where in" in page
    decided(browser, upload, **{"0-left": "model_b", "0-right": "model_a"})
    imported(browser, upload)
    assert list(Rating.objects.order_by("item__key").values_list("value", flat=True)) == ["model_b", "model_a"]
    made = AuditEntry.objects.filter(action="file choices made").values_list("new", flat=True)
    assert list(made.order_by("pk")) == [{"sides": 1}, {}, {"sides": 1}]


def test_several_people_of_one_file_are_asked_for(browser):
    body = b'{"id": 1, "text": "It rains.", "label": ["yes", "yes"]}\n{"id": 2, "text": "Dry.", "label": ["no"]}\n'
    upload, page = several(browser, ("all.jsonl", body))
    assert "Who answered in <bdi>all.jsonl</bdi>?" in page
    empty, _ = decided(browser, upload)
    assert b"Name the annotator." in empty.content
    decided(browser, upload, **{"0-several": "on"})
    imported(browser, upload)
    assert sorted(Rating.objects.values_list("rater__name", "item__key")) == [
        ("unnamed-1", "1"),
        ("unnamed-1", "2"),
        ("unnamed-2", "1"),
    ]


def test_a_field_and_a_text_are_asked_for(browser):
    body = {**tone(1, "plain"), "data": {"one": "One.", "two": "Two."}}
    upload, page = several(browser, ("export.json", json.dumps([body, {**body, "id": 2}]).encode()))
    assert "Which text does <bdi>text</bdi> stand for?" in page
    _, page = decided(browser, upload, **{"0-field": "two"})
    assert "text stands for two." in page
    imported(browser, upload)
    assert set(Rating.objects.values_list("output__key", flat=True)) == {"two"}


def test_instances_that_do_not_name_their_annotator_are_asked_for(browser):
    line = {"id": "i1", "displayed_text": "It rains.", "label_annotations": {"tone": {"plain": True}}}
    upload, page = several(browser, ("annotated_instances.jsonl", json.dumps(line).encode()))
    assert "Who answered in <bdi>annotated_instances.jsonl</bdi>?" in page
    decided(browser, upload, **{"0-name": "ann"})
    imported(browser, upload)
    assert list(Rating.objects.values_list("rater__name", flat=True)) == ["ann"]


def test_files_that_were_sent_in_parts_together_keep_their_folders(browser):
    several(browser, ("first.json", json.dumps([tone(1, "plain")]).encode()), slug="moved")
    line = json.dumps({"id": "i1", "displayed_text": "It rains.", "label_annotations": {"tone": {"plain": True}}})
    files = [["out/ann/annotated_instances.jsonl", len(line)], ["out/bob/annotated_instances.jsonl", len(line)]]
    begin = reverse("managing:begin_upload", args=["moved"])
    whole = {"table": WHOLE, "name": f"{files[0][0]} and 1 more", "size": 2 * len(line), "several": json.dumps(files)}
    answer = browser.post(begin, whole).json()
    browser.post(f"{answer['parts']}?offset=0", (line * 2).encode(), content_type="application/octet-stream")
    run_waiting()
    upload = ItemUpload.objects.latest("pk")
    assert "problems" not in upload.steps.get().findings
    imported(browser, upload)
    assert set(Rating.objects.values_list("rater__name", flat=True)) == {"ann", "bob"}


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ([["a.json", 1], ["a.json", 1]], "Two files are called a.json."),
        ([["a.json", 1], ["b.png", 1]], "b.png does not."),
        ([["a.json", 1], ["b.json", 5]], "do not have the size that was announced"),
        ([[f"{n}.json", 0] for n in range(201)], "At most 200 files"),
        ("x", "Choose a file."),
        ([["a.json"]], "Choose a file."),
    ],
)
def test_files_that_cannot_be_taken_together_are_refused(browser, files, reason):
    several(browser, ("first.json", json.dumps([tone(1, "plain")]).encode()), slug="moved")
    sent = {"table": WHOLE, "name": "a.json and 1 more", "size": 2, "several": json.dumps(files)}
    response = browser.post(reverse("managing:begin_upload", args=["moved"]), sent)
    assert (response.status_code, reason in response.json()["problem"]) == (422, True)


def test_several_files_of_no_tool_are_refused(browser):
    _, page = several(browser, ("one.jsonl", b'{"id": "a"}\n'), ("two.jsonl", b'{"id": "b"}\n'), slug="moved")
    assert "is not a file of" in page


def test_in_a_blinded_study_another_researcher_sees_no_names_of_fields(browser, owner):
    upload, _ = several(browser, ("export.json", json.dumps([pair(1), pair(2)]).encode()), slug="moved")
    study = upload.study
    study.options = {**study.options, "blind_researchers": True}
    study.save()
    add_member(study, owner, "owner", None)
    address = reverse("managing:uploaded", args=["moved", upload.pk])
    assert "Shown left in pw" in browser.get(address).content.decode()
    decided(browser, upload, **{"0-left": "model_a", "0-right": "model_b"})
    example = upload.steps.latest("pk").findings["example"]
    assert {text["system"] for text in example["texts"]} == {names_of(study).shown(f"model_{one}") for one in "ab"}
    assert example["answer"].startswith("System ")
    browser.force_login(owner)
    page = browser.get(address).content.decode()
    assert "Left: <bdi>System" in page
    assert "model_a" not in page
