"""The details of a report over the API."""

from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from api import access
from api.requests.authentication import caller_of
from api.requests.parameters import check_parameters
from api.response_shapes import dry_run_field
from api.results import report_examples as examples
from api.results.kept_answers import kept_answer
from api.schema import READING, WITHIN, operation, parameter
from reports.pages.forms import DetailsForm, choices_in
from reports.report_kinds.details import details_choices


class MethodsSerializer(serializers.Serializer):
    text = serializers.CharField(help_text="A paragraph for a paper, with the numbers of the study.")
    latex = serializers.CharField(help_text="The same for LaTeX with natbib.")
    bibtex = serializers.CharField(help_text="The entries of what it cites.")
    facts = serializers.DictField(help_text="The numbers that it states.")


class DetailsSerializer(serializers.Serializer):
    dry_run = dry_run_field()
    study = serializers.CharField()
    protocol = serializers.CharField()
    software = serializers.CharField(help_text="The version that computed the report.")
    kinds = serializers.ListField(child=serializers.CharField())
    raters = serializers.ListField(child=serializers.CharField(), help_text="Raters chosen by name, beside the kinds.")
    guidelines = serializers.DictField(help_text="Which version's ratings are read, and how many each version has.")
    replicates = serializers.IntegerField(min_value=0, help_text="Draws of items behind the intervals.")
    questions = serializers.DictField(
        child=serializers.DictField(),
        help_text="Of each question: distribution, systems with ranks and letters, tests, wins, over_time, positions "
        "and lengths; or only level and the reason why it has none.",
    )
    time = serializers.DictField(help_text="Quartiles of the seconds per answer: all, by words to read, by system.")
    exclusions = serializers.ListField(child=serializers.DictField(), help_text="What figures leave out, by kind.")
    methods = MethodsSerializer()


class RaterChecksSerializer(serializers.Serializer):
    dry_run = dry_run_field()
    study = serializers.CharField()
    least = serializers.DictField(help_text="With fewer checks of a kind, or answers, nothing is said.")
    replicates = serializers.IntegerField(min_value=0, help_text="Draws behind the bootstrap intervals.")
    seconds = serializers.FloatField(allow_null=True, help_text="The median seconds per task of all raters.")
    raters = serializers.ListField(
        child=serializers.DictField(),
        help_text="Of each rater: gold, twins, repeats, agrees, time, in_a_row and same_forms, each "
        "{n, value, low, high, reason}, and whether a researcher has excluded them.",
    )
    questions = serializers.DictField(
        child=serializers.DictField(), help_text="Alpha of each question with and without the excluded raters."
    )


@operation(
    "report_details",
    "Details of the report",
    "Distributions, ranks, letters, wins, agreement over time, effects, times, exclusions and the methods paragraph, "
    "as printed by manage.py report_details --json.",
    DetailsSerializer,
    (400, *READING),
    parameters=(
        parameter("kinds", "Kinds of raters, separated by commas: human (default), model, metric."),
        parameter("raters", "The name of a rater to use, alone or beside kinds; may be repeated.", many=True),
        parameter("guidelines", "Use ratings given under this guidelines version, or all; the latest by default."),
        parameter(WITHIN, "Also accept a report of data that were read at most this many seconds ago."),
    ),
    later=True,
    example=examples.DETAILS,
)
@api_view(("GET", "HEAD"))
def details(request: Request, slug: str) -> Response:
    check_parameters(request, ("guidelines", "kinds", "raters", WITHIN), repeated=("raters",))
    study = access.study_open_to(caller_of(request), slug)
    chosen = choices_in(DetailsForm(request.query_params))
    return kept_answer(
        request, study, "details", details_choices(chosen["kinds"], chosen["raters"], chosen["guidelines"])
    )


@operation(
    "report_rater_checks",
    "How careful raters are",
    "Agreement with the others, time and answers in a row of each rater, with intervals; and alpha with "
    "and without excluded raters.",
    RaterChecksSerializer,
    (400, *READING),
    parameters=(parameter(WITHIN, "Also accept a report of data that were read at most this many seconds ago."),),
    later=True,
    example=examples.RATER_CHECKS,
)
@api_view(("GET", "HEAD"))
def rater_checks(request: Request, slug: str) -> Response:
    check_parameters(request, (WITHIN,))
    return kept_answer(request, access.study_open_to(caller_of(request), slug), "rater_checks", {})
