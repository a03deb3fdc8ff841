"""What is kept about a person, as JSON that they download: nothing of other people, and no system's name.

Parts add what they keep. Outputs go by the letters that the person saw. The file ends with what it leaves out, and why.
"""

import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q
from django.utils.crypto import salted_hmac

from accounts.models import AuditEntry, KnownAddress, Person, SecondFactor, SignInLink
from annotation.answers import Sheet
from annotation.models import (
    Annotation,
    Assignment,
    DraftConflict,
    FlagAnswer,
    Membership,
    Question,
    Rater,
    RaterExclusion,
    RaterPause,
    SpotCheck,
    Study,
)
from annotation.protocols import protocols
from config.parts import parts

CHUNK = 500
LENGTH = 16
Rows = Iterator[dict[str, Any]]
LEFT_OUT = {
    "sessions of browsers": "The page of your browsers lists them and ends them. What identifies one is a secret.",
    "secrets": "Passwords, links, API tokens and second factors are kept as hashes or encrypted. The file says how many"
    " links there are, and since when you have a second factor. The page of API tokens lists yours.",
    "figures about your work": "They would tell how your work is looked at: what rules ask, what was found, and what"
    " researchers noted about it. The people who run the study can tell you more when it is over.",
    "places and order of tasks": "They would tell which tasks come next, and how they were chosen. They say nothing"
    " about you.",
    "copies of your answers": "The same answers are kept once more as single ratings, as pages that were sent again,"
    " and as calls to language models. The file has the answers themselves.",
    "what others did with your answers": "Verdicts, labels, samples and final answers are other people's work. Notes"
    " and answers to your flags that were sent to you are in the file.",
    "subjects and values of the audit": "They can name other people, or tell which tasks were checks.",
    "work for studies that you run": "The pages of these studies show what you made, started and decided there:"
    " prompts, runs, uploads, exports, invitations, plans and settings.",
    "accounts of operators": "Rights in the administration and its old log are shown there.",
}
"""What is left out, by a short name: the reason, for the person."""


def own_data(person: Person) -> Iterator[str]:
    """Yield the text of a JSON object: lists of rows by title, each read while it is sent."""
    yield '{\n"account": ' + _text(_account(person))
    lists = [*_lists(person), *(own for part in parts() for own in part.own_data(person))]
    lists.append(("left_out", iter([{"what": what, "why": why} for what, why in LEFT_OUT.items()])))
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
        "second_factor_since": SecondFactor.objects.filter(person=person).values_list("since", flat=True).first(),
    }  # fmt: skip


def _lists(person: Person) -> list[tuple[str, Rows]]:
    return [
        ("memberships", _memberships(person)), ("answers", _answers(person)),
        ("tasks_and_drafts", _assignments(person)), ("drafts_kept_aside", _conflicts(person)),
        ("notes_on_answers", _notes(person)), ("answers_to_flags", _flag_answers(person)),
        ("pauses", _pauses(person)), ("exclusions", _exclusions(person)), ("audit", _audit(person)),
    ]  # fmt: skip


def _memberships(person: Person) -> Rows:
    raters = {rater.study_id: rater for rater in Rater.objects.filter(person=person)}
    for one in Membership.objects.filter(person=person).select_related("study").order_by("pk"):
        yield {
            "study": one.study.slug, "title": one.study.title, "role": one.role, "active": one.active,
            "since": one.created_at, "name_in_files": rater.name if (rater := raters.get(one.study_id)) else None,
            "topics": rater.topics if rater else None,
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
            "device": one.device,
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


def _pauses(person: Person) -> Rows:
    found = RaterPause.objects.filter(rater__person=person).select_related("rater__study").order_by("pk")
    for one in found.iterator(CHUNK):
        yield {"study": one.rater.study.slug, "reason": one.reason, "from": one.at, "to": one.ended_at}


def _exclusions(person: Person) -> Rows:
    """Why figures can leave the person's answers out, and what they have replied."""
    found = RaterExclusion.objects.filter(rater__person=person).select_related("rater__study")
    for one in found.prefetch_related("replies").order_by("pk").iterator(CHUNK):
        yield {
            "study": one.rater.study.slug, "reason": one.reason, "from": one.at, "to": one.ended_at,
            "reason_of_end": one.ended_reason,
            "your_replies": [{"text": reply.text, "at": reply.at} for reply in one.replies.all()],
        }  # fmt: skip


def _audit(person: Person) -> Rows:
    """What the person did, and what was done to them; without subjects and values, which can name others or checks."""
    hidden = [action for part in parts() for action in part.hidden_actions]
    mine = Q(actor__person=person) | Q(about__person=person)
    found = AuditEntry.objects.filter(mine).exclude(action__in=hidden).select_related("actor")
    for one in found.order_by("pk").iterator(CHUNK):
        by = "site" if one.actor is None else "you" if one.actor.person_id == person.pk else "others"
        yield {"at": one.at, "action": one.action, "study": one.study, "by": by}


def task_name(person: int | None, task: int | None) -> str | None:
    """Return the name of a task (primary keys) in the data of a person; None for what is about no task.

    It is the same in every list. Primary keys would tell which tasks were made later than the study's own.
    """
    if task is None:
        return None
    return salted_hmac("annotation.own_task_names", f"{person} {task}", algorithm="sha256").hexdigest()[:LENGTH]


class KnownQuestions:
    """The questions of studies, each study's read once."""

    def __init__(self) -> None:
        self.known: dict[int, list[Question]] = {}

    def form(self, study: Study, answers: dict[str, Any], shown: list[str]) -> dict[str, list[str]]:
        """Return the fields of a page that give these answers, with outputs by their letters."""
        if study.pk not in self.known:
            self.known[study.pk] = list(study.questions.order_by("position"))
        return protocols()[study.protocol].form_of(answers, self.known[study.pk], Sheet.of(shown))
