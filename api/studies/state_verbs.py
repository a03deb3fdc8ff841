"""The verbs that take a study from one state to another, and those that steer one of its items."""

from collections.abc import Callable, Mapping
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Person
from annotation.models import Item, Study
from annotation.studies import closing, lifecycle, slot_steps, steered_items
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.live_checks import blocking_problems
from annotation.studies.preparing_tasks import prepare_few, request_preparation
from api import access
from api import response_shapes as shapes
from api.lists import entry_examples, entry_shapes
from api.lists.entries import item_entries
from api.lists.keyset_pages import numbered
from api.requests.api_errors import ConflictError
from api.requests.authentication import caller_of
from api.requests.json_bodies import Sent, sent_as
from api.requests.once_per_key import once
from api.requests.parameters import check_parameters
from api.schema import JSON, UPLOADING, operation
from api.studies import study_examples as examples

GO_LIVE, RESUME = "go_live", "resume"
PREPARING = "Workers are making the tasks of its items; then the study goes live by itself."
NOT_PAUSED = "A study that is {} cannot be resumed. Only one that is paused can."
Verb = Callable[[Study, str, Person], object]
BY_RESEARCHERS: Mapping[str, tuple[Verb, str]] = {
    GO_LIVE: (lambda study, _, person: lifecycle.make_live(study, person), "The study is live: annotators can start."),
    RESUME: (lambda study, _, person: lifecycle.make_live(study, person), "The study is live again."),
    "pause": (
        lambda study, reason, person: lifecycle.pause(study, person, reason),
        "The study is paused: no new tasks are given out.",
    ),
}
BY_OWNERS: Mapping[str, tuple[Verb, str]] = {
    "close": (lambda study, reason, person: lifecycle.close(study, person, reason), "The study is closed."),
    "reopen": (lambda study, reason, person: lifecycle.reopen(study, person, reason), "The study is live again."),
    "lock": (lambda study, _, person: closing.lock(study, person), "The study is locked: corrections need a reason."),
    "unlock": (closing.unlock, "The study is not locked any more."),
    "archive": (lambda study, _, person: closing.archive(study, person), "The study is archived."),
    "bring_back": (lambda study, _, person: closing.bring_back(study, person), "The study is back on the home page."),
}
VERBS = (*BY_RESEARCHERS, *BY_OWNERS)
STEPS = ("withdraw", "restore", "priority", "add_rater", "cancel_open")
PRIORITIES = {priority.name.lower(): priority.value for priority in Item.Priority}


class StateVerbSerializer(serializers.Serializer):
    verb = serializers.ChoiceField(VERBS)
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True)


class ItemVerbSerializer(serializers.Serializer):
    verb = serializers.ChoiceField(STEPS)
    reason = serializers.CharField(max_length=5000, help_text="The audit keeps it.")
    priority = serializers.ChoiceField(list(PRIORITIES), required=False, help_text="Only for the verb priority.")


@operation(
    "change_state",
    "Change the state of a study",
    "Takes the study to another state. close, reopen, lock, unlock, archive and bring_back are for owners.",
    shapes.AcceptedSerializer,
    UPLOADING,
    sends={JSON: StateVerbSerializer},
    keyed=True,
    later=shapes.AcceptedSerializer,
    sent={"verb": "go_live"},
    example=examples.ACCEPTED,
)
def change_state(request: Request, slug: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    sent = sent_as(request, StateVerbSerializer)
    verb = sent.data["verb"]
    if verb in BY_OWNERS:
        study = access.study_to_decide(caller, slug)
    take, said = {**BY_RESEARCHERS, **BY_OWNERS}[verb]
    # Outside the transaction of the key: tasks are made in short steps.
    if verb in (GO_LIVE, RESUME) and study.status in (Study.Status.DRAFT, Study.Status.PAUSED) and _is_ready(study):
        if verb == RESUME and study.status != Study.Status.PAUSED:
            raise StudyRefusedError(NOT_PAUSED.format(study.status))
        if not prepare_few(study):
            return once(request, sent.digest, lambda: _prepared_first(study, caller.person))

    def work() -> Response:
        take(study, sent.data.get("reason", ""), caller.person)
        return Response({"slug": slug, "status": study.status, "detail": said})

    return once(request, sent.digest, work)


def _is_ready(study: Study) -> bool:
    if problems := blocking_problems(study):
        raise ConflictError(f"The study cannot go live yet. {' '.join(one.text for one in problems)}")
    return True


def _prepared_first(study: Study, person: Person) -> Response:
    request_preparation(study, person, goes_live=True)
    return Response({"slug": study.slug, "status": study.status, "detail": PREPARING}, status=202)


@operation(
    "steer_item",
    "Steer an item",
    "withdraw takes it out of tasks and figures, restore undoes it; priority gives its tasks out first, ordinary or "
    "last; add_rater asks one more rater; cancel_open cancels its open places.",
    entry_shapes.single_shape("items"),
    UPLOADING,
    sends={JSON: ItemVerbSerializer},
    keyed=True,
    sent={"verb": "withdraw", "reason": "The document is cut off."},
    example=entry_examples.ENTRIES["items"],
)
def steer_item(request: Request, slug: str, number: int) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    item = numbered(Item.objects.filter(study=study), number)
    if not isinstance(item, Item):
        raise access.Http404(access.NOTHING)
    item.study = study
    sent = sent_as(request, ItemVerbSerializer)

    def work() -> Response:
        _steer(item, sent, caller.person)
        return Response(item_entries(study, [item])[0])

    return once(request, sent.digest, work)


def _steer(item: Item, sent: Sent, person: Person) -> None:
    data: dict[str, Any] = sent.data
    verb, reason = data["verb"], data["reason"].strip()
    if not reason:
        raise ParseError("reason: Give a reason.")
    if ("priority" in data) != (verb == "priority"):
        raise ParseError("priority: Give it with the verb priority, and with no other.")
    match verb:
        case "withdraw":
            steered_items.withdraw(item, reason, person)
        case "restore":
            steered_items.restore(item, reason, person)
        case "priority":
            steered_items.set_priority(item, PRIORITIES[data["priority"]], reason, person)
        case "add_rater":
            slot_steps.add_rater(item, reason, person)
        case "cancel_open":
            slot_steps.cancel_open(item, reason, person)
