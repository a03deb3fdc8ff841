"""A rater's own answers come back in the order in which the outputs were shown, not in that of their hidden names."""

import json

import pytest
from django.test import Client

from annotation.answers import Sheet
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.data_download import own_data
from annotation.members.membership import rater_for
from annotation.members.tokens import issue_token
from annotation.models import Annotation, Assignment
from annotation.protocols import protocols
from annotation.questions import ValueInvalidError
from annotation.questions.spans import QUESTION_TYPE as SPANS
from config.erasure import open_erasure
from files.reading import import_study
from parts.way_in.beside_gold import in_words
from tests.annotation.protocols.pairwise.conftest import folder, item, live  # noqa: F401 - a fixture

pytestmark = [pytest.mark.quick, pytest.mark.both, pytest.mark.django_db]
SYSTEMS = ["alpha", "beta", "gamma", "delta"]
ASKED = [
    {"key": "best", "type": "rank", "ranks": 4, "text": "Which?"},
    {"key": "errors", "type": "spans", "text": "What is wrong?"},
    {"key": "clear", "type": "likert", "min": 1, "max": 5, "per": "output", "text": "Clear?"},
]
MARKED = ("D", "B")
FREE = ("C", "A")
FORM = {
    "q-errors": [json.dumps({"spans": [{"output": letter, "start": 0, "end": 2, "text": "i0"} for letter in MARKED]})],
    **{f"q-errors-{letter}": ["none"] for letter in FREE},
    **{f"q-best-{letter}": [str(rank)] for letter, rank in zip("ABCD", (2, 1, 4, 3), strict=True)},
    **{f"q-clear-{letter}": ["3"] for letter in "DBCA"},
}
SENT = [
    "q-best-A",
    "q-best-B",
    "q-best-C",
    "q-best-D",
    "q-errors",
    "q-errors-A",
    "q-errors-C",
    "q-clear-A",
    "q-clear-B",
    "q-clear-C",
    "q-clear-D",
]


@pytest.fixture(params=[(3, 1, 0, 2), (0, 3, 2, 1), (2, 0, 3, 1)], ids=str)
def answered(request, folder, rater):  # noqa: F811
    """A rater's answer to a task that shows the systems in an order that no name has."""
    path = folder([item("i0", SYSTEMS)], protocol="listwise", questions=ASKED, redundancy=1)
    study = live(import_study(path).study, rater)
    task = next_assignment(study, rater_for(study, rater))
    with open_erasure("test"):
        Assignment.objects.filter(pk=task.pk).update(order=list(request.param))
    task = Assignment.objects.get(pk=task.pk)
    submit(task, Submission(FORM, 0))
    return task


def check(form):
    """The fields in the order of the page, with spans and marks of none in the order of the letters."""
    assert list(form) == SENT
    assert [one["output"] for one in json.loads(form["q-errors"][0])["spans"]] == ["B", "D"]


def test_the_page_has_the_own_answer_in_the_order_of_its_letters(answered, client, rater):
    client.force_login(rater)
    page = client.get(f"/work/{answered.key}/")
    [field] = [one for one in page.context["desk"]["fields"] if one["question"].key == "errors"]
    assert [one["output"] for one in json.loads(field["raw"])["spans"]] == ["B", "D"]


def test_the_api_gives_the_own_answer_in_the_order_of_its_letters(answered, rater):
    secret = issue_token(answered.rater.study, rater, name="mine", scope="annotate")
    client = Client(headers={"Authorization": f"Bearer {secret}"})
    check(client.get(f"/api/studies/pairs/work/{answered.key}/").json()["answer"])


def test_the_file_of_own_data_has_answers_in_the_order_of_their_letters(answered, rater):
    [answer] = json.loads("".join(own_data(rater)))["answers"]
    check(answer["form"])


def test_an_answer_that_is_undone_becomes_a_draft_in_the_order_of_its_letters(answered, client, rater):
    client.force_login(rater)
    assert client.post(f"/work/{answered.key}/undo/", {"revision": "1"}).status_code in (200, 302)
    draft = Assignment.objects.get(pk=answered.pk).draft
    assert [one["output"] for one in json.loads(draft["q-errors"][0])["spans"]] == ["B", "D"]


def test_answers_that_were_stored_by_name_come_in_the_order_of_the_letters_too(answered):
    stored = Annotation.objects.get().answers
    stored["errors"]["spans"].sort(key=lambda span: span["output"])
    stored["errors"]["none"].sort()
    sheet = Sheet.of([SYSTEMS[place] for place in answered.order], ["i0"] * 4)
    questions = list(answered.rater.study.questions.order_by("position"))
    check(protocols()["listwise"].form_of(stored, questions, sheet))


def test_of_several_overlaps_the_first_shown_is_told():
    """The sentence would name those of the output whose name comes first."""
    sheet = Sheet.of(["zebra", "ant"], ["First text.", "Other text."])
    spans = [
        {"output": one.letter, "start": start, "end": start + 4, "text": one.text[start : start + 4]}
        for one in reversed(sheet.outputs)
        for start in (0, 2)
    ]
    value = SPANS.read({"q": [json.dumps({"spans": spans})]}, "q", {}, sheet)
    with pytest.raises(ValueInvalidError, match="Firs"):
        SPANS.check(value, {})


def test_the_right_answer_beside_the_own_one_is_in_the_order_of_the_letters(answered):
    sheet = Sheet.of(["zebra", "ant"], ["Bees", "Bees"])
    question = answered.rater.study.questions.get(key="errors")
    spans = [{"output": key, "start": 0, "end": 4, "text": "Bees"} for key in ("ant", "zebra")]
    assert in_words(question, {"spans": spans, "none": []}, sheet) == "A: “Bees”; B: “Bees”"
