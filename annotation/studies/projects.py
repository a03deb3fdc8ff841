"""Projects: names under which owners group their studies. A project without studies is deleted."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.access import OWNERS, studies_of
from annotation.models import Project, Study
from annotation.studies.locking import lock_study
from annotation.studies.run_studies import RunStudy


@dataclass(frozen=True)
class ProjectRuns:
    """The studies of one project that somebody runs; `project` is None for those of no project."""

    project: Project | None
    runs: list[RunStudy]


def projects_to_offer(person: Person) -> QuerySet[Project]:
    """The projects to which `person` may add a study: those of studies that they own."""
    return Project.objects.filter(studies__in=studies_of(person, OWNERS)).distinct().order_by("name", "pk")


def move_to_project(study: Study, name: str, actor: Person) -> bool:
    """Put a study into the actor's project called `name`, a new one if they have none, or into none if it is empty.

    Two groups of owners may use one name: their projects stay apart. False if nothing changes.
    """
    with transaction.atomic():
        now = lock_study(study.pk)
        old, name = now.project, name.strip()
        if (old.name if old else "") == name:
            return False
        found = projects_to_offer(actor).filter(name=name).first() if name else None
        now.project = found or (Project.objects.create(name=name) if name else None)
        now.save(update_fields=["project"])
        record(
            "study moved", study.slug, actor=actor, study=study.slug,
            old={"project": old.name if old else None}, new={"project": name or None},
        )  # fmt: skip
        if old is not None:
            Project.objects.filter(pk=old.pk, studies=None).delete()
    study.project = now.project
    return True


def by_project(runs: list[RunStudy]) -> list[ProjectRuns]:
    """Studies grouped by project, by name; those of no project come last."""
    found: dict[int | None, ProjectRuns] = {}
    for run in sorted(runs, key=lambda one: (one.study.project is None, str(one.study.project or "").casefold())):
        found.setdefault(run.study.project_id, ProjectRuns(run.study.project, [])).runs.append(run)
    return list(found.values())
