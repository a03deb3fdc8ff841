"""The shapes of the API's responses, for its schema. Tests check every response against its shape."""

from rest_framework import serializers

from annotation.models import Study


def dry_run_field() -> serializers.BooleanField:
    """The mark of responses about a dry run."""
    return serializers.BooleanField(
        required=False, help_text="true, and only there, if the study is a dry run: made-up answers."
    )


def pair_coding_field() -> serializers.CharField:
    """The mark of reports whose figures tell the outputs of a pair apart."""
    return serializers.CharField(
        required=False,
        help_text="sorted, and only then there, if figures corrected for chance tell the outputs of a pair apart.",
    )


class StudySummarySerializer(serializers.Serializer):
    dry_run = dry_run_field()
    slug = serializers.CharField(help_text="The study's name in URLs, files and commands.")
    title = serializers.CharField()
    protocol = serializers.CharField()
    status = serializers.ChoiceField(choices=Study.Status.values)
    locked = serializers.BooleanField(help_text="Whether corrections need a reason.")
    archived = serializers.BooleanField(help_text="Whether it can only be read.")
    project = serializers.CharField(allow_null=True)
    items = serializers.IntegerField(min_value=0, allow_null=True, help_text="Null: more than 5,000.")


class StudiesSerializer(serializers.Serializer):
    studies = StudySummarySerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="The address of the next page; null after the last.")


class StudyFileSerializer(serializers.Serializer):
    """The contents of a study file; `docs/formats.md` describes all keys."""

    slug = serializers.CharField()
    title = serializers.CharField(required=False)
    description = serializers.CharField(required=False)
    contact = serializers.CharField(required=False)
    language = serializers.CharField(required=False)
    protocol = serializers.CharField()
    redundancy = serializers.IntegerField(min_value=1)
    guidelines = serializers.CharField(required=False)
    questions = serializers.ListField(child=serializers.DictField())
    options = serializers.DictField(required=False)
    systems = serializers.DictField(required=False)
    judges = serializers.DictField(required=False)


class StudyChangeSerializer(serializers.Serializer):
    """Any keys of the study file, and three more."""

    title = serializers.CharField(required=False, allow_null=True)
    description = serializers.CharField(required=False, allow_null=True)
    contact = serializers.CharField(required=False, allow_null=True)
    language = serializers.CharField(required=False, allow_null=True)
    redundancy = serializers.IntegerField(required=False, min_value=1)
    guidelines = serializers.CharField(required=False, allow_null=True)
    questions = serializers.ListField(child=serializers.DictField(), required=False)
    options = serializers.DictField(required=False, allow_null=True)
    systems = serializers.DictField(required=False, allow_null=True)
    judges = serializers.DictField(required=False, allow_null=True)
    recruiting = serializers.DictField(required=False, allow_null=True)
    project = serializers.CharField(required=False, max_length=200, allow_blank=True, help_text="Empty: none.")
    reason = serializers.CharField(required=False, help_text="Why a locked study is corrected.")
    changes_meaning = serializers.BooleanField(
        required=False,
        help_text="Whether new guidelines change what answers mean; people may then take steps before tasks again.",
    )


class AcceptedSerializer(serializers.Serializer):
    slug = serializers.CharField()
    status = serializers.ChoiceField(choices=Study.Status.values)
    detail = serializers.CharField(help_text="What has happened, or will.")


class ProgressSerializer(serializers.Serializer):
    total = serializers.IntegerField(min_value=0, help_text="The number of answers wanted, over all tasks.")
    filled = serializers.IntegerField(min_value=0)
    held = serializers.IntegerField(min_value=0, help_text="Answers that somebody is working on.")
    imported = serializers.IntegerField(min_value=0, help_text="People's ratings from files that belong to no answer.")
    imported_answers = serializers.IntegerField(
        min_value=0, help_text="People's submitted answers from files that have no place: not part of filled."
    )


class StudyDetailSerializer(StudySummarySerializer):
    study = serializers.DictField(help_text="The contents of study.yaml.")
    prepared = serializers.BooleanField(help_text="Whether every item has its tasks.")
    progress = ProgressSerializer(
        allow_null=True, help_text="Of a large study as it was counted last; null before the first count."
    )
    files = serializers.ListField(child=serializers.CharField(), help_text="The names of the files in its export.")


class ImportedSerializer(serializers.Serializer):
    study = serializers.CharField()
    added = serializers.DictField(
        child=serializers.IntegerField(min_value=0),
        help_text="The number of new rows by kind; 0 if all existed already.",
    )
    sha256 = serializers.CharField(help_text="The digest of the received body.")
    prepared = serializers.BooleanField(
        help_text="Whether every item has its tasks. In a live study, new items get theirs at once; if that takes too "
        "long for one request, send the same body again to continue."
    )


class QuestionFiguresSerializer(serializers.Serializer):
    level = serializers.CharField(help_text="The level of measurement, which decides which figures a question has.")
    ratings = serializers.IntegerField(min_value=0)
    raters = serializers.IntegerField(min_value=0)
    other_shapes = serializers.IntegerField(
        min_value=0, required=False, help_text="Machines' answers in another shape, which are left out."
    )
    other_reruns = serializers.IntegerField(
        min_value=0, required=False, help_text="Answers of other reruns of a machine than its latest, left out too."
    )
    percent_agreement = serializers.FloatField(allow_null=True, required=False)
    leave_one_out = serializers.FloatField(allow_null=True, required=False)
    comparisons = serializers.ListField(
        child=serializers.DictField(), allow_null=True, required=False, help_text="Paired tests, one entry per pair."
    )
    by_category = serializers.DictField(
        child=serializers.DictField(),
        required=False,
        help_text="With by=category: the same figures, leave_one_out included, for the items of each category.",
    )
    undefined = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="The reason for each null figure, by its dotted name."
    )


class AgreementSerializer(serializers.Serializer):
    dry_run = dry_run_field()
    study = serializers.CharField()
    protocol = serializers.CharField()
    blinding = serializers.DictField(
        required=False,
        help_text="Only with blind_researchers: whether it is blinded, or when and why it was unblinded.",
    )
    items = serializers.IntegerField(min_value=0)
    kinds = serializers.ListField(child=serializers.CharField())
    raters = serializers.ListField(child=serializers.CharField(), help_text="Raters chosen by name, beside the kinds.")
    pooled_raters = serializers.DictField(
        child=serializers.IntegerField(min_value=1), required=False,
        help_text="Only if answers of people and of machines are combined: the raters of each kind.",
    )  # fmt: skip
    excluded = serializers.DictField(
        required=False, help_text="Only with excluded=without: how many excluded raters are left out."
    )
    guidelines = serializers.DictField(help_text="Which version's ratings are read, and how many each version has.")
    pair_coding = pair_coding_field()
    surplus = serializers.IntegerField(min_value=0, help_text="Answers to tasks that already had all their raters.")
    questions = serializers.DictField(child=QuestionFiguresSerializer(), help_text="The figures of each question.")
    dimensions = serializers.ListField(
        child=serializers.DictField(), help_text="Agreement between each two questions that rank outputs."
    )
    balance = serializers.DictField(
        required=False, help_text="Of tasks with several outputs: how often each system was shown at each position."
    )


class ComparedQuestionSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="The question.", allow_blank=True)
    systems = serializers.DictField(required=False, help_text="Systems as people and each judge see them.")
    people = serializers.DictField(required=False, help_text="The figures of people, each against the others.")
    judges = serializers.DictField(
        child=serializers.DictField(), help_text="The figures of each judge, with x_ci beside x, and undefined."
    )
    bootstrap = serializers.DictField(required=False, help_text="How the intervals were computed.")
    by_category = serializers.DictField(
        child=serializers.DictField(), required=False, help_text="With by=category: the same for each category's items."
    )
    undefined = serializers.DictField(child=serializers.CharField(), required=False)


class MetaEvaluationSerializer(serializers.Serializer):
    dry_run = dry_run_field()
    study = serializers.CharField()
    protocol = serializers.CharField()
    software = serializers.CharField(help_text="The version that computed the report.")
    items = serializers.IntegerField(min_value=0)
    kinds = serializers.ListField(child=serializers.CharField())
    raters = serializers.ListField(child=serializers.CharField(), help_text="Judges chosen by name, beside the kinds.")
    people = serializers.ListField(child=serializers.CharField(), help_text="The group of people, if it was named.")
    guidelines = serializers.DictField(help_text="Which version's ratings are read, and how many each version has.")
    pair_coding = pair_coding_field()
    panel = serializers.ListField(child=serializers.CharField(), help_text="Judges that are also compared as one.")
    replicates = serializers.IntegerField(min_value=0, help_text="Draws of items behind the intervals.")
    beyond_papers = serializers.DictField(help_text="Epsilon, and the draws of items of figures beyond the papers.")
    questions = serializers.DictField(child=ComparedQuestionSerializer())
    across = serializers.ListField(child=serializers.DictField(), help_text="One question's judges against another.")
    tables = serializers.DictField(child=serializers.DictField(), help_text="Tables of the comparison, by key.")


class SessionsSerializer(serializers.Serializer):
    dry_run = dry_run_field()
    study = serializers.CharField()
    protocol = serializers.CharField()
    models = serializers.ListField(child=serializers.CharField())
    labellers = serializers.DictField(help_text="The names of all labellers, and the chosen one or null.")
    statuses = serializers.DictField(help_text="The share of sessions by status.")
    overview = serializers.DictField(help_text="Sessions, turns, edited turns and kinds of instruction, by model.")
    ratings_by_kind = serializers.DictField(help_text="The share of each rating by model and kind of instruction.")
    kinds_by_position = serializers.ListField(child=serializers.DictField())
    instruction_types = serializers.DictField()
    error_categories = serializers.DictField()
    retrieval = serializers.DictField()
    text_figures = serializers.DictField(help_text="Words and edits.")
    label_agreement = serializers.DictField(help_text="How far labellers agree, by kind of label, with kappa per pair.")
    second_ratings = serializers.DictField(
        help_text="Second ratings compared with the user's; under between, second raters compared with each other."
    )
    undefined = serializers.DictField(help_text="The reason for each null figure, by its dotted name.")


class ComputingSerializer(serializers.Serializer):
    study = serializers.CharField()
    detail = serializers.CharField(help_text="What to do, for people.")
    read_at = serializers.DateTimeField(
        allow_null=True, help_text="When the data of the newest finished report were read; null if there is none."
    )


class ProblemSerializer(serializers.Serializer):
    type = serializers.CharField(help_text="The kind of problem; about:blank if the status says it all.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField(help_text="What happened and what to do, for people.")
    request_id = serializers.CharField(help_text="Identifies the request in the server's log.")


class ProblemLineSerializer(serializers.Serializer):
    file = serializers.CharField()
    line = serializers.IntegerField(min_value=0, help_text="0 for the whole file.")
    field = serializers.CharField(help_text="Empty for the whole line.")
    reason = serializers.CharField()


class ImportRefusedSerializer(ProblemSerializer):
    problems = ProblemLineSerializer(many=True, required=False, help_text="The problems by line; nothing was imported.")
    more = serializers.BooleanField(required=False, help_text="Whether there are more than these hundred.")
