"""The admin: what it shows to whom, what it refuses, and what it records.

What it refuses to everybody does not depend on the database; its lists are read and searched on both.
"""

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry, Person
from accounts.sign_in_links import issue_link
from annotation.admin import StudyScopedAdmin
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_account_token, issue_token
from annotation.models import (
    Annotation,
    Batch,
    DraftConflict,
    Invitation,
    JudgeRun,
    Membership,
    Output,
    Project,
    Rating,
    Study,
    Unblinding,
    WrittenExample,
)
from annotation.review.spot_checks import check
from annotation.review.verdicts import review_span
from retrieval.models import IndexBuild, TrialSearch
from tests.annotation.counted_rows import add_study_counts, add_study_work
from tests.conftest import draft_study, live_study, make_person
from tests.judges.rows import add_judge_rows
from tests.llm.calls import add_rows
from tests.managing.steered_rows import add_steered_rows
from tests.managing.upload_rows import add_upload_rows
from tests.models_and_papers import make_paper_upload
from tests.parts.checks.check_rows import add_check_rows
from tests.parts.crowds.crowd_study import add_crowd_rows
from tests.parts.dry_runs.dry_run_rows import add_dry_run_rows
from tests.parts.mail.mail_rows import add_mail_rows
from tests.parts.preparing.rows import add_preparing_rows
from tests.parts.preregistration.plan_rows import add_plan
from tests.parts.rater_messages.message_rows import add_message_rows
from tests.parts.second_stage.stage_rows import add_stage_rows
from tests.parts.stopping.stop_rows import add_stopping_rows
from tests.parts.way_in.way_in_rows import add_way_in_rows
from tests.parts.webhooks.webhook_rows import add_webhook_rows
from tests.reports.kept_rows import add_kept_export, add_kept_report
from tests.sessions.rows import add_session_rows
from tests.world import program_rows

SCOPED = {model: one.study_path for model, one in admin.site._registry.items() if isinstance(one, StudyScopedAdmin)}
MODELS = sorted(SCOPED, key=lambda model: model.__name__)


def listing(model, query=""):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") + query


def row(thing, step="change"):
    meta = thing._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{step}", args=[thing.pk])


@pytest.fixture
def operator(client, db):
    person = make_person("operator", is_staff=True, is_superuser=True)
    client.force_login(person)
    return person


def build_rated():
    """Make a study with a row of every model, each bearing the study's canary."""
    owner, rater = make_person("owner"), make_person("rater")
    study = live_study(owner, rater)
    Study.objects.filter(pk=study.pk).update(title="CANARY-TITLE")
    given = next_assignment(study, rater_for(study, rater))
    form = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["CANARY-COMMENT"]}
    submit(given, Submission(form, revision=0, guidelines_version=1))
    DraftConflict.objects.create(assignment=given, base_version=0, body={})
    invite(study, "annotator", None, note="CANARY-NOTE")
    answer = Annotation.objects.get(rater__study=study)
    researcher = make_person("researcher")
    Batch.objects.create(study=study, number=0)
    Unblinding.objects.create(study=study, by=owner, at=timezone.now(), reason="CANARY-REASON")
    Study.objects.filter(pk=study.pk).update(project=Project.objects.create(name="CANARY-PROJECT"))
    JudgeRun.objects.create(rater=answer.rater, name="CANARY-RUN", configuration={})
    WrittenExample.objects.create(study=study, position=0, outputs="CANARY-TEXT", values={"CANARY-KEY": 1})
    check(answer, "problem", "CANARY-NOTE", researcher, number=0)
    review_span(answer.ratings.first(), 0, "rejected", "CANARY-REASON", researcher, number=0)
    issue_token(study, owner, name="CANARY-TOKEN", scope="read")
    add_rows(study)
    add_kept_report(study)
    add_kept_export(study)
    add_plan(study)
    add_study_counts(study)
    add_study_work(study, researcher)
    add_judge_rows(study, researcher)
    add_preparing_rows(study)
    add_upload_rows(study)
    add_webhook_rows(study, owner)
    add_check_rows(study, answer.rater, owner)
    add_message_rows(study, answer.rater, owner)
    add_mail_rows(study, rater)
    add_stage_rows(study, answer.rater)
    add_steered_rows(study, researcher)
    add_session_rows(study, answer.rater)
    add_way_in_rows(study, answer.rater)
    issue_account_token(owner, name="CANARY-TOKEN", scope="read")
    program_rows(study, owner)
    add_stopping_rows(study, owner)
    add_dry_run_rows(study, owner)
    add_crowd_rows(study, answer.rater)
    IndexBuild.objects.create(study=study, searcher="bm25", number=1, digest="d", reason="CANARY-REASON")
    TrialSearch.objects.create(study=study, item=study.items.first(), asked_by=researcher, query="CANARY-QUERY")
    make_paper_upload(study, researcher, question="CANARY-QUERY", item_key="CANARY-KEY")


def build_limited():
    """Make a member of staff with every permission Django knows, who runs another study."""
    person = make_person("limited", is_staff=True)
    person.user_permissions.set(Permission.objects.all())
    add_member(draft_study("mine"), person, "owner", None)


@pytest.fixture(scope="module")
def shared_rows(rows_of_module):
    rows_of_module(build_rated)
    rows_of_module(build_limited)


@pytest.fixture
def owner(shared_rows, db):
    return Person.objects.get(username="owner")


@pytest.fixture
def rater(shared_rows, db):
    return Person.objects.get(username="rater")


@pytest.fixture
def limited(shared_rows, db):
    return Person.objects.get(username="limited")


@pytest.fixture
def rated(shared_rows, db):
    """The study of `build_rated`, which is made once for this file."""
    return Study.objects.get(slug="study")


def test_every_model_of_ours_is_in_the_admin():
    from django.apps import apps

    labels = [app.label for app in apps.get_app_configs() if not app.name.startswith("django.")]
    ours = {model for label in labels for model in apps.get_app_config(label).get_models()}
    made_by_django = {model for model in ours if model._meta.auto_created}
    only_during_an_import = {apps.get_model("annotation.PendingImport"), apps.get_model("annotation.PendingRows")}
    named_by_a_secret = {apps.get_model("accounts.BrowserSession")}  # a page's address would give the session away
    assert ours - made_by_django - only_during_an_import - named_by_a_secret == {
        model for model in admin.site._registry if model._meta.app_label in labels
    }


QUERIES = ("", "?of=study&_facets=True", "?q=canary")
MORE_QUERIES = ("?of=study", "?q=study", "?q=item-0", "?_facets=True")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("queries", [QUERIES, pytest.param(MORE_QUERIES, marks=pytest.mark.thorough)])
def test_staff_see_no_row_of_a_study_that_they_do_not_run(client, rated, limited, model, queries):
    client.force_login(limited)
    for query in queries:
        if model is Study and "of=" in query:
            continue  # the list of studies needs no such filter
        page = client.get(listing(model, query))
        assert page.status_code == 200
        text = page.content.decode()
        assert "CANARY" not in text
        theirs = model.objects.filter(**{f"{SCOPED[model]}__in": Study.objects.filter(slug="study").values("pk")})
        assert theirs.exists()
        for one in theirs:
            assert f'href="{row(one)}' not in text
    missing = model._meta.pk.get_internal_type() and 987654321
    for step in ("change", "history"):
        hidden = client.get(row(theirs.first(), step))
        absent = client.get(row(model(pk=missing), step))
        assert (hidden.status_code, hidden["Location"]) == (absent.status_code, absent["Location"]) == (302, "/admin/")


def test_staff_see_and_change_their_own_study_only(client, rated, limited):
    client.force_login(limited)
    page = client.get(listing(Study)).content.decode()
    assert "mine" in page
    Study.objects.filter(slug="mine").update(status="live")
    mine, theirs = Study.objects.get(slug="mine"), Study.objects.get(slug="study")
    client.post(listing(Study), {"action": "pause", "_selected_action": [mine.pk, theirs.pk]})
    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (mine.status, theirs.status) == ("paused", "live")


def test_staff_see_neither_people_nor_the_audit(client, limited):
    client.force_login(limited)
    for path in ("/admin/accounts/person/", "/admin/accounts/auditentry/", "/admin/accounts/signinlink/"):
        assert client.get(path).status_code == 403
    assert "accounts" not in client.get("/admin/").content.decode()


GUESSES = (
    "?rater__person__password__startswith=pbkdf2", "?person__password__startswith=pbkdf2",
    "?study__contact__startswith=A", "?study=1", "?token_hash__startswith=a", "?answers__contains=4",
    "?password__startswith=pbkdf2", "?pk=1", "?status__in__rater=1",
)  # fmt: skip


@pytest.mark.parametrize("model", [*MODELS, Person, AuditEntry])
def test_lookups_that_guess_at_fields_are_refused(client, operator, rated, model):
    answers = {query: client.get(listing(model, query)) for query in GUESSES}
    refused = {
        query
        for query, response in answers.items()
        if response.status_code == 400 and "This request is not valid" in response.content.decode()
    }
    assert set(answers) - refused == set()


@pytest.mark.parametrize("guess", ["pbkdf2_sha256", "wrong"])
def test_right_and_wrong_guesses_are_answered_alike(client, operator, rated, guess):
    answers = []
    for value in ("pbkdf2", guess):
        response = client.get(listing(Person), {"password__startswith": value})
        answers.append((response.status_code, response.content.decode().replace(response["X-Request-Id"], "")))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "query", ["?o=person__password", "?o=-password", "?o=99", "?all=x", "?p=abc", "?_to_field=password"]
)
def test_odd_orders_and_pages_leak_nothing_and_break_nothing(client, operator, rated, query):
    assert client.get(listing(Membership, query)).status_code in (200, 302, 400)


@pytest.mark.parametrize("model", [*MODELS, AuditEntry])
def test_evidence_can_be_neither_added_changed_nor_deleted(client, operator, rated, model):
    AuditEntry.objects.create(action="seen", subject="x")
    thing = model.objects.first()
    before = list(model.objects.order_by("pk").values())
    for step, status in (("change", 403), ("delete", 403)):
        assert client.post(row(thing, step), {"post": "yes"}).status_code == status
    added = client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add"))
    assert added.status_code == (302 if model is Study else 403)  # to the page that makes studies
    client.post(listing(model), {"action": "delete_selected", "_selected_action": [thing.pk], "post": "yes"})
    assert list(model.objects.order_by("pk").values()) == before


@pytest.mark.parametrize("model", [*MODELS, Person])
def test_nothing_can_be_deleted_in_the_admin(client, operator, rated, model):
    thing = model.objects.first()
    counts = (model.objects.count(), Annotation.objects.count(), Rating.objects.count())
    assert client.get(row(thing, "delete")).status_code == 403
    assert client.post(row(thing, "delete"), {"post": "yes"}).status_code == 403
    assert (model.objects.count(), Annotation.objects.count(), Rating.objects.count()) == counts


def test_making_and_changing_people_is_recorded_without_passwords(client, operator):
    password = "canary-Passw0rd-5"
    form = {"username": "made", "usable_password": "true", "password1": password, "password2": password}
    assert client.post("/admin/accounts/person/add/", form).status_code == 302
    made = Person.objects.get(username="made")
    change = {"username": "made", "full_name": "Made Up", "email": "", "is_active": "on", "is_staff": "on"}
    assert client.post(row(made), change).status_code == 302
    path = reverse("admin:auth_user_password_change", args=[made.pk])
    assert client.post(path, form | {"set-password": "1"}).status_code == 302
    recorded = AuditEntry.objects.filter(actor__person=operator).order_by("pk")
    entries = list(recorded.values_list("action", "about__person", "actor__person"))
    assert entries == [
        (action, made.pk, operator.pk)
        for action in ("person added", "person changed", "password changed by the operator")
    ]
    changed = AuditEntry.objects.get(action="person changed")
    assert (changed.old["is_staff"], changed.new["is_staff"]) == (False, True)
    assert password not in "".join(str(vars(entry)) for entry in AuditEntry.objects.all())


def test_hashes_of_links_and_passwords_are_not_shown(client, operator, rated, owner):
    issue_link(owner)
    link = owner.sign_in_links.get()
    invitation = Invitation.objects.get()
    assert link.token_hash not in client.get(row(link)).content.decode()
    assert invitation.token_hash not in client.get(row(invitation)).content.decode()
    assert owner.password.split("$")[-1] not in client.get(row(owner)).content.decode()


def test_a_person_with_answers_is_deactivated_and_not_deleted(client, operator, rated, rater):
    before = Annotation.objects.count()
    client.post(row(rater), {"username": "rater", "full_name": "", "email": ""})
    rater.refresh_from_db()
    assert not rater.is_active
    assert Annotation.objects.count() == before


def test_the_admin_uses_our_sign_in_and_sign_out(client, owner):
    assert client.get("/admin/")["Location"] == "/admin/login/?next=/admin/"
    assert client.get("/admin/login/?next=/admin/")["Location"] == "/sign-in/?next=%2Fadmin%2F"
    wrong = client.post("/admin/login/", {"username": "owner", "password": "owner has a long password"})
    assert wrong.status_code == 405
    client.force_login(owner)
    before = AuditEntry.objects.count()
    assert client.get("/admin/login/").status_code == 403
    client.post("/admin/logout/")
    assert (AuditEntry.objects.count(), AuditEntry.objects.last().action) == (before + 1, "signed out")


def test_the_filter_by_study_lists_studies_and_finds_their_rows(client, operator, rated, make_study):
    make_study("another")
    page = client.get(listing(Output)).content.decode()
    assert "?of=study" in page
    assert "?of=another" in page
    assert "6 outputs" in client.get(listing(Output, "?of=study")).content.decode()
