"""Pages of an annotator's way into a study: the next step, practice tasks, and the right answers after them."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from annotation.desk.conflicting_drafts import FormTooLargeError
from annotation.desk.next_page import next_page
from annotation.desk.posted_answers import RequestInvalidError, answers_form, read_draft_versions
from annotation.members.own_rater import own_rater
from annotation.members.reading_guidelines import newest_guidelines
from annotation.models import Rater
from annotation.protocols import AnswersInvalidError, Form, protocols
from config.text_validation import TextRefusedError
from parts.way_in.beside_gold import comparison
from parts.way_in.entry_step import RepliesInvalidError
from parts.way_in.followers import settle
from parts.way_in.models import PracticeAnswer, StepPassage
from parts.way_in.passing import PASSED
from parts.way_in.personal_questions import shown_questions
from parts.way_in.practice_drafts import OlderDraftError, draft_of
from parts.way_in.practice_tasks import practice_context, task_at
from parts.way_in.steps_taken import (
    StaleStepError,
    Way,
    answer_task,
    read_why,
    save_draft,
    take_step,
    unread_answer,
    way_of,
)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def way_in(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the next step; POST takes it."""
    _, rater = own_rater(person_of(request), slug)
    if request.method == "POST":
        try:
            take_step(rater, request.POST.get("step", ""), request.POST)
        except RepliesInvalidError as problem:
            return _step_page(request, way_of(rater.study, rater), problem.errors)
        except StaleStepError:
            messages.info(request, gettext("This page was out of date. Here is the next step."))
            return redirect("way_in:way_in", slug=slug)
        return _onwards(request, rater)
    return _step_page(request, way_of(rater.study, rater))


def _onwards(request: HttpRequest, rater: Rater, ended: StepPassage | None = None) -> HttpResponse:
    """The next task of an attempt, the next step, or the study; `ended` is an attempt that may just have ended."""
    way = way_of(rater.study, rater)
    if way.halt is not None and way.halt.over:
        ended_at = settle(rater)
        if ended_at is not None:
            return redirect(ended_at)
    if way.step is None:
        messages.success(request, gettext("You have passed all steps. You can start now."))
        return redirect("annotation:home")
    if ended is not None and ended.outcome == PASSED:
        messages.success(request, gettext("You have passed this part. Here is the next one."))
    if way.step.kind.admits(way.step, way.passages):
        return _first_task(request, rater)
    if way.passage is not None and way.step.kind.has_tasks:
        return redirect("way_in:practice", slug=rater.study.slug)
    return redirect("way_in:way_in", slug=rater.study.slug)


def _first_task(request: HttpRequest, rater: Rater) -> HttpResponse:
    """A task of the study itself, which people are given only once they have read its guidelines."""
    if rater.guidelines_read is None and newest_guidelines(rater.study) is not None:
        return redirect("annotation:begin", slug=rater.study.slug)
    return next_page(request, rater.study)


def _step_page(request: HttpRequest, way: Way, errors: dict[str, str] | None = None) -> HttpResponse:
    if way.step is None:
        return redirect("annotation:home")
    step, form = way.step, request.POST if errors else None
    context: dict[str, Any] = {"study": way.study, "way": way, "step": step, "errors": errors or {}}
    template = "way_in/halted.html"
    if way.halt is None and way.study.is_live:
        context |= step.kind.context(step, way.study, form)
        template = step.kind.template
    if step.kind.asks_people:
        context["questions"] = shown_questions(step.body["questions"], form, errors or {})
    return render(request, template, context, status=422 if errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def practice(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the next practice task; POST answers it."""
    _, rater = own_rater(person_of(request), slug)
    if request.method == "POST":
        form, ended = answers_form(request), None
        try:
            ended = answer_task(rater, _whole(request.POST.get("number", "")), form)
        except AnswersInvalidError as problem:
            return _task_page(request, rater, form, problem.errors)
        except TextRefusedError as problem:
            return _task_page(request, rater, form, {"": str(problem)})
        except StaleStepError:
            messages.info(request, gettext("This page was out of date. Here is the next task."))
        return _onwards(request, rater, ended)
    return _task_page(request, rater)


def _task_page(
    request: HttpRequest, rater: Rater, form: Form | None = None, errors: dict[str, str] | None = None
) -> HttpResponse:
    study = rater.study
    way = way_of(study, rater)
    passage, step = way.passage, way.step
    if passage is None or step is None or not step.kind.has_practice(step) or not study.is_live:
        return redirect("way_in:way_in", slug=study.slug)
    unread = unread_answer(passage, step)
    if unread is not None:
        return redirect("way_in:why", slug=study.slug, number=unread.number + 1)
    number = PracticeAnswer.objects.filter(passage=passage).count()
    task = task_at(study, rater, passage.tasks, number)
    address = reverse("way_in:practice", args=[study.slug])
    addresses = {
        "submit_task": address, "desk": address, "save_draft": reverse("way_in:practice_draft", args=[study.slug])
    }  # fmt: skip
    key = uuid.uuid5(uuid.NAMESPACE_OID, f"practice {passage.pk} {number}")
    context = practice_context(task, addresses, draft_of(passage, number), key, form=form, errors=errors)
    context["practice"] = {
        "title": step.title, "number": number + 1, "count": len(passage.tasks), "place": number,
        "notices": "way_in/_practice_notices.html", "actions": "way_in/_practice_actions.html",
    }  # fmt: skip
    return render(request, protocols()[study.protocol].template, context, status=422 if errors else 200)


@require_POST
@signed_in
def practice_draft(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a draft of the next task; 409 if another page saved a newer one, 410 if the task is answered meanwhile."""
    _, rater = own_rater(person_of(request), slug)
    try:
        base, _ = read_draft_versions(request)
        version = save_draft(rater, _whole(request.POST.get("number", "")), answers_form(request), base)
    except OlderDraftError as problem:
        return JsonResponse({"version": problem.draft.version, "draft": problem.draft.form}, status=409)
    except StaleStepError:
        return JsonResponse({"submitted": True}, status=410)
    except FormTooLargeError as problem:
        return JsonResponse({"error": str(problem)}, status=413)
    except (TextRefusedError, RequestInvalidError) as problem:
        return JsonResponse({"error": str(problem)}, status=400)
    return JsonResponse({"version": version})


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def why(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show the right answer to a task of a training that the person has answered; POST continues."""
    study, rater = own_rater(person_of(request), slug)
    if request.method == "POST":
        try:
            read_why(rater, number - 1)
        except StaleStepError:
            messages.info(request, gettext("This page was out of date. Here is the next task."))
        return _onwards(request, rater)
    answer = _answered(rater, number)
    context = {"study": study, "number": number, "count": len(answer.passage.tasks), **comparison(answer)}
    return render(request, "way_in/why.html", context)


def _answered(rater: Rater, number: int) -> PracticeAnswer:
    """The person's newest answer to a task by its number, if its right answer may be read."""
    steps = [step.key for step in way_of(rater.study, rater).steps if getattr(step.kind, "shows_gold", False)]
    found = PracticeAnswer.objects.select_related("passage", "item").filter(
        passage__in=StepPassage.objects.filter(rater=rater, step__in=steps), number=number - 1
    )
    answer = found.order_by("-pk").first()
    if answer is None:
        raise Http404(NOTHING)
    answer.passage.rater = rater
    return answer


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else -1
