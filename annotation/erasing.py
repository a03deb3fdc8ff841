"""What is erased with a study, with a rater's answers, and with a person. Each app says so for its own tables.

Rows are deleted in any order within one transaction; the database
checks at its end that nothing refers to a deleted row, so a table that was forgotten makes the erasure fail as a whole.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import F, Model, Q, QuerySet

from accounts.erased_names import ErasedNames, forget_names_in
from accounts.models import Person
from annotation.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    DraftConflict,
    DrawnAnswer,
    ExclusionReply,
    FlagAnswer,
    Guideline,
    Invitation,
    Item,
    ItemCopy,
    JudgeRun,
    KeptResponse,
    Membership,
    Output,
    Question,
    Rater,
    RaterExclusion,
    RaterPause,
    Rating,
    ReadComments,
    Reviewer,
    SeenItem,
    Slot,
    SpanReview,
    SpotCheck,
    Study,
    StudyCounts,
    StudyDeletion,
    Task,
    TaskOutput,
    TaskPreparation,
    Token,
    TokenStudy,
    Unblinding,
    WrittenExample,
)
from annotation.studies.assignment_plan import NAMING_RATERS
from annotation.studies.assignment_plan import OPTION as PLAN
from config.database_clock import database_now
from config.erasure import ErasedRows
from config.parts import parts

ANSWERS_TAKEN_BACK, RUN_REPLACED = "answers taken back", "run replaced"
"""The audit's names of steps after which answers count no longer; an export that is being written looks for them."""


class Erasing:
    """What one app erases. The defaults suit an app that keeps nothing of the kind."""

    study_rows: tuple[tuple[type[Model], str], ...] = ()
    """The app's tables of a study, each with the path of foreign keys from it to the study."""
    item_rows: tuple[tuple[type[Model], str], ...] = ()
    """Those of them that refer to the items of a study without answers: they go if all its items do."""
    noted: tuple[tuple[type[Model], str, Sequence[str]], ...] = ()
    """The app's tables with settings and notes, which may name people: the path to the study, and the columns."""

    def has_answers(self, study: Study) -> bool:
        """Return whether people or machines have judged or written anything in the study."""
        return False

    def summary(self, study: Study) -> Mapping[str, Any]:
        """Return what the audit keeps about the study after its rows are gone: sums and no names."""
        return {}

    def remove_files(self, study: Study) -> None:
        """Remove the study's files. Its rows are deleted next; if that fails, the app must work without the files."""

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Delete what the rater answered, and what others said about it."""

    def erase_tasks(self, tasks: QuerySet[Task], erased: ErasedRows) -> None:
        """Delete the app's rows about these tasks, which are erased."""

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        """Empty or delete every row of the study that names the person."""

    def more_names(self, person: Person, study: Study) -> Collection[str]:
        """Return what else than name and address of the account leads to the person."""
        return ()

    def forget_names(self, study: Study, names: ErasedNames, erased: ErasedRows) -> None:
        """Take these names out of what others wrote. Texts that raters judge or agree to are left as they are."""
        for model, path, columns in self.noted:
            forget_names_in(model._default_manager.filter(**{path: study.pk}), columns, names, erased)

    def stop_giving_work(self, rater: Rater, erased: ErasedRows) -> None:
        """Let others do what was set aside for a rater who leaves, by name."""

    def item_withdrawn(self, item: Item) -> None:
        """Remove what was kept of the study with this item in it, in the transaction of its withdrawal."""

    def answer_withdrawn(self, study: Study, submitted_at: datetime | None) -> None:
        """Remove what was kept of the study with an answer of that time, in the transaction that takes it back."""

    def run_replaced(self, run: JudgeRun, since: datetime | None) -> None:
        """Remove what was kept of the study with a run's answers, none of which are older than `since`."""


class AnnotationErasing(Erasing):
    study_rows = (
        (ItemCopy, "study"), (DrawnAnswer, "counts__study"), (StudyCounts, "study"), (Adjudication, "item__study"),
        (ExclusionReply, "exclusion__rater__study"), (RaterExclusion, "rater__study"), (RaterPause, "rater__study"),
        (SpotCheck, "annotation__rater__study"), (SpanReview, "rating__study"), (Rating, "study"),
        (Annotation, "rater__study"), (FlagAnswer, "rater__study"), (ReadComments, "study"),
        (DraftConflict, "assignment__rater__study"), (Assignment, "rater__study"),
        (SeenItem, "item__study"), (Slot, "item__study"),
        (TaskOutput, "task__item__study"), (Task, "item__study"), (Output, "item__study"), (Item, "study"),
        (WrittenExample, "study"), (Batch, "study"), (Reviewer, "study"), (JudgeRun, "rater__study"),
        (TaskPreparation, "study"), (Rater, "study"), (Question, "study"), (Guideline, "study"),
        (TokenStudy, "study"), (KeptResponse, "study"), (Token, "study"),
        (Invitation, "study"), (Unblinding, "study"), (Membership, "study"), (Study, "pk"),
    )  # fmt: skip
    item_rows = (
        (SeenItem, "item__study"), (Slot, "study"), (TaskOutput, "task__item__study"), (Task, "item__study"),
        (Output, "item__study"), (Item, "study"), (WrittenExample, "study"),
    )  # fmt: skip

    noted = (
        (Study, "pk", ("title", "description", "contact", "options")), (Invitation, "study", ("note",)),
        (Token, "study", ("name",)), (TaskPreparation, "study", ("why", "reason")), (Unblinding, "study", ("reason",)),
        (SpotCheck, "annotation__rater__study", ("note",)), (FlagAnswer, "rater__study", ("note",)),
        (RaterExclusion, "rater__study", ("reason", "ended_reason")), (RaterPause, "rater__study", ("reason",)),
        (ExclusionReply, "exclusion__rater__study", ("text",)),
        (SpanReview, "rating__study", ("reason",)), (Adjudication, "item__study", ("reason",)),
    )  # fmt: skip

    def has_answers(self, study: Study) -> bool:
        return (
            Annotation.objects.filter(rater__study=study).exists()
            or Rating.objects.filter(study=study).exists()
            or JudgeRun.objects.filter(rater__study=study).exists()
        )

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Delete the rater's answers. The study is counted again without them."""
        _erase_counts(rater.study, erased)
        erase_ratings(Rating.objects.filter(rater=rater), erased)
        erased.empty(JudgeRun.objects.filter(replaced_by__rater=rater), replaced_by=None)
        erased.delete(JudgeRun.objects.filter(rater=rater))
        erased.delete(ExclusionReply.objects.filter(exclusion__rater=rater))
        for model in (RaterExclusion, RaterPause, FlagAnswer):
            erased.delete(model.objects.filter(rater=rater))
        _erase_annotations(Annotation.objects.filter(rater=rater), erased)
        _erase_assignments(Assignment.objects.filter(rater=rater), erased)
        erased.delete(SeenItem.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        """Also delete accepted invitations, whose notes say for whom they were, and revoke open ones of the person.

        Without a maker they would count as made by a command, whose invitations depend on nobody's rights. Tokens of
        the account go with the person's last study.
        """
        erased.delete(Invitation.objects.filter(study=study, accepted_by=person))
        made = Invitation.objects.filter(study=study, created_by=person)
        erased.empty(made.filter(accepted_at=None, revoked_at=None), revoked_at=database_now())
        erased.empty(made, created_by=None)
        erased.delete(KeptResponse.objects.filter(Q(study=study) | Q(study=None), person=person))
        erased.delete(TokenStudy.objects.filter(study=study, token__made_by=person))
        erased.delete(Token.objects.filter(study=study, made_by=person))
        if not (person.is_staff or Membership.objects.filter(person=person).exclude(study=study).exists()):
            erased.delete(TokenStudy.objects.filter(token__made_by=person))
            erased.delete(Token.objects.filter(study=None, made_by=person))
            erased.empty(StudyDeletion.objects.filter(asked_by=person), asked_by=None)
        erased.empty(StudyDeletion.objects.filter(study_pk=study.pk, asked_by=person), asked_by=None)
        erased.empty(Batch.objects.filter(study=study, released_by=person), released_by=None)
        erased.empty(TaskPreparation.objects.filter(study=study, person=person), person=None)
        erased.empty(Unblinding.objects.filter(study=study, by=person), by=None)
        erased.empty(Reviewer.objects.filter(study=study, person=person), person=None)
        for decided in (RaterExclusion.objects, RaterPause.objects):
            erased.empty(decided.filter(rater__study=study, by=person), by=None)
            erased.empty(decided.filter(rater__study=study, ended_by=person), ended_by=None)
        erased.empty(Rater.objects.filter(study=study, person=person), person=None)
        erased.delete(Membership.objects.filter(study=study, person=person))
        erased.empty(ItemCopy.objects.filter(study=study, asked_by=person), asked_by=None)

    def forget_names(self, study: Study, names: ErasedNames, erased: ErasedRows) -> None:
        """Also delete kept responses with a name: they are for requests that are sent once more."""
        super().forget_names(study, names, erased)
        of_accounts = Token.objects.filter(pk__in=TokenStudy.objects.filter(study=study).values("token"))
        forget_names_in(of_accounts, ("name",), names, erased)
        kept = names.rows_in(KeptResponse.objects.filter(study=study), ("body",))
        erased.delete(KeptResponse.objects.filter(pk__in=[one.pk for one in kept]))

    def stop_giving_work(self, rater: Rater, erased: ErasedRows) -> None:
        """Give up the rater's list and own limit in the plan, and the slots that are kept for them."""
        erased.empty(Slot.objects.filter(study=rater.study, kept_for=rater.name), kept_for="")
        study = Study.objects.get(pk=rater.study_id)
        plan = study.options.get(PLAN) or {}
        less = {
            key: {name: one for name, one in value.items() if name != rater.name} if key in NAMING_RATERS else value
            for key, value in plan.items()
        }
        if less != plan:
            erased.empty(Study.objects.filter(pk=study.pk), options={**study.options, PLAN: less})


ERASING = AnnotationErasing()


def erase_tasks(tasks: QuerySet[Task], erased: ErasedRows) -> None:
    """Delete `tasks` with all that anybody answered to them, imported ratings included."""
    for study in Study.objects.filter(items__tasks__in=tasks).distinct():
        _erase_counts(study, erased)
    named = Rating.objects.filter(item__tasks__in=tasks, variant=F("item__tasks__variant"))
    erase_ratings(Rating.objects.filter(Q(annotation__task__in=tasks) | Q(pk__in=named.values("pk"))), erased)
    final = Adjudication.objects.filter(item__tasks__in=tasks, variant=F("item__tasks__variant")).exclude(variant="")
    erased.delete(Adjudication.objects.filter(pk__in=final.values("pk")))
    erased.delete(FlagAnswer.objects.filter(task__in=tasks))
    _erase_annotations(Annotation.objects.filter(task__in=tasks), erased)
    _erase_assignments(Assignment.objects.filter(task__in=tasks), erased)
    for erasing in all_erasing():
        erasing.erase_tasks(tasks, erased)
    erased.delete(Slot.objects.filter(task__in=tasks))
    erased.delete(TaskOutput.objects.filter(task__in=tasks))
    erased.delete(tasks)


def erase_ratings(ratings: QuerySet[Rating], erased: ErasedRows) -> None:
    """Delete `ratings` with the reviews of their spans."""
    erased.delete(SpanReview.objects.filter(rating__in=ratings))
    erased.delete(ratings)


def _erase_counts(study: Study, erased: ErasedRows) -> None:
    erased.delete(DrawnAnswer.objects.filter(counts__study=study))
    erased.delete(StudyCounts.objects.filter(study=study))


def _erase_annotations(annotations: QuerySet[Annotation], erased: ErasedRows) -> None:
    erased.delete(SpotCheck.objects.filter(annotation__in=annotations))
    erased.delete(annotations)


def _erase_assignments(assignments: QuerySet[Assignment], erased: ErasedRows) -> None:
    erased.delete(DraftConflict.objects.filter(assignment__in=assignments))
    erased.delete(assignments)


def all_erasing() -> tuple[Erasing, ...]:
    """What each app erases; an app comes before those it imports."""
    return tuple(part.erasing for part in parts() if part.erasing is not None)
