"""The tables of a page as files, and what its templates need to link to them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from accounts.access import person_of
from annotation.access import NOTHING
from annotation.models import Study
from reports.pages.display.kept_status import KeptStatus
from reports.pages.display.table_texts import MEDIA_TYPES, WRITERS, text_table, written
from reports.pages.display.tables import Table
from reports.pages.seen_results import ResultPage, note_seen

FORMATS = [(ending, name) for ending, (name, _) in WRITERS.items()]
"""Endings of files with what their formats are called."""


def file_links(address: str, status: KeptStatus) -> dict[str, Any]:
    """What templates print links to files with: where those of tables and plots are, and the reader's choices."""
    return {
        "files_at": f"{address}files/", "plots_at": f"{address}plots/", "choices": status.address, "formats": FORMATS,
    }  # fmt: skip


def texts_of(tables: Iterable[Table], about: str = "") -> dict[str, dict[str, Any]]:
    """The tables by their keys, as plain values."""
    return {table.key: text_table(table, about) for table in tables}


def file_response(
    request: HttpRequest, study: Study, key: str, ending: str, tables: Mapping[str, Mapping[str, Any]], *,
    has_results: bool = True,
) -> HttpResponse:  # fmt: skip
    """A table of a page as a file; somebody sees results in it if it `has_results`. Raises Http404."""
    if key not in tables or ending not in WRITERS:
        raise Http404(NOTHING)
    if has_results:
        note_seen(study, person_of(request), ResultPage.TABLE)
    slug = study.slug
    text = written(tables[key], f"{slug}-{key}", ending)
    response = HttpResponse(text, content_type=f"{MEDIA_TYPES[ending]}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{key}.{ending}"'
    return response
