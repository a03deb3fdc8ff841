"""Parts of pages that are rendered once for many requests, and what must not be shared."""

import re

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.urls import reverse

from accounts.preferences import save_preferences
from annotation.models import Assignment, Question
from annotation.templatetags.kept_parts import MOST_KEPT, KeptPart

pytestmark = pytest.mark.quick
QUESTIONS = re.compile(r'<div class="questions".*?</form>', re.DOTALL)
HELP = re.compile(r'<dialog id="help".*?</dialog>', re.DOTALL)


def part(text):
    template = Template("{% load kept_parts %}" + text)
    return template, next(node for node in template.nodelist if isinstance(node, KeptPart))


def test_a_part_is_rendered_once_for_each_key():
    template, _ = part("{% kept key more %}{{ text }}{% endkept %}")
    shown = [template.render(Context({"key": key, "more": more, "text": text})) for key, more, text in (
        ("a", 1, "first"), ("a", 1, "second"), ("a", 2, "third"), ("b", 1, "fourth"), ("a", 1, "fifth"),
    )]  # fmt: skip
    assert shown == ["first", "first", "third", "fourth", "first"]


@pytest.mark.parametrize("empty", [None, "", ()])
def test_without_a_key_a_part_is_rendered_each_time(empty):
    template, node = part("{% kept key %}{{ text }}{% endkept %}")
    assert [template.render(Context({"key": empty, "text": text})) for text in "ab"] == ["a", "b"]
    assert not node.kept


def test_the_parts_used_longest_ago_are_forgotten():
    template, node = part("{% kept key %}{{ text }}{% endkept %}")
    for key in range(1, MOST_KEPT + 1):
        template.render(Context({"key": key, "text": "old"}))
    template.render(Context({"key": 1, "text": "new"}))
    template.render(Context({"key": MOST_KEPT + 1, "text": "new"}))
    assert len(node.kept) == MOST_KEPT
    assert template.render(Context({"key": 1, "text": "new"})) == "old"
    assert template.render(Context({"key": 2, "text": "new"})) == "new"


def test_a_part_without_any_key_is_refused():
    with pytest.raises(TemplateSyntaxError, match="needs a key"):
        part("{% kept %}{% endkept %}")


@pytest.fixture
def task(client, study, rater):
    """The rater signed in, with a task on the desk."""
    client.force_login(rater)
    client.post(reverse("annotation:next_task", args=[study.slug]))
    return Assignment.objects.get()


@pytest.fixture
def page(client, task):
    return lambda: client.get(reverse("annotation:desk", args=[task.key])).content.decode()


def questions_on(html):
    return QUESTIONS.search(html).group()


def test_a_draft_is_shown_and_never_kept_for_others(page, task):
    empty = questions_on(page())
    Assignment.objects.filter(pk=task.pk).update(draft={"q-comment": ["mine alone"]})
    assert "mine alone" in questions_on(page())
    Assignment.objects.filter(pk=task.pk).update(draft=None)
    assert questions_on(page()) == empty


def test_a_changed_question_is_shown_at_once(page, study):
    assert "Is every wish met?" not in page()
    Question.objects.filter(study=study, key="follows").update(text="Is every wish met?")
    assert "Is every wish met?" in questions_on(page())


def test_each_person_has_their_own_phrases_and_keys(page, rater):
    assert "data-phrases" not in page()
    assert " checked" in HELP.search(page()).group()
    save_preferences(rater, phrases=["Well said"], keys_off=True)
    assert "Well said" in questions_on(page())
    assert " checked" not in HELP.search(page()).group()
    save_preferences(rater, phrases=[], keys_off=False)
    assert "Well said" not in page()


def test_a_refused_answer_keeps_its_errors_to_itself(client, page, task):
    empty = questions_on(page())
    refused = client.post(reverse("annotation:submit_task", args=[task.key]), {"q-how_well": "9", "revision": "0"})
    assert refused.status_code == 422
    assert "field-error" in questions_on(refused.content.decode())
    assert questions_on(page()) == empty


def test_no_token_against_forged_requests_is_kept(page):
    html = page()
    assert "csrfmiddlewaretoken" in html
    assert "csrfmiddlewaretoken" not in QUESTIONS.search(html).group() + HELP.search(html).group()
