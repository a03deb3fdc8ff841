"""A live study with a row of each kind, another study, and a person of each kind: for tests of every address."""

from datetime import timedelta

import pytest
from django.apps import apps
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from django.utils import timezone

from accounts.auditing import identity_of, record
from accounts.models import BrowserSession, KnownAddress, Person, SecondFactor, WrongTryCount
from accounts.sign_in_links import issue_link, issue_password_link
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_account_token, issue_token
from annotation.models import (
    Assignment,
    Batch,
    DraftConflict,
    Invitation,
    JudgeRun,
    KeptResponse,
    Output,
    Project,
    Rating,
    Slot,
    TaskOutput,
    Token,
    TokenStudy,
    Unblinding,
    WrittenExample,
)
from annotation.review.spot_checks import check
from annotation.review.verdicts import review_span, reviewer_for
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from parts.mail.mail_links import confirm_link, stop_link
from parts.sign_on.models import OutsideIdentity
from tests.annotation.counted_rows import add_study_counts, add_study_work
from tests.conftest import draft_study
from tests.judges.page_rows import add_run_rows
from tests.managing.steered_rows import add_steered_rows
from tests.managing.upload_rows import add_upload_rows
from tests.models_and_papers import one_of_each
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
from tests.reports.kept_rows import FROZEN, TABLE, add_kept_export, add_kept_report, add_meta_evaluations
from tests.sessions.rows import add_session_rows

PEOPLE = (
    "anonymous", "annotator", "annotator_elsewhere", "researcher", "owner", "researcher_elsewhere", "limited_staff",
    "superuser", "deactivated", "token_read", "token_write", "token_annotate", "token_account", "token_expired",
    "token_revoked", "session_expired",
)  # fmt: skip
OF_MODEL = {
    "annotation:revoke_invitation": "invitation", "annotation:revoke_token": "token", "llm:call": "call",
    "llm:trial": "completion", "llm:stop_trial": "completion", "retrieval:trial": "trialsearch",
    "retrieval:stop_build": "indexbuild", "retrieval:stop_upload": "paperupload",
    "revision_sessions:overview": "revisionsession",
    "revision_sessions:label_queue": "labelsample", "judges:run": "judgerun", "judges:stop": "judgerun",
    "judges:resume": "judgerun", "judges:replace": "judgerun",
    "judges:reread": "judgerun", "judges:again": "judgerun", "annotation:project": "project",
    "preparing:decision": "suggestion", "preparing:edit": "preparedtext", "preparing:difference": "preparedtext",
    "judges:judgment": "judgment", "judges:disagreement": "judgment", "managing:deletion": "studydeletion",
    "managing:item": "item", "managing:adjudicate": "item", "managing:withdraw_item": "item",
    "managing:restore_item": "item", "managing:set_priority": "item", "managing:add_rater": "item",
    "managing:cancel_open": "item", "managing:free_slot": "item", "managing:reserve_slot": "item",
    **dict.fromkeys(("managing:uploaded", "managing:upload_part", "managing:import_upload", "managing:check_upload",
                     "other_tools:decide", "managing:cancel_upload"), "itemupload"),
    **dict.fromkeys(("reports:export_file", "api:kept_export", "api:kept_export_file"), "keptexport"),
    "managing:edit_item": "item", "managing:remove_item": "item", "annotation:revoke_account_token": "accounttoken",
    **dict.fromkeys(("webhooks:webhook", "webhooks:test", "webhooks:disable", "webhooks:enable", "webhooks:remove"),
                    "webhook"),
    "webhooks:send": "webhookdelivery", "way_in:decision": "steppassage",
    "checks:answer_notice": "raternotice", "dry_runs:change_dry_run": "studydryrun",
    **dict.fromkeys(("annotation:exclude", "annotation:include", "annotation:pause_rater",
                     "rater_messages:rater_thread", "rater_messages:rater_task_thread",
                     "rater_messages:messages_done"), "rater"),
}  # fmt: skip
"""The model whose key an address contains, if it is not a membership."""
FILES = {
    "reports:report_file": "raters.csv", "reports:glance_file": "agreement.csv",
    "reports:leaderboard_file": "q1-judges.csv", "managing:disagreement_file": "by-system.csv",
    "managing:balance_file": "answers-2-outputs.csv", "reports:report_plot": "q1-systems",
    "reports:report_plot_file": "q1-systems.csv", "reports:leaderboard_plot": "q1-judges",
    "reports:leaderboard_plot_file": "q1-judges.csv", "reports:table_plot": "none-1",
    "reports:table_plot_file": "none-1.csv",
}  # fmt: skip
"""Tables and plots of pages as files; until figures are computed there are none."""
NUMBERED = {
    "api:one_of_items": "item", "api:one_of_raters": "rater", "api:one_of_assignments": "assignment",
    "api:one_of_annotations": "annotation", "api:one_of_ratings": "rating", "api:one_of_sessions": "revisionsession",
    "api:one_of_runs": "judgerun", "api:one_of_adjudications": "adjudication", "api:item_steps": "item",
    "api:turns": "revisionsession",
    **dict.fromkeys(("api:upload", "api:upload_parts", "api:import_upload"), "itemupload"),
}  # fmt: skip
"""The model whose number an address of the API contains."""
PROGRAMS = ("token_read", "token_write", "token_annotate", "token_account")
"""Tokens of the study that the owner made, the annotator's, and one of the owner's account, which writes.

If a row has no status for them, they count as anonymous: pages accept no tokens."""
ENDED = {"token_expired": "token_write", "token_revoked": "token_write", "session_expired": "superuser"}
"""Who had the rights of another until a token or session ended, and counts as anonymous now."""


def routes(patterns=None, namespace="", path="/"):
    """Names of all routes of the resolver, with their namespaces; what has no name goes by its address."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        here = path + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield namespace + pattern.name if pattern.name else here
        else:
            inner = namespace + (f"{pattern.namespace}:" if pattern.namespace else "")
            yield from routes(pattern.url_patterns, inner, here)


ROUTES = sorted(set(routes()))
ALIKE = ("_add", "_delete", "_history")
"""Pages that Django's admin makes of every model in one way."""


def is_alike(route):
    """Whether the address is made of every model in one way, so that `make test` passes over it."""
    return route.startswith("/admin/") or (route.startswith("admin:") and route.endswith(ALIKE))


SOME_ROUTES = [route for route in ROUTES if not is_alike(route)]
on_routes = pytest.mark.parametrize(
    "routes",
    [
        pytest.param(SOME_ROUTES, id="some"),
        pytest.param([route for route in ROUTES if is_alike(route)], id="alike", marks=pytest.mark.thorough),
    ],
)
"""A test of every address: in `make test` of those of which each is made by itself, in `make thorough` of all."""


def build_world():
    """Make the rows; return a client for each of PEOPLE, and a function that gives the address of a route."""
    study, other = draft_study("study"), draft_study("other")
    people = {
        name: Person.objects.create(username=name, is_staff=name in ("limited_staff", "superuser"),
                                    is_superuser=name == "superuser")
        for name in PEOPLE if name not in ("anonymous", *PROGRAMS, *ENDED)
    }  # fmt: skip
    members = {
        name: add_member(where, people[name], role, None)
        for name, where, role in (
            ("owner", study, "owner"), ("researcher", study, "researcher"), ("annotator", study, "annotator"),
            ("deactivated", study, "owner"), ("annotator_elsewhere", other, "annotator"),
            ("researcher_elsewhere", other, "owner"), ("limited_staff", other, "researcher"),
        )
    }  # fmt: skip
    for one in (study, other):
        while plan_chunk(one):
            pass
        one.refresh_from_db()
        make_live(one, None)
    rater = rater_for(study, people["annotator"])
    first = next_assignment(study, rater)
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    annotation = submit(first, Submission(form=form, revision=0, guidelines_version=1))
    assignment = next_assignment(study, rater)
    Assignment.objects.filter(pk=assignment.pk).update(flag="odd")
    conflict = DraftConflict.objects.create(assignment=assignment, base_version=0, body={})
    link = issue_link(people["annotator"])
    token = invite(study, "annotator", people["owner"])[0]
    clients = {name: Client() for name in PEOPLE}
    for name, person in people.items():
        clients[name].force_login(person)
    Person.objects.filter(username="deactivated").update(is_active=False)
    for name in PROGRAMS:
        maker, scope = people["annotator" if name == "token_annotate" else "owner"], name.removeprefix("token_")
        if name == "token_account":
            secret = issue_account_token(maker, name=name, scope="write")
        else:
            secret = issue_token(study, maker, name=name, scope=scope)
        clients[name] = client_with(secret)
    clients |= ended_clients(study, people)
    output = Output.objects.filter(item__study=study).first()
    told = {"protocol": "llm_eval", "model": "campus/small", "questions": ["how_well"]}
    run = JudgeRun.objects.create(rater=rater, name="run-1", configuration=told)
    objects = {
        "study": study, "guideline": study.guidelines.first(), "question": study.questions.first(),
        "membership": members["annotator"], "invitation": Invitation.objects.get(study=study), "rater": rater,
        "item": output.item, "output": output, "task": assignment.task,
        "slot": Slot.objects.filter(study=study).first(),
        "taskoutput": TaskOutput.objects.filter(task=assignment.task).first(), "assignment": assignment,
        "draftconflict": conflict, "annotation": annotation,
        "rating": Rating.objects.filter(annotation=annotation).first(),
        "batch": Batch.objects.create(study=study, number=0),
        "judgerun": run, **add_run_rows(run, study, output),
        "writtenexample": WrittenExample.objects.create(study=study, position=0, outputs="At ten.", values={"q": 1}),
        "reviewer": reviewer_for(study, people["owner"]),
        "spotcheck": check(annotation, "ok", "", people["owner"], number=0),
        "spanreview": review_span(annotation.ratings.first(), 0, "confirmed", "It is.", people["owner"], number=0),
        "person": people["annotator"], "signinlink": people["annotator"].sign_in_links.get(),
        "secondfactor": SecondFactor.objects.create(person=people["annotator"], sealed_key="sealed", used_step=1),
        "outsideidentity": OutsideIdentity.objects.create(person=people["annotator"], issuer="i", subject="s"),
        "token": Token.objects.filter(study=study).first(), "accounttoken": Token.objects.get(study=None),
        "auditentry": record("seen", "nothing", actor=None),
        "identity": identity_of(people["owner"], study.slug),
        "wrongtrycount": WrongTryCount.objects.create(key="k", ends_at=timezone.now()),
        "knownaddress": KnownAddress.objects.create(person=people["annotator"], key="k", until=timezone.now()),
        **add_preparing_rows(study), **one_of_each(study, people["owner"]), **session_rows(study, rater),
        "keptreport": add_kept_report(study), "keptexport": add_kept_export(study),
        "preregistration": add_plan(study), **add_study_counts(study), **add_upload_rows(study, people["owner"]),
        **add_study_work(study, people["owner"]), **project_rows(study, people["owner"]),
        **add_steered_rows(study, people["owner"]), **add_webhook_rows(study, people["owner"]),
        **program_rows(study, people["owner"]), **add_way_in_rows(study, rater),
        **add_check_rows(study, rater, people["owner"]), **add_stopping_rows(study, people["owner"]),
        **add_dry_run_rows(study, people["owner"]),
        **add_crowd_rows(study, rater),
        **add_message_rows(study, rater, people["owner"]),
        **add_mail_rows(study, people["annotator"]),
        **add_stage_rows(study, rater),
    }  # fmt: skip
    add_meta_evaluations(study)
    tokens = {"accounts:link": link.split("/")[-2], "annotation:invitation": token.split("/")[-2]}
    tokens["accounts:reset_password"] = issue_password_link(people["annotator"], 1).split("/")[-2]
    tokens["mail:confirm_address"] = confirm_link(objects["mailaddress"].pk, "new@mail.example").split("/")[-2]
    tokens["mail:stop_mail"] = stop_link("batch", objects["mailaddress"].pk, "").split("/")[-2]
    tokens["annotation:invitation_opened"] = tokens["annotation:invitation"]

    def address(route):
        if route.startswith("/"):
            model = route.split("/")[3] if "object_id" in route else ""
            number = str(objects[model].pk) if model else ""
            return route.replace("<path:object_id>", number).replace("(?P<url>.*)$", "nothing-here")
        if route.startswith("admin:"):
            return admin_address(route, objects)
        arguments = {"slug": study.slug, "key": assignment.key, "pk": members["annotator"].pk, "name": "items.jsonl",
                     "number": 1, "kind": "instructions"}  # fmt: skip
        if route == "annotation:answer_flag":
            arguments["pk"] = assignment.pk
        if route in OF_MODEL:
            arguments["pk"] = objects[OF_MODEL[route]].pk
        if route == "rater_messages:rater_task_thread":
            arguments["number"] = assignment.task_id
        if route in NUMBERED:
            arguments["number"] = objects[NUMBERED[route]].pk
        if route in ("way_in:add_step", "way_in:edit_step"):
            arguments |= {"kind": "screen", "key": "screen"}
        if route == "crowds:submissions_file":
            arguments["name"] = "submissions.csv"
        if route == "llm:prompt":
            arguments |= {"app": "llm", "name": "try"}
        if route == "reports:frozen":
            return reverse(route, args=[study.slug, FROZEN])
        if route == "preregistration:plan_file":
            return reverse(route, args=[study.slug, 1, "json"])
        if route == "dry_runs:change_dry_run":
            return reverse(route, args=[study.slug, objects["studydryrun"].pk, "stop"])
        if route == "reports:table_file":
            return reverse(route, args=[study.slug, TABLE, "csv"])
        if route in FILES:
            return reverse(route, args=[study.slug, *FILES[route].split(".")])
        if route == "managing:from_template":
            arguments = {"key": "plain"}
        if route in tokens:
            arguments = {"token": tokens[route]}
        for wanted in ({}, {"slug"}, {"key"}, {"token"}, {"pk"}, {"slug", "pk"}, {"slug", "name"},
                       {"slug", "key"}, {"slug", "app", "name"}, {"slug", "number"}, {"slug", "kind"},
                       {"slug", "pk", "number"}):  # fmt: skip
            if set(wanted) <= set(arguments):
                try:
                    return reverse(route, kwargs={name: arguments[name] for name in wanted})
                except NoReverseMatch:
                    continue
        raise AssertionError(f"{route} has arguments that this table does not know")

    return clients, address


def client_with(secret):
    """A client that sends a token."""
    return Client(headers={"Authorization": f"Bearer {secret}"})


def ended_clients(study, people):
    """A client for each of ENDED, whose token or session is as its counterpart's but for its end."""
    now, made = timezone.now(), {"session_expired": Client()}
    for name, ended in (("token_expired", {"expires_at": now - timedelta(seconds=1)}),
                        ("token_revoked", {"revoked_at": now})):  # fmt: skip
        made[name] = client_with(issue_token(study, people["owner"], name=name, scope="write"))
        assert Token.objects.filter(name=name).update(**ended) == 1
    made["session_expired"].force_login(people["superuser"])
    session = BrowserSession.objects.filter(pk=made["session_expired"].session.session_key)
    assert session.update(expire_date=now - timedelta(seconds=1)) == 1
    return made


def program_rows(study, owner):
    """A study that a token of an account opens, and a stored response."""
    token = Token.objects.get(study=None)
    kept = KeptResponse.objects.create(caller=f"token {token.pk}", person=owner, study=study, key="k", digest="d")
    return {"tokenstudy": TokenStudy.objects.create(token=token, study=study), "keptresponse": kept}


def project_rows(study, owner):
    """A project of the study, and an unblinding of it."""
    study.project = Project.objects.create(name="Ferries")
    study.save(update_fields=["project"])
    unblinding = Unblinding.objects.create(study=study, by=owner, at=timezone.now(), reason="Done.")
    return {"project": study.project, "unblinding": unblinding}


def session_rows(study, rater):
    """A session with a turn and a label, by their models' names."""
    session = add_session_rows(study, rater)
    turn = session.turns.get()
    return {"revisionsession": session, "turn": turn, "turnlabel": turn.labels.get(),
            "labelsample": study.label_samples.get()}  # fmt: skip


def admin_address(route, objects):
    name = route.removeprefix("admin:")
    if name in ("view_on_site",):
        return "/admin/r/1/1/"
    if name == "app_list":
        return "/admin/annotation/"
    if name == "auth_user_password_change":
        return reverse(route, args=[objects["person"].pk])
    row, _, page = name.rpartition("_")
    models = {
        f"{model._meta.app_label}_{model._meta.model_name}": model._meta.model_name for model in apps.get_models()
    }
    if models.get(row) in objects and page in ("change", "history", "delete"):
        return reverse(route, args=[objects[models[row]].pk])
    return reverse(route)
