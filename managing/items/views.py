"""The table of a study's items, the page of an item, and the steps on it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, item_for, study_for
from annotation.answers import Form
from annotation.blinding import shown_outputs
from annotation.models import Item
from annotation.pools import pools
from annotation.protocols import protocols
from annotation.questions import ValueInvalidError
from annotation.review import adjudicating
from annotation.review.review_requests import seen_number
from annotation.review.verdicts import ReviewedMeanwhileError
from annotation.studies.steered_items import ItemStepRefusedError
from config.htmx_request import HtmxRequest
from managing.items.filters import COLUMNS, OPENING, ItemFilters, finds_systems
from managing.items.final_answers import AnswerSubject
from managing.items.forms import DAYS, GivenReasonForm, first_error
from managing.items.item_work import ItemWork
from managing.items.listing import MOST_COUNTED, ItemList
from managing.items.page_steps import STEPS
from managing.items.side_by_side import SideBySide
from managing.models import ItemSummary
from reports.pages.display.kept_status import shown_before
from reports.pages.seen_results import ResultPage, note_seen

UNCHANGED = 204
NEWER_ANSWER = "Somebody else has given a final answer. Yours is not saved: read theirs, then save yours again."


@require_safe
@signed_in
def items(request: HtmxRequest, slug: str) -> HttpResponse:
    """A page of the items that the filters in the address leave, in the order chosen there."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    filters = ItemFilters.of(request.GET)
    number = request.GET.get("page", "1")
    listed = ItemList(study, filters, int(number) if number.isascii() and number.isdigit() else 1)
    status = listed.status(request.GET)
    before = shown_before(request.GET) if request.htmx else None
    if before == status.mark:
        return HttpResponse(status=UNCHANGED)
    if listed.kept.is_there:
        note_seen(study, person_of(request), ResultPage.DISAGREEMENT)
    context = {
        "study": study,
        "listed": listed,
        "filters": filters,
        "form": (form := filters.form()),
        "choices": [form[name] for name in ("set", "pool", "state", "mark")],
        "names": [form[name] for name in ("rater", "system") if name == "rater" or finds_systems(study)],
        "columns": [(key, COLUMNS[key]) for key in filters.columns],
        "rows": [(row, row.cells(filters.columns)) for row in listed.rows],
        "status": status,
        "opening": OPENING,
        "most": MOST_COUNTED,
        "before": filters.address(page=listed.number - 1) if listed.number > 1 else "",
        "after": filters.address(page=listed.number + 1) if listed.number < listed.last else "",
    }
    template = "managing/items/items.html" if before is None else "managing/items/_list.html"
    return render(request, template, context)


@require_safe
@signed_in
def item(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """An item with all answers side by side, and the work on it."""
    shown = item_for(person_of(request), slug, pk)
    study = shown.study
    summary = ItemSummary.objects.filter(item=shown).first()
    questions, outputs = list(study.questions.order_by("position")), list(shown.outputs.order_by("position"))
    answers = SideBySide(shown, questions, outputs, summary.by_question if summary else {})
    work = ItemWork.of(study, shown)
    context = {
        "study": study,
        "item": shown,
        "title": protocols()[study.protocol].flow.titles([shown.pk]).get(shown.pk, ""),
        "categories": [shown.categories] if isinstance(shown.categories, str) else shown.categories or [],
        "outputs": shown_outputs(study, outputs),
        "summary": summary,
        "sections": answers.sections(),
        "pool": pools().get(shown.pool, shown.pool),
        "work": work,
        "priorities": Item.Priority.choices,
        "has_open": any(place.slot.state == "open" for place in work.places),
        "days": DAYS,
    }
    return render(request, "managing/items/item.html", context)


@require_POST
@signed_in
def step(request: HtmxRequest, slug: str, pk: int, key: str) -> HttpResponse:
    """Take one of the steps of `managing.items.page_steps` on an item."""
    person = person_of(request)
    shown = item_for(person, slug, pk)
    form = STEPS[key].form(request.POST)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect("managing:item", slug=slug, pk=pk)
    try:
        messages.success(request, STEPS[key].take(shown, form.cleaned_data, person))
    except ItemStepRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("managing:item", slug=slug, pk=pk)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def adjudicate(request: HtmxRequest, slug: str, pk: int) -> HttpResponse:
    """The final answer to one question about one unit; POST saves or withdraws it."""
    person = person_of(request)
    shown = item_for(person, slug, pk)
    subject = AnswerSubject.of(shown, request.GET if request.method != "POST" else request.POST)
    if request.method != "POST":
        return _answer_page(request, subject, GivenReasonForm())
    form, typed = GivenReasonForm(request.POST), {name: request.POST.getlist(name) for name in request.POST}
    withdraws = request.POST.get("step") == "withdraw"
    try:
        value = None if withdraws else subject.read(typed)
    except ValueInvalidError as problem:
        return _answer_page(request, subject, form, typed, f"This answer {problem}.", 422)
    if not form.is_valid():
        return _answer_page(request, subject, form, typed, status=422)
    try:
        adjudicating.adjudicate(
            shown, subject.question, subject.unit, value, form.cleaned_data["reason"], person,
            number=seen_number(request),
        )  # fmt: skip
    except ReviewedMeanwhileError:
        return _answer_page(request, subject, form, typed, NEWER_ANSWER, 409)
    messages.success(request, "The final answer is withdrawn." if withdraws else "The final answer is saved.")
    return redirect("managing:item", slug=slug, pk=pk)


def _answer_page(
    request: HtmxRequest, subject: AnswerSubject, form: GivenReasonForm, typed: Form | None = None, error: str = "",
    status: int = 200,
) -> HttpResponse:  # fmt: skip
    study = subject.item.study
    questions = [subject.question]
    answers = SideBySide(subject.item, questions, subject.outputs, {})
    context = {
        "study": study, "item": subject.item, "subject": subject, "field": subject.field(typed), "form": form,
        "error": error, "section": answers.sections()[0],
        "last_words": answers.in_words(subject.question, subject.last.value) if subject.last else "",
    }  # fmt: skip
    return render(request, "managing/items/adjudicate.html", context, status=status)
