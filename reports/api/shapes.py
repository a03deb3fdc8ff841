"""The shapes of what the programming interface answers, for its schema. The tests hold each answer to its shape."""

from rest_framework import serializers

from annotation.models import Study


class StudySummary(serializers.Serializer):
    slug = serializers.CharField(help_text="The study's name in addresses, files and commands.")
    title = serializers.CharField()
    protocol = serializers.CharField()
    status = serializers.ChoiceField(choices=Study.Status.values)
    items = serializers.IntegerField(min_value=0)


class Studies(serializers.Serializer):
    studies = StudySummary(many=True)


class Progress(serializers.Serializer):
    total = serializers.IntegerField(min_value=0, help_text="How many answers to tasks are asked for.")
    filled = serializers.IntegerField(min_value=0)
    held = serializers.IntegerField(min_value=0, help_text="Those that somebody is working on.")


class StudyDetail(StudySummary):
    study = serializers.DictField(help_text="The study file, as study.yaml has it.")
    prepared = serializers.BooleanField(help_text="Whether every item has its tasks.")
    progress = Progress()
    files = serializers.ListField(child=serializers.CharField(), help_text="The files of its export, by name.")


class Imported(serializers.Serializer):
    study = serializers.CharField()
    added = serializers.DictField(
        child=serializers.IntegerField(min_value=0), help_text="How many rows of each kind; 0 where all was there."
    )
    sha256 = serializers.CharField(help_text="The digest of the body that came in.")
    prepared = serializers.BooleanField(
        help_text="Whether every item has its tasks. Of a live study new items are prepared at once; where that takes "
        "longer than a request may, sending the same body again goes on with it."
    )


class Agreement(serializers.Serializer):
    study = serializers.CharField()
    protocol = serializers.CharField()
    items = serializers.IntegerField(min_value=0)
    kinds = serializers.ListField(child=serializers.CharField())
    guidelines = serializers.DictField(help_text="The version whose ratings are read, and how many there are of each.")
    questions = serializers.DictField(
        child=serializers.DictField(),
        help_text="The figures of each question; an undefined one is null, with a reason.",
    )


class Sessions(serializers.Serializer):
    study = serializers.CharField()
    protocol = serializers.CharField()
    models = serializers.ListField(child=serializers.CharField())
    statuses = serializers.DictField(help_text="The share of sessions of each status.")
    overview = serializers.DictField(help_text="Sessions, turns, edited turns and kinds of instruction, by model.")
    ratings_by_kind = serializers.DictField(help_text="The share of each rating, by model and kind of instruction.")
    kinds_by_position = serializers.ListField(child=serializers.DictField())
    instruction_types = serializers.DictField()
    error_categories = serializers.DictField()
    retrieval = serializers.DictField()
    text_figures = serializers.DictField(allow_null=True, help_text="Words and edits; null where there are too many.")
    second_ratings = serializers.DictField()
    undefined = serializers.DictField(help_text="The reason for each figure that is null, by its dotted name.")


class Problem(serializers.Serializer):
    type = serializers.CharField(help_text="What kind of problem; about:blank where the status says it all.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What went wrong and what to do, for people.")
    request_id = serializers.CharField(help_text="Names the request in the server's log.")


class ProblemLine(serializers.Serializer):
    file = serializers.CharField()
    line = serializers.IntegerField(min_value=0, help_text="0 where the whole file is meant.")
    field = serializers.CharField(help_text="Empty where the whole line is meant.")
    reason = serializers.CharField()


class ImportRefused(Problem):
    problems = ProblemLine(many=True, required=False, help_text="What is wrong, by line; nothing was imported.")
    more = serializers.BooleanField(required=False, help_text="Whether these are only the first hundred.")
