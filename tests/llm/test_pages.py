"""The pages about models: what they show, what they never show, and their forms."""

import re
from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.members.membership import add_member, rater_for
from config.background.claiming import run_waiting
from config.models import Worker
from llm.endpoints import find_model
from llm.models import Budget, Completion, EndpointState, Stop, StudyPrompt
from llm.prompt_files import prompt_for
from tests.conftest import make_person
from tests.llm.calls import write_endpoints
from tests.models_and_papers import make_call, make_completion

PAGE = "/studies/study/models/"
FAR = datetime(2999, 1, 1, tzinfo=UTC)
KEY = "CANARY-sk-7d41c0ffee"
HIDDEN = (KEY, KEY[:8], "127.0.0.1:9", "base_url", "CAMPUS_KEY")


@pytest.fixture(autouse=True)
def operator_s_endpoints(settings, tmp_path, monkeypatch):
    monkeypatch.setenv("CAMPUS_KEY", KEY)
    write_endpoints(settings, tmp_path, more="key: CAMPUS_KEY")


@pytest.fixture
def owner_s(client, study, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def researcher_s(client, study):
    person = make_person("researcher")
    add_member(study, person, "researcher", None)
    client.force_login(person)
    return client


def text_of(client, path=PAGE, status=200, **headers):
    response = client.get(path, headers=headers or None)
    assert response.status_code == status
    return response.content.decode()


def section(page, name):
    return page.split(f'<h2 id="{name}">')[1].split("</section>")[0]


def test_models_are_listed_with_context_prices_limits_and_features(owner_s, study):
    make_call(study, status="running", price_charged=None, ended_at=None, lease_until=FAR)
    shown = section(text_of(owner_s), "endpoints")
    for words in ("campus/small", "sent as small-1", ">1000<", ">1.00<", ">2.00<", "stream", "1 of 4 calls running",
                  "key set", "extractive/extractive", "not a language model"):  # fmt: skip
        assert words in shown
    assert "not set" in shown.split("campus/unpriced")[1]


def test_a_missing_key_and_a_paused_endpoint_are_shown(owner_s, study, monkeypatch):
    monkeypatch.delenv("CAMPUS_KEY")
    assert "key missing" in text_of(owner_s)
    EndpointState.objects.create(name="campus", failures=5, open_until=FAR, message="campus failed 5 times.")
    page = text_of(owner_s)
    assert "paused until" in page
    assert "campus failed 5 times." in page


def test_an_invalid_file_of_endpoints_is_reported_without_its_content(owner_s, settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "broken-canary.yaml"
    settings.ENDPOINTS_FILE.write_text("endpoints: {campus: {base_url: 'http://CANARY'}}")
    page = text_of(owner_s)
    assert "file of endpoints is invalid" in page
    assert "canary" not in page.lower()
    form = {"model": "campus/small", "question": "Why?", "longest": "10"}
    assert owner_s.post(PAGE + "trials/", form).status_code == 422


def test_no_page_shows_a_key_or_an_address(owner_s, study, owner):
    call = make_call(study, owner)
    owner_s.post(PAGE + "trials/", {"model": "campus/small", "question": "Why?", "text": "", "longest": "10"})
    run_waiting()
    tried = Completion.objects.get()
    assert tried.status == "failed"
    paths = ("", "calls/", f"calls/{call.pk}/", f"trials/{tried.pk}/", "prompts/", "prompts/llm/try/", "../papers/")
    for path in paths:
        page = text_of(owner_s, PAGE.replace("models/", "papers/") if path.startswith(".") else PAGE + path)
        assert [hidden for hidden in HIDDEN if hidden in page] == [], path


@pytest.mark.parametrize(
    "address",
    [
        "http://169.254.169.254/latest/meta-data", "https://localhost:8000/v1", "http://2130706433/v1",
        "http://[::ffff:127.0.0.1]/v1", "campus/http://127.0.0.1:9/v1", "elsewhere/small", "",
    ],
)  # fmt: skip
def test_an_address_instead_of_a_model_is_refused(researcher_s, study, address):
    form = {"model": address, "question": "Why?", "text": "", "longest": "10"}
    response = researcher_s.post(PAGE + "trials/", form)
    assert response.status_code == 422
    page = response.content.decode()
    if address:
        assert "Choose a model from the list." in page
        assert address not in page
    assert not Completion.objects.exists()


def test_a_question_is_queued_answered_and_shown(researcher_s, study):
    text = "In summer the ferry to the northern islands sails at nine in the morning.\n\nIt carries no cars."
    form = {"model": "extractive/extractive", "question": "When does the ferry sail?", "longest": "50", "text": text}
    response = researcher_s.post(PAGE + "trials/", form)
    assert response.status_code == 302
    waiting = text_of(researcher_s, response["Location"])
    assert "In the queue …" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    run_waiting()
    done = text_of(researcher_s, response["Location"], **{"HX-Request": "true"})
    assert 'class="plain-text prose"' in done
    assert "every 1s" not in done
    assert "<html" not in done
    tried = Completion.objects.get()
    assert tried.status == "done", tried.reason
    assert tried.call.person.username == "researcher"
    assert f"{PAGE}calls/{tried.call_id}/" in done


def test_a_waiting_question_can_be_stopped(owner_s, study, owner):
    tried = make_completion(study, owner)
    assert owner_s.post(f"{PAGE}trials/{tried.pk}/stop/").status_code == 302
    tried.refresh_from_db()
    assert tried.status == "stopped"
    assert "every 1s" not in text_of(owner_s, f"{PAGE}trials/{tried.pk}/")


def test_calls_are_stopped_and_resumed_and_both_are_audited(researcher_s, study):
    researcher_s.post(PAGE + "stop/")
    assert "Calls of this study are stopped" in text_of(researcher_s)
    assert Stop.objects.get(lifted_at=None).study == study
    researcher_s.post(PAGE + "resume/")
    assert "Calls of this study are stopped</strong>" not in text_of(researcher_s)
    assert set(AuditEntry.objects.values_list("action", "actor__person__username")) >= {
        ("calls stopped", "researcher"),
        ("calls resumed", "researcher"),
    }


def test_owners_set_limits_for_study_run_and_person_and_each_is_audited(owner_s, study, rater):
    for scope, run in (("study", ""), ("run", "run 7"), (f"person-{rater.pk}", "")):
        form = {"scope": scope, "run": run, "limit": "1.5"}
        assert owner_s.post(PAGE + "limits/", form).status_code == 302
    rows = Budget.objects.values_list("run", "person__username", "cap")
    assert set(rows) == {("", None, 1_500_000), ("run 7", None, 1_500_000), ("", "rater", 1_500_000)}
    assert AuditEntry.objects.filter(action="budget set").count() == 3
    shown = section(text_of(owner_s), "budgets")
    assert shown.count('data-label="Limit">1.5000<') == 3
    owner_s.post(PAGE + "limits/", {"scope": "study", "limit": ""})
    assert Budget.objects.get(run="", person=None).cap is None


@pytest.mark.thorough
@pytest.mark.parametrize(
    "form",
    [
        {"scope": "study", "limit": "-1"}, {"scope": "study", "limit": "NaN"}, {"scope": "study", "limit": "1e30"},
        {"scope": "run", "run": " ", "limit": "1"}, {"scope": "person-999999", "limit": "1"}, {"scope": "x"},
    ],
)  # fmt: skip
def test_an_invalid_limit_is_reported_at_its_field(owner_s, study, form):
    response = owner_s.post(PAGE + "limits/", form)
    assert response.status_code == 422
    assert "field-error" in response.content.decode()
    assert not Budget.objects.exists()


def test_researchers_see_budgets_and_cannot_set_them(researcher_s, study):
    assert "Set a limit" not in text_of(researcher_s)
    assert researcher_s.post(PAGE + "limits/", {"scope": "study", "limit": "1"}).status_code == 404


def test_the_queue_is_counted_by_kind_with_the_last_failure(owner_s, study, owner):
    make_completion(study, owner)
    make_completion(study, owner, status="failed", ended_at=timezone.now(), reason="No <b>key</b>.")
    row = section(text_of(owner_s), "queue").split("Completion")[1].split("Index build")[0]
    assert re.findall(r'data-label="(\w+)">(\d+)<', row) == [("Waiting", "1"), ("Running", "0"), ("Failed", "1")]
    assert "No &lt;b&gt;key&lt;/b&gt;." in row


def test_the_page_warns_while_no_worker_is_running(owner_s, study):
    assert "No worker is running" in text_of(owner_s)
    now = timezone.now()
    Worker.objects.create(name="a", queues="calls,jobs", started_at=now, seen_at=now)
    assert "No worker" not in text_of(owner_s)


def test_the_filters_of_the_ledger_stay_in_the_address_across_pages(owner_s, study, owner):
    for number in range(60):
        make_call(study, owner, run="run 1" if number else "run 2", step="first" if number % 2 else "summary")
    make_call(study, owner, status="failed", model="free", reason="It failed.")
    assert "61 calls" in text_of(owner_s, f"{PAGE}calls/")
    page = text_of(owner_s, f"{PAGE}calls/?run=run+1&model=campus/small")
    assert "59 calls" in page
    assert "?model=campus%2Fsmall&amp;run=run+1&amp;page=2" in page
    assert "1 call," in text_of(owner_s, f"{PAGE}calls/?status=failed")
    assert "30 calls" in text_of(owner_s, f"{PAGE}calls/?step=summary")
    assert "No matching calls" in text_of(owner_s, f"{PAGE}calls/?status=nothing%00")
    for odd in ("?page=x", "?page=-1", "?page=999999999999999999999", "?model=///", "?run=" + "x" * 5000):
        assert owner_s.get(f"{PAGE}calls/{odd}").status_code == 200


def test_a_call_is_shown_completely(owner_s, study, owner):
    call = make_call(study, owner, parameters={"temperature": 0.7}, other_model=True, price_unknown=True)
    page = text_of(owner_s, f"{PAGE}calls/{call.pk}/")
    for words in (
        "When does the ferry sail?", "At nine.", "0.000250", "d" * 64, "e" * 64, "small-1", "another model", "0.7",
        "temperature", "{&quot;choices&quot;: []}", "the highest was used", "status 200",
    ):  # fmt: skip
        assert words in page


def test_the_ledger_shows_an_annotator_by_their_pseudonym(owner_s, study, rater):
    rater.full_name = "CANARY NAME"
    rater.save()
    name = rater_for(study, rater).name
    call = make_call(study, rater)
    page = text_of(owner_s, f"{PAGE}calls/{call.pk}/")
    assert name in page
    assert "CANARY" not in page


def test_calls_and_trials_of_other_studies_are_not_found(owner_s, study, make_study, stranger):
    other = make_study("other")
    call, tried = make_call(other), make_completion(other, stranger)
    for path in (f"calls/{call.pk}/", f"trials/{tried.pk}/", "calls/999999999/", "trials/0/", "prompts/llm/none/"):
        assert owner_s.get(PAGE + path).status_code == 404
    assert owner_s.post(f"{PAGE}trials/{tried.pk}/stop/").status_code == 404
    assert "No calls yet" in text_of(owner_s, f"{PAGE}calls/")


def test_each_change_of_a_study_s_own_prompt_is_a_version(researcher_s, study):
    path = f"{PAGE}prompts/llm/try/"
    first = {"system": "Own.", "user": "{{text}}\r\n{{question}}"}
    assert researcher_s.post(path, first).status_code == 302
    assert researcher_s.post(path, first).status_code == 302
    assert researcher_s.post(path, {**first, "user": "{{question}} {{text}}"}).status_code == 302
    assert list(StudyPrompt.objects.order_by("number").values_list("number", "user")) == [
        (1, "{{text}}\n{{question}}"),
        (2, "{{question}} {{text}}"),
    ]
    assert prompt_for(study, "llm", "try").version == "own-2"
    assert AuditEntry.objects.filter(action="prompt published", actor__person__username="researcher").count() == 2
    page = text_of(researcher_s, path)
    assert "Version 1" in page
    assert "own version 2" in text_of(researcher_s, f"{PAGE}prompts/")


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"system": "", "user": "{{text}} {{question}} {{password}}"}, "id_user_error"),
        ({"system": "{{password}}", "user": "{{text}} {{question}}"}, "id_system_error"),
        ({"system": "", "user": " "}, "id_user_error"),
        ({"system": "\x00", "user": "{{text}} {{question}}"}, "id_system_error"),
    ],
)
def test_an_error_in_a_prompt_is_reported_at_its_text(researcher_s, study, form, field):
    response = researcher_s.post(f"{PAGE}prompts/llm/try/", form)
    assert response.status_code == 422
    assert re.findall(r'id="(id_\w+_error)"', response.content.decode()) == [field]
    assert not StudyPrompt.objects.exists()


@pytest.mark.parametrize("path", [PAGE, f"{PAGE}calls/", f"{PAGE}prompts/"])
def test_the_number_of_queries_does_not_grow_with_the_rows(
    owner_s, study, owner, rater, path, django_assert_max_num_queries
):
    def fill(count):
        for number in range(count):
            make_call(study, rater, run=f"run {number}")
            make_completion(study, owner)
            Budget.objects.create(study=study, run=f"{count} of {number}", spent=number)

    fill(1)
    owner_s.get(path)
    with django_assert_max_num_queries(60) as few:
        owner_s.get(path)
    fill(20)
    with django_assert_max_num_queries(len(few)):
        owner_s.get(path)


def test_the_model_of_a_trial_is_looked_up_when_it_is_called(owner_s, study, settings, tmp_path):
    assert find_model("campus/small")
    settings.ENDPOINTS_FILE = tmp_path / "none.yaml"
    settings.ENDPOINTS_FILE.write_text("endpoints: {}")
    form = {"model": "campus/small", "question": "Why?", "text": "", "longest": "10"}
    assert owner_s.post(PAGE + "trials/", form).status_code == 422
