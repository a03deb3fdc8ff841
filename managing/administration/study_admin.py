"""Studies and runs of judges in the admin. A study is made and changed on its pages; its state changes by actions."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS
from annotation.forms import ReasonForm
from annotation.models import JudgeRun, Study
from annotation.studies import closing, lifecycle
from annotation.studies.preparing_tasks import go_live
from annotation.studies.redundancy import change_study_redundancy
from judges.run_states import resume_run, stop_run
from managing.administration.item_admin import RedundancyForm
from managing.administration.row_steps import Given, RowStep, SteeredAdmin, in_roles

MOST_STUDIES = 50
PREPARING = "Workers make the tasks of its items. It goes live when they are done."
CHANGING = "Workers change the tasks of its items now."


def _go_live(study: Study, person: Person, given: Given) -> str | None:
    return None if go_live(study, person) else PREPARING


def _change_redundancy(study: Study, person: Person, given: Given) -> str:
    change_study_redundancy(study, given["count"], given["reason"], person)
    return CHANGING


of_owners, of_researchers = in_roles("pk", OWNERS), in_roles("pk", RESEARCHERS)


@admin.register(Study)
class StudyAdmin(SteeredAdmin):
    study_path = "pk"
    steps = {
        "make_live": RowStep("Make live", of_researchers, _go_live, most=MOST_STUDIES),
        "pause": RowStep(
            "Pause", of_researchers, lambda study, person, given: lifecycle.pause(study, person, given["reason"]),
            ReasonForm,
        ),
        "close": RowStep(
            "Close", of_owners, lambda study, person, given: lifecycle.close(study, person, given["reason"]), ReasonForm
        ),
        "reopen": RowStep(
            "Reopen", of_owners, lambda study, person, given: lifecycle.reopen(study, person, given["reason"]),
            ReasonForm,
        ),
        "lock": RowStep("Lock", of_owners, lambda study, person, given: closing.lock(study, person)),
        "unlock": RowStep(
            "Unlock", of_owners, lambda study, person, given: closing.unlock(study, given["reason"], person), ReasonForm
        ),
        "archive": RowStep("Archive", of_owners, lambda study, person, given: closing.archive(study, person)),
        "bring_back": RowStep(
            "Bring back from the archive", of_owners, lambda study, person, given: closing.bring_back(study, person)
        ),
        "redundancy": RowStep("Change redundancy", of_researchers, _change_redundancy, RedundancyForm),
    }  # fmt: skip
    list_display = ["name", "slug", "status", "protocol", "redundancy", "created_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["slug", "title"]
    ordering = ["-pk"]
    fields = [
        "slug", "title", "description", "contact", "license", "citation", "language", "protocol", "redundancy",
        "options", "systems", "judges", "status", "planned_through", "created_at",
    ]  # fmt: skip

    @admin.display(description="title", ordering="title")
    def name(self, study: Study) -> str:
        return str(study)

    def has_add_permission(self, request: HttpRequest, *_: object) -> bool:
        return self.has_module_permission(request)

    def add_view(self, request: HttpRequest, *_: object, **__: object) -> HttpResponse:
        """Lead to the page that makes studies."""
        return redirect("managing:new_study")

    def view_on_site(self, study: Study) -> str:
        return reverse("annotation:study", args=[study.slug])


of_runners = in_roles("rater__study", RESEARCHERS)


@admin.register(JudgeRun)
class JudgeRunAdmin(SteeredAdmin):
    study_path = "rater__study"
    steps = {
        "stop": RowStep("Stop", of_runners, lambda run, person, given: stop_run(run, person), most=50),
        "resume": RowStep("Resume", of_runners, lambda run, person, given: resume_run(run, person), most=50),
    }
    list_display = ["name", "rater", "study", "status", "counts", "price", "started_at", "ended_at", "replaced_by"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["name", "rater__name"]
    list_select_related = ["rater__study", "replaced_by__rater"]
    ordering = ["-pk"]

    @admin.display(ordering="rater__study")
    def study(self, run: JudgeRun) -> str:
        return str(run.rater.study)

    def view_on_site(self, run: JudgeRun) -> str:
        return reverse("judges:run", args=[run.rater.study.slug, run.pk])
