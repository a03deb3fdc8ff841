"""Final answers through the API: one as JSON, as the item's page writes it, or many as JSONL."""

from collections.abc import Mapping
from typing import Any

from django.http import QueryDict
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.blinding import names_of
from annotation.models import Item, Study
from annotation.questions import ValueInvalidError, question_types
from annotation.review.adjudicating import adjudicate
from annotation.review.verdicts import ReviewedMeanwhileError
from api import access
from api.lists import entry_examples
from api.lists.entry_kinds import KINDS
from api.requests.api_errors import ConflictError
from api.requests.authentication import caller_of
from api.requests.json_bodies import sent_as
from api.requests.once_per_key import once
from api.requests.parameters import check_parameters
from api.schema import JSON, UPLOADING, operation
from api.studies.line_uploads import REASON, add_lines
from managing.items.final_answers import AnswerSubject

NEWER = "Somebody has given a newer final answer. Read it, and name its number."
TOO_LONG = 240
SENT = {"item": "ferry-1", "output": "north", "question": "correct", "value": "yes", "number": 0,
        "reason": "The document says so."}  # fmt: skip
KIND = KINDS["adjudications"]


class FinalAnswerSerializer(serializers.Serializer):
    item = serializers.CharField(help_text="The item's id.")
    question = serializers.CharField(help_text="The question's key.")
    output = serializers.CharField(required=False, help_text="The system's name, if it is about an output.")
    outputs = serializers.ListField(
        child=serializers.CharField(), min_length=2, max_length=2, required=False, help_text="If it is about a pair."
    )
    variant = serializers.CharField(required=False, allow_blank=True, max_length=TOO_LONG)
    value = serializers.JSONField(allow_null=True, help_text="As in adjudications.jsonl; null withdraws the last one.")
    reason = serializers.CharField(max_length=5000)
    number = serializers.IntegerField(
        min_value=0, max_value=2**31 - 2, help_text="Of the last answer that its author saw; 0: none."
    )


@operation(
    "add_final_answers",
    "Add final answers",
    "Adds one final answer of the token's person, sent as JSON, or those of a file, sent as JSONL.",
    dict,
    UPLOADING,
    parameters=(REASON,),
    sends={JSON: FinalAnswerSerializer},
    body="JSON, or JSONL with one final answer per line, as in adjudications.jsonl.",
    keyed=True,
    sent=SENT,
    example=entry_examples.ENTRIES["adjudications"],
)
def add_final_answers(request: Request, slug: str) -> Response:
    if (request.content_type or "").partition(";")[0] != JSON:
        return add_lines(request, slug, "adjudications")
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    sent = sent_as(request, FinalAnswerSerializer)
    subject = _subject(study, sent.data)
    value = _value(subject, sent.data["value"])

    def work() -> Response:
        try:
            added = adjudicate(
                subject.item, subject.question, subject.unit, value, sent.data["reason"].strip(), caller.person,
                number=sent.data["number"],
            )  # fmt: skip
        except ReviewedMeanwhileError:
            raise ConflictError(NEWER) from None
        row = KIND.rows(study).get(pk=added.pk)
        return Response(KIND.entries(study, [row])[0])

    return once(request, sent.digest, work)


def _subject(study: Study, data: Mapping[str, Any]) -> AnswerSubject:
    """The question and the unit that a body names. Raises Http404 for what the item does not have."""
    if not data["reason"].strip():
        raise ParseError("reason: Give a reason.")
    if "output" in data and "outputs" in data:
        raise ParseError("Give output or outputs, not both.")
    item = Item.objects.filter(study=study, key=data["item"]).first()
    if item is None:
        raise ParseError("item: The study has no item of this id.")
    item.study = study
    output, other = data["outputs"] if "outputs" in data else (data.get("output", ""), "")
    query = QueryDict(mutable=True)
    query.update({"question": data["question"], "output": output, "other": other, "variant": data.get("variant", "")})
    return AnswerSubject.of(item, query)


def _value(subject: AnswerSubject, value: Any) -> Any:
    """The checked value, with systems called by their own names. Raises ParseError."""
    if value is None:
        return None
    names = names_of(subject.item.study)
    if names.are_codes:
        value = _renamed(value, {names.shown(one.key): one.key for one in subject.outputs})
    kind, spec = question_types()[subject.question.type], subject.question.spec
    try:
        kind.check(value, spec)
        kind.check_shown(value, spec, subject.sheet)
    except ValueInvalidError as problem:
        raise ParseError(f"value: This answer {problem}.") from None
    return value


def _renamed(value: Any, keys: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return keys.get(value, value)
    if isinstance(value, list):
        return [_renamed(one, keys) for one in value]
    if isinstance(value, dict):
        return {keys.get(key, key): _renamed(one, keys) for key, one in value.items()}
    return value
