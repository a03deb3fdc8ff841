"""The shapes of the entries of the API's lists, for its schema. Tests check every response against its shape."""

from functools import lru_cache

from rest_framework import serializers

from annotation.models import Annotation, JudgeRun, Rater, Rating, Slot
from annotation.pools import pools
from api.response_shapes import dry_run_field
from sessions.models import RevisionSession

Shape = type[serializers.Serializer]
NUMBER = "The entry's number, the last part of its address."


def number_field(**more: bool) -> serializers.IntegerField:
    return serializers.IntegerField(min_value=1, help_text=NUMBER, **more)


def text_field(says: str = "") -> serializers.CharField:
    """A text that an entry may lack."""
    return serializers.CharField(required=False, allow_blank=True, help_text=says or None)


def time_field() -> serializers.CharField:
    return serializers.CharField(required=False, help_text="ISO 8601.")


def whole_field() -> serializers.IntegerField:
    return serializers.IntegerField(required=False, min_value=0)


def seconds_field() -> serializers.FloatField:
    return serializers.FloatField(required=False)


def anything_field(says: str = "", *, required: bool = False) -> serializers.JSONField:
    return serializers.JSONField(required=required, help_text=says or None)


def names_field() -> serializers.ListField:
    return serializers.ListField(child=serializers.CharField(), required=False)


class ItemEntrySerializer(serializers.Serializer):
    number = number_field()
    id = serializers.CharField(help_text="The item's id in files.")
    document = anything_field("A text, or a conversation: a list of {role, text}.")
    instruction = text_field()
    outputs = serializers.ListField(
        child=serializers.DictField(), required=False, help_text="{id, text, edited_from, writer, metadata}"
    )
    pool = serializers.ChoiceField(tuple(pools()), required=False, help_text="Absent: the main pool.")
    priority = serializers.ChoiceField(["first", "last"], required=False, help_text="Absent: ordinary.")
    withdrawn = serializers.DictField(required=False, help_text="{at, reason} of a withdrawn item.")


class RaterEntrySerializer(serializers.Serializer):
    number = number_field()
    name = serializers.CharField(help_text="Random for people of this site.")
    kind = serializers.ChoiceField(Rater.Kind.values)
    created_at = time_field()


class AssignmentEntrySerializer(serializers.Serializer):
    number = number_field()
    item = serializers.CharField()
    outputs = names_field()
    variant = text_field()
    rater = serializers.CharField()
    given_at = time_field()
    opened_at = time_field()
    seen_at = time_field()
    has_draft = serializers.BooleanField()
    flag = text_field("What the rater says is wrong with the task.")
    place = serializers.ChoiceField(
        [Slot.State.HELD.value, Slot.State.FILLED.value, "none"], help_text="Whether it has one of the task's places."
    )
    lease_until = time_field()


class AnnotationEntrySerializer(serializers.Serializer):
    number = number_field()
    item = serializers.CharField()
    outputs = names_field()
    variant = text_field()
    rater = serializers.CharField()
    rater_kind = serializers.ChoiceField(Rater.Kind.values)
    revision = serializers.IntegerField(min_value=1)
    current = serializers.BooleanField(help_text="Whether it is the newest revision.")
    status = serializers.ChoiceField(Annotation.Status.values)
    surplus = serializers.BooleanField()
    third_rater = serializers.BooleanField(
        required=False, help_text="Whether it was asked for because the planned raters disagreed."
    )
    answers = serializers.DictField(help_text="{question: value}")
    reason = text_field()
    flag = text_field()
    shown = names_field()
    guidelines_version = whole_field()
    protocol_version = whole_field()
    opened_at = time_field()
    submitted_at = time_field()
    seconds = seconds_field()
    visible_seconds = seconds_field()
    active_seconds = seconds_field()
    odd_times = serializers.BooleanField(required=False, help_text="Whether the page counted more than the server.")
    tool_use = serializers.DictField(required=False)
    device = text_field("How the page showed it: window, pointer, layout.")
    metadata = anything_field()


class WholeAnnotationSerializer(AnnotationEntrySerializer):
    revisions = AnnotationEntrySerializer(many=True)


class RatingEntrySerializer(serializers.Serializer):
    number = number_field(required=False)
    item = serializers.CharField()
    output = text_field()
    outputs = names_field()
    rater = serializers.CharField()
    rater_kind = serializers.ChoiceField(Rater.Kind.values)
    question = serializers.CharField()
    value = anything_field("As given.", required=True)
    explanation = text_field()
    shown = anything_field()
    seconds = seconds_field()
    submitted_at = time_field()
    guidelines_version = whole_field()
    run = text_field()
    replicate = whole_field()
    distribution = anything_field()
    missing = seconds_field()
    outcome = serializers.ChoiceField(Rating.AgentsOutcome.values, required=False)
    prompt_digest = text_field()
    metadata = anything_field()
    third_rater = serializers.BooleanField(
        required=False, help_text="Whether it was asked for because the planned raters disagreed."
    )
    revision = whole_field()
    current = serializers.BooleanField()


class SessionEntrySerializer(serializers.Serializer):
    number = number_field()
    id = serializers.CharField()
    item = serializers.CharField()
    rater = serializers.CharField()
    model = serializers.CharField()
    status = serializers.ChoiceField(RevisionSession.Status.values)
    started_at = time_field()
    ended_at = time_field()
    imported = serializers.BooleanField(required=False)


class TurnEntrySerializer(serializers.Serializer):
    number = serializers.IntegerField(min_value=1, help_text="1, 2, ... within the session.")
    instruction = text_field()
    kind = serializers.CharField()
    answer = text_field()
    rating = text_field()
    comment = text_field()
    edited_answer = text_field()
    submitted_at = time_field()
    seconds = seconds_field()


class WholeSessionSerializer(SessionEntrySerializer):
    initial_answer = text_field()
    final_answer = text_field()
    turns = TurnEntrySerializer(many=True)


class RunEntrySerializer(serializers.Serializer):
    number = number_field()
    id = serializers.CharField()
    rater = serializers.CharField()
    rater_kind = serializers.ChoiceField(Rater.Kind.values)
    configuration = anything_field(required=True)
    status = serializers.ChoiceField(JudgeRun.Status.values)
    counts = anything_field()
    tokens_in = whole_field()
    tokens_out = whole_field()
    price = whole_field()
    started_at = time_field()
    ended_at = time_field()
    replaced_by = serializers.DictField(required=False)


class AdjudicationEntrySerializer(serializers.Serializer):
    entry = serializers.IntegerField(min_value=1, help_text="The last part of its address.")
    item = serializers.CharField()
    output = text_field()
    outputs = names_field()
    variant = text_field()
    question = serializers.CharField()
    number = serializers.IntegerField(min_value=1, help_text="1, 2, ... for the answers about one unit.")
    current = serializers.BooleanField()
    value = anything_field("Absent: the answers before it are withdrawn.")
    reason = serializers.CharField()
    reviewer = serializers.CharField()
    at = time_field()


SHAPES: dict[str, Shape] = {
    "items": ItemEntrySerializer, "raters": RaterEntrySerializer, "assignments": AssignmentEntrySerializer,
    "annotations": AnnotationEntrySerializer, "ratings": RatingEntrySerializer, "sessions": SessionEntrySerializer,
    "runs": RunEntrySerializer, "adjudications": AdjudicationEntrySerializer, "turns": TurnEntrySerializer,
}  # fmt: skip
SINGLES: dict[str, Shape] = {"annotations": WholeAnnotationSerializer, "sessions": WholeSessionSerializer}
SINGLE_WORDS = {
    "annotations": "A revision, with all `revisions` of the answer.",
    "sessions": "The whole session with its turns, as `sessions.jsonl` has it.",
}


@lru_cache
def single_shape(key: str) -> Shape:
    """The shape of one entry at its own address: of a dry run it has the mark, which lists have once."""
    shape = SINGLES.get(key, SHAPES[key])
    return type(f"Single{shape.__name__}", (shape,), {"dry_run": dry_run_field()})


@lru_cache
def list_shape(key: str) -> Shape:
    """The shape of a page of a list."""
    following = serializers.CharField(allow_null=True, help_text="The address of the next page; null after the last.")
    return type(f"{key.capitalize()}PageSerializer", (serializers.Serializer,),
                {key: SHAPES[key](many=True), "next": following, "dry_run": dry_run_field()})  # fmt: skip
