"""What owners decide about a study as a whole, as actions of the admin: lock, archive, project, unblinding and plan."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS
from annotation.blinding import is_blind, unblind
from annotation.forms import PlainText, ProjectForm, ReasonForm
from annotation.models import Study
from annotation.studies import closing
from annotation.studies.assignment_plan import OPTION, PlanInvalidError, read_plan
from annotation.studies.plan_changes import change_plan
from annotation.studies.projects import move_to_project
from config.yaml_reading import YamlInvalidError, parse_yaml
from managing.administration.confirmed_actions import PREFIX, ConfirmedAction, Given, in_roles
from managing.items.forms import GivenReasonForm
from reports.exporting.study_yaml import yaml_text

LONGEST_PLAN = 400_000
MOST_STUDIES = 50
Status = Study.Status


class PlanTextField(PlainText):
    """An assignment plan as a part of a study file; empty: none."""

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        if not text.strip():
            return None
        try:
            plan = parse_yaml(text)
            read_plan(plan)
        except YamlInvalidError as problem:
            line = f"Line {problem.line}: this text" if problem.line else "This text"
            raise ValidationError(f"{line} {problem.reason}.") from None
        except PlanInvalidError as problem:
            raise ValidationError(str(problem)) from None
        return plan


class PlanTextForm(forms.Form):
    plan = PlanTextField(
        required=False, max_length=LONGEST_PLAN, widget=forms.Textarea(attrs={"rows": 15, "cols": 80, "dir": "auto"}),
        help_text="As under plan in study.yaml (docs/formats.md). Empty: no plan. The study's page has fields for it.",
    )  # fmt: skip


class PlanAction(ConfirmedAction):
    """Gives a study another plan; the form shows the present plan first."""

    def form_for(self, person: Person, rows: Sequence[Any], posted: Given | None) -> forms.Form:
        now = rows[0].options.get(OPTION)
        return PlanTextForm(posted, prefix=PREFIX, initial={"plan": yaml_text(now) if now else ""})


of_owners, of_researchers = in_roles("pk", OWNERS), in_roles("pk", RESEARCHERS)
DECISIONS = (
    PlanAction(
        "plan", "Change assignment plan", "Decides how many raters each item gets, and who gets which items.",
        of_researchers, lambda study, person, given: change_plan(study, given["plan"], person),
        suits=lambda study: study.status != Status.CLOSED, most=1,
    ),
    ConfirmedAction(
        "project", "Move to a project", "Groups the studies on the home page. Without a name they are in none.",
        of_owners, lambda study, person, given: move_to_project(study, given["name"], person),
        form=ProjectForm, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "lock", "Lock", "Closed studies are then corrected only with a reason.", of_owners,
        lambda study, person, given: closing.lock(study, person),
        suits=lambda study: study.status == Status.CLOSED and study.locked_at is None, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "unlock", "Unlock", "The studies can be corrected without reasons again.", of_owners,
        lambda study, person, given: closing.unlock(study, given["reason"], person), form=ReasonForm,
        suits=lambda study: study.locked_at is not None and study.archived_at is None, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "archive", "Archive", "Closed studies become read-only and leave the home pages.", of_owners,
        lambda study, person, given: closing.archive(study, person),
        suits=lambda study: study.status == Status.CLOSED and study.archived_at is None, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "bring_back", "Bring back from the archive", "The studies are on the home page again.", of_owners,
        lambda study, person, given: closing.bring_back(study, person),
        suits=lambda study: study.archived_at is not None, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "unblind", "Unblind", "Systems have their names from now on. This cannot be undone; the report states it.",
        of_owners, lambda study, person, given: unblind(study, given["reason"], person), form=GivenReasonForm,
        suits=is_blind, most=1,
    ),
)  # fmt: skip
