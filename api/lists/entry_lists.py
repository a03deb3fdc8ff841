"""The addresses of the lists of what is in a study, and of their single entries."""

from collections.abc import Callable, Sequence
from typing import Any

from django.http import Http404
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.access import NOTHING
from annotation.blinding import is_blind
from annotation.models import Annotation, Item, Study
from api import access
from api.lists import entry_examples, entry_shapes
from api.lists.entries import whole_session
from api.lists.entry_kinds import KINDS, EntryKind, moment
from api.lists.keyset_pages import (
    CURSOR,
    LIMIT,
    KeysetPage,
    by_items,
    by_time,
    in_order,
    next_address,
    page_size,
    place_in,
)
from api.requests.authentication import caller_of
from api.requests.parameters import check_parameters
from api.schema import READING, operation, parameter
from reports.pages.seen_results import ResultPage, note_seen
from sessions.models import RevisionSession

ITEM, SINCE = "item", "since"
BLIND_TIME = "While the study is blinded, this list has no since: the order of time would tell systems apart."
FILTER_WORDS = {
    "id": "The item's id.", "pool": "The pool of items.", "withdrawn": "true: only withdrawn items; false: all others.",
    "name": "The rater's name.", "kind": "The kind of raters.", "rater": "The rater's name.",
    "flagged": "true: only tasks with a flag.", "current": "true: only the newest revisions.",
    "status": "The status.", "question": "The question's key.",
}  # fmt: skip
PAGED = (
    parameter(LIMIT, "The most entries of a page."),
    parameter(CURSOR, "Where the page begins: in `next` of the page before."),
)


def dry_run_mark(study: Study) -> dict[str, bool]:
    """What responses about a dry run have beside their own."""
    return {"dry_run": True} if study.is_dry_run else {}


def list_of(key: str) -> Callable[..., Any]:
    """The function that answers GET for a list, documented."""
    kind = KINDS[key]
    timed = (parameter(SINCE, "Only what is from this time or later (ISO 8601 with a zone)."),) if kind.since else ()
    of_item = (parameter(ITEM, "The item's id."),) if kind.item_path else ()
    filters = tuple(parameter(name, FILTER_WORDS[name]) for name in kind.filters)

    @operation(
        f"list_{key}",
        key.capitalize(),
        f"A page of the study's {key}; `next` is the address of the next one.",
        entry_shapes.list_shape(key),
        (400, *READING),
        parameters=(*of_item, *filters, *timed, *PAGED),
        example={key: [entry_examples.ENTRIES[key]], "next": None},
    )
    def listed(request: Request, slug: str) -> Response:
        check_parameters(request, [*(one.name for one in (*of_item, *timed)), *kind.filters, LIMIT, CURSOR])
        caller = caller_of(request)
        study = access.study_open_to(caller, slug)
        page = page_of(request, study, kind)
        if kind.has_results:
            note_seen(study, caller.person, ResultPage.LISTED)
        following = next_address(request, page.next)
        return Response({key: kind.entries(study, page.rows), "next": following, **dry_run_mark(study)})

    return listed


def page_of(request: Request, study: Study, kind: EntryKind) -> KeysetPage:
    """The page of a list that a request asks for."""
    query, after, size = request.query_params, place_in(request), page_size(request, kind.size, kind.most)
    rows = kind.rows(study)
    for name, condition in kind.filters.items():
        if name in query:
            rows = rows.filter(condition(query[name]))
    since = moment(query[SINCE]) if SINCE in query else None
    if not kind.item_path:
        return in_order(rows, after, size)
    item = _item_called(study, query[ITEM]) if ITEM in query else None
    if item == 0:
        return KeysetPage([], None)
    blind = kind.names_units and is_blind(study)
    if since is not None and kind.timed is not None and item is None:
        if blind:
            raise ParseError(BLIND_TIME)
        of_study = rows.filter(**{f"{kind.item_path}__study": study})
        window = kind.timed(study)
        return by_time(window, kind.since, since, after, size, lambda pks: of_study.filter(pk__in=pks))
    if since is not None:
        if blind:
            raise ParseError(BLIND_TIME)
        rows = rows.filter(**{f"{kind.since}__gte": since})
    return by_items(study, rows, kind.item_path, after, size, item=item, whole=blind)


def _item_called(study: Study, key: str) -> int:
    """The primary key of an item; 0 if there is none of this id."""
    if "\x00" in key:
        return 0
    return Item.objects.filter(study=study, key=key).values_list("pk", flat=True).first() or 0


def single_of(key: str) -> Callable[..., Any]:
    """The function that answers GET for one entry of a list, documented."""
    kind = KINDS[key]

    @operation(
        f"read_{key.removesuffix('s')}",
        f"One of the {key}",
        entry_shapes.SINGLE_WORDS.get(key, "The entry, as its list has it."),
        entry_shapes.single_shape(key),
        (400, *READING),
        example=entry_examples.SINGLE.get(key, entry_examples.ENTRIES[key]),
    )
    def single(request: Request, slug: str, number: int) -> Response:
        check_parameters(request)
        caller = caller_of(request)
        study = access.study_open_to(caller, slug)
        rows = kind.rows(study).filter(pk=number)
        if kind.item_path:
            rows = rows.filter(**{f"{kind.item_path}__study": study})
        row = rows.first()
        if row is None or (kind.names_units and is_blind(study)):
            raise Http404(NOTHING)
        if kind.has_results:
            note_seen(study, caller.person, ResultPage.LISTED)
        return Response({**kind.entries(study, [row])[0], **_more(kind, study, row), **dry_run_mark(study)})

    return single


def _more(kind: EntryKind, study: Study, row: Any) -> dict[str, Any]:
    """What a single entry has that its list leaves out."""
    if kind.key == "sessions":
        return whole_session(study, RevisionSession.objects.select_related("study", "item", "rater").get(pk=row.pk))
    if kind.key == "annotations":
        mine = Annotation.objects.filter(task=row.task_id, rater=row.rater_id).values("pk")
        revisions: Sequence[Any] = list(kind.rows(study).filter(pk__in=mine).order_by("revision"))
        return {"revisions": kind.entries(study, revisions)}
    return {}


@operation(
    "list_turns",
    "Turns of a session",
    "The answered turns of a session, in order.",
    entry_shapes.list_shape("turns"),
    (400, *READING),
    example={"turns": [entry_examples.ENTRIES["turns"]], "next": None},
)
def turns(request: Request, slug: str, number: int) -> Response:
    check_parameters(request)
    caller = caller_of(request)
    study = access.study_open_to(caller, slug)
    found = RevisionSession.objects.filter(study=study, pk=number).select_related("study", "item", "rater").first()
    if found is None:
        raise Http404(NOTHING)
    note_seen(study, caller.person, ResultPage.LISTED)
    return Response({"turns": whole_session(study, found)["turns"], "next": None, **dry_run_mark(study)})
