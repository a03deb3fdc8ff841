"""Finds the study that an import adds to, and makes the import's changes to the study itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.audited_erasure import ErasureRefusedError
from accounts.auditing import record
from accounts.models import Person
from annotation.blinding import with_past_blinding
from annotation.members.membership import MembershipRefusedError, add_member
from annotation.models import Guideline, Question, Slot, Study
from annotation.models.people import Role
from annotation.studies.locking import lock_study
from config.parts import parts
from files.import_problems import ImportProblem, ImportRefusedError, refuse
from files.reading.draft_rewriting import (
    create_study,
    refuse_fixed,
    refuse_unblinding,
    remove_items,
    rewrite,
    settings_of,
)
from files.reading.staging import Staging
from files.reading.study_file import StudyFile, differences
from files.reading.system_codes import refuse_names
from files.reading.target import ImportTarget

DESCRIBING = ("title", "description", "contact", "license", "citation", "language", "systems", "judges", "recruiting")
SAME_TIME = "a study with this slug was created at the same time: try again"
PLANNING = ("redundancy", "options")


class StudyUpdate(ABC):
    """An import's changes to its study: previewed while the files are checked, then written with the rows."""

    slug: str

    @abstractmethod
    def preview(self, staging: Staging) -> ImportTarget:
        """Return the study as it will be, without writing. Raises ImportRefusedError."""

    def check_names(self, target: ImportTarget) -> None:
        """Raise ImportRefusedError if the update names systems otherwise than the files may."""

    @abstractmethod
    def write(self, target: ImportTarget, actor: Person | None) -> tuple[Study, bool]:
        """Return the study, changed and locked, and whether it is new. Raises ImportRefusedError."""


@dataclass(frozen=True)
class NoUpdate(StudyUpdate):
    """The import adds to a study and leaves its settings alone."""

    study: Study

    @property
    def slug(self) -> str:  # type: ignore[override]
        return self.study.slug

    def preview(self, staging: Staging) -> ImportTarget:
        study = Study.objects.get(pk=self.study.pk)
        return _target(study, list(study.questions.order_by("position")), {}, staging)

    def write(self, target: ImportTarget, actor: Person | None) -> tuple[Study, bool]:
        return lock_study(self.study.pk), False


@dataclass(frozen=True)
class StudyFileUpdate(StudyUpdate):
    """The import creates the study of a study file, or updates the settings that may change.

    `versions` are the guidelines of the folder, by number; `owner` becomes an owner of the study. With
    `replaces_draft`, a draft without answers becomes what the file says, and with `replaces_items` its items go.
    """

    file: StudyFile
    versions: Mapping[int, str]
    owner: Person | None
    replaces_draft: bool = False
    replaces_items: bool = False

    @property
    def slug(self) -> str:  # type: ignore[override]
        return self.file.slug

    def preview(self, staging: Staging) -> ImportTarget:
        study = Study.objects.filter(slug=self.slug).first()
        if study is None:
            study = Study(slug=self.slug, **settings_of(self.file))
            study.pk = staging.next_ids(Study, 1)[0]
            questions = self._new_questions(study, staging)
        elif self.replaces_draft:
            refuse_fixed(study, self.file.name)
            refuse_unblinding(study, self.file.options or {}, self.file.name)
            questions = list(study.questions.order_by("position"))
            if differences(self.file, study.protocol, questions):
                questions = self._new_questions(study, staging)
            for name, value in settings_of(self.file).items():
                setattr(study, name, value)
            staging.replaces_items = self.replaces_items
        else:
            questions = list(study.questions.order_by("position"))
            for name, value in self._changes(study, questions).items():
                setattr(study, name, value)
        return _target(study, questions, self._new_versions(study), staging)

    def check_names(self, target: ImportTarget) -> None:
        refuse_names(self.file, target.codes)

    def write(self, target: ImportTarget, actor: Person | None) -> tuple[Study, bool]:
        study = Study.objects.filter(pk=target.study.pk).first()
        is_new = study is None
        if study is None:
            study = self._create(target, actor)
        else:
            study = lock_study(study.pk)
            self._replace(study, target, actor) if self.replaces_draft else self._update(study, actor)
        for number, text in self._new_versions(study).items():
            Guideline.objects.create(study=study, number=number, text=text)
            record("guidelines published", f"version {number}", actor=actor, study=study.slug, new={"version": number})
        if self.owner is not None:
            _give_owner(study, self.owner, actor)
        return study, is_new

    def _new_questions(self, study: Study, staging: Staging) -> list[Question]:
        questions = list(self.file.questions)
        for pk, question in zip(staging.next_ids(Question, len(questions)), questions, strict=True):
            question.pk, question.study = pk, study
        return questions

    def _given(self, study: Study) -> dict[str, Any]:
        """Return the settings in the file, as `study` would have them."""
        file = self.file
        given = {name: getattr(file, name) for name in (*DESCRIBING, *PLANNING) if getattr(file, name) is not None}
        return {**given, "options": with_past_blinding(study, given["options"])} if "options" in given else given

    def _changes(self, study: Study, questions: list[Question]) -> dict[str, Any]:
        """Return the settings that the file changes. Raises ImportRefusedError for settings that cannot change."""
        if self.file.options is not None:
            refuse_unblinding(study, self.file.options, self.file.name)
        found = differences(self.file, study.protocol, questions)
        changed = {name: value for name, value in self._given(study).items() if getattr(study, name) != value}
        if Slot.objects.filter(study=study).exists():
            why = "it cannot be changed, because tasks have been made with it"
            found += [
                ImportProblem(self.file.name, 0, name, f"was {getattr(study, name)} and is {changed[name]}: {why}")
                for name in PLANNING
                if name in changed
            ]
        if found:
            raise ImportRefusedError(found)
        return changed

    def _create(self, target: ImportTarget, actor: Person | None) -> Study:
        create_study(target.study, target.questions, actor, refuse(self.file.name, SAME_TIME))
        return target.study

    def _replace(self, study: Study, target: ImportTarget, actor: Person | None) -> None:
        refuse_fixed(study, self.file.name)
        refuse_unblinding(study, self.file.options or {}, self.file.name)
        if self.replaces_items:
            try:
                remove_items(study, actor)
            except ErasureRefusedError as problem:
                raise refuse(self.file.name, str(problem)) from problem
        rewrite(study, self.file, actor, questions=target.questions, keeps_items=not self.replaces_items)

    def _update(self, study: Study, actor: Person | None) -> None:
        changed = self._changes(study, list(study.questions.order_by("position")))
        if not changed:
            return
        old = {name: getattr(study, name) for name in changed}
        for name, value in changed.items():
            setattr(study, name, value)
        study.save(update_fields=list(changed))
        if "recruiting" in changed:
            for part in parts():
                part.recruiting_changed(study)
        record("study described", study.slug, actor=actor, study=study.slug, old=old, new=changed)

    def _new_versions(self, study: Study) -> dict[int, str]:
        """Return the guidelines versions that the study does not have yet. Existing ones must be identical.

        The text of the study file comes last if it differs from the newest version in the folder.
        """
        known = dict(Guideline.objects.filter(study=study).order_by("number").values_list("number", "text"))
        new: dict[int, str] = {}
        for number in sorted(self.versions):
            if number in known:
                if known[number] != self.versions[number]:
                    raise refuse(
                        f"guidelines/{number}.md", "differs from this version in the study: versions never change"
                    )
                continue
            newest = max([*known, *new], default=0)
            if number != newest + 1:
                raise refuse(
                    f"guidelines/{number}.md", f"comes after version {newest}: version {newest + 1} is missing"
                )
            # Two versions with the same text are kept apart: judgments name them.
            new[number] = self.versions[number]
        text, last = self.file.guidelines, self.versions[max(self.versions)] if self.versions else None
        newest = max([*known, *new], default=0)
        if text is not None and text != last and {**known, **new}.get(newest) != text:
            new[newest + 1] = text
        return new


def _target(study: Study, questions: list[Question], new: Mapping[int, str], staging: Staging) -> ImportTarget:
    known = Guideline.objects.filter(study=study).values_list("number", flat=True)
    return ImportTarget(study, questions, [*known, *new], staging)


def _give_owner(study: Study, person: Person, actor: Person | None) -> None:
    """Make `person` an owner of the study. Raises ImportRefusedError if they have another role in it."""
    try:
        membership = add_member(study, person, Role.OWNER.value, actor)
    except MembershipRefusedError as problem:
        raise refuse("--owner", f"{person.username}: {problem}") from None
    if membership.role != Role.OWNER or not membership.active:
        state = f"{membership.role} of" if membership.active else "no longer a member of"
        raise refuse("--owner", f"{person.username} is {state} this study: change that on its members page")
