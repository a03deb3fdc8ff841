"""The rater's desk over HTTP."""

import re
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import DatabaseError, connection
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Assignment, DraftConflict, Membership, Rating, Slot, Study, WrittenExample
from tests.conftest import SYSTEMS

pytestmark = pytest.mark.both
AT_ONCE = {"Prefer": "return=representation"}
GOOD = {"q-follows": "true", "q-how_well": "4", "q-comment": " as typed ", "revision": "0", "guidelines_version": "1"}


@pytest.fixture
def desk(client, study, rater):
    """The rater signed in, with a task on the desk."""
    client.force_login(rater)
    response = client.post(reverse("annotation:next_task", args=[study.slug]))
    assert response.status_code == 302
    return Assignment.objects.get()


def address(name, assignment):
    return reverse(f"annotation:{name}", args=[assignment.key])


def everything(*models):
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_an_answer_is_saved_and_the_next_task_opens(client, desk):
    response = client.post(address("submit_task", desk), GOOD)
    assert response.status_code == 302
    following = Assignment.objects.exclude(pk=desk.pk).get()
    assert response["Location"] == address("desk", following)
    assert Annotation.objects.get().answers == {"follows": True, "how_well": 4, "comment": " as typed "}


def as_shown(page):
    """A page without what is new each time it is made: tokens and keys."""
    return re.sub(r'(csrfmiddlewaretoken|client_key)" value="[^"]*"|nonce="[^"]*"|name="request-id"[^>]*', "", page)


def test_a_script_that_prefers_it_gets_the_page_of_the_next_task_with_its_address(client, desk):
    where = address("desk", desk)
    for _ in range(5):
        shown = client.post(f"{where}submit/", GOOD, headers=AT_ONCE)
        where = shown["Content-Location"]
        assert shown.status_code == 200
        assert as_shown(shown.text) == as_shown(client.get(where).text)
        assert f'data-page="{where}"' in shown.text
    last = client.post(f"{where}submit/", GOOD, headers=AT_ONCE)
    assert (last.status_code, last["Location"]) == (302, reverse("annotation:end", args=["study"]))
    assert "Content-Location" not in last


def test_an_answer_whose_next_page_cannot_be_read_leads_to_it(client, desk, monkeypatch):
    def fail(*_):
        raise DatabaseError

    sent = GOOD | {"client_key": str(uuid.uuid4())}
    with monkeypatch.context() as patched:
        patched.setattr("annotation.views.desk.desk_row_for", fail)
        saved = client.post(address("submit_task", desk), sent, headers=AT_ONCE)
    following = Assignment.objects.exclude(pk=desk.pk).get()
    assert (saved.status_code, saved["Location"]) == (302, address("desk", following))
    again = client.post(address("submit_task", desk), sent, headers=AT_ONCE)
    assert (again.status_code, again["Location"]) == (302, address("desk", following))
    assert Annotation.objects.count() == 1


def test_after_the_last_task_the_rater_comes_to_the_last_page(client, desk):
    where = address("desk", desk)
    for _ in range(6):
        where = client.post(f"{where}submit/", GOOD)["Location"]
    assert where == reverse("annotation:end", args=["study"])
    assert "You answered 6 tasks." in client.get(where).text


def test_an_invalid_answer_comes_back_with_everything_that_was_typed(client, desk):
    response = client.post(address("submit_task", desk), GOOD | {"q-how_well": "9", "q-comment": "kept <b>text</b>"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "must be a whole number from 1 to 5" in page
    assert "kept &lt;b&gt;text&lt;/b&gt;" in page
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("name", ["desk", "submit_task", "skip_task", "flag_task", "undo_task", "save_draft", "pulse"])
def test_somebody_elses_task_is_not_found(client, study, desk, stranger, owner, name):
    before = everything(Annotation, Assignment, Slot, Rating)
    for person in (stranger, owner):
        client.force_login(person)
        ask = client.get if name == "desk" else client.post
        theirs, none = (ask(reverse(f"annotation:{name}", args=[key])) for key in (desk.key, uuid.uuid4()))
        assert theirs.status_code == none.status_code == 404
        # The address itself may be repeated on the page; nothing else may differ.
        assert strip(theirs) == strip(none)
    assert everything(Annotation, Assignment, Slot, Rating) == before


def strip(response):
    page = response.content.decode()
    for text in (response["X-Request-Id"], response.wsgi_request.path):
        page = page.replace(text, "")
    return page


def test_fields_that_a_rater_may_not_set_change_nothing(client, desk, stranger):
    more = {"rater": "9", "annotator": str(stranger.pk), "study": "other", "status": "skipped", "surplus": "true",
            "submitted_at": "1999-01-01", "is_current": "false", "seconds": "1e9"}  # fmt: skip
    client.post(address("submit_task", desk), GOOD | more)
    annotation = Annotation.objects.get()
    assert (annotation.rater, annotation.status, annotation.surplus) == (desk.rater, "submitted", False)
    assert annotation.submitted_at.year > 2020
    assert annotation.seconds < 1000


def test_nothing_sent_to_a_rater_names_a_system_or_shows_a_reference_or_example(client, study, desk):
    WrittenExample.objects.create(study=study, position=0, outputs="CANARY-EXAMPLE", values={"follows": True})
    Study.objects.update(systems={"CANARY-SYSTEM": {"family": "gulls"}}, judges={"CANARY-JUDGE": {}})
    sent = [client.get(reverse("annotation:home")), client.get(address("desk", desk))]
    sent += [client.post(address("save_draft", desk), {"q-comment": "x"}), client.post(address("pulse", desk))]
    sent += [client.post(address("submit_task", desk), {}), client.post(address("submit_task", desk), GOOD)]
    sent += [client.get(sent[-1]["Location"])]
    for response in sent:
        everything_sent = response.content.decode() + str(response.headers)
        for canary in (*SYSTEMS, "CANARY", "item-0", "item-1"):
            assert canary not in everything_sent, (response.wsgi_request.path, canary)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"choice": "Too long"}, "Too long"), ({"choice": "Too long", "reason": "unseen"}, "Too long"),
        ({"choice": "", "reason": "My cat"}, "My cat"), ({"reason": "My cat"}, "My cat"),
        ({"choice": "Not offered"}, None), ({"choice": ""}, None),
    ],
)  # fmt: skip
def test_a_reason_that_the_study_offers_is_kept_as_it_is(client, study, desk, fields, reason):
    Study.objects.filter(pk=study.pk).update(options={"skip_reasons": ["Too long", "Not my field"]})
    assert client.get(address("desk", desk)).content.decode().count('name="choice"') == 3
    response = client.post(address("skip_task", desk), fields)
    assert response.status_code == (422 if reason is None else 302)
    assert list(Annotation.objects.values_list("reason", flat=True)) == ([] if reason is None else [reason])


@pytest.mark.parametrize("name", ["submit_task", "skip_task", "flag_task", "undo_task", "save_draft", "pulse"])
def test_a_post_without_a_csrf_token_is_refused(study, desk, rater, name):
    before = everything(Annotation, Assignment, Slot)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(rater)
    assert strict.post(address(name, desk), GOOD).status_code == 403
    assert everything(Annotation, Assignment, Slot) == before


def test_a_member_who_was_removed_is_refused_at_the_next_request(client, desk):
    Membership.objects.filter(role="annotator").update(active=False)
    assert client.get(address("desk", desk)).status_code == 404
    assert client.post(address("submit_task", desk), GOOD).status_code == 404


@pytest.mark.parametrize("field", ["q-comment", "reason"])
@pytest.mark.parametrize("name", ["submit_task", "skip_task", "flag_task", "save_draft"])
def test_text_that_cannot_be_stored_is_refused_and_nothing_is_saved(client, desk, name, field):
    before = everything(Annotation, Rating)
    response = client.post(address(name, desk), GOOD | {"reason": "why"} | {field: "a\x00b"})
    if (name, field) in {("submit_task", "reason"), ("save_draft", "reason"), ("flag_task", "q-comment")}:
        assert response.status_code in (200, 302)  # a field that this address does not read
    elif (name, field) == ("skip_task", "q-comment"):
        assert response.status_code == 302  # a skip keeps no answers
    else:
        assert response.status_code in (400, 422)
        assert "NUL" in response.content.decode()
        assert everything(Annotation, Rating) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"revision": "-1"}, {"revision": "٣"}, {"revision": "9" * 400}, {"client_key": "no uuid"},
        {"guidelines_version": "7"}, {"visible_seconds": "NaN"}, {"visible_seconds": "-4"}, {"active_seconds": "1e400"},
        {"tool_use": "{"}, {"tool_use": '{"other": 1}'}, {"tool_use": '{"step": -1}'}, {"tool_use": "[" * 5000},
        {"tool_use": '{"step": ' + "9" * 10_000 + "}"}, {"device": "<b>"}, {"device": "a " * 60}, {"device": "a\n"},
    ],
)  # fmt: skip
def test_fields_that_only_the_page_fills_are_refused_if_they_are_invalid(client, desk, fields):
    assert client.post(address("submit_task", desk), GOOD | fields).status_code == 400
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("said", ["laptop fine below tight columns whole", ""])
def test_how_the_page_showed_the_task_is_kept_with_the_answer_and_stays_when_it_is_flagged(client, desk, said):
    client.post(address("submit_task", desk), GOOD | {"device": said})
    assert Annotation.objects.get().device == said
    client.post(address("flag_task", desk), {"reason": "odd"})
    assert set(Annotation.objects.values_list("device", flat=True)) == {said}


def test_a_body_over_the_limit_is_refused(client, desk):
    response = client.post(address("submit_task", desk), GOOD | {"q-comment": "x" * 3_000_000})
    assert response.status_code == 413
    assert not Annotation.objects.exists()


def test_a_repeated_submission_makes_one_annotation_and_other_content_is_refused(client, desk):
    sent = GOOD | {"client_key": str(uuid.uuid4())}
    assert [client.post(address("submit_task", desk), sent).status_code for _ in range(3)] == [302] * 3
    assert client.post(address("submit_task", desk), sent | {"q-how_well": "1"}).status_code == 409
    assert Annotation.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_copies_at_once_make_one_annotation(study, desk, rater):
    sent = GOOD | {"client_key": str(uuid.uuid4())}

    def send(_):
        one = Client()
        one.force_login(rater)
        try:
            return one.post(address("submit_task", desk), sent).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        assert set(pool.map(send, range(50))) == {302}
    assert Annotation.objects.filter(task=desk.task).count() == 1


def test_going_back_shows_the_saved_answer_and_a_change_is_a_revision(client, desk):
    client.post(address("submit_task", desk), GOOD)
    page = client.get(address("desk", desk)).content.decode()
    assert " as typed " in page
    client.post(address("submit_task", desk), GOOD | {"q-how_well": "2", "revision": "1"})
    assert [a.answers["how_well"] for a in Annotation.objects.order_by("revision")] == [4, 2]
    assert Slot.objects.filter(state="filled").count() == 1


def test_an_answer_from_another_tab_shows_both_versions(client, desk):
    client.post(address("submit_task", desk), GOOD)
    response = client.post(address("submit_task", desk), GOOD | {"q-comment": "the other tab"})
    page = response.content.decode()
    assert response.status_code == 409
    assert "the other tab" in page
    assert "as typed" in page
    assert DraftConflict.objects.get().body["q-comment"] == ["the other tab"]


def test_autosaves_out_of_order_keep_both_versions(client, desk):
    save = address("save_draft", desk)
    assert client.post(save, {"q-comment": "one", "draft_version": "0"}).json() == {"version": 1}
    response = client.post(save, {"q-comment": "two", "draft_version": "0"})
    assert response.status_code == 409
    assert response.json() == {"version": 1, "draft": {"q-comment": ["one"]}}
    client.post(address("submit_task", desk), GOOD)
    assert client.post(save, {"q-comment": "late", "draft_version": "1"}).status_code == 410
    assert Annotation.objects.get().answers["comment"] == " as typed "


def test_after_signing_out_a_script_gets_an_error_and_a_browser_the_sign_in_page(client, desk):
    client.logout()
    told = client.post(address("submit_task", desk), GOOD, headers={"Accept": "application/json"})
    assert told.status_code == 401
    assert "signed out" in told.json()["error"]
    assert client.post(address("submit_task", desk), GOOD).status_code == 302
    assert not Annotation.objects.exists()


def test_an_answer_keeps_the_version_of_the_guidelines_it_was_given_under(client, study, desk):
    study.guidelines.create(number=2, text="Other rules.")
    client.post(address("submit_task", desk), GOOD)
    assert Annotation.objects.get().guidelines_version == 1
    assert set(Rating.objects.values_list("guidelines_version", flat=True)) == {1}


def test_a_skip_needs_a_reason(client, desk):
    response = client.post(address("skip_task", desk), GOOD | {"reason": "  "})
    assert response.status_code == 422
    assert " as typed " in response.content.decode()
    client.post(address("skip_task", desk), GOOD | {"reason": "not mine to judge"})
    assert Annotation.objects.get().status == "skipped"


def test_a_flag_stays_on_the_task_and_goes_with_the_answer(client, desk):
    response = client.post(address("flag_task", desk), {"reason": "the text is cut off"})
    assert response["Location"] == address("desk", desk)
    assert "the text is cut off" in client.get(address("desk", desk)).content.decode()
    client.post(address("submit_task", desk), GOOD)
    assert Annotation.objects.get().flag == "the text is cut off"


def test_undo_brings_the_last_answer_back_as_it_was_typed(client, desk):
    client.post(address("submit_task", desk), GOOD)
    response = client.post(address("undo_task", desk), {"revision": "1"})
    assert response["Location"] == address("desk", desk)
    assert " as typed " in client.get(address("desk", desk)).content.decode()
    assert Annotation.objects.get(is_current=True).status == "withdrawn"


def test_a_paused_study_gives_no_new_work_but_accepts_answers_in_progress(client, desk):
    Study.objects.update(status="paused")
    assert client.get(address("desk", desk)).status_code == 200
    assert client.post(address("submit_task", desk), GOOD)["Location"] == reverse("annotation:home")
    assert Annotation.objects.count() == 1


def test_the_page_takes_the_same_number_of_queries_whatever_was_answered_before(
    client, desk, django_assert_max_num_queries
):
    where = address("desk", desk)
    for _ in range(4):
        where = client.post(f"{where}submit/", GOOD)["Location"]
    with django_assert_max_num_queries(24):
        assert client.get(where).status_code == 200


def test_a_closed_study_says_that_its_answers_are_final(client, desk):
    client.post(address("submit_task", desk), GOOD)
    Study.objects.update(status="closed")
    for name in ("submit_task", "skip_task", "flag_task", "undo_task"):
        response = client.post(address(name, desk), GOOD | {"revision": "1", "reason": "late", "q-how_well": "1"})
        assert response.status_code == 409, name
        assert "can no longer be changed" in response.content.decode()
    assert Annotation.objects.count() == 1


def test_an_answer_that_names_no_guidelines_was_given_under_the_current_ones(client, study, desk):
    study.guidelines.create(number=2, text="Other rules.")
    client.post(address("submit_task", desk), {key: GOOD[key] for key in GOOD if key != "guidelines_version"})
    assert Annotation.objects.get().guidelines_version == 2


def test_a_value_for_a_question_that_is_not_asked_is_no_answer(client, study, desk):
    study.questions.filter(key="how_well").update(
        spec={"min": 1, "max": 5, "when": {"question": "follows", "equals": True}}
    )
    client.post(address("submit_task", desk), GOOD | {"q-follows": "false", "q-how_well": "99"})
    assert Annotation.objects.get().answers == {"follows": False, "comment": " as typed "}
