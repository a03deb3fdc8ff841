"""Studies through the API: listed, made from a study file, read, changed, and deleted as drafts."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.db.models import OuterRef, QuerySet
from django.urls import reverse
from rest_framework import exceptions
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Person
from annotation.access import OWNERS, may
from annotation.forms import DescriptionForm, GuidelinesForm
from annotation.models import Item, Study
from annotation.protocols import protocols
from annotation.studies.assignment_plan import OPTION as PLAN
from annotation.studies.assignment_plan import PlanInvalidError
from annotation.studies.counting import CountOf
from annotation.studies.kept_counts import MOST_AT_ONCE
from annotation.studies.lifecycle import describe, publish_guidelines
from annotation.studies.locking import refuse_pending_import
from annotation.studies.plan_changes import change_plan
from annotation.studies.planning import is_planned
from annotation.studies.projects import move_to_project
from annotation.studies.study_overview import progress_now
from api import access
from api import response_shapes as shapes
from api.lists.entry_kinds import called, one_of
from api.lists.entry_lists import dry_run_mark
from api.lists.keyset_pages import CURSOR, LIMIT, in_order, next_address, page_size, place_in
from api.requests.api_errors import ConflictError
from api.requests.authentication import caller_of
from api.requests.json_bodies import sent_object, sent_study
from api.requests.once_per_key import once
from api.requests.parameters import check_parameters
from api.schema import DELETING, JSON, READING, UPLOADING, operation, parameter
from api.studies import study_examples as examples
from files.entered.drafts import change_draft, delete_draft, is_changeable, make_draft
from files.entered.recruiting_settings import RecruitingRefusedError, change_recruiting
from files.writing.study_yaml import study_body
from reports.kept.archive import file_names

RECRUITING = "recruiting"
MEANING = "changes_meaning"
DESCRIBING = ("title", "description", "contact")
FIXED = "The study is no draft without answers, so only {} can be changed, not {}."
CHANGEABLE = "title, description, contact, guidelines, recruiting, the plan in options, and the project"
FILTERS = {
    "status": one_of("status", Study.Status.values),
    "protocol": lambda given: one_of("protocol", list(protocols()))(given),
    "project": called("project__name"),
}
PAGED = (
    parameter("status", "Only studies in this state.", enum=tuple(Study.Status.values)),
    parameter("protocol", "Only studies of this protocol."),
    parameter("project", "Only studies of the projects with this name."),
    parameter(LIMIT, "The most studies of a page."),
    parameter(CURSOR, "Where the page begins: in `next` of the page before."),
)
STUDY_FILE = {JSON: shapes.StudyFileSerializer, "application/yaml": shapes.StudyFileSerializer}


@operation(
    "list_studies",
    "Studies",
    "A page of the studies that the token, or the signed-in person, may read.",
    shapes.StudiesSerializer,
    (400, 401, 429, 503),
    parameters=PAGED,
    example={"studies": [examples.SUMMARY], "next": None},
)
def list_studies(request: Request) -> Response:
    check_parameters(request, (*FILTERS, LIMIT, CURSOR))
    rows = access.studies_open_to(caller_of(request))
    for name, condition in FILTERS.items():
        if name in request.query_params:
            rows = rows.filter(condition(request.query_params[name]))
    page = in_order(_counted(rows), place_in(request), page_size(request))
    for study in page.rows:
        refuse_pending_import(study)
    return Response({"studies": [_summary(study) for study in page.rows], "next": next_address(request, page.next)})


@operation(
    "make_study",
    "Make a study",
    "Makes a draft from a study file. Needs a token of an account that may make studies; its person becomes the owner.",
    shapes.StudyDetailSerializer,
    (400, 401, 403, 409, 411, 413, 415, 422, 429, 503),
    sends=STUDY_FILE,
    status=201,
    keyed=True,
    sent=examples.STUDY_FILE,
    example=examples.DETAIL,
)
def make_study(request: Request) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    access.refuse_unless_making(caller)
    sent = sent_study(request)

    def work() -> Response:
        made = make_draft(sent.data, caller.person)
        address = reverse("api:study", args=[made.slug])
        return Response(described_study(made), status=201, headers={"Location": address})

    return once(request, sent.digest, work)


@operation(
    "read_study",
    "Study",
    "The study file, its progress, and the files of its export.",
    shapes.StudyDetailSerializer,
    (400, *READING),
    example=examples.DETAIL,
)
def read_study(request: Request, slug: str) -> Response:
    check_parameters(request)
    return Response(described_study(access.study_open_to(caller_of(request), slug)))


@operation(
    "change_study",
    "Change a study",
    "Keys of the study file that are given replace those of the study; null takes one out of a draft.",
    shapes.StudyDetailSerializer,
    UPLOADING,
    sends={JSON: shapes.StudyChangeSerializer},
    keyed=True,
    sent={"title": "When ferries leave", "project": "Ferries"},
    example=examples.DETAIL,
)
def change_study(request: Request, slug: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    sent = sent_object(request)
    changes = dict(sent.data)
    project, reason = _text(changes, "project"), _text(changes, "reason") or ""
    changes_meaning = changes.pop(MEANING, False)
    if not isinstance(changes_meaning, bool):
        raise ParseError(f"{MEANING} must be true or false.")
    if project is not None and not may(caller.person, study, OWNERS):
        raise exceptions.PermissionDenied(access.NEEDS_OWNER)
    is_draft = is_changeable(study)

    def work() -> Response:
        if changes and is_draft:
            body = {key: value for key, value in {**study_body(study), **changes}.items() if value is not None}
            change_draft(study, body, caller.person)
        elif changes:
            _change_running(study, changes, caller.person, reason, changes_meaning=changes_meaning)
        if project is not None:
            move_to_project(study, project, caller.person)
        study.refresh_from_db()
        return Response(described_study(study))

    # The change of a draft waits for imports, which must not wait for its transaction; to repeat it changes nothing.
    return once(request, sent.digest, work, together=not is_draft)


@operation(
    "delete_study",
    "Delete a draft",
    "Deletes a draft that nobody has answered. Only owners may.",
    None,
    DELETING,
    status=204,
    later=shapes.AcceptedSerializer,
)
def delete_study(request: Request, slug: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_decide(caller, slug)
    if delete_draft(study, caller.person):
        return Response(status=204)
    return Response({"slug": slug, "status": study.status, "detail": "Workers are deleting it."}, status=202)


def described_study(study: Study) -> dict[str, Any]:
    """The study as its address shows it."""
    progress = progress_now(study)
    return {
        **_summary(_counted(Study.objects.filter(pk=study.pk)).get()),
        "study": study_body(study),
        "prepared": is_planned(study),
        "progress": asdict(progress) if progress else None,
        "files": file_names(study),
    }


def _counted(rows: QuerySet[Study]) -> QuerySet[Study]:
    # A range, so that PostgreSQL reads an index also if nearly all rows belong to another study.
    of_study: Any = Item.objects.filter(study__gte=OuterRef("pk"), study__lte=OuterRef("pk"))
    counted = CountOf(of_study.order_by().values("pk")[: MOST_AT_ONCE + 1])
    return rows.select_related("project").annotate(items_counted=counted)


def _summary(study: Any) -> dict[str, Any]:
    return {
        "slug": study.slug,
        **dry_run_mark(study),
        "title": study.title,
        "protocol": study.protocol,
        "status": study.status,
        "locked": study.locked_at is not None,
        "archived": study.archived_at is not None,
        "project": study.project.name if study.project else None,
        "items": study.items_counted if study.items_counted <= MOST_AT_ONCE else None,
    }


def _text(changes: dict[str, Any], name: str) -> str | None:
    """Take a text out of what was sent."""
    value = changes.pop(name, None)
    if value is not None and (not isinstance(value, str) or len(value) > 200 * (25 if name == "reason" else 1)):
        raise ParseError(f"{name} must be a text.")
    return value


def _change_running(
    study: Study, changes: Mapping[str, Any], person: Person, reason: str, *, changes_meaning: bool
) -> None:
    """Change what may change in a study that people have begun with."""
    now = study_body(study)
    given = {key: value for key, value in changes.items() if now.get(key) != value}
    options = given.pop("options", now.get("options", {}))
    if not isinstance(options, dict):
        raise ParseError("options must be an object.")
    was = now.get("options", {})
    fixed = [key for key in given if key not in (*DESCRIBING, "guidelines", RECRUITING)]
    fixed += [f"options.{key}" for key in sorted({*options, *was}) if key != PLAN and options.get(key) != was.get(key)]
    if fixed:
        raise ConflictError(FIXED.format(CHANGEABLE, ", ".join(fixed)[:300]))
    about = {name: given.get(name, getattr(study, name)) or "" for name in DESCRIBING}
    form = DescriptionForm(about)
    guidelines = GuidelinesForm({"text": given.get("guidelines") or ""})
    for checked in (form, guidelines):
        if not checked.is_valid():
            name, (problem, *_) = next(iter(checked.errors.items()))
            raise ParseError(f"{name}: {problem}")
    _change_recruiting(study, given, person, reason)
    describe(study, person, **form.cleaned_data, reason=reason)
    if "guidelines" in given:
        text = guidelines.cleaned_data["text"]
        publish_guidelines(study, text, person, reason, changes_meaning=changes_meaning)
    if options.get(PLAN) != was.get(PLAN):
        try:
            change_plan(study, options.get(PLAN), person)
        except PlanInvalidError as problem:
            raise ParseError(f"options.{PLAN}: {problem}") from None


def _change_recruiting(study: Study, given: Mapping[str, Any], person: Person, reason: str) -> None:
    """Change how people come in, as its pages do, if they are given; null takes them out."""
    if RECRUITING not in given:
        return
    body = {} if given[RECRUITING] is None else given[RECRUITING]
    if not isinstance(body, dict):
        raise ParseError(f"{RECRUITING} must be an object.")
    try:
        change_recruiting(study, body, person, reason=reason)
    except RecruitingRefusedError as problem:
        raise ParseError(str(problem)) from None
