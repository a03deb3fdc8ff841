"""What is kept about a person, as JSON that they download: nothing of other people, and no system's name.

The file ends with what it leaves out, and why.

Outputs go by the letters that the person saw. Other apps add what they keep.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from accounts.models import KnownAddress, OutsideIdentity, Person, SecondFactor, SignInLink
from annotation.answers import Sheet
from annotation.models import Annotation, Assignment, DraftConflict, FlagAnswer, Membership, Question, Rater, SpotCheck
from annotation.protocols import protocols
from config.database_clock import database_now
from config.parts import parts
from recruiting.entry_step import steps_of
from recruiting.models import Consent, CrowdBrowser, CrowdId, CrowdStay, PersonalReply, PracticeAnswer, StepPassage
from recruiting.way_in.admission import passages_of
from recruiting.way_in.left_out_data import left_out
from recruiting.way_in.task_names import task_name

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def own_data(person: Person) -> Iterator[str]:
    """Yield the text of a JSON object: lists of rows by title, each read while it is sent."""
    yield '{\n"account": ' + _text(_account(person))
    lists = [*_lists(person), *(own for part in parts() for own in part.own_data(person))]
    lists.append(("left_out", left_out()))
    for title, rows in lists:
        yield f",\n{_text(title)}: ["
        for number, row in enumerate(rows):
            yield ("," if number else "") + "\n" + _text(row)
        yield "]"
    yield "\n}\n"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, cls=DjangoJSONEncoder)


def _account(person: Person) -> dict[str, Any]:
    return {
        "user_name": person.username, "name": person.full_name, "email": person.email, "joined": person.date_joined,
        "last_sign_in": person.last_login, "preferences": person.preferences,
        "sign_in_links": SignInLink.objects.filter(person=person).count(),
        "known_browsers": KnownAddress.objects.filter(person=person).count(),
        "signs_in_with": [*OutsideIdentity.objects.filter(person=person).values("issuer", "subject", "created_at")],
        "second_factor_since": SecondFactor.objects.filter(person=person).values_list("since", flat=True).first(),
    }  # fmt: skip


def _lists(person: Person) -> list[tuple[str, Rows]]:
    return [
        ("memberships", _memberships(person)), ("consents", _consents(person)), ("steps", _steps(person)),
        ("about_you", _replies(person)), ("practice_answers", _practice(person)), ("answers", _answers(person)),
        ("tasks_and_drafts", _assignments(person)), ("drafts_kept_aside", _conflicts(person)),
        ("notes_on_answers", _notes(person)), ("answers_to_flags", _flag_answers(person)),
        ("entries", _entries(person)),
    ]  # fmt: skip


def _memberships(person: Person) -> Rows:
    raters = {rater.study_id: rater for rater in Rater.objects.filter(person=person)}
    for one in Membership.objects.filter(person=person).select_related("study").order_by("pk"):
        yield {
            "study": one.study.slug, "title": one.study.title, "role": one.role, "active": one.active,
            "since": one.created_at, "name_in_files": rater.name if (rater := raters.get(one.study_id)) else None,
            "topics": rater.topics if rater else None,
        }  # fmt: skip


def _consents(person: Person) -> Rows:
    found = Consent.objects.filter(rater__person=person).select_related("version__study").order_by("pk")
    for one in found:
        version = one.version
        yield {
            "study": version.study.slug, "agreed_at": one.agreed_at, "version": version.number, "text": version.text,
            "privacy": version.privacy, "retention": version.retention, "on_withdrawal": version.on_withdrawal,
        }  # fmt: skip


def _steps(person: Person) -> Rows:
    """Without how many answers were right, as long as the person may try again: two attempts would tell which."""
    may_try = _KnownSteps()
    for one in StepPassage.objects.filter(rater__person=person).select_related("rater__study").order_by("pk"):
        given = one.result or {}
        hidden = "rules" in given and may_try.again(one)
        yield {
            "study": one.rater.study.slug, "step": one.step, "attempt": one.attempt, "outcome": one.outcome,
            "from": one.opened_at, "to": one.ended_at, "result": None if hidden else one.result,
        }  # fmt: skip


def _replies(person: Person) -> Rows:
    for one in PersonalReply.objects.filter(person=person).select_related("study").order_by("pk"):
        yield {
            "study": one.study.slug, "step": one.step, "question": one.question, "reply": one.value, "at": one.given_at,
        }  # fmt: skip


def _practice(person: Person) -> Rows:
    """Without which of them were right, which would give a test away before the next attempt."""
    found = PracticeAnswer.objects.filter(passage__rater__person=person).select_related("passage__rater__study")
    questions = KnownQuestions()
    for one in found.order_by("pk").iterator(CHUNK):
        study = one.passage.rater.study
        yield {
            "study": study.slug, "step": one.passage.step, "attempt": one.passage.attempt, "task": one.number + 1,
            "form": questions.form(study, one.answers, one.shown), "at": one.submitted_at,
        }  # fmt: skip


def _answers(person: Person) -> Rows:
    """Every revision of every answer, as the fields of the page had it."""
    found = Annotation.objects.filter(rater__person=person).select_related("rater__study", "task")
    questions = KnownQuestions()
    for one in found.prefetch_related("task__task_outputs__output").order_by("pk").iterator(CHUNK):
        study = one.rater.study
        keys = [row.output.key for row in sorted(one.task.task_outputs.all(), key=lambda row: row.position)]
        yield {
            "study": study.slug, "task": task_name(person.pk, one.task_id), "revision": one.revision,
            "status": one.status, "reason": one.reason,
            "form": questions.form(study, one.answers, [keys[place] for place in one.shown]),
            "flag": one.flag, "guidelines_version": one.guidelines_version, "opened_at": one.opened_at,
            "submitted_at": one.submitted_at, "visible_seconds": one.visible_seconds,
            "active_seconds": one.active_seconds, "reading_aids": one.tool_use,
            "display": one.display,
        }  # fmt: skip


def _assignments(person: Person) -> Rows:
    found = Assignment.objects.filter(rater__person=person).select_related("rater__study").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {
            "study": one.rater.study.slug, "task": task_name(person.pk, one.task_id), "given_at": one.created_at,
            "seen_at": one.seen_at, "draft": one.draft, "flag": one.flag,
        }  # fmt: skip


def _conflicts(person: Person) -> Rows:
    found = DraftConflict.objects.filter(assignment__rater__person=person).select_related("assignment").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {"task": task_name(person.pk, one.assignment.task_id), "draft": one.body, "at": one.saved_at}


def _notes(person: Person) -> Rows:
    found = SpotCheck.objects.filter(annotation__rater__person=person).exclude(note="").select_related("annotation")
    for one in found.order_by("pk").iterator(CHUNK):
        task = task_name(person.pk, one.annotation.task_id)
        yield {"task": task, "note": one.note, "at": one.at, "read_at": one.seen_at}


def _flag_answers(person: Person) -> Rows:
    for one in FlagAnswer.objects.filter(rater__person=person).order_by("pk").iterator(CHUNK):
        yield {"task": task_name(person.pk, one.task_id), "flag": one.flag, "answer": one.note, "at": one.at}


def _entries(person: Person) -> Rows:
    """How the person came into studies by links, and who they are to the recruiter."""
    known = {one.study_id: one for one in CrowdId.objects.filter(person=person)}
    browsers = Counter(CrowdBrowser.objects.filter(person=person).values_list("study", flat=True))
    for one in CrowdStay.objects.filter(rater__person=person).select_related("study").order_by("pk"):
        given = known.get(one.study_id)
        yield {
            "study": one.study.slug, "by": one.source, "entered_at": one.entered_at, "until": one.due_at,
            "ended_at": one.ended_at, "outcome": one.outcome, "code": one.code, "browsers": browsers[one.study_id],
            "participant": given and given.participant, "recruiter_study": given and given.recruiter_study,
            "session": given and given.session, "other_submissions": given and given.repeats,
        }  # fmt: skip


class _KnownSteps:
    """Which steps raters may try again, each rater's read once."""

    def __init__(self) -> None:
        self.known: dict[int, frozenset[str]] = {}

    def again(self, passage: StepPassage) -> bool:
        """Whether the rater has not passed the step of this attempt, and may make another one now or later."""
        rater = passage.rater
        if rater.pk not in self.known:
            ways, now = passages_of([rater.pk])[rater.pk], database_now()
            self.known[rater.pk] = frozenset(
                step.key
                for step in steps_of(rater.study)
                if not step.kind.is_passed(step, ways)
                and not ((halt := step.kind.halt(step, ways, now)) is not None and halt.over)
            )
        return passage.step in self.known[rater.pk]


class KnownQuestions:
    """The questions of studies, each study's read once."""

    def __init__(self) -> None:
        self.known: dict[int, list[Question]] = {}

    def form(self, study: Any, answers: dict[str, Any], shown: list[str]) -> dict[str, list[str]]:
        """Return the fields of a page that give these answers, with outputs by their letters."""
        if study.pk not in self.known:
            self.known[study.pk] = list(study.questions.order_by("position"))
        return protocols()[study.protocol].form_of(answers, self.known[study.pk], Sheet.of(shown))
