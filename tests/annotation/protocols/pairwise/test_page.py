"""The page of a pair: what it shows, sends and refuses."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.statements import desk_row_of
from annotation.desk.task_page import desk_context
from annotation.members.membership import rater_for
from annotation.models import Annotation, Study, Task
from files.reading import import_study
from tests.annotation.protocols.pairwise.conftest import SYSTEMS, live

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client, rater, task):
    """A function that posts a form for the rater's task and returns the response."""
    client.force_login(rater)
    return lambda form: client.post(reverse("annotation:submit_task", args=[task.key]), form | {"revision": "0"})


@pytest.mark.parametrize("value", ["C", "system-north", "tie ", "\u202eA"])
def test_a_winner_outside_the_pair_is_refused_beside_its_control_and_typed_text_is_kept(page, value):
    response = page({"q-better": value, "q-why": "kept <b>text</b>"})
    content = response.content.decode()
    assert response.status_code == 422
    assert 'id="question-1-error">This answer is not one of the outputs shown: choose one of A, B.' in content
    assert "kept &lt;b&gt;text&lt;/b&gt;" in content
    assert not Annotation.objects.exists()


def test_a_tie_is_refused_and_not_offered_if_ties_are_off(client, folder, rater):
    questions = [{"key": "better", "type": "preference", "allow_tie": False}, {"key": "why", "type": "text"}]
    study = live(import_study(folder(questions=questions)).study, rater)
    task = next_assignment(study, rater_for(study, rater))
    client.force_login(rater)
    shown = client.get(reverse("annotation:desk", args=[task.key])).content.decode()
    assert 'value="A"' in shown
    assert 'value="tie"' not in shown
    response = client.post(
        reverse("annotation:submit_task", args=[task.key]), {"q-better": "tie", "q-why": "typed", "revision": "0"}
    )
    assert response.status_code == 422
    assert "does not allow ties" in response.content.decode()
    assert "typed" in response.content.decode()


def test_a_missing_answer_is_asked_for_again(page):
    response = page({"q-why": "kept"})
    assert response.status_code == 422
    assert 'id="question-1-error">This question needs an answer.' in response.content.decode()


def test_counts_of_aids_that_the_page_does_not_have_are_refused(page):
    assert page({"q-better": "A", "tool_use": '{"common_words": 1}'}).status_code == 400
    assert page({"q-better": "A", "tool_use": '{"differences": 2}'}).status_code == 302
    assert Annotation.objects.get().tool_use == {"differences": 2}


def test_nothing_sent_to_a_rater_names_a_system_or_shows_a_reference(client, study, task, rater):
    client.force_login(rater)
    sent = [client.get(reverse("annotation:home")), client.get(reverse("annotation:desk", args=[task.key]))]
    form = {"q-better": "B", "q-fluent-A": "1", "q-fluent-B": "2", "revision": "0"}
    sent += [client.post(reverse(f"annotation:{name}", args=[task.key]), form) for name in ("save_draft", "pulse")]
    sent += [client.post(reverse("annotation:submit_task", args=[task.key]), {"q-better": "C", "revision": "0"})]
    sent += [client.post(reverse("annotation:submit_task", args=[task.key]), form)]
    sent += [client.get(sent[-1]["Location"]), client.get(reverse("annotation:desk", args=[task.key]))]
    stale = client.post(reverse("annotation:submit_task", args=[task.key]), form | {"q-better": "A"})
    assert stale.status_code == 409
    for response in [*sent, stale]:
        text = response.content.decode() + str(response.headers)
        for canary in (*SYSTEMS, "CANARY", '"one"', '"two"'):
            assert canary not in text, (response.wsgi_request.path, canary)


def test_the_page_has_the_guidelines_checklist_and_examples(task):
    shown = desk_context(desk_row_of(task.pk))["desk"]
    assert [(part.title, part.html.strip()) for part in shown["checklist"]] == [
        ("Checklist", "<ul>\n<li>Is it <em>right</em>?</li>\n</ul>")
    ]
    assert [(part.title, part.html.strip()) for part in shown["examples"]] == [
        ("Example 1", "<p>A wins.</p>"), ("Example 2", "<p>B wins.</p>"),
    ]  # fmt: skip


def test_without_a_checklist_no_switch_for_it_is_shown(client, folder, rater):
    study = live(import_study(folder(guidelines="Read.")).study, rater)
    client.force_login(rater)
    content = client.get(reverse("annotation:desk", args=[next_assignment(study, rater_for(study, rater)).key]))
    assert "checklist-button" not in content.content.decode()
    assert "examples-button" not in content.content.decode()


def test_the_demo_study_can_be_imported_and_worked_on(rater):
    call_command("import_study", "demo/pairwise")
    study = live(Study.objects.get(slug="demo-pairwise"), rater)
    shown = desk_context(desk_row_of(next_assignment(study, rater_for(study, rater)).pk))["desk"]
    assert (len(shown["checklist"]), len(shown["examples"])) == (1, 2)
    assert Task.objects.filter(item__study=study).count() == 15
    assert all(item.references for item in study.items.all())
    assert len({str(item.categories) for item in study.items.all()}) == 5
