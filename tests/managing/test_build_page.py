"""The page that builds a draft: steps, problems beside their fields, saving, and the preview of the rater's page."""

import re

import pytest
from django.apps import apps

from annotation.models import Assignment, Question, Study
from annotation.questions import question_types
from annotation.studies.planning import plan_chunk
from files.writing.study_yaml import study_body
from tests.conftest import draft_study
from tests.managing.drafts_in_forms import PROTOCOLS, demo_draft, empty_draft, posted

ADDRESS, PREVIEW = "/studies/{}/build/", "/studies/{}/build/preview/"


@pytest.fixture
def signed(client, owner):
    client.force_login(owner)
    return client


def since(page):
    return re.search(r'name="since" value="(\w+)"', page.content.decode())[1]


def send(client, study, do, body=None, **more):
    """Send the form as the page would: with a step, or to save."""
    address = ADDRESS.format(study.slug)
    known = since(client.get(address))
    return client.post(address, {**posted(study, body), "since": known, "do": do, **more})


def errors_in(response):
    """{field: error} as the page shows them."""
    forms = [response.context["builder"].about, response.context["builder"].options]
    forms += [part.form for part in response.context["builder"].questions]
    return {name: str(found[0]) for form in forms for name, found in form.errors.items()}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_saving_the_page_as_it_is_changes_nothing(signed, owner, protocol):
    study = demo_draft(protocol, owner)
    before = study_body(study)
    assert send(signed, study, "save").status_code == 302
    assert study_body(Study.objects.get()) == before


def test_an_empty_draft_gets_questions_step_by_step(signed, owner):
    study = empty_draft(owner)
    page = send(signed, study, "add:binary")
    body = page.context["builder"].body
    assert [one["key"] for one in body["questions"]] == ["binary"]
    body = send(signed, study, "add:likert", body).context["builder"].body
    body = send(signed, study, "copy:1", body).context["builder"].body
    assert [one["key"] for one in body["questions"]] == ["binary", "likert", "likert-2"]
    body = send(signed, study, "up:2", body).context["builder"].body
    body = send(signed, study, "down:0", body).context["builder"].body
    assert [one["key"] for one in body["questions"]] == ["likert-2", "binary", "likert"]
    body = send(signed, study, "remove:0", body).context["builder"].body
    assert not Question.objects.exists()
    assert send(signed, study, "save", body).status_code == 302
    assert list(Question.objects.values_list("key", "type")) == [("binary", "binary"), ("likert", "likert")]


@pytest.mark.thorough
@pytest.mark.parametrize("step", ["up:9", "remove:x", "add:nothing", "copy:", "walk:1", "", "up:²"])
def test_a_step_that_does_not_exist_changes_nothing(signed, owner, step):
    study = demo_draft("rating", owner)
    assert send(signed, study, step).context["builder"].body == study_body(study)


def test_all_problems_are_beside_their_fields_at_once(signed, owner):
    study = demo_draft("listwise", owner)
    body = study_body(study) | {"redundancy": 0, "language": "not a tag", "options": {"dense": "perhaps", "seed": "x"}}
    questions = [dict(one) for one in body["questions"]]
    questions[0]["ranks"] = "many"
    questions[1]["key"] = questions[2]["key"]
    questions[5] |= {"min_words": 5, "max_words": 2}
    del questions[4]["key"]
    response = send(signed, study, "save", body | {"questions": questions})
    assert response.status_code == 422
    assert errors_in(response) == {
        "about-redundancy": "Must be a whole number from 1 to 1000.",
        "about-language": 'Must be a language tag such as en or pt-BR; write "no" in quotes.',
        "option-seed": "Must be a whole number.",
        "questions-0-ranks": "Ranks must be a whole number from 2 to 100.",
        "questions-2-key": "Has the key of another question.",
        "questions-4-key": "Must be text.",
        "questions-5-min_words": "Min_words and max_words must be whole numbers, and min_words at most max_words.",
    }
    assert response.context["builder"].general == []
    assert study_body(Study.objects.get()) == study_body(study)


@pytest.mark.parametrize(
    ("protocol", "change", "field"),
    [
        ("pairwise", {"options": {"pairs": {"list": "a"}}}, "option-pairs"),
        ("pairwise", {"options": {"pairs": {"baseline": None}}}, "option-pairs"),
        ("session", {"options": {"second_ratings": {"share": 0.1, "count": 5}}}, "option-second_ratings-share"),
        ("session", {"options": {"models": ["no slash"]}}, "option-models"),
        ("session", {"options": {"searcher": "best"}}, "option-searcher"),
        ("rating", {"options": {"lease_minutes": 0}}, "option-lease_minutes"),
        ("rating", {"options": {"skip_reasons": ["a", "a"]}}, "option-skip_reasons"),
        ("rating", {"title": "\0"}, "about-title"),
    ],
)
def test_a_problem_is_beside_its_field(signed, owner, protocol, change, field):
    study = demo_draft(protocol, owner)
    response = send(signed, study, "save", study_body(study) | change)
    assert response.status_code == 422
    assert list(errors_in(response)) == [field]


@pytest.mark.parametrize(
    ("protocol", "change", "field"),
    [
        ("rating", {"type": "rank"}, "questions-1-type"),
        ("rating", {"per": "word"}, "questions-1-per"),
        ("rating", {"required": "maybe"}, "questions-1-required"),
        ("rating", {"when": {"question": "nobody", "equals": "x"}}, "questions-1-when-question"),
        ("pairwise", {"when": {"question": "better", "equals": "north"}}, "questions-1-when-equals"),
        ("session", {"type": "likert", "min": 1, "max": 5}, "questions-1-type"),
    ],
)
def test_a_problem_of_a_question_is_beside_its_field(signed, owner, protocol, change, field):
    study = demo_draft(protocol, owner)
    body = study_body(study)
    body["questions"][1] |= change
    response = send(signed, study, "save", body)
    assert response.status_code == 422
    assert field in errors_in(response), response.context["builder"].general


def test_a_study_without_questions_is_refused_with_a_sentence(signed, owner):
    response = send(signed, empty_draft(owner), "save")
    assert response.status_code == 422
    assert response.context["builder"].general == ["Questions must be a list of 1 to 200 questions."]


def test_problems_stay_on_the_page_until_they_are_gone(signed, owner):
    study = demo_draft("rating", owner)
    body = study_body(study) | {"redundancy": "two"}
    assert errors_in(send(signed, study, "add:text", body)) == {}
    assert errors_in(send(signed, study, "add:text", body, checked="yes")) != {}


def test_a_draft_that_somebody_else_changed_is_not_overwritten_unasked(signed, owner):
    study = demo_draft("rating", owner)
    known = since(signed.get(ADDRESS.format(study.slug)))
    mine = posted(study, study_body(study) | {"title": "Mine"}, since=known)
    Study.objects.update(title="Theirs")
    response = signed.post(ADDRESS.format(study.slug), {**mine, "do": "save"})
    assert response.status_code == 409
    assert "Somebody else changed this draft" in response.content.decode()
    assert "Mine" in response.content.decode()
    assert Study.objects.get().title == "Theirs"
    assert signed.post(ADDRESS.format(study.slug), {**mine, "do": "overwrite"}).status_code == 302
    assert Study.objects.get().title == "Mine"


def test_a_study_that_is_live_is_not_changed(signed, owner):
    study = demo_draft("rating", owner)
    data = posted(study, study_body(study) | {"title": "Mine"})
    Study.objects.update(status="live")
    assert "only in a draft without answers" in signed.get(ADDRESS.format(study.slug)).content.decode()
    assert signed.post(ADDRESS.format(study.slug), {**data, "do": "save"}).status_code == 409
    assert signed.post(PREVIEW.format(study.slug), data).status_code == 409
    assert Study.objects.get().title != "Mine"


def rows_of_all_tables():
    return {model._meta.label: list(model._base_manager.order_by("pk").values()) for model in apps.get_models()}


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_preview_shows_the_first_item_with_the_unsaved_questions_and_writes_nothing(signed, owner, protocol):
    study = demo_draft(protocol, owner)
    body = study_body(study)
    body["questions"][-1] |= {"text": "An unsaved question?"}
    before = rows_of_all_tables()
    response = signed.post(PREVIEW.format(study.slug), posted(study, body))
    assert response.status_code == 200
    text = response.content.decode()
    assert "An unsaved question?" in text
    assert "data-preview" in text
    assert response["X-Sample"] == "no"
    for output in study.items.order_by("key").first().outputs.all():
        assert output.key not in text
    assert rows_of_all_tables() == before
    assert not Assignment.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", question_types().values(), ids=lambda kind: kind.key)
def test_every_type_of_question_is_previewed_with_a_sample_item(signed, owner, protocol, kind):
    study = empty_draft(owner, protocol)
    page = send(signed, study, f"add:{kind.key}")
    response = signed.post(PREVIEW.format(study.slug), posted(study, page.context["builder"].body))
    assert response.status_code == 200
    assert response["X-Sample"] == "yes"
    offered = kind.key in dict(page.context["builder"].types)
    assert ("Question 1" in response.content.decode()) == offered
    assert response["X-Left-Out"] == ("0" if offered else "1")


def test_the_preview_leaves_out_what_cannot_be_asked(signed, owner):
    study = demo_draft("pairwise", owner)
    body = study_body(study) | {"redundancy": "many", "language": "", "options": {"pairs": {"list": "a"}}}
    body["questions"].append({"key": "scale", "type": "likert", "text": "Broken?", "min": "x"})
    response = signed.post(PREVIEW.format(study.slug), posted(study, body))
    assert response.status_code == 200
    assert response["X-Left-Out"] == "1"
    assert "Broken?" not in response.content.decode()


def test_pages_are_not_shown_in_frames_of_others(signed, owner):
    study = demo_draft("rating", owner)
    for response in (
        signed.get(ADDRESS.format(study.slug)), signed.post(PREVIEW.format(study.slug), posted(study)),
    ):  # fmt: skip
        assert response["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


def test_the_preview_is_the_desk_that_raters_get(signed, owner, rater, client):
    """Not a copy: the same page as that of an assigned task, but for the addresses and the rater's own facts."""
    study = demo_draft("rating", owner)
    shown = signed.post(PREVIEW.format(study.slug), posted(study))
    assert "protocols/rating.html" in [one.name for one in shown.templates]
    assert "desk/_actions.html" in [one.name for one in shown.templates]


@pytest.mark.thorough
def test_the_page_costs_as_many_queries_with_many_questions_and_items(signed, owner, django_assert_num_queries):
    study = draft_study(items=30)
    study.memberships.create(person=owner, role="owner")
    while plan_chunk(study):
        pass
    for number in range(3, 40):
        Question.objects.create(study=study, position=number, key=f"q{number}", type="binary")
    signed.get(ADDRESS.format(study.slug))
    with django_assert_num_queries(11):
        signed.get(ADDRESS.format(study.slug))
    data = posted(study)
    with django_assert_num_queries(6):
        signed.post(PREVIEW.format(study.slug), data)


def test_saving_a_blinded_draft_keeps_the_names_that_it_hides(signed, owner):
    study = demo_draft("pairwise", owner)
    system = study.items.first().outputs.first().key
    options = {"pairs": {"baseline": system}, "blind_researchers": True}
    Study.objects.update(options=options, systems={system: {"family": "north"}})
    study.refresh_from_db()
    assert system not in signed.get(ADDRESS.format(study.slug)).content.decode()
    assert send(signed, study, "save", study_body(study) | {"title": "Another title"}).status_code == 302
    study.refresh_from_db()
    assert (study.title, study.options, study.systems) == ("Another title", options, {system: {"family": "north"}})


def test_the_assignment_plan_stays_as_it_is(signed, owner):
    study = demo_draft("rating", owner)
    Study.objects.update(options={"plan": {"most": 5}})
    assert send(signed, study, "save", study_body(Study.objects.get()) | {"title": "Other"}).status_code == 302
    assert Study.objects.get().options == {"plan": {"most": 5}}
