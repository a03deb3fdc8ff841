"""Reports and exports through the API: each view calls the same function as the command of that name."""

from django.http import FileResponse, Http404
from rest_framework.decorators import api_view
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NOTHING
from api import access
from api import response_shapes as shapes
from api.requests.authentication import caller_of
from api.requests.parameters import check_parameters
from api.results import report_examples as examples
from api.results.kept_answers import kept_answer
from api.schema import EXPORTING, GET, READING, RECENT, WITHIN, operation, parameter
from files.writing import SMALL_FORMATS
from reports.comparison_tables import comparison_questions
from reports.figures.protocol_figures import protocol_figures
from reports.kept.archive import FileUnknownError, archived, exported_file
from reports.pages.forms import AgreementForm, MetaEvaluationApiForm, SessionReportForm, choices_in
from reports.pages.seen_results import ResultPage, note_seen
from reports.report_kinds.agreement import EXCHANGEABLE, SORTED, WITH, WITHOUT, agreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices

ZIP = "application/zip"
ANY = "application/octet-stream"
MEDIA_TYPES = {
    "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "yaml": "application/yaml",
    "cff": "application/yaml", "md": "text/markdown; charset=utf-8", "json": "application/json",
}  # fmt: skip

PAIR_CODING = parameter(
    "pair_coding",
    "How first and second of a pair count in figures corrected for chance: exchangeable (default), or told apart by "
    "the order of their names, as in older printed tables.",
    enum=(EXCHANGEABLE, SORTED),
)


@operation(
    "agreement",
    "Agreement report",
    "All figures of all questions, as printed by manage.py agreement --json.",
    shapes.AgreementSerializer,
    (400, *READING),
    parameters=(
        parameter("kinds", "Kinds of raters, separated by commas: human (default), model, metric."),
        parameter("raters", "The name of a rater to use, alone or beside kinds; may be repeated.", many=True),
        parameter("guidelines", "Use ratings given under this guidelines version, or all; the latest by default."),
        parameter("by", "Add the figures of each category's items, under by_category.", enum=("category",)),
        parameter(
            "excluded", "Whether answers of excluded raters count: with (default) or without.", enum=(WITH, WITHOUT)
        ),
        PAIR_CODING,
        RECENT,
    ),
    later=True,
    example=examples.AGREEMENT,
)
@api_view(GET)
def agreement(request: Request, slug: str) -> Response:
    check_parameters(
        request, ("by", "excluded", "guidelines", "kinds", "pair_coding", "raters", WITHIN), repeated=("raters",)
    )
    study = access.study_open_to(caller_of(request), slug)
    chosen = choices_in(AgreementForm(request.query_params))
    choices = agreement_choices(
        chosen["kinds"], chosen["raters"], chosen["guidelines"], chosen["by"] == "category", chosen["excluded"],
        chosen["pair_coding"],
    )  # fmt: skip
    return kept_answer(request, study, "agreement", choices)


@operation(
    "meta_evaluation",
    "Judges against people",
    "All figures of all judges, and tables of them, as printed by manage.py meta_evaluate --json.",
    shapes.MetaEvaluationSerializer,
    (400, *READING),
    parameters=(
        parameter("kinds", "Kinds of judges, separated by commas: model, metric (both by default)."),
        parameter("raters", "The name of a judge, alone or beside kinds; may be repeated.", many=True),
        parameter("guidelines", "Use ratings given under this guidelines version, or all; the latest by default."),
        parameter("by", "Add the figures of each category's items, under by_category.", enum=("category",)),
        parameter("people", "The name of a person of the group (everybody else); may be repeated.", many=True),
        parameter("across", "JUDGED:PEOPLE, two keys of questions to compare as well; may be repeated.", many=True),
        parameter("panel", "The name of a judge that is also compared as part of a panel; repeated.", many=True),
        parameter("epsilon", "What a person may be better by in the alternative-annotator test, 0 to 1 (0.1)."),
        parameter("positive", "The label of precision, recall and F1; by default a question's first choice."),
        *(parameter(one.name, one.sentence) for one in comparison_questions()),
        PAIR_CODING,
        RECENT,
    ),
    later=True,
    example=examples.META_EVALUATION,
)
@api_view(GET)
def meta_evaluation(request: Request, slug: str) -> Response:
    lists = ("across", "panel", "people", "raters")
    known = ("by", "epsilon", "guidelines", "kinds", "pair_coding", "positive", WITHIN)
    check_parameters(request, (*known, *(one.name for one in comparison_questions()), *lists), repeated=lists)
    study = access.study_open_to(caller_of(request), slug)
    chosen = choices_in(MetaEvaluationApiForm(request.query_params))
    categories = chosen.pop("by") == "category"
    return kept_answer(request, study, "meta_evaluation", comparison_choices(**chosen, categories=categories))


@operation(
    "session_report",
    "Report on sessions",
    "Figures of revision sessions, as printed by manage.py session_report --json; 404 for other protocols.",
    shapes.SessionsSerializer,
    (400, *READING),
    parameters=(
        parameter("labeller", "Count only labels of turns by this rater; by default a person's latest."),
        RECENT,
    ),
    later=True,
    example=examples.SESSIONS,
)
@api_view(GET)
def session_report(request: Request, slug: str) -> Response:
    check_parameters(request, ("labeller", WITHIN))
    study = access.study_open_to(caller_of(request), slug)
    figures = protocol_figures(study)
    if figures is None:
        raise Http404(NOTHING)
    return kept_answer(request, study, figures.report_kind, choices_in(SessionReportForm(request.query_params)))


@operation(
    "export",
    "Export",
    "The study as a folder in a zip archive, which import_study reads once unpacked. Needs a token: exports are "
    "recorded in the audit.",
    bytes,
    EXPORTING,
    media_type=ZIP,
    parameters=(parameter("format", "The format of the tables: jsonl (default) or csv.", enum=SMALL_FORMATS),),
)
@api_view(GET)
def export(request: Request, slug: str) -> FileResponse:
    check_parameters(request, ("format",))
    caller = caller_of(request)
    study = access.study_to_export(caller, slug)
    form = request.query_params.get("format", SMALL_FORMATS[0])
    if form not in SMALL_FORMATS:
        raise ParseError(f"format must be {' or '.join(SMALL_FORMATS)}.")
    file = archived(study, form, caller.person, caller.named)
    note_seen(study, caller.person, ResultPage.EXPORT)
    return FileResponse(file, as_attachment=True, filename=f"{study.slug}.zip", content_type=ZIP)


@operation(
    "export_file",
    "File of the export",
    "A file by its name, such as guidelines/1.md; the study lists them. Needs a token: exports are recorded in the "
    "audit.",
    bytes,
    EXPORTING,
    media_type=ANY,
)
@api_view(GET)
def export_file(request: Request, slug: str, name: str) -> FileResponse:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_export(caller, slug)
    try:
        file = exported_file(study, name, caller.person, caller.named)
    except FileUnknownError:
        raise Http404(NOTHING) from None
    note_seen(study, caller.person, ResultPage.EXPORT)
    kind = MEDIA_TYPES[name.rpartition(".")[2]]
    filename = f"{study.slug}-{name.replace('/', '-')}"
    return FileResponse(file, as_attachment=True, filename=filename, content_type=kind)
