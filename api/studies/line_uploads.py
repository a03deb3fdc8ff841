"""JSONL in one request: items, people's ratings, and scores, written to disk as they come and then imported."""

import hashlib
from pathlib import Path

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Study
from annotation.studies.lifecycle import prepare
from annotation.studies.planning import is_planned
from annotation.studies.preparing_tasks import request_preparation
from api import access
from api import response_shapes as shapes
from api.access import Caller
from api.requests.authentication import caller_of
from api.requests.once_per_key import HEADER, once
from api.requests.parameters import check_parameters
from api.requests.upload_bodies import received
from api.schema import UPLOADING, operation, parameter
from api.studies import study_examples as examples
from files.reading import add_to_study

PREPARING_SECONDS = 5.0
LONGEST_REASON = 500
REASON = parameter("reason", "Why a locked study is corrected; the audit keeps it.")


@operation(
    "add_items",
    "Add items",
    "All or nothing. Identical items that exist already are skipped; new outputs are added to existing items.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one item per line, as in items.jsonl.",
    keyed=True,
    sent=examples.ITEM_LINE,
    example=examples.IMPORTED,
)
def add_items(request: Request, slug: str) -> Response:
    return add_lines(request, slug, "items")


@operation(
    "add_ratings",
    "Add ratings",
    "People's answers from elsewhere, all or nothing. They do not count towards the answers that tasks want.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one answer per line, as in ratings.jsonl.",
    keyed=True,
    sent=examples.RATING_LINE,
    example={**examples.IMPORTED, "added": {"ratings": 1, "raters": 1}},
)
def add_ratings(request: Request, slug: str) -> Response:
    return add_lines(request, slug, "ratings")


@operation(
    "add_scores",
    "Add scores",
    "Answers of models and metrics, each line with its rater_kind, all or nothing.",
    shapes.ImportedSerializer,
    UPLOADING,
    parameters=(REASON,),
    body="JSONL, one answer per line, as in scores.jsonl.",
    keyed=True,
    sent=examples.SCORE_LINE,
    example={**examples.IMPORTED, "added": {"scores": 1, "raters": 1}},
)
def add_scores(request: Request, slug: str) -> Response:
    return add_lines(request, slug, "scores")


def add_lines(request: Request, slug: str, table: str) -> Response:
    """Import the body of a request into a table of a study."""
    check_parameters(request, ("reason",))
    caller = caller_of(request)
    study = access.study_to_write(caller, slug)
    reason = request.query_params.get("reason", "")[:LONGEST_REASON]
    with received(request, f"{table}.jsonl") as path:
        # An import has transactions of its own, and to repeat one changes nothing.
        return once(
            request, _digest(request, path), lambda: _imported(study, table, path, caller, reason), together=False
        )


def _digest(request: Request, path: Path) -> str:
    if HEADER not in request.headers:
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _imported(study: Study, table: str, path: Path, caller: Caller, reason: str) -> Response:
    done = add_to_study(study, {table: path}, caller.person, caller.named, reason=reason)
    prepared = prepare(done.study, PREPARING_SECONDS) if done.study.is_live else is_planned(done.study)
    if done.study.is_live and not prepared:
        request_preparation(done.study, caller.person, goes_live=False)
    return Response({"study": study.slug, "added": done.added, "sha256": done.digests[table], "prepared": prepared})
