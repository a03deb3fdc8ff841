"""The programming interface: each view checks who asks, calls what the command of that name calls, and answers."""

from collections.abc import Collection

from django.db.models import Count
from django.http import FileResponse, Http404
from rest_framework.decorators import api_view
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NOTHING
from annotation.importing import add_to_study
from annotation.models import Rater, Study
from annotation.planning import is_planned
from annotation.queries import Progress, progress_by_study
from annotation.running import prepare
from reports import access
from reports.agreement_report import agreement_report, read_choice
from reports.api import shapes
from reports.api.authentication import caller_of
from reports.api.schema import EXPORTING, READING, UPLOADING, described, operation, parameter
from reports.api.uploads import received
from reports.exporting import FORMATS
from reports.exporting.archive import FileUnknownError, archived, exported_file, file_names
from reports.exporting.study_yaml import study_body
from reports.own_figures import own_figures

PREPARING_SECONDS = 5.0
ZIP = "application/zip"
ANY = "application/octet-stream"
MEDIA_TYPES = {
    "jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "yaml": "application/yaml",
    "md": "text/markdown; charset=utf-8", "json": "application/json",
}  # fmt: skip
GET = ("GET", "HEAD")


def check_parameters(request: Request, known: Collection[str] = ()) -> None:
    """Raise ParseError for a parameter that nothing reads, or that stands twice: it was meant to do something."""
    for name, values in request.query_params.lists():
        if name not in known:
            raise ParseError(f"{name[:40]!a} is no parameter here; {', '.join(sorted(known)) or 'none'} is taken.")
        if len(values) > 1:
            raise ParseError(f"{name} stands twice.")


@operation(
    "list_studies",
    "All studies",
    "The studies that the token, or whoever is signed in, may read.",
    shapes.Studies,
    (400, 401, 429),
)
@api_view(GET)
def studies(request: Request) -> Response:
    check_parameters(request)
    rows = access.studies_open_to(caller_of(request)).annotate(items_count=Count("items")).order_by("slug")
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
    "One study",
    "What is asked, how far it is, and which files its export has.",
    shapes.StudyDetail,
    (400, *READING),
)
@api_view(GET)
def study(request: Request, slug: str) -> Response:
    check_parameters(request)
    study = access.study_open_to(caller_of(request), slug)
    progress = progress_by_study(Study.objects.filter(pk=study.pk)).get(study.pk, Progress())
    return Response(
        {
            **_summary(study, study.items.count()),
            "study": study_body(study),
            "prepared": is_planned(study),
            "progress": {"total": progress.total, "filled": progress.filled, "held": progress.held},
            "files": file_names(study),
        }
    )


@operation(
    "agreement",
    "The agreement report",
    "Every figure of every question, as manage.py agreement --json prints it.",
    shapes.Agreement,
    (400, *READING),
    parameters=(
        parameter("kinds", "Kinds of raters, with commas between: human (default), model, metric."),
        parameter("guidelines", "Ratings under this version of the guidelines, or all; the latest by default."),
        parameter("by", "Also for the items of each category, under by_category.", enum=("category",)),
    ),
)
@api_view(GET)
def agreement(request: Request, slug: str) -> Response:
    check_parameters(request, ("by", "guidelines", "kinds"))
    study = access.study_open_to(caller_of(request), slug)
    query = request.query_params
    kinds, guidelines = read_choice(query.get("kinds", Rater.Kind.HUMAN.value), query.get("guidelines"))
    if query.get("by", "category") != "category":
        raise ParseError("by takes category.")
    return Response(agreement_report(study, kinds, guidelines=guidelines, categories="by" in query))


@operation(
    "session_report",
    "The report on sessions",
    "What was asked of the models turn by turn, as manage.py session_report --json prints it; 404 without sessions.",
    shapes.Sessions,
    (400, *READING),
)
@api_view(GET)
def sessions(request: Request, slug: str) -> Response:
    check_parameters(request)
    study = access.study_open_to(caller_of(request), slug)
    figures = own_figures(study)
    if figures is None:
        raise Http404(NOTHING)
    return Response(figures.report(study, waiting=True))


@operation(
    "export",
    "The export",
    "The study as a folder in a zip archive: unpacked, import_study takes it. Takes a token: exports are recorded.",
    bytes,
    EXPORTING,
    media_type=ZIP,
    parameters=(parameter("format", "Of the tables: jsonl (default) or csv.", enum=FORMATS),),
)
@api_view(GET)
def export(request: Request, slug: str) -> FileResponse:
    check_parameters(request, ("format",))
    caller = caller_of(request)
    study = access.study_to_export(caller, slug)
    form = request.query_params.get("format", FORMATS[0])
    if form not in FORMATS:
        raise ParseError(f"format takes {' or '.join(FORMATS)}.")
    file = archived(study, form, caller.person, caller.named)
    return FileResponse(file, as_attachment=True, filename=f"{study.slug}.zip", content_type=ZIP)


@operation(
    "export_file",
    "One file of the export",
    "By its name, as in guidelines/1.md; the study says which there are. Takes a token: exports are recorded.",
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
    "All of them or none. What is there already, the same, stays as it is; outputs may be added to an item.",
    shapes.Imported,
    UPLOADING,
    body="JSONL, one item a line, as in items.jsonl.",
)
@api_view(["POST"])
def items(request: Request, slug: str) -> Response:
    return _add(request, slug, "items")


@operation(
    "add_ratings",
    "Add ratings",
    "Answers of people, given elsewhere: all of them or none. They fill no places of the study's own tasks.",
    shapes.Imported,
    UPLOADING,
    body="JSONL, one answer a line, as in ratings.jsonl.",
)
@api_view(["POST"])
def ratings(request: Request, slug: str) -> Response:
    return _add(request, slug, "ratings")


@operation(
    "add_scores",
    "Add scores",
    "Answers of models and metrics, each line with its rater_kind: all of them or none.",
    shapes.Imported,
    UPLOADING,
    body="JSONL, one answer a line, as in scores.jsonl.",
)
@api_view(["POST"])
def scores(request: Request, slug: str) -> Response:
    return _add(request, slug, "scores")


def _add(request: Request, slug: str, table: str) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    with received(request, f"{table}.jsonl") as path:
        done = add_to_study(study, {table: path}, caller.person, caller.named)
    prepared = prepare(done.study, PREPARING_SECONDS) if done.study.is_live else is_planned(done.study)
    return Response({"study": study.slug, "added": done.added, "sha256": done.digests[table], "prepared": prepared})


@operation("schema", "This schema", "OpenAPI 3.1, as JSON.", dict, (400, 401, 429))
@api_view(GET)
def schema(request: Request) -> Response:
    check_parameters(request)
    return Response(described())
