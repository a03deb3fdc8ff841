"""The API: each view checks the caller, calls the same function as the command of that name, and responds."""

from collections.abc import Collection
from dataclasses import asdict

from django.db.models import Count
from django.http import FileResponse, Http404
from rest_framework.decorators import api_view
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NOTHING
from annotation.importing import add_to_study
from annotation.models import Study
from annotation.studies.lifecycle import prepare
from annotation.studies.locking import refuse_pending_import
from annotation.studies.planning import is_planned
from annotation.studies.preparing_tasks import request_preparation
from annotation.studies.study_overview import progress_now
from reports import access
from reports.api import response_shapes as shapes
from reports.api.authentication import caller_of
from reports.api.kept_answers import WITHIN, kept_answer
from reports.api.schema import EXPORTING, READING, UPLOADING, described, operation, parameter
from reports.api.upload_bodies import received
from reports.exporting import FORMATS
from reports.exporting.archive import FileUnknownError, archived, exported_file, file_names
from reports.exporting.study_yaml import study_body
from reports.forms import AgreementForm, MetaEvaluationApiForm, SessionReportForm, choices_in
from reports.protocol_figures import protocol_figures
from reports.report_kinds.agreement import agreement_choices
from reports.report_kinds.meta_evaluation import comparison_choices

PREPARING_SECONDS = 5.0
ZIP = "application/zip"
ANY = "application/octet-stream"
MEDIA_TYPES = {
    "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "yaml": "application/yaml",
    "md": "text/markdown; charset=utf-8", "json": "application/json",
}  # fmt: skip
LONGEST_REASON = 500
GET = ("GET", "HEAD")
REASON = parameter("reason", "Why a locked study is corrected; the audit keeps it.")
RECENT = parameter(
    WITHIN, "Also accept a report of data that were read at most this many seconds ago; by default only of the newest."
)


def check_parameters(request: Request, known: Collection[str] = (), repeated: Collection[str] = ()) -> None:
    """Raise ParseError for an unknown or repeated parameter, which would otherwise be ignored silently.

    Only the parameters `repeated` may be given more than once.
    """
    for name, values in request.query_params.lists():
        if name not in known:
            raise ParseError(f"Unknown parameter {name[:40]!a}. Known here: {', '.join(sorted(known)) or 'none'}.")
        if len(values) > 1 and name not in repeated:
            raise ParseError(f"The parameter {name} is given twice.")


@operation(
    "list_studies",
    "Studies",
    "The studies that the token, or the signed-in person, may read.",
    shapes.StudiesSerializer,
    (400, 401, 429, 503),
)
@api_view(GET)
def studies(request: Request) -> Response:
    check_parameters(request)
    open_to = access.studies_open_to(caller_of(request)).annotate(items_count=Count("items"))
    rows = sorted(open_to, key=lambda study: study.slug)  # by code point, which not every database does
    for study in rows:
        refuse_pending_import(study)
    return Response({"studies": [_summary(study, study.items_count) for study in rows]})


def _summary(study: Study, items: int) -> dict[str, object]:
    return {
        "slug": study.slug,
        "title": study.title,
        "protocol": study.protocol,
        "status": study.status,
        "items": items,
    }


@operation(
    "read_study",
    "Study",
    "The study file, its progress, and the files of its export.",
    shapes.StudyDetailSerializer,
    (400, *READING),
)
@api_view(GET)
def study(request: Request, slug: str) -> Response:
    check_parameters(request)
    study = access.study_open_to(caller_of(request), slug)
    progress = progress_now(study)
    return Response(
        {
            **_summary(study, study.items.count()),
            "study": study_body(study),
            "prepared": is_planned(study),
            "progress": asdict(progress) if progress else None,
            "files": file_names(study),
        }
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
        RECENT,
    ),
    later=True,
)
@api_view(GET)
def agreement(request: Request, slug: str) -> Response:
    check_parameters(request, ("by", "guidelines", "kinds", "raters", WITHIN), repeated=("raters",))
    study = access.study_open_to(caller_of(request), slug)
    chosen = choices_in(AgreementForm(request.query_params))
    choices = agreement_choices(
        chosen["kinds"], chosen["raters"], chosen["guidelines"], chosen["by"] == "category"
    )  # fmt: skip
    return kept_answer(request, study, "agreement", choices)


@operation(
    "meta_evaluation",
    "Judges against people",
    "All figures of all judges and the papers' tables, as printed by manage.py meta_evaluate --json.",
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
        parameter("epsilon", "What a person may be better by in the alternative-annotator test, 0 to 1 (0.2)."),
        parameter("positive", "The label of precision, recall and F1; by default a question's first choice."),
        parameter("majority_of", "People's question for AUC in the table of riSum."),
        parameter("mean_of", "People's question for the distances of that table."),
        RECENT,
    ),
    later=True,
)
@api_view(GET)
def meta_evaluation(request: Request, slug: str) -> Response:
    lists = ("across", "panel", "people", "raters")
    known = ("by", "epsilon", "guidelines", "kinds", "majority_of", "mean_of", "positive", WITHIN)
    check_parameters(request, (*known, *lists), repeated=lists)
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
)
@api_view(GET)
def sessions(request: Request, slug: str) -> Response:
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
    parameters=(parameter("format", "The format of the tables: jsonl (default) or csv.", enum=FORMATS),),
)
@api_view(GET)
def export(request: Request, slug: str) -> FileResponse:
    check_parameters(request, ("format",))
    caller = caller_of(request)
    study = access.study_to_export(caller, slug)
    form = request.query_params.get("format", FORMATS[0])
    if form not in FORMATS:
        raise ParseError(f"format must be {' or '.join(FORMATS)}.")
    file = archived(study, form, caller.person, caller.named)
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
    kind = MEDIA_TYPES[name.rpartition(".")[2]]
    filename = f"{study.slug}-{name.replace('/', '-')}"
    return FileResponse(file, as_attachment=True, filename=filename, content_type=kind)


@operation(
    "add_items",
    "Add items",
    "All or nothing. Identical items that exist already are skipped; new outputs are added to existing items.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one item per line, as in items.jsonl.",
)
@api_view(["POST"])
def items(request: Request, slug: str) -> Response:
    return _add(request, slug, "items")


@operation(
    "add_ratings",
    "Add ratings",
    "People's answers from elsewhere, all or nothing. They do not count towards the answers that tasks want.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one answer per line, as in ratings.jsonl.",
)
@api_view(["POST"])
def ratings(request: Request, slug: str) -> Response:
    return _add(request, slug, "ratings")


@operation(
    "add_scores",
    "Add scores",
    "Answers of models and metrics, each line with its rater_kind, all or nothing.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one answer per line, as in scores.jsonl.",
)
@api_view(["POST"])
def scores(request: Request, slug: str) -> Response:
    return _add(request, slug, "scores")


def _add(request: Request, slug: str, table: str) -> Response:
    check_parameters(request, ("reason",))
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    reason = request.query_params.get("reason", "")[:LONGEST_REASON]
    with received(request, f"{table}.jsonl") as path:
        done = add_to_study(study, {table: path}, caller.person, caller.named, reason=reason)
    prepared = prepare(done.study, PREPARING_SECONDS) if done.study.is_live else is_planned(done.study)
    if done.study.is_live and not prepared:
        request_preparation(done.study, caller.person, goes_live=False)
    return Response({"study": study.slug, "added": done.added, "sha256": done.digests[table], "prepared": prepared})


@operation("schema", "Schema", "OpenAPI 3.1, as JSON.", dict, (400, 401, 429, 503))
@api_view(GET)
def schema(request: Request) -> Response:
    check_parameters(request)
    return Response(described())
