"""The pages behind links: what the study is and a button to start, and the end of a stay with its code."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from accounts.models import Person
from accounts.signing_in import enter
from annotation.access import NOTHING
from annotation.models import Study
from config.client_address import client_address
from config.database_clock import database_now
from parts.crowds import attention_texts, entering
from parts.crowds.browser_mark import keep_mark, mark_in, new_mark
from parts.crowds.ending import open_again, settle, stay_of, way_back
from parts.crowds.entry_limits import EntryLimitedError, count_answer, count_entry, forget_answers
from parts.crowds.link_settings import PublicLink, public_link_of
from parts.crowds.recruiter_settings import recruiter_of
from parts.crowds.signed_entry import LinkRefusedError, carried, ids_in

WRONG = gettext_noop("That is not what the text asks for. Here is another one: read it to the end.")
NO_COOKIES = gettext_noop("Your browser sent no cookie. Allow cookies for this site, then try again.")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_by_recruiter(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what the study is to somebody whom a recruiter has sent; POST begins their stay or continues it."""
    study = _study(slug)
    recruiter = recruiter_of(study)
    if recruiter is None:
        raise Http404(NOTHING)
    context: dict[str, Any] = {"study": study, "intro": recruiter.body.get("intro"), "recruiter": recruiter}
    if _is_other_account(request):
        return _page(request, context | {"is_other": True}, 409 if request.method == "POST" else 200)
    try:
        given = request.POST if request.method == "POST" else request.GET
        context["carried"] = carried(recruiter, given)
        if not entering.takes_entries(study):
            return _refused(request, context, entering.CLOSED)
        ids = ids_in(study, recruiter, given)
        if request.method == "POST":
            return _begin_by_recruiter(request, study, ids)
    except (LinkRefusedError, entering.EntryRefusedError) as problem:
        return _refused(request, context, str(problem))
    except EntryLimitedError as limited:
        return _limited(request, context, limited)
    return _page(request, context)


def _begin_by_recruiter(request: HttpRequest, study: Study, ids: dict[str, str]) -> HttpResponse:
    count_entry(client_address(request))
    mark = mark_in(request) or new_mark()
    person = entering.enter_by_recruiter(study, ids, mark, database_now())
    return _inside(request, study, person, mark, "recruiter")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def enter_by_public_link(request: HttpRequest, slug: str) -> HttpResponse:
    """Say what the study is to anybody, with a text to read; POST makes an account for the browser."""
    study = _study(slug)
    link = public_link_of(study)
    if link is None:
        raise Http404(NOTHING)
    mark = mark_in(request)
    context: dict[str, Any] = {"study": study, "intro": link.body.get("intro")}
    if _is_other_account(request):
        return _page(request, context | {"is_other": True}, 409 if request.method == "POST" else 200)
    try:
        if request.method == "POST" and mark:
            return _begin_by_public_link(request, study, link, mark)
    except entering.EntryRefusedError as problem:
        return _refused(request, context, str(problem))
    except EntryLimitedError as limited:
        return _limited(request, context, limited)
    return _public_page(request, study, link, context)


def _begin_by_public_link(request: HttpRequest, study: Study, link: PublicLink, mark: str) -> HttpResponse:
    if not entering.returns(study, mark):
        if entering.has_left(study, mark):
            raise entering.EntryRefusedError(entering.OUT)
        address = client_address(request)
        count_answer(address, mark)
        token, answer = request.POST.get("drawn", ""), request.POST.get("answer", "")
        if not attention_texts.is_followed(study, link.attention, token, answer, mark):
            context = {"study": study, "intro": link.body.get("intro"), "problem": gettext(WRONG)}
            return _public_page(request, study, link, context)
        forget_answers(mark)
        count_entry(address)
    person = entering.enter_by_public_link(study, mark, database_now())
    return _inside(request, study, person, mark, "public link")


def _public_page(request: HttpRequest, study: Study, link: PublicLink, context: dict[str, Any]) -> HttpResponse:
    """The page of the public link, with a newly drawn text unless the browser has an account."""
    sent = mark_in(request)
    mark, known = sent or new_mark(), entering.returns(study, sent)
    if not entering.takes_entries(study) or not (link.is_open or known):
        return _refused(request, context, entering.CLOSED)
    if not known:
        if sent and entering.has_left(study, sent):
            return _refused(request, context, entering.OUT)
        if entering.places_taken(study) >= link.people:
            return _refused(request, context, entering.FULL)
        context["drawn"] = attention_texts.draw(study, link.attention, mark)
    is_posted = request.method == "POST"
    if is_posted and not sent:
        context["problem"] = gettext(NO_COOKIES)
    response = _page(request, context, 422 if is_posted else 200)
    keep_mark(response, mark)
    return response


@never_cache
@require_POST
@signed_in
def finish(request: HttpRequest, slug: str) -> HttpResponse:
    """End the stay of a person for whom nothing is left to do, and show how it ended."""
    study = _study(slug)
    stay = settle(study, person_of(request))
    if stay is None:
        raise Http404(NOTHING)
    if not stay.outcome:
        messages.info(request, gettext("There is something left to do before you get your code."))
        if open_again(study, stay.rater):
            return redirect(f"{reverse('annotation:my_answers', args=[slug])}?show=skipped")
        return redirect("annotation:home")
    return redirect("crowds:outcome", slug=slug)


@never_cache
@require_safe
@signed_in
def outcome(request: HttpRequest, slug: str) -> HttpResponse:
    """Thank a person whose stay has ended, with the code and the way back to the recruiter."""
    study = _study(slug)
    stay = stay_of(study, person_of(request))
    if stay is None:
        raise Http404(NOTHING)
    if not stay.outcome:
        return redirect("annotation:home")
    context = {"study": study, "stay": stay, "outcome": stay.outcome, "back": way_back(study, stay)}
    return render(request, "crowds/outcome.html", context)


def _study(slug: str) -> Study:
    """The study called `slug`, unless it is a draft: nobody is to learn of one."""
    study = Study.objects.filter(slug=slug).exclude(status=Study.Status.DRAFT).first()
    if study is None:
        raise Http404(NOTHING)
    return study


def _is_other_account(request: HttpRequest) -> bool:
    """Whether somebody is signed in whose account was not made by a link: they are told, and not signed out."""
    return isinstance(request.user, Person) and not request.user.is_guest


def _inside(request: HttpRequest, study: Study, person: Person, mark: str, how: str) -> HttpResponse:
    """Sign the person in and lead them to where they are: the end of their stay, the steps, or the guidelines."""
    if request.user != person and not enter(request, person, how):
        return redirect("accounts:second_step")
    stay = stay_of(study, person)
    if stay is not None and stay.outcome:
        response = redirect("crowds:outcome", slug=study.slug)
    elif stay is not None and not stay.rater.admitted:
        response = redirect("way_in:way_in", slug=study.slug)
    elif stay is not None and stay.rater.guidelines_read is None and study.guidelines.exists():
        response = redirect("annotation:begin", slug=study.slug)
    else:
        response = redirect("annotation:home")
    keep_mark(response, mark)
    return response


def _refused(request: HttpRequest, context: dict[str, Any], problem: str) -> HttpResponse:
    return _page(request, context | {"refusal": gettext(problem)}, 422)


def _limited(request: HttpRequest, context: dict[str, Any], limited: EntryLimitedError) -> HttpResponse:
    sentence = ngettext(
        "Too many attempts from here. Try again in %(n)s minute.",
        "Too many attempts from here. Try again in %(n)s minutes.",
        limited.minutes,
    ) % {"n": limited.minutes}
    response = _page(request, context | {"refusal": sentence}, 429)
    response["Retry-After"] = str(60 * limited.minutes)
    return response


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    return render(request, "crowds/entry.html", context, status=status)
