"""A live study with a row of each kind, another study, and a person of each kind: for tests of every address."""

from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse
from django.utils import timezone

from accounts.auditing import identity_of, record
from accounts.models import KnownAddress, Person, WrongTryCount
from accounts.sign_in_links import issue_link
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_token
from annotation.models import (
    Assignment,
    Batch,
    DraftConflict,
    Invitation,
    JudgeRun,
    Output,
    Project,
    Rating,
    Slot,
    TaskOutput,
    Token,
    Unblinding,
    WrittenExample,
)
from annotation.review.spot_checks import check
from annotation.review.verdicts import review_span, reviewer_for
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from tests.annotation.counted_rows import add_study_counts, add_study_work
from tests.conftest import draft_study
from tests.judges.page_rows import add_run_rows
from tests.managing.steered_rows import add_steered_rows
from tests.managing.upload_rows import add_upload_rows
from tests.models_and_papers import one_of_each
from tests.preparing.rows import add_preparing_rows
from tests.reports.kept_rows import FROZEN, TABLE, add_kept_report, add_meta_evaluations
from tests.sessions.rows import add_session_rows

PEOPLE = (
    "anonymous", "annotator", "annotator_elsewhere", "researcher", "owner", "researcher_elsewhere", "limited_staff",
    "superuser", "deactivated", "token_read", "token_write",
)  # fmt: skip
OF_MODEL = {
    "annotation:revoke_invitation": "invitation", "annotation:revoke_token": "token", "llm:call": "call",
    "llm:trial": "completion", "llm:stop_trial": "completion", "retrieval:trial": "trialsearch",
    "retrieval:stop_build": "indexbuild", "revision_sessions:overview": "revisionsession",
    "revision_sessions:label_queue": "labelsample", "judges:run": "judgerun", "judges:stop": "judgerun",
    "judges:resume": "judgerun", "judges:replace": "judgerun",
    "judges:reread": "judgerun", "annotation:project": "project",
    "preparing:decision": "suggestion", "preparing:edit": "preparedtext", "preparing:difference": "preparedtext",
    "judges:judgment": "judgment", "judges:disagreement": "judgment", "managing:deletion": "studydeletion",
    "managing:item": "item", "managing:adjudicate": "item", "managing:withdraw_item": "item",
    "managing:restore_item": "item", "managing:set_priority": "item", "managing:add_rater": "item",
    "managing:cancel_open": "item", "managing:free_slot": "item", "managing:reserve_slot": "item",
    **dict.fromkeys(("managing:uploaded", "managing:upload_part", "managing:import_upload", "managing:check_upload",
                     "managing:cancel_upload"), "itemupload"),
    "managing:edit_item": "item", "managing:remove_item": "item",
}  # fmt: skip
"""The model whose key an address contains, if it is not a membership."""
PROGRAMS = ("token_read", "token_write")
"""Tokens that the owner made. If a row has no status for them, they count as anonymous: pages accept no tokens."""


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


def build_world():
    """Make the rows; return a client for each of PEOPLE, and a function that gives the address of a route."""
    study, other = draft_study("study"), draft_study("other")
    people = {
        name: Person.objects.create(username=name, is_staff=name in ("limited_staff", "superuser"),
                                    is_superuser=name == "superuser")
        for name in PEOPLE if name != "anonymous" and name not in PROGRAMS
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
        secret = issue_token(study, people["owner"], name=name, scope=name.removeprefix("token_"))
        clients[name] = Client(headers={"Authorization": f"Bearer {secret}"})
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
        "token": Token.objects.filter(study=study).first(), "auditentry": record("seen", "nothing", actor=None),
        "identity": identity_of(people["owner"], study.slug),
        "wrongtrycount": WrongTryCount.objects.create(key="k", ends_at=timezone.now()),
        "knownaddress": KnownAddress.objects.create(person=people["annotator"], key="k", until=timezone.now()),
        **add_preparing_rows(study), **one_of_each(study, people["owner"]), **session_rows(study, rater),
        "keptreport": add_kept_report(study), **add_study_counts(study), **add_upload_rows(study, people["owner"]),
        **add_study_work(study, people["owner"]), **project_rows(study, people["owner"]),
        **add_steered_rows(study, people["owner"]),
    }  # fmt: skip
    add_meta_evaluations(study)
    tokens = {"accounts:link": link.split("/")[-2], "annotation:invitation": token.split("/")[-2]}

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
        if route == "llm:prompt":
            arguments |= {"app": "llm", "name": "try"}
        if route == "reports:frozen":
            return reverse(route, args=[study.slug, FROZEN])
        if route == "reports:table_file":
            return reverse(route, args=[study.slug, TABLE, "csv"])
        if route == "managing:from_template":
            arguments = {"key": "plain"}
        if route in tokens:
            arguments = {"token": tokens[route]}
        for wanted in ({}, {"slug"}, {"key"}, {"token"}, {"pk"}, {"slug", "pk"}, {"slug", "name"},
                       {"slug", "app", "name"}, {"slug", "number"}, {"slug", "kind"},
                       {"slug", "pk", "number"}):  # fmt: skip
            if set(wanted) <= set(arguments):
                try:
                    return reverse(route, kwargs={name: arguments[name] for name in wanted})
                except NoReverseMatch:
                    continue
        raise AssertionError(f"{route} has arguments that this table does not know")

    return clients, address


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
    parts = name.removeprefix("revision_").split("_")
    ours = (
        "annotation",
        "accounts",
        "config",
        "judges",
        "llm",
        "managing",
        "preparing",
        "reports",
        "retrieval",
        "sessions",
    )
    if parts[0] in ours and parts[-1] in ("change", "history", "delete"):
        return reverse(route, args=[objects[parts[1]].pk])
    return reverse(route)
