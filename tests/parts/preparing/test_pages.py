"""The pages of preparing without a browser: what forms refuse, what they keep, and who comes in."""

import io

import pytest
from django.urls import reverse

from annotation.members.membership import add_member
from annotation.models import Item, Study
from llm.models import Call
from parts.preparing.models import DocumentSample, PreparationStep, PreparedText, SourceDocument, Suggestion
from parts.preparing.trials import choose_winner, rate_trial, start_trial
from tests.conftest import make_person
from tests.parts.preparing.prepared_studies import (
    configured_step,
    document_line,
    empty_study,
    step_to_end,
    with_documents,
    work_off,
    write_documents,
)


@pytest.fixture
def draft(tmp_path, owner, client, model):
    client.force_login(owner)
    return empty_study(tmp_path, owner=owner)


def url(name, *more):
    return reverse(f"preparing:{name}", args=["draft", *more])


def upload(client, tmp_path, lines, **more):
    path = write_documents(tmp_path / "up.jsonl", lines)
    given = {"per_source": 2, "fewest": 10, "most": 30, "seed": 1, **more}
    return client.post(url("draw"), {"file": io.BytesIO(path.read_bytes()), **given})


def test_an_uploaded_file_is_drawn_with_its_counts(draft, client, tmp_path):
    lines = [*(document_line(n) for n in range(4)), document_line(9, words=5)]
    assert upload(client, tmp_path, lines).status_code == 302
    assert DocumentSample.objects.get().counts == {"news": {"read": 5, "in_range": 4, "drawn": 2}}
    page = client.get(url("prepare")).content.decode()
    assert "5 read, 4 with 10 to 30 words" in page


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"most": 5}, "The highest number of words is lower"), ({"per_source": 0}, "greater than or equal to 1"),
        ({"fewest": 29, "most": 30}, "Nothing was drawn"), ({"seed": "x"}, "Enter a whole number"),
    ],
)  # fmt: skip
def test_a_drawing_that_makes_no_sense_is_refused_beside_its_field(draft, client, tmp_path, more, reason):
    response = upload(client, tmp_path, [document_line(1)], **more)
    assert response.status_code == 422
    assert reason in response.content.decode()
    assert not SourceDocument.objects.exists()


def test_a_step_starts_only_as_it_was_estimated(draft, client, tmp_path):
    with_documents(draft, tmp_path)
    form = {"model": "campus/small", "count": 1, "temperature": 0, "top_p": 1, "seed": 0}
    page = client.post(url("ask", "requirements"), {**form, "estimate": "yes"})
    estimated = page.context["page"].estimate
    assert (estimated.cases, estimated.figures.calls) == (3, 3)
    assert "Suggest what different readers could require" in page.content.decode()
    assert not Call.objects.exists()
    start = {**form, "start": "yes", "estimated": estimated.digest, "key": str(page.context["page"].key)}
    other = client.post(url("ask", "requirements"), {**start, "count": 2})
    assert "has changed since it was estimated" in other.content.decode()
    assert client.post(url("ask", "requirements"), start).status_code == 302
    assert client.post(url("ask", "requirements"), start).status_code == 302
    assert PreparationStep.objects.count() == 1


def test_a_form_without_documents_says_what_to_do_first(draft, client):
    form = {"model": "campus/small", "count": 1, "temperature": 0, "top_p": 1, "seed": 0, "estimate": "yes"}
    response = client.post(url("ask", "instructions"), form)
    assert response.status_code == 422
    assert "Draw documents first" in response.content.decode()
    assert client.get(url("ask", "questions")).status_code == 404


def test_a_decision_is_returned_as_its_card_to_htmx(draft, client, tmp_path):
    with_documents(draft, tmp_path, 1)
    step_to_end(draft, "requirements", count=1)
    one = Suggestion.objects.get()
    sent = {"text": "Name <all> ferries.", "kinds": ["meta"], "state": "accepted"}
    page = client.post(url("decision", one.pk), sent, headers={"HX-Request": "true"})
    assert "Name &lt;all&gt; ferries." in page.content.decode()
    assert "<html" not in page.content.decode()
    refused = client.post(url("decision", one.pk), {**sent, "text": "Kept.", "kinds": []})
    assert refused.status_code == 422
    assert "Choose at least one kind" in refused.content.decode()
    assert "Kept." in refused.content.decode()


def test_a_text_is_written_for_a_document_that_exists(draft, client, tmp_path):
    with_documents(draft, tmp_path, 1)
    sent = {"document": "nowhere", "kind": "instruction", "text": "Sum it up."}
    assert "No document has this id" in client.post(url("write"), sent).content.decode()
    assert client.post(url("write"), {**sent, "document": "news-0"}).status_code == 302
    assert Suggestion.objects.get().state == "accepted"


def test_what_was_prepared_can_be_read_but_not_changed_when_the_study_is_live(draft, client, tmp_path, owner):
    with_documents(draft, tmp_path, 1)
    step_to_end(draft, "instructions", count=1, accept=True)
    step_to_end(draft, "answers", system="north")
    client.post(url("place"))
    assert Item.objects.count() == 1
    Study.objects.update(status="live")
    page = client.get(url("prepare")).content.decode()
    assert "Only a draft can be prepared" in page
    assert "Put them into the study" not in page
    output = PreparedText.objects.get()
    refused = client.post(url("edit", output.pk), {"text": "Mine.", "key": "hybrid"})
    assert "Only a draft study can be prepared" in refused.content.decode()
    assert PreparedText.objects.count() == 1


def test_an_edit_without_text_says_what_to_do(draft, client, tmp_path):
    with_documents(draft, tmp_path, 1)
    step_to_end(draft, "instructions", count=1, accept=True)
    step_to_end(draft, "answers", system="north")
    refused = client.post(url("edit", PreparedText.objects.get().pk), {"text": " ", "key": "hybrid"})
    assert refused.status_code == 422
    assert "Write a text, or go back without saving." in refused.content.decode()


def test_an_edit_that_is_too_long_is_kept_and_not_compared(draft, client, tmp_path):
    with_documents(draft, tmp_path, 1)
    step_to_end(draft, "instructions", count=1, accept=True)
    step_to_end(draft, "answers", system="north")
    output = PreparedText.objects.get()
    sent = {"text": "Mine. " * 10_000, "key": "hybrid"}
    for name in ("edit", "difference"):
        refused = client.post(url(name, output.pk), sent)
        assert refused.status_code == 422
        assert "its changes are not shown" in refused.content.decode()
    shown = client.post(url("difference", output.pk), {"text": f"{output.text} Mine."})
    assert (shown.status_code, b"1 word added" in shown.content) == (200, True)


def test_pages_of_another_study_s_rows_do_not_exist(draft, client, tmp_path, owner):
    other = empty_study(tmp_path, slug="other", owner=owner)
    with_documents(other, tmp_path, 1)
    step_to_end(other, "instructions", count=1, accept=True)
    step_to_end(other, "answers", system="north")
    for name, pk in (("edit", PreparedText.objects.get().pk), ("step", 1)):
        assert client.get(url(name, pk)).status_code == 404
    assert client.post(url("decision", Suggestion.objects.get().pk), {}).status_code == 404
    annotator = make_person("ann")
    add_member(other, annotator, "annotator", None)
    client.force_login(annotator)
    assert client.get(reverse("preparing:prepare", args=["other"])).status_code == 404


def test_the_ratings_of_a_trial_have_a_report_and_its_result_is_kept_when_they_are_gone(draft, client, tmp_path, owner):
    with_documents(draft, tmp_path, 2)
    both = [configured_step(draft, "instructions", model=name) for name in ("campus/small", "campus/able")]
    trial = start_trial(draft, both, owner, documents=2, evaluators=1)
    work_off()
    made = rate_trial(trial, owner)
    assert client.get(reverse("reports:report", args=[made.slug])).status_code == 200
    assert client.get(reverse("annotation:study", args=[made.slug])).status_code == 200
    choose_winner(trial, "campus/able", owner)
    page = client.get(url("prepare")).content.decode()
    assert "Let it write the rest" in page
    assert Suggestion.objects.filter(state="accepted").count() == 6
