"""Runs of judges in the admin: they are stopped and resumed; what they found is read-only."""

from django.contrib import admin

from annotation.access import RESEARCHERS
from annotation.models import JudgeRun
from judges.run_states import RESUMABLE, resume_run, stop_run
from managing.administration.confirmed_actions import ConfirmedAction, in_roles
from managing.administration.steered_admin import SteeredAdmin

of_researchers = in_roles("rater__study", RESEARCHERS)


@admin.register(JudgeRun)
class JudgeRunAdmin(SteeredAdmin):
    study_path = "rater__study"
    steps = (
        ConfirmedAction(
            "stop", "Stop", "No more judgments are started. Calls that are being made end within seconds.",
            of_researchers, lambda run, person, given: stop_run(run, person),
            suits=lambda run: run.status == JudgeRun.Status.RUNNING, most=50,
        ),
        ConfirmedAction(
            "resume", "Resume", "Queues what the runs have not judged. Judgments that have an outcome stay.",
            of_researchers, lambda run, person, given: resume_run(run, person),
            suits=lambda run: run.status in RESUMABLE, most=50,
        ),
    )  # fmt: skip
    list_display = ["name", "rater", "study", "status", "counts", "price", "started_at", "ended_at", "replaced_by"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["name", "rater__name"]
    list_select_related = ["rater__study", "replaced_by__rater"]
    ordering = ["-pk"]

    @admin.display(ordering="rater__study")
    def study(self, run: JudgeRun) -> str:
        return str(run.rater.study)
