"""The shapes of an annotator's tasks and answers in the API, with examples."""

from typing import Any

from rest_framework import serializers

from annotation.models import Annotation, Slot

AT = "2026-11-22T18:00:00Z"
KEY = "5f0c6a52-6b0e-4a8d-9a43-3f1f0f0f7a10"
OWN = {
    "key": KEY, "status": "submitted", "revision": 1, "surplus": False, "given_at": AT, "submitted_at": AT,
    "has_draft": False, "flag": "",
}  # fmt: skip
TASK: dict[str, Any] = {
    **OWN, "status": "open", "revision": 0, "submitted_at": None, "study": "ferries", "language": "en",
    "instruction": "When does it leave?", "document": "The ferry leaves at ten.",
    "outputs": [{"letter": "A", "text": "At ten."}],
    "fields": [{"name": "q-correct", "names": [], "question": "correct", "text": "Is the answer correct?", "help": "",
                "type": "category", "required": True, "output": None,
                "choices": [{"value": "yes", "label": ""}, {"value": "no", "label": ""}], "scale": None,
                "when": None}],
    "answer": {}, "guidelines_version": 1, "holds_place": True, "lease_until": AT,
}  # fmt: skip
SUBMISSION = {"fields": {"q-correct": "yes"}, "revision": 0, "client_key": "0d6a4f0e-1f35-4c6e-8a51-2f4f0e1c9d11"}


class AnsweredSerializer(serializers.Serializer):
    key = serializers.UUIDField()
    status = serializers.ChoiceField(["open", *Annotation.Status.values])
    revision = serializers.IntegerField(min_value=0, help_text="0: no answer yet.")
    surplus = serializers.BooleanField(help_text="Whether the task had all its raters already.")
    given_at = serializers.CharField()
    submitted_at = serializers.CharField(allow_null=True)
    has_draft = serializers.BooleanField()
    flag = serializers.CharField(allow_blank=True)


class WorkPageSerializer(serializers.Serializer):
    work = AnsweredSerializer(many=True)
    next = serializers.CharField(allow_null=True)


class FieldChoiceSerializer(serializers.Serializer):
    value = serializers.CharField()
    label = serializers.CharField(allow_blank=True)


class TaskFieldSerializer(serializers.Serializer):
    name = serializers.CharField(help_text="The name under which the answer is sent.")
    names = serializers.ListField(child=serializers.CharField(), help_text="Of the fields of a question with several.")
    question = serializers.CharField()
    text = serializers.CharField(allow_blank=True)
    help = serializers.CharField(allow_blank=True)
    type = serializers.CharField()
    required = serializers.BooleanField()
    output = serializers.CharField(allow_null=True, help_text="The letter of the output that it is about.")
    choices = FieldChoiceSerializer(many=True)
    scale = serializers.ListField(child=serializers.FloatField(), allow_null=True)
    when = serializers.DictField(allow_null=True, help_text="Asked only after this answer to another question.")


class LetteredOutputSerializer(serializers.Serializer):
    letter = serializers.CharField()
    text = serializers.JSONField(help_text="A text, or a conversation: a list of {role, text}.")


class TaskSerializer(AnsweredSerializer):
    study = serializers.CharField()
    language = serializers.CharField()
    instruction = serializers.CharField(allow_blank=True)
    document = serializers.JSONField(help_text="A text, or a conversation: a list of {role, text}.")
    outputs = LetteredOutputSerializer(many=True)
    fields = TaskFieldSerializer(many=True)
    answer = serializers.DictField(help_text="The own answer or draft, as fields.")
    guidelines_version = serializers.IntegerField(allow_null=True)
    holds_place = serializers.BooleanField()
    lease_until = serializers.CharField(allow_null=True)


class ClaimedSerializer(serializers.Serializer):
    task = TaskSerializer(allow_null=True)
    detail = serializers.CharField(allow_blank=True, help_text="Why there is no task.")


class PulseSerializer(serializers.Serializer):
    visible_seconds = serializers.FloatField(required=False, min_value=0, max_value=10**9)
    active_seconds = serializers.FloatField(required=False, min_value=0, max_value=10**9)


class AnswerVersionsSerializer(PulseSerializer):
    revision = serializers.IntegerField(
        required=False, min_value=0, max_value=2**31 - 1, help_text="Of the answer as it was read; 0: none yet."
    )
    guidelines_version = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    client_key = serializers.UUIDField(required=False, help_text="Makes a repeated request harmless.")


class SubmissionSerializer(AnswerVersionsSerializer):
    fields = serializers.DictField(help_text="{name of a field: value, or a list of them}")


class SkipSerializer(AnswerVersionsSerializer):
    reason = serializers.CharField(max_length=5000)


class LeaseSerializer(serializers.Serializer):
    place = serializers.ChoiceField([*Slot.State.values, "none"])
    lease_until = serializers.DateTimeField(allow_null=True)
